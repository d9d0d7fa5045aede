"""Options that several commands have."""

from __future__ import annotations

import os

import click

from ..calls import check_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


VARIABLE = "LLM_DATADIST_STATUS_LANG"
_LANGUAGES = ("en", "zh")


def language_option() -> Callable[[Any], Any]:
    """``--lang``, for the command and for each of its subcommands; the innermost one given counts."""
    return click.option(
        "--lang",
        type=click.Choice(_LANGUAGES),
        expose_value=False,
        callback=_remember_language,
        help=f"Language of the texts.  [default: the environment variable {VARIABLE}, else the locale's, else en]",
    )


def api_option(text: str) -> Callable[[Any], Any]:
    """``--api``, the name of a call; ``text`` is its help."""
    return click.option("--api", metavar="NAME", callback=_check_api, help=text)


def _check_api(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
    if value is not None:
        try:
            check_call(value)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None
    return value


def _remember_language(ctx: click.Context, _param: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.meta["lang"] = value


def language() -> str:
    """The language to print in: the option's or the variable's, else the locale's, else English."""
    chosen = click.get_current_context().meta.get("lang") or os.environ.get(VARIABLE)
    if chosen and chosen not in _LANGUAGES:
        raise click.UsageError(f"The environment variable {VARIABLE} is {chosen!r}: expected 'en' or 'zh'.")
    if chosen:
        return str(chosen)
    locale = next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), "")
    return "zh" if locale.startswith("zh") else "en"
