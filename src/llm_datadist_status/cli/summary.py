"""What a scan found, for people: causes first, then counts, and when it happened."""

from __future__ import annotations

from datetime import datetime, timedelta

import click

from ..catalog import ACTIONS
from ..explanation import recoverability
from ..notation import parse
from ..scan.report import OTHER_VALUES
from .output import coloured

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..scan.report import Incident, Place, Report, Timeline

_CAUSES_SHOWN = 20
_ROWS, _BAR = 12, 40  # of the timeline

_TEXTS: dict[str, dict[str, str]] = {
    "en": {
        "scanned": "Scanned {files} file(s), {lines} line(s), {bytes} bytes.",
        "nothing": "No status was reported.",
        "causes": "Causes",
        "incidents": "{count} incident(s), {wrappers} wrapper line(s)",
        "from": "from {}",
        "meaning": "Meaning",
        "recoverable": "Recoverable",
        "action": "Action",
        "remedy": "What to do",
        "first": "First",
        "last": "Last",
        "more": "... and {} other cause(s); --json has them all",
        "uncounted": "{} further incident(s) were counted by their cause only",
        "counts": "Counts",
        "when": "When",
        "per": "reports and wrappers per {}",
    },
    "zh": {
        "scanned": "已扫描{files}个文件，共{lines}行、{bytes}字节。",
        "nothing": "没有发现上报的状态码。",
        "causes": "根因",
        "incidents": "{count}次故障，{wrappers}条外层重复报错",
        "from": "来自{}",
        "meaning": "含义",
        "recoverable": "是否可恢复",
        "action": "建议操作",
        "remedy": "处理步骤",
        "first": "首次",
        "last": "末次",
        "more": "……另有{}种根因，可用--json查看全部",
        "uncounted": "另有{}次故障只按根因计数",
        "counts": "次数",
        "when": "时间分布",
        "per": "每{}的上报数",
    },
}
_UNITS = {
    "en": (("day", 86400), ("h", 3600), ("min", 60), ("s", 1)),
    "zh": (("天", 86400), ("小时", 3600), ("分钟", 60), ("秒", 1)),
}


def print_summary(report: Report, lang: str) -> None:
    """Print the report for people, in ``lang``."""
    texts = _TEXTS[lang]
    size = {name: sum(file[name] for file in report.files) for name in ("lines", "bytes")}
    click.echo(texts["scanned"].format(files=len(report.files), **size))
    if not report.counts:
        click.echo(texts["nothing"])
        return
    groups = _grouped(report.sorted_incidents())
    if groups:
        _heading(texts["causes"])
        for incidents in groups[:_CAUSES_SHOWN]:
            click.echo("\n".join(_cause(incidents, lang)))
        if len(groups) > _CAUSES_SHOWN:
            click.echo(texts["more"].format(len(groups) - _CAUSES_SHOWN))
        if report.more_incidents:
            click.echo(texts["uncounted"].format(report.more_incidents.total()))
    _heading(texts["counts"])
    click.echo("\n".join(_counts(report, lang)))
    timeline = [row for timeline in (report.timeline, report.yearless) for row in _timeline(timeline, lang)]
    if len(timeline) > 2:
        _heading(texts["when"])
        click.echo("\n".join(timeline))


def _heading(text: str) -> None:
    click.echo()
    click.echo(click.style(text, bold=True) if coloured() else text)


def _grouped(incidents: list[Incident]) -> list[list[Incident]]:
    """Incidents of the same cause from the same call together, in the order of the first."""
    groups: dict[tuple[Any, str | None], list[Incident]] = {}
    for incident in incidents:
        groups.setdefault((incident.cause["value"], incident.call), []).append(incident)
    return list(groups.values())


def _cause(incidents: list[Incident], lang: str) -> Iterator[str]:
    texts, first, last = _TEXTS[lang], incidents[0], incidents[-1]
    status = parse(first.cause["value"])
    advice = status.advise(first.call)
    title = f"{first.cause['name'] or ''} {status.hex}".strip()
    number = texts["incidents"].format(count=len(incidents), wrappers=sum(incident.wrappers for incident in incidents))
    called = "  " + texts["from"].format(first.call) if first.call else ""
    yield "  " + (click.style(title, bold=True) if coloured() else title) + f"  {number}{called}"
    colon = ": " if lang == "en" else "："
    rows = [
        ("meaning", status.description(lang)),
        ("recoverable", recoverability(status, advice.recoverable, lang)),
        ("action", f"{advice.action.name} ({ACTIONS[advice.action.name][lang]})"),
        *(("remedy", step) for step in advice.steps(lang)),
        ("first", _where(first.first, first.cause)),
        *([("last", _where(last.first, last.cause))] if last is not first else []),
    ]
    for label, text in rows:
        yield f"    {texts[label]}{colon}{text}"


def _where(time: str | None, cause: dict[str, Any]) -> str:
    return f"{time or '-'}  {_place(cause['path'], cause['line'])}"


def _place(path: str, line: int) -> str:
    return f"{path}:{line}" if path else str(line)


def _counts(report: Report, lang: str) -> Iterator[str]:
    texts = _TEXTS[lang]
    width = max(map(len, report.counts))
    digits = max(len(str(count)) for count in report.counts.values())
    for name, count in report.counts.most_common():
        first, last = report.places[name]
        shown = "" if name == OTHER_VALUES else f"  {texts['first']}: {_seen(first)}  {texts['last']}: {_seen(last)}"
        yield f"  {name:{width}}  {count:{digits}}{shown}"


def _seen(place: Place) -> str:
    return f"{place.time or '-'} {_place(place.path, place.line)}"


def _timeline(timeline: Timeline, lang: str) -> Iterator[str]:
    counts, width = dict(timeline.counts), timeline.width
    if not counts:
        return
    while max(counts) - min(counts) >= _ROWS:
        halved: dict[int, int] = {}
        for number, count in counts.items():
            halved[number // 2] = halved.get(number // 2, 0) + count
        counts, width = halved, width * 2
    unit, seconds = next((unit, seconds) for unit, seconds in _UNITS[lang] if width >= seconds)
    every = f"{width / seconds:.3g}{' ' if lang == 'en' else ''}{unit}"
    yield f"  {_TEXTS[lang]['per'].format(every)}"
    most = max(counts.values())
    for number in range(min(counts), max(counts) + 1):
        count = counts.get(number, 0)
        time = datetime.min + timedelta(seconds=number * width - 86400)  # noqa: DTZ901 - as the logs have it
        yield f"  {time:%m-%d %H:%M:%S}  {count:6}  {'#' * -(-count * _BAR // most)}".rstrip()
