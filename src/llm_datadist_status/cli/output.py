"""How things are printed: plainly, as JSON, or drawn by rich where there is colour."""

from __future__ import annotations

import os
import sys

import click

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rich.console import RenderableType


def remark(text: str) -> None:
    """A remark, on standard error."""
    if not text.isprintable():  # a file's name may hold anything
        from ..scan.visible import visible

        text = visible(text)
    click.echo(f"llm-datadist-status: {text}", err=True)


def print_json(document: object) -> None:
    """One JSON document in UTF-8, whatever the locale. Bytes of an argument that were not UTF-8 become escapes."""
    import json

    text = json.dumps(document, ensure_ascii=False, indent=2)
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace") + b"\n")


def forget_output() -> None:
    """Leave nothing to write to standard output at exit, when it would fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def coloured() -> bool:
    """Whether to draw in colour: on a terminal that has it, or where the user forces it; never against NO_COLOR."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def draw(*things: RenderableType) -> None:
    """Draw with rich: in the width of the terminal, and elsewhere unfolded, so that one row stays one line."""
    from rich.console import Console

    colour = coloured()
    width = None if sys.stdout.isatty() else 10_000
    console = Console(
        width=width,
        markup=False,
        highlight=False,
        color_system="auto" if colour else None,
        force_terminal=colour,
    )
    with console.capture() as capture:
        for thing in things:
            console.print(thing)
    # Cells are padded to their columns, also the last one of a row.
    click.echo("\n".join(line.rstrip() for line in capture.get().splitlines()), color=colour)
