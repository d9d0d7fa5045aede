"""The command ``llm-datadist-status``: reads arguments, asks the library, prints. Only here are click and rich used."""

from __future__ import annotations

import os
import sys

import click

from .explain import explain
from .list import list_codes
from .options import language_option


class _Group(click.Group):
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
@language_option(envvar="LLM_DATADIST_STATUS_LANG")
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


main.add_command(explain)
main.add_command(list_codes)


def run() -> None:
    """Run the command and exit with its status."""
    for stream in (sys.stdout, sys.stderr):
        # What the encoding of the terminal or the pipe lacks is printed as an escape: no traceback, nothing lost.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        status = main.main(prog_name="llm-datadist-status", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        status = 130
    except BrokenPipeError:
        # The reader has seen enough, as in "| head". Standard output is closed again at exit, which must not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    sys.exit(status)
