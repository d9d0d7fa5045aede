"""The command ``llm-datadist-status``: reads arguments, asks the library, prints. Only here are click and rich used."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from .options import language_option
from .output import forget_output, remark

_COMMANDS = {"explain": "explain", "list": "list_codes", "scan": "scan", "verify": "verify"}


class _Group(click.Group):
    """Imports a command's module when the command is run, and all of them only for the help."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        command = getattr(import_module(f"{__name__}.{name}"), _COMMANDS[name])
        assert isinstance(command, click.Command)
        return command

    def format_epilog(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Exit status"):
            formatter.write_dl(
                [("0", "all is well"), ("1, 2", "as the help of each command says; 2 also for a usage error")]
            )


def _print_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if not value:
        return
    from .. import __version__
    from ..status import header_info

    header = header_info()
    path = "" if header.origin == "bundled" else f" {header.path},"
    click.echo(f"llm-datadist-status {__version__} (header: {header.origin},{path} sha256 {header.sha256})")
    ctx.exit()


@click.group(
    cls=_Group,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""What the status codes of LLM-DataDist mean and what to do about them.

    \b
    Example:
      llm-datadist-status explain 1343270921
    """,
)
@language_option()
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version and which header the codes come from, and exit.",
)
def main() -> None:
    pass


def run() -> None:
    """Run the command and exit with its status."""
    _prepare_streams()
    try:
        status = main.main(prog_name="llm-datadist-status", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        status = 2  # also for what click itself would end with 1, which has a meaning of its own here
    except (click.Abort, KeyboardInterrupt):
        status = 130
    except BrokenPipeError:
        status = 0  # the reader has seen enough, as in "| head"
        forget_output()
    except OSError as error:
        remark(f"the output cannot be written: {error.strerror or error}")
        status = 2
        forget_output()
    except ModuleNotFoundError:
        raise  # __main__ says which wheels are missing
    except Exception as error:  # 1 would mean something else
        remark(f"this is a bug, please report it: {type(error).__name__}: {error}")
        status = 2
    sys.exit(status)


def _prepare_streams() -> None:
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by whoever started the command
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 - until the process ends
        else:
            # What the encoding of the terminal or the pipe lacks is printed as an escape: no traceback, nothing lost.
            stream.reconfigure(errors="backslashreplace")
