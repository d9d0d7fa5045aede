"""What was found in logs, in numbers and incidents, of bounded size: ``Report``."""

from __future__ import annotations

from collections import Counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .find import Found
    from .roles import Burst

_INCIDENTS = 2048  # kept whole; the rest is counted
_NAMELESS = 1024  # unknown values counted one by one
OTHER_VALUES = "other unknown values"
_BUCKETS = 256  # of the timeline


class Incident:
    """A burst: its ``cause``, the call that its line names, how many ``wrappers``, and when and in which files it was.

    ``first`` and ``last`` are times in ISO 8601, or None.
    """

    __slots__ = ("call", "cause", "files", "first", "last", "wrappers")

    def __init__(
        self,
        cause: dict[str, Any],
        call: str | None,
        wrappers: int,
        first: str | None,
        last: str | None,
        files: list[str],
    ) -> None:
        self.cause = cause
        self.call = call
        self.wrappers = wrappers
        self.first = first
        self.last = last
        self.files = files

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
    the others by the name of their cause; ``places`` has, by name, the first and the last place.
    """

    def __init__(self) -> None:
        self.files: list[dict[str, Any]] = []
        self.unreadable: list[dict[str, str]] = []
        self.counts: Counter[str] = Counter()
        self.incidents: list[Incident] = []
        self.more_incidents: Counter[str] = Counter()
        self.places: dict[str, tuple[Place, Place]] = {}
        self.timeline = Timeline()

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
            self.timeline.add(found.entry.moment)

    def add_burst(self, burst: Burst) -> None:
        """Make an incident of a burst that has ended; only count it where there are many."""
        cause = burst.cause
        if cause is None:
            return
        if len(self.incidents) < _INCIDENTS:
            incident = Incident(cause.to_dict(), cause.call(), burst.wrappers, burst.first, burst.last, burst.files)
            self.incidents.append(incident)
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

    def _stretch(self, name: str, first: Place, last: Place) -> None:
        held = self.places.get(name)
        if held is not None:
            first, last = min(held[0], first, key=Place.from_first), max(held[1], last, key=Place.from_last)
        self.places[name] = (first, last)


class Timeline:
    """Counts over time, in a bounded number of buckets of ``width`` seconds each; ``counts`` is by number of bucket."""

    def __init__(self, width: int = 1) -> None:
        self.width = width
        self.counts: Counter[int] = Counter()

    def add(self, moment: int) -> None:
        """Count what happened at ``moment``, in microseconds."""
        self.counts[moment // 1_000_000 // self.width] += 1
        self._shrink()

    def merge(self, other: Timeline) -> Timeline:
        """A new timeline with the counts of both."""
        merged = Timeline(max(self.width, other.width))
        for line in (self, other):
            for number, count in line.counts.items():
                merged.counts[number * line.width // merged.width] += count
        merged._shrink()
        return merged

    def _shrink(self) -> None:
        while len(self.counts) > _BUCKETS:
            halved: Counter[int] = Counter()
            for number, count in self.counts.items():
                halved[number // 2] += count
            self.width, self.counts = self.width * 2, halved


def _cause(incident: Incident) -> str:
    return str(incident.cause["name"] or incident.cause["hex"])


def _by_place(incident: Incident) -> tuple[str, int, int]:
    return (incident.cause["path"], incident.cause["line"], incident.cause["column"])


def _by_time(incident: Incident) -> tuple[str, str, int, int]:
    return (incident.first or "~", *_by_place(incident))
