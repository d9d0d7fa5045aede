"""What a scan found, for people: causes first, then counts, and when it happened."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta

import click

from ..explanation import cells
from ..scan.causes import causes, readable
from ..scan.report import OTHER_VALUES
from ..scan.texts import TEXTS, scanned, several
from ..scan.visible import visible
from .output import coloured

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..scan.causes import Cause
    from ..scan.report import Incident, Place, Report, Timeline

_CAUSES_SHOWN, _FILES_SHOWN = 20, 4
_ROWS, _BAR = 12, 40  # of the timeline

_TEXTS: dict[str, dict[str, str]] = {
    "en": {
        "from": " from {}",
        "colon": ": ",
        "comma": ", ",
        "more files": "{}, and {} more",
        "more causes": "... and {} other causes; --json has them all",
        "when": "When",
        "per": "reports and wrappers per {}",
    },
    "zh": {
        "from": "，来自{}",
        "colon": "：",
        "comma": "、",
        "more files": "{}等，另有{}个",
        "more causes": "……另有{}种根因，可用--json查看全部",
        "when": "时间分布",
        "per": "每{}的上报数",
    },
}
_WIDTHS = [width * unit for unit in (1, 60) for width in (1, 2, 5, 10, 15, 30)]
_WIDTHS += [width * 3600 for width in (1, 2, 3, 6, 12)] + [width * 86400 for width in (1, 2, 5, 10, 30, 100)]
_UNITS = {
    "en": (("day", 86400), ("h", 3600), ("min", 60), ("s", 1)),
    "zh": (("天", 86400), ("小时", 3600), ("分钟", 60), ("秒", 1)),
}


def print_summary(report: Report, lang: str) -> None:
    """Print the report for people, in ``lang``."""
    texts = TEXTS[lang]
    click.echo(scanned(report, lang))
    if not report.counts:
        click.echo(texts["nothing"])
        return
    found = causes(report.sorted_incidents())
    if found:
        _heading(texts["causes"])
        for cause in found[:_CAUSES_SHOWN]:
            click.echo("\n".join(_cause(cause, lang)))
        if len(found) > _CAUSES_SHOWN:
            click.echo(_TEXTS[lang]["more causes"].format(len(found) - _CAUSES_SHOWN))
        if report.more_incidents:
            click.echo(several(texts["more"], report.more_incidents.total()))
    _heading(texts["counts"])
    click.echo("\n".join(_counts(report)))
    timeline = [row for timeline in (report.timeline, report.yearless) for row in _timeline(timeline, lang)]
    if len(timeline) > 2:
        _heading(_TEXTS[lang]["when"])
        click.echo("\n".join(timeline))


def _heading(text: str) -> None:
    click.echo()
    click.echo(_bold(text))


def _bold(text: str) -> str:
    return click.style(text, bold=True) if coloured() else text


def _cause(cause: Cause, lang: str) -> Iterator[str]:
    texts, words, explanation = TEXTS[lang], _TEXTS[lang], cause.explanation
    title = _bold(f"{explanation.name or ''} {explanation.status.hex}".strip())
    called = words["from"].format(cause.calls) if cause.calls else ""
    counted = several(texts["incident_count"], len(cause.incidents))
    if cause.wrappers:
        counted += words["comma"] + several(texts["wrapper_count"], cause.wrappers)
    yield f"  {title}{called}{words['colon']}{counted}"
    first, last = cause.incidents[0][1], cause.incidents[-1][1]
    rows, _ = cause.rows(lang)
    rows.append((texts["first"], [_where(first)]))
    if last is not first:
        rows.append((texts["last"], [_where(last)]))
    if len(cause.files) > 1:
        rows.append((texts["files"], [_files(cause.files, lang)]))
    width = max(cells(label) for label, _ in rows) + 2
    for label, lines in rows:
        yield f"    {label}{' ' * (width - cells(label))}{lines[0]}"
        yield from (f"    {' ' * width}{line}" for line in lines[1:])


def _files(paths: list[str], lang: str) -> str:
    words = _TEXTS[lang]
    shown = words["comma"].join(map(visible, paths[:_FILES_SHOWN]))
    more = len(paths) - _FILES_SHOWN
    return words["more files"].format(shown, more) if more > 0 else shown


def _where(incident: Incident) -> str:
    place = _place(incident.cause["path"], incident.cause["line"])
    return f"{readable(incident.first)}  {place}" if incident.first else place


def _place(path: str, line: int) -> str:
    return f"{visible(path)}:{line}" if path else str(line)


def _counts(report: Report) -> Iterator[str]:
    width = max(map(len, report.counts))
    digits = max(len(str(count)) for count in report.counts.values())
    for name, count in report.counts.most_common():
        first, last = report.places[name]
        seen = f"  {_seen(first)}" + (f"  ...  {_seen(last)}" if count > 1 else "")
        yield f"  {name:{width}}  {count:{digits}}{'' if name == OTHER_VALUES else seen}"


def _seen(place: Place) -> str:
    where = _place(place.path, place.line)
    return f"{readable(place.time)}  {where}" if place.time else where


def _timeline(timeline: Timeline, lang: str) -> Iterator[str]:
    if not timeline.counts:
        return
    moments = {number * timeline.width: count for number, count in timeline.counts.items()}  # in seconds
    least = max(timeline.width, (max(moments) - min(moments)) / (_ROWS - 1))
    width = next((width for width in _WIDTHS if width >= least), int(least) + 1)
    counts: Counter[int] = Counter()
    for moment, count in moments.items():
        counts[moment // width] += count
    unit, seconds = next((unit, seconds) for unit, seconds in _UNITS[lang] if width >= seconds)
    every = f"{width / seconds:.3g}{' ' if lang == 'en' else ''}{unit}"
    yield f"  {_TEXTS[lang]['per'].format(every)}"
    most = max(counts.values())
    for number in range(min(counts), max(counts) + 1):
        time = datetime.min + timedelta(seconds=number * width - 86400)  # noqa: DTZ901 - as the logs have it
        bar = "#" * -(-counts[number] * _BAR // most)
        yield f"  {time:%m-%d %H:%M:%S}  {counts[number]:6,}  {bar}".rstrip()
