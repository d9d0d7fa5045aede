"""``explain``: what codes mean and what to do about them."""

from __future__ import annotations

import sys

import click

from ..explanation import Explanation
from ..notation import NotAStatusError, parse
from .options import api_option, language, language_option
from .output import coloured, draw, print_json, remark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..status import Status, UnknownStatus

_EMPTY = {"en": "standard input is empty: nothing to explain", "zh": "标准输入为空，没有可解释的内容"}
_PLACE = {"en": "standard input, line {}: ", "zh": "标准输入第{}行："}


class _ExplainCommand(click.Command):
    """Takes an argument that starts with a minus sign and a digit for a value and not for an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        takes_value = {name for param in self.params for name in param.opts if not getattr(param, "is_flag", False)}
        marked = [
            # No argument of a process can hold a NUL.
            "\0" + arg if arg[:1] == "-" and arg[1:2].isdigit() and before not in takes_value else arg
            for before, arg in zip(["", *args], args, strict=False)
        ]
        return super().parse_args(ctx, marked)


@click.command(
    cls=_ExplainCommand,
    help="""Say what each CODE is, whether it is recoverable, and what to do.

    A CODE is a number (1343270921, 0x5010B009, 5010b009, -1), a name in any spelling, or a whole pasted log line that
    holds one; "-" reads lines from standard input.

    \b
    Examples:
      llm-datadist-status explain 1343270921
      llm-datadist-status explain --api pull_blocks LLM_WAIT_PROC_TIMEOUT
      grep ErrorNo plog.log | llm-datadist-status explain -

    \b
    Exit status:
      0  every code is known
      1  a value has no name (it is decoded all the same)
      2  something is not a status code, or a usage error
    """,
)
@click.argument("codes", metavar="CODE...", nargs=-1, required=True)
@api_option("The call that reported it: PullKvBlocks, pull_blocks, ...")
@click.option(
    "--docs", type=click.Choice(["cpp", "python"]), default="cpp", show_default=True, help="Which official page counts."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list.")
@language_option()
def explain(codes: tuple[str, ...], api: str | None, docs: str, as_json: bool) -> int:
    status = 0
    first = True
    documents = []
    for number, text in _inputs(codes):
        try:
            found = _read(text)
        except NotAStatusError as error:
            place = _PLACE[language()].format(number) if number else ""
            remark(place + error.in_language(language()))
            status = 2
            continue
        for code in found:
            explanation = Explanation(code, given=text, api=api, docs=docs)
            if not explanation.known:
                status = max(status, 1)
            if as_json:
                documents.append(explanation.to_dict())
            else:
                _show(explanation, first=first)
            first = False
    if as_json:
        print_json(documents)
    return status


def _inputs(codes: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """What to explain, each with the number of its line in standard input, or 0."""
    for code in codes:
        if code != "-":
            yield 0, code.removeprefix("\0")
        elif sys.stdin is None:
            raise click.ClickException("standard input is closed: nothing can be read from it")
        else:
            number = 0
            for number, line in enumerate(sys.stdin.buffer, 1):
                text = line.decode("utf-8", "surrogateescape").rstrip("\r\n")
                if number == 1:
                    text = text.removeprefix("\N{BYTE ORDER MARK}")
                if text.strip():
                    yield number, text
            if number == 0:
                remark(_EMPTY[language()])


def _read(text: str) -> list[Status | UnknownStatus]:
    try:
        return [parse(text)]  # most often; it costs less to load than what follows
    except NotAStatusError:
        from ..scan.text import statuses

        return statuses(text)


def _show(explanation: Explanation, *, first: bool) -> None:
    lang = language()
    if not first:
        click.echo()
    if not coloured():
        click.echo(explanation.to_text(lang))
        return
    from rich.table import Table
    from rich.text import Text

    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="dim", no_wrap=True)
    rows.add_column()
    for label, lines in explanation.rows(lang):
        rows.add_row("  " + label, Text("\n".join(lines)))
    style = {True: "bold yellow", False: "bold red", None: "bold"}[explanation.advice.recoverable]
    draw(Text(explanation.title(lang), style), rows)
