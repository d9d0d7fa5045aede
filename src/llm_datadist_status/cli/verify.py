"""``verify``: whether all places where the codes are written say the same."""

from __future__ import annotations

import click

from .. import parity
from ..header import HeaderError, Undecided
from .options import language, language_option
from .output import draw, print_json, remark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..lock import Drift
    from ..parity import Difference, Source, Verdict

_HEADINGS = {
    "en": ("Kind", "Name", "Old", "New", "Old in", "New in"),
    "zh": ("类型", "名称", "旧", "新", "旧值来源", "新值来源"),
}
_KINDS = {
    "en": {},
    "zh": {
        "missing": "缺失",
        "added": "新增",
        "renamed": "改名",
        "changed": "取值变化",
        "include": "包含文件",
        "option": "选项",
        "default": "默认参数",
    },
}
_OUTCOMES = {
    "en": {
        "same": "same: {count} codes in {sources}",
        "differs": "differs: {count} certain",
        "cannot-tell": "cannot tell: no difference is certain, and something could not be decided",
    },
    "zh": {
        "same": "一致：{sources}中均为{count}个错误码",
        "differs": "不一致：确定的差异共{count}处",
        "cannot-tell": "无法判断：没有确定的差异，但有内容无法判定",
    },
}
_WROTE = {"en": "wrote {}", "zh": "已写入{}"}
_UNDECIDED = {"en": "undecided", "zh": "无法判定"}


