"""The timeline of a report, drawn: a lane for each file, in it the incidents by cause. Needs matplotlib."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from math import sqrt
from typing import IO

from .entry import has_year
from .report import OTHER_FILES, OTHER_VALUES
from .visible import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .report import Report, Timeline

    # Lane, colour and second of a mark, to what it links to.
    Links = Mapping[tuple[int, int, int], str]

# By how often the cause was met: a colour, readable on white and on black, and a shape for those who see no colours.
COLOURS = ("#2f7fc1", "#d2691e", "#239b62", "#d1477d", "#8a6bd1", "#a37a2c", "#168f9c", "#7d848d")
_SHAPES = ("o", "s", "^", "D", "v", "P", "X", "h")
INK, LINE = "#30363c", "#d3d8dd"

_LANES = 24  # files with a lane of their own
_COLUMNS = 96  # marks in a lane at most, so that they do not lie upon each other
_MARKS = 4000  # at all, for the memory that drawing them takes
_PATH = 96  # characters of a path that are shown
_WIDTH, _LANE, _REST = 9.6, 0.42, 1.0  # inches
_TEXTS = {
    "en": {
        "others": "{} other files",
        "more": "more files",
        "values": "unknown values",
        "causes": "other causes",
        "nothing": "No incident with a time was found.",
    },
    "zh": {
        "others": "其他{}个文件",
        "more": "更多文件",
        "values": "未知值",
        "causes": "其他根因",
        "nothing": "没有发现带时间的故障。",
    },
}
# Fonts with Chinese characters, for pictures; a page takes those of the reader.
_CHINESE = ("Noto Sans CJK SC", "Source Han Sans SC", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Microsoft YaHei")
_CHINESE_TOO = ("SimHei", "PingFang SC", "Noto Sans SC", "Noto Serif CJK SC")


def ranks(report: Report) -> dict[str, int]:
    """The names of causes to their places among ``COLOURS``, the most frequent first; the last is for all others."""
    total: Counter[str] = Counter()
    for timeline in (report.timeline, report.yearless):
        for (_, name), counts in timeline.incidents.items():
            total[name] += counts.total()
    names = sorted(total, key=lambda name: (-total[name], name))
    return {name: min(place, len(COLOURS) - 1) for place, name in enumerate(names)}


class Marks:
    """What is drawn: ``marks`` has, by colour, the number of incidents at each lane and second.

    A mark stands for ``width`` seconds and has the number of the first one. ``lanes`` are the files with a lane of
    their own, those with the most incidents in the order of their names, and then the others. Times without a year are
    drawn in the year that brings them nearest to the last time that has one.
    """

    def __init__(self, report: Report) -> None:
        parts = [timeline for timeline in (report.timeline, report.yearless) if timeline.incidents]
        self.ranks = ranks(report)
        self.lanes = _lanes(parts)
        self.others = len({path for timeline in parts for path, _ in timeline.incidents} - set(self.lanes))
        self.has_years = bool(report.timeline.incidents)
        self._last = max(report.timeline.counts, default=0) * report.timeline.width
        self.width = max((timeline.width for timeline in parts), default=1)
        self.marks: dict[int, Counter[tuple[int, int]]] = {}
        for timeline in parts:
            for (path, name), counts in timeline.incidents.items():
                marks = self.marks.setdefault(self.ranks[name], Counter())
                for number, count in counts.items():
                    marks[self.lane(path), self._dated(number * timeline.width)] += count
        self._widen(1)
        while self._columns() > _COLUMNS or sum(map(len, self.marks.values())) > _MARKS:
            self._widen(2)

    def lane(self, path: str) -> int:
        """The number of a file's lane."""
        return self.lanes.index(path if path in self.lanes else OTHER_FILES)

    def second(self, moment: int, timeline: Timeline) -> int:
        """The second of the mark for a moment (in microseconds) that the timeline counted."""
        return self._dated(timeline.bucket(moment) * timeline.width) // self.width * self.width

    def _columns(self) -> int:
        seconds = [second for marks in self.marks.values() for _, second in marks]
        return (max(seconds) - min(seconds)) // self.width + 1 if seconds else 0

    def _widen(self, factor: int) -> None:
        self.width *= factor
        for place, marks in self.marks.items():
            self.marks[place] = Counter()
            for (lane, second), count in marks.items():
                self.marks[place][lane, second // self.width * self.width] += count

    def _dated(self, second: int) -> int:
        if not self.has_years or has_year(second * 1_000_000):
            return second
        time, last = _time(second), _time(self._last)
        years = [_in_year(time, last.year + step) for step in (-1, 0, 1) if 0 < last.year + step < 9999]
        nearest = min(years, key=lambda dated: abs(dated - last))
        return (nearest - datetime.min) // timedelta(seconds=1) + 86400  # noqa: DTZ901


def _lanes(timelines: list[Timeline]) -> list[str]:
    total: Counter[str] = Counter()
    for timeline in timelines:
        for (path, _), counts in timeline.incidents.items():
            total[path] += counts.total()
    others = total.pop(OTHER_FILES, 0)
    lanes = sorted(sorted(total, key=lambda path: (-total[path], path))[:_LANES])
    return [*lanes, OTHER_FILES] if others or len(lanes) < len(total) else lanes


def _in_year(time: datetime, year: int) -> datetime:
    return time.replace(year=year, day=28) + timedelta(days=time.day - 28)


def draw(report: Report, file: IO[bytes], form: str, lang: str, links: Links | None = None) -> None:
    """Write the timeline to ``file`` as "svg" or "png"; the same for the same report.

    With ``links`` from its marks it is made for a page, whose background shows through.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    texts = _TEXTS[lang]
    fonts = ["DejaVu Sans"]
    if form == "png":
        from matplotlib.font_manager import fontManager

        known = {font.name for font in fontManager.ttflist}
        fonts += [name for name in (*_CHINESE, *_CHINESE_TOO) if name in known][:1]
        texts = texts if len(fonts) > 1 else _TEXTS["en"]
    with mpl.rc_context():
        mpl.rcdefaults()  # the reader's own settings are not for this
        mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "llm-datadist-status", "font.size": 9})
        mpl.rcParams["font.family"] = fonts
        marks = Marks(report)
        figure = Figure(figsize=(_WIDTH, len(marks.lanes) * _LANE + _REST), layout="constrained")
        ax = figure.subplots()
        if marks.lanes:
            _draw(ax, marks, texts, links or {})
            _legend(figure, marks.ranks, texts)
        else:
            ax.set_axis_off()
            ax.text(0.5, 0.5, texts["nothing"], ha="center", color=INK)
        _save(figure, file, form, transparent=links is not None)


def _save(figure: Figure, file: IO[bytes], form: str, *, transparent: bool) -> None:
    import warnings

    none = {"svg": dict.fromkeys(("Creator", "Date", "Format", "Type")), "png": {"Software": None}}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # characters of a path that the font lacks
        figure.savefig(file, format=form, dpi=120, metadata=none[form], transparent=transparent)


def _draw(ax: Axes, marks: Marks, texts: Mapping[str, str], links: Links) -> None:
    lanes = marks.lanes
    for place, counts in sorted(marks.marks.items()):
        spots = sorted(counts)
        drawn = ax.scatter(
            [_time(second + marks.width / 2) for _, second in spots],  # type: ignore[arg-type]
            [lane + 0.62 + 0.035 * (place - 3) for lane, _ in spots],
            s=[22 + 14 * min(sqrt(counts[spot]), 10) for spot in spots],
            c=COLOURS[place],
            marker=_SHAPES[place],
            alpha=0.85,
            linewidths=0,
            zorder=3,
        )
        drawn.set_urls([links.get((lane, place, second)) for lane, second in spots])
    for number, path in enumerate(lanes):
        ax.axhline(number, color=LINE, linewidth=0.8)
        ax.text(
            0,
            number + 0.06,
            _label(path, texts, marks.others),
            transform=ax.get_yaxis_transform(),
            va="top",
            fontsize=8,
            color=INK,
            parse_math=False,
        )
    seconds = [second for counts in marks.marks.values() for _, second in counts]
    first, last = min(seconds), max(seconds) + marks.width
    margin = max((last - first) * 0.02, 1)
    ax.set_xlim(_time(first - margin), _time(last + margin))  # type: ignore[arg-type]
    ax.set_ylim(len(lanes), 0)
    ax.set_yticks([])
    ax.spines[["left", "right", "top"]].set_visible(False)
    ax.spines["bottom"].set_color(LINE)
    ax.tick_params(colors=INK, color=LINE)
    ax.grid(axis="x", color=LINE, linewidth=0.5)
    _clock(ax, years=marks.has_years)


def _clock(ax: Axes, *, years: bool) -> None:
    """Times in figures alone, so that they are the same in all languages; ``years`` says whether to show the year."""
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    year = "%Y-" if years else ""
    locator = AutoDateLocator(minticks=3, maxticks=7)  # type: ignore[no-untyped-call]
    formats = ["%Y" if years else "%m", year + "%m", "%m-%d", "%H:%M", "%H:%M", "%H:%M:%S"]
    formatter = ConciseDateFormatter(  # type: ignore[no-untyped-call]
        locator,
        formats=formats,
        zero_formats=[formats[0], *formats[:3], "%H:%M", "%H:%M"],
        offset_formats=["", *["%Y" if years else ""] * 2, *[year + "%m-%d"] * 3],
    )
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(formatter)
    ax.xaxis.get_offset_text().set_color(INK)


def _time(second: float) -> datetime:
    return datetime.min + timedelta(seconds=second - 86400)  # noqa: DTZ901 - as the logs have it


def _label(path: str, texts: Mapping[str, str], others: int) -> str:
    if path == OTHER_FILES:
        return texts["others"].format(others) if others > 1 else texts["more"]
    shown = visible(path)
    return shown if len(shown) <= _PATH else "\u2026" + shown[1 - _PATH :]


def _legend(figure: Figure, places: Mapping[str, int], texts: Mapping[str, str]) -> None:
    from matplotlib.lines import Line2D

    last = len(COLOURS) - 1
    shared = list(places.values()).count(last) > 1
    entries = []
    for name, place in places.items():
        if place < last or not shared:
            entries.append((place, texts["values"] if name == OTHER_VALUES else name))
    if shared:
        entries.append((last, texts["causes"]))
    handles = [
        Line2D([], [], linestyle="", marker=_SHAPES[place], color=COLOURS[place], markeredgewidth=0, label=label)
        for place, label in entries
    ]
    if handles:
        figure.legend(
            handles=handles,
            loc="outside upper left",
            ncols=4,
            frameon=False,
            labelcolor=INK,
            fontsize=8.5,
            handletextpad=0.1,
            columnspacing=1.2,
        )
