"""What was found in logs, in numbers and incidents, of bounded size: ``Report``."""

from __future__ import annotations

from collections import Counter

from .entry import has_year

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .find import Found, Quote
    from .roles import Burst

_INCIDENTS = 2048  # kept whole; the rest is counted
_QUOTED = 1024  # of these, with lines
_NAMELESS = 4096  # unknown values counted one by one
OTHER_VALUES = "other unknown values"
OTHER_FILES = ""
_BUCKETS = 256  # of the timeline
_ROWS = 256  # of the timeline: files with their causes


class Incident:
    """A burst: its ``cause``, the call that its line names, how many ``wrappers``, and when and in which files it was.

    ``first`` and ``last`` are times in ISO 8601, or None; ``moment`` is the cause's, in microseconds. ``lines`` are
    some of its lines, where the scan was to quote them.
    """

    __slots__ = ("call", "cause", "files", "first", "last", "lines", "moment", "wrappers")

    def __init__(
        self,
        cause: dict[str, Any],
        call: str | None,
        wrappers: int,
        first: str | None,
        last: str | None,
        files: list[str],
        moment: int | None,
        lines: list[Quote],
    ) -> None:
        self.cause = cause
        self.call = call
        self.wrappers = wrappers
        self.first = first
        self.last = last
        self.files = files
        self.moment = moment
        self.lines = lines

    def to_dict(self) -> dict[str, Any]:
        """The incident as JSON's types."""
        return {name: getattr(self, name) for name in ("cause", "wrappers", "first", "last", "files")}


class Place:
    """Where and when a status was met: ``time`` (ISO 8601 or None), ``path``, ``line``."""

    __slots__ = ("line", "path", "time")

    def __init__(self, time: str | None, path: str, line: int) -> None:
        self.time = time
        self.path = path
        self.line = line

    def from_first(self) -> tuple[str, str, int]:
        """What places are sorted by to find the first: one without a time only where none has one."""
        return (self.time or "~", self.path, self.line)

    def from_last(self) -> tuple[str, str, int]:
        """What places are sorted by to find the last."""
        return (self.time or "", self.path, self.line)


class Report:
    """What was found; ``merge`` puts two of them together, in any order and grouping.

    ``files`` are ``{"path", "bytes", "lines"}``, ``unreadable`` are ``{"path", "error"}``; ``counts`` has reports and
    wrappers by name, of unknown values by hexadecimal form; ``incidents`` are the first ones, ``more_incidents`` counts
    the others by the name of their cause; ``places`` has, by name, the first and the last place; ``timeline`` has the
    times with a year and ``yearless`` those without.
    """

    def __init__(self) -> None:
        self.files: list[dict[str, Any]] = []
        self.unreadable: list[dict[str, str]] = []
        self.counts: Counter[str] = Counter()
        self.incidents: list[Incident] = []
        self.more_incidents: Counter[str] = Counter()
        self.places: dict[str, tuple[Place, Place]] = {}
        self.timeline = Timeline()
        self.yearless = Timeline()

    def add(self, found: Found) -> None:
        """Count an occurrence whose role is known."""
        if found.role == "mention":
            return
        name = found.name or found.status.hex
        if name not in self.counts and found.name is None and len(self.counts) >= _NAMELESS:
            name = OTHER_VALUES
        self.counts[name] += 1
        place = Place(found.time, found.path, found.line)
        self._stretch(name, place, place)
        if not found.status.ok and found.entry.moment is not None:
            self.timeline_of(found.entry.moment).add(found.entry.moment)

    def add_burst(self, burst: Burst) -> None:
        """Make an incident of a burst that has ended; only count it where there are many."""
        cause = burst.cause
        if cause is None:
            return
        moment = cause.entry.moment
        if moment is not None:
            self.timeline_of(moment).add_incident(moment, cause.path, cause.name or OTHER_VALUES)
        if len(self.incidents) < _INCIDENTS:
            self.incidents.append(
                Incident(
                    cause.to_dict(),
                    cause.call(),
                    burst.wrappers,
                    burst.first,
                    burst.last,
                    burst.files,
                    moment,
                    burst.lines() if len(self.incidents) < _QUOTED else [],
                )
            )
        else:
            self.more_incidents[cause.name or cause.status.hex] += 1

    def merge(self, other: Report) -> Report:
        """A new report of what both hold; associative and commutative."""
        merged = Report()
        merged.files = sorted(
            [*self.files, *other.files], key=lambda file: (file["path"], file["bytes"], file["lines"])
        )
        merged.unreadable = sorted(
            [*self.unreadable, *other.unreadable], key=lambda file: (file["path"], file["error"])
        )
        merged.counts = self.counts + other.counts
        merged.more_incidents = self.more_incidents + other.more_incidents
        incidents = sorted([*self.incidents, *other.incidents], key=_by_place)
        merged.incidents = incidents[:_INCIDENTS]
        merged.more_incidents.update(map(_cause, incidents[_INCIDENTS:]))
        for report in (self, other):
            for name, (first, last) in report.places.items():
                merged._stretch(name, first, last)
        merged.timeline = self.timeline.merge(other.timeline)
        merged.yearless = self.yearless.merge(other.yearless)
        return merged

    def sorted_incidents(self) -> list[Incident]:
        """In the order of their first line; of their time, where there are several files."""
        return sorted(self.incidents, key=_by_time if len(self.files) > 1 else _by_place)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON's types."""
        document: dict[str, Any] = {
            "schema": 1,
            "files": self.files,
            "counts": dict(sorted(self.counts.items())),
            "incidents": [incident.to_dict() for incident in self.sorted_incidents()],
            "unreadable": self.unreadable,
        }
        if self.more_incidents:
            document["more_incidents"] = dict(sorted(self.more_incidents.items()))
        return document

    def timeline_of(self, moment: int) -> Timeline:
        """The timeline that a moment belongs to."""
        return self.timeline if has_year(moment) else self.yearless

    def _stretch(self, name: str, first: Place, last: Place) -> None:
        held = self.places.get(name)
        if held is not None:
            first, last = min(held[0], first, key=Place.from_first), max(held[1], last, key=Place.from_last)
        self.places[name] = (first, last)