def _named(_ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    if "" in value:
        raise click.BadParameter("it is empty: is the variable set that it should come from?", param=param)
    return value


@click.command(
    help="""Verify that the codes are the same wherever they are written.

    Compares the header that the module was compiled from, the module and the catalogue with each other and with what
    the options name. A header is read as text, by a reader that says so where it cannot decide.

    \b
    Examples:
      llm-datadist-status verify
      llm-datadist-status verify --cann "$ASCEND_HOME_PATH"
      llm-datadist-status verify --header llm_datadist.h --exact --format github

    \b
    Exit status:
      0  all agree
      1  a difference is certain
      2  no difference is certain and something is undecided, or a usage error
    """,
)
@click.argument("files", metavar="[HEADER]...", nargs=-1, callback=_named)
@click.option(
    "--header", "headers", metavar="FILE", multiple=True, callback=_named, help="A header; the same as HEADER."
)
@click.option(
    "--cann",
    "toolkits",
    metavar="DIR",
    multiple=True,
    callback=_named,
    help="An installed toolkit: the folder that ASCEND_HOME_PATH names.",
)
@click.option("--exact", is_flag=True, help="Ask the C++ compiler ($CXX, else c++) instead of the text reader.")
@click.option(
    "--package", "with_package", is_flag=True, help="The official Python package, imported in a child process."
)
@click.option(
    "--lock", metavar="FILE", help="A snapshot of the one header given: codes, includes, options, default timeouts."
)
@click.option("--update", is_flag=True, help="Write the lock instead of checking against it.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "github", "junit"]), default="text", show_default=True
)
@click.option("--json", "form", flag_value="json", help="Short for --format json.")
@language_option()
def verify(
    files: tuple[str, ...],
    headers: tuple[str, ...],
    toolkits: tuple[str, ...],
    exact: bool,
    with_package: bool,
    lock: str | None,
    update: bool,
    form: str,
) -> int:
    headers, toolkits = tuple(dict.fromkeys(headers + files)), tuple(dict.fromkeys(toolkits))
    if exact and not headers and not toolkits:
        raise click.UsageError("--exact reads headers: give one by --header or --cann.")
    if update and lock is None:
        raise click.UsageError("--update writes a lock: give its file by --lock.")
    if lock is not None and len(headers) + len(toolkits) != 1:
        raise click.UsageError("--lock takes a snapshot of one header: give just one by --header or --cann.")
    trees = [f"{toolkit}/include" for toolkit in toolkits]
    sources = [parity.header(path, trees, exact=exact) for path in headers]
    sources += [parity.toolkit(folder, exact=exact) for folder in toolkits]
    drift: list[Drift] = []
    if lock is not None:
        path = headers[0] if headers else str(parity.header_of(toolkits[0]))
        drift = _use_lock(lock, sources, path, trees, update=update)
    if with_package:
        from ..official import package

        sources.append(package())
    verdict = parity.verify(sources)
    for source in sources:
        for text in source.remarks:
            remark(text)
    _PRINTERS[form](verdict, drift)
    return verdict.exit_status


def _use_lock(lock: str, sources: list[Source], path: str, trees: Sequence[str], *, update: bool) -> list[Drift]:
    """Put the lock's source before the header's, or write the lock anew; what has moved beside the codes."""
    from ..lock import LockError, read, take, write

    if update:
        try:
            write(lock, take(sources[0], path, trees))
        except (LockError, HeaderError) as error:
            raise click.ClickException(str(error)) from None
        remark(_WROTE[language()].format(lock))
    try:
        then = read(lock)
        drift = then.drift(take(sources[0], path, trees)) if sources[0].names_complete else []
    except (LockError, HeaderError) as error:
        sources.insert(0, parity.Source(f"lock:{lock}", None, [Undecided(lock, None, str(error))]))
        return []
    sources.insert(0, then.source(lock))
    return drift


def _print_text(verdict: Verdict, drift: list[Drift]) -> None:
    lang = language()
    groups = verdict.grouped()
    if groups or drift:
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        for heading in _HEADINGS[lang]:
            table.add_column(heading)
        for kind, *cells in [*(_row(group) for group in groups), *(_drift_row(moved) for moved in drift)]:
            table.add_row(*(Text(cell) for cell in (_KINDS[lang].get(kind, kind), *cells)))
        draw(table)
    for source, item in verdict.undecided:
        place = f"{source}:{item.line}" if item.line else source
        click.echo(" ".join(f"{_UNDECIDED[lang]}  {place}  {item.reason}".split("\n")))
    count = len(verdict.sources[0].constants or ()) if verdict.outcome == "same" else len(groups)
    names = {"en": ", ", "zh": "、"}[lang].join(source.name for source in verdict.sources)
    click.echo(_OUTCOMES[lang][verdict.outcome].format(count=count, sources=names))


def _row(group: list[Difference]) -> tuple[str, str, str, str, str, str]:
    first = group[0]
    olds, news = (", ".join(dict.fromkeys(item.between[side] for item in group)) for side in (0, 1))
    return first.kind, first.name, _shown(first.old), _shown(first.new), olds, news


def _drift_row(moved: Drift) -> tuple[str, str, str, str, str, str]:
    return moved.kind, moved.name, moved.old or "-", moved.new or "-", "lock", "header"


def _shown(value: int | str | None) -> str:
    return f"0x{value:08X}" if isinstance(value, int) else value or "-"


def _print_json(verdict: Verdict, drift: list[Drift]) -> None:
    document = verdict.to_dict()
    if any(source.name.startswith("lock:") for source in verdict.sources):
        document["drift"] = [moved.to_dict() for moved in drift]
    print_json(document)


def _sentence(group: list[Difference]) -> str:
    kind, name, old, new, olds, news = _row(group)
    return f"{kind} {name}: {old} in {olds}; {new} in {news}"


def _print_github(verdict: Verdict, drift: list[Drift]) -> None:
    for group in verdict.grouped():
        _annotate("error", _sentence(group), *(group[0].place or (None, None)))
    for _, undecided in verdict.undecided:
        _annotate("error", f"cannot tell: {undecided.reason}", undecided.file or None, undecided.line)
    for moved in drift:
        kind, name, old, new, *_ = _drift_row(moved)
        _annotate("warning", f"{kind} {name}: {old} in the lock; {new} now", None, None)


def _annotate(level: str, message: str, file: str | None, line: int | None) -> None:
    """An annotation of GitHub's workflow commands, escaped as these ask for."""

    def escaped(text: str) -> str:
        return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")

    place = [] if file is None else [f"file={escaped(file).replace(':', '%3A').replace(',', '%2C')}"]
    place += [f"line={line}"] if place and line else []
    properties = ",".join([*place, "title=llm-datadist-status verify"])
    click.echo(f"::{level} {properties}::{escaped(message)}")


def _print_junit(verdict: Verdict, drift: list[Drift]) -> None:
    """One test case for each source that was read and for each two that were compared."""
    from xml.etree import ElementTree as Xml

    suite = Xml.Element("testsuite", name="llm-datadist-status verify")
    for source in verdict.sources:
        case = Xml.SubElement(suite, "testcase", classname="source", name=_printable(source.name))
        for undecided in source.undecided:
            place = f"{undecided.file}:{undecided.line}: " if undecided.line else ""
            Xml.SubElement(case, "error", message=_printable(place + undecided.reason))
    names = [source.name for source in verdict.sources]
    for number, first in enumerate(names):
        for second in names[number + 1 :]:
            case = Xml.SubElement(suite, "testcase", classname="pair", name=_printable(f"{first} / {second}"))
            for item in verdict.differences:
                if item.between == (first, second):
                    Xml.SubElement(case, "failure", message=_printable(_sentence([item])))
    for moved in drift:
        case = Xml.SubElement(suite, "testcase", classname="drift", name=_printable(f"{moved.kind} {moved.name}"))
        Xml.SubElement(case, "system-out").text = _printable(f"{moved.old or '-'} in the lock, {moved.new or '-'} now")
    cases = suite.findall("testcase")
    suite.set("tests", str(len(cases)))
    suite.set("failures", str(sum(case.find("failure") is not None for case in cases)))
    suite.set("errors", str(sum(case.find("error") is not None for case in cases)))
    Xml.indent(suite)
    click.echo('<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(suite, encoding="unicode"))


def _printable(text: str) -> str:
    """The text without the characters that XML has no place for."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


_PRINTERS: dict[str, Callable[[Verdict, list[Drift]], None]] = {
    "text": _print_text,
    "json": _print_json,
    "github": _print_github,
    "junit": _print_junit,
}
