"""``list``: all codes as a table."""

from __future__ import annotations

import sys
from shutil import get_terminal_size

import click

from ..advice import can_report
from ..calls import KINDS
from ..explanation import LANGUAGES, Explanation, action_words, recoverability
from ..notation import aliases
from ..status import Status
from .options import api_option, language, language_option
from .output import draw, print_json, remark

HEADINGS = {
    "en": ("Name", "Hexadecimal", "Decimal", "Recoverable", "Action", "Meaning"),
    "zh": ("名称", "十六进制", "十进制", "是否可恢复", "建议操作", "含义"),
}
_WIDE = 130  # columns that the table needs; on a narrower terminal its cells are stacked
_NONE = {"en": "no code fits", "zh": "没有符合条件的错误码"}
_SILENT = {"en": "{} reports no status", "zh": "{}不返回错误码"}


@click.command(
    "list",
    help="""List all codes.

    \b
    Examples:
      llm-datadist-status list --recoverable no
      llm-datadist-status list --search timeout
      llm-datadist-status list --api SetRole
      llm-datadist-status list --lang zh --markdown

    \b
    Exit status:
      0  the codes are listed, or none fits
      2  a usage error
    """,
)
@click.option(
    "--recoverable",
    type=click.Choice(["yes", "no", "n/a"]),
    help="Only codes that are, that are not, or for which it does not apply.",
)
@click.option(
    "--search", metavar="TEXT", help="Only those that have TEXT in a name, a value or a text of either language."
)
@api_option("Only those that this call (PullKvBlocks, pull_blocks, ...) can report, with the action after it.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print a Markdown table.")
@language_option()
def list_codes(
    recoverable: str | None, search: str | None, api: str | None, as_json: bool, as_csv: bool, as_markdown: bool
) -> int:
    if as_json + as_csv + as_markdown > 1:
        raise click.UsageError("--json, --csv and --markdown exclude each other: give one of them.")
    wanted = {"yes": True, "no": False, "n/a": None}
    statuses = [
        status
        for status in Status
        if (recoverable is None or status.recoverable is wanted[recoverable])
        and (search is None or _has(status, search, api))
        and (api is None or can_report(status, api))
    ]
    lang = language()
    table = [HEADINGS[lang], *(row(status, lang, api) for status in statuses)]
    if as_json:
        print_json([Explanation(status, api=api).to_dict() for status in statuses])
    elif as_csv:
        _print_csv(table)
    elif as_markdown:
        click.echo(markdown(table))
    else:
        _draw(table)
    if api is not None and KINDS[api] == "silent":
        remark(_SILENT[lang].format(api))
    elif not statuses:
        remark(_NONE[lang])
    return 0


def row(status: Status, lang: str, api: str | None = None) -> tuple[str, ...]:
    """The cells of one code, in the order of the headings; the action is that after the call ``api``."""
    action = status.advise(api).action.name
    return (
        status.name,
        status.hex,
        str(int(status)),
        recoverability(status, status.recoverable, lang),
        action_words(action, lang),
        status.description(lang),
    )


def _has(status: Status, search: str, api: str | None) -> bool:
    steps = status.advise(api).steps
    texts = [text for lang in LANGUAGES for text in (status.description(lang), *steps(lang))]
    places = (status.name, status.hex, str(int(status)), *aliases(status), *texts)
    return any(search.casefold() in place.casefold() for place in places)


def _print_csv(table: list[tuple[str, ...]]) -> None:
    import csv

    csv.writer(sys.stdout, lineterminator="\n").writerows(table)


def markdown(table: list[tuple[str, ...]]) -> str:
    """The table in Markdown, headings first."""
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |" for cells in table]
    lines.insert(1, "|" + " --- |" * len(table[0]))
    return "\n".join(lines)


def _draw(table: list[tuple[str, ...]]) -> None:
    from rich.table import Table

    if sys.stdout.isatty() and get_terminal_size().columns < _WIDE:
        table = [
            (f"{name}\n{hexadecimal}  {decimal}", f"{meaning}\n{action}", recoverable)
            for name, hexadecimal, decimal, recoverable, action, meaning in table
        ]
    headings, *rows = table
    drawn = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for number, heading in enumerate(headings):
        # Words fold where they must; names and values stay whole, to be copied.
        drawn.add_column(heading, no_wrap=number == 0, overflow="fold")
    for cells in rows:
        drawn.add_row(*cells)
    draw(drawn)