class Timeline:
    """Counts over time, in a bounded number of buckets of ``width`` seconds each.

    ``counts`` has reports and wrappers by number of bucket; ``incidents`` has, by file and name of the cause, the
    number of incidents in each bucket. Where these are many, those of the last files by name stand under
    ``OTHER_FILES``.
    """

    def __init__(self, width: int = 1) -> None:
        self.width = width
        self.counts: Counter[int] = Counter()
        self.incidents: dict[tuple[str, str], Counter[int]] = {}
        self._last: tuple[str, str] | None = None  # of the rows that are kept, once some are not

    def add(self, moment: int) -> None:
        """Count what happened at ``moment``, in microseconds."""
        self.counts[self.bucket(moment)] += 1
        self._shrink()

    def add_incident(self, moment: int, path: str, name: str) -> None:
        """Count an incident, by its cause's line; the moments of its reports are counted as well."""
        rows = len(self.incidents)
        self._row(path, name)[self.bucket(moment)] += 1
        if len(self.incidents) > rows:
            self._fold()

    def bucket(self, moment: int) -> int:
        """The number of the bucket for ``moment``, in microseconds."""
        return moment // 1_000_000 // self.width

    def merge(self, other: Timeline) -> Timeline:
        """A new timeline with the counts of both."""
        merged = Timeline(max(self.width, other.width))
        for line in (self, other):
            factor = merged.width // line.width
            merged.counts.update(_coarser(line.counts, factor))
            for (path, name), counts in line.incidents.items():
                merged._row(path, name).update(_coarser(counts, factor))
        merged._shrink()
        merged._fold()
        return merged

    def _row(self, path: str, name: str) -> Counter[int]:
        if self._last is not None and (path, name) > self._last:
            path = OTHER_FILES
        return self.incidents.setdefault((path, name), Counter())

    def _shrink(self) -> None:
        while len(self.counts) > _BUCKETS:
            self.width *= 2
            self.counts = _coarser(self.counts, 2)
            self.incidents = {row: _coarser(counts, 2) for row, counts in self.incidents.items()}

    def _fold(self) -> None:
        """Keep the first rows by name, which is the same in whatever order they come, and add up the others."""
        if len(self.incidents) <= _ROWS:
            return
        rows = sorted(row for row in self.incidents if row[0] != OTHER_FILES)
        for path, name in rows[_ROWS:]:
            self._last = rows[_ROWS - 1]
            self._row(OTHER_FILES, name).update(self.incidents.pop((path, name)))


def _coarser(counts: Counter[int], factor: int) -> Counter[int]:
    """The counts in buckets that are wider by ``factor``."""
    coarser: Counter[int] = Counter()
    for number, count in counts.items():
        coarser[number // factor] += count
    return coarser


def _cause(incident: Incident) -> str:
    return str(incident.cause["name"] or incident.cause["hex"])


def _by_place(incident: Incident) -> tuple[str, int, int]:
    return (incident.cause["path"], incident.cause["line"], incident.cause["column"])


def _by_time(incident: Incident) -> tuple[str, str, int, int]:
    return (incident.first or "~", *_by_place(incident))
