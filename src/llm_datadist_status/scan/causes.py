"""Incidents put together by their cause and by what is to be done about it: what a report shows to people."""

from __future__ import annotations

from functools import lru_cache

from ..explanation import Explanation
from ..notation import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .report import Incident


class Cause:
    """The incidents of one status that are to be answered in the same way, and all that is known of it.

    ``incidents`` come with their numbers, from 1, in the order in which they were given.
    """

    def __init__(self, explanation: Explanation) -> None:
        self.explanation = explanation
        self.incidents: list[tuple[int, Incident]] = []

    @property
    def calls(self) -> str:
        """The calls that reported it, where every one of its incidents names one."""
        calls = {incident.call or "" for _, incident in self.incidents}
        return "" if "" in calls else ", ".join(sorted(calls))

    @property
    def times(self) -> list[str]:
        """When the first and the last of its incidents were, as far as they have times."""
        times = [time for _, incident in self.incidents for time in (incident.first, incident.last) if time]
        return [] if not times else times[:1] if times[0] == times[-1] else [times[0], times[-1]]

    @property
    def wrappers(self) -> int:
        """Lines in which outer levels reported LLM_FAILED for it."""
        return sum(incident.wrappers for _, incident in self.incidents)

    @property
    def files(self) -> list[str]:
        """The files in which its incidents are, in the order in which they come."""
        return list(dict.fromkeys(path for _, incident in self.incidents for path in incident.files))

    def rows(self, lang: str) -> tuple[list[tuple[str, list[str]]], list[tuple[str, list[str]]]]:
        """Label and lines of what everybody is to know, and of the details."""
        rows = self.explanation.rows(lang)
        # Meaning, recoverability, action and remedy, and where the pages disagree.
        shown = 5 if self.explanation.advice.conflict(lang) else 4
        return rows[:shown], rows[shown:]


def causes(incidents: Iterable[Incident]) -> list[Cause]:
    """The causes of ``incidents``, those with the most first."""
    found: dict[tuple[str, ...], Cause] = {}
    explained = lru_cache(256)(lambda value, call: Explanation(parse(value), api=call))
    for number, incident in enumerate(incidents, 1):
        explanation = explained(incident.cause["value"], incident.call)
        key = (explanation.status.hex, *explanation.advice.steps())
        found.setdefault(key, Cause(explanation)).incidents.append((number, incident))
    return sorted(found.values(), key=lambda cause: -len(cause.incidents))


def readable(time: str) -> str:
    """A time in ISO 8601 as people read it, to the millisecond."""
    date, _, clock = time.removeprefix("--").partition("T")
    seconds, point, rest = clock.partition(".")
    digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
    return f"{date} {seconds}{point}{digits[:3]}{rest[len(digits) :]}"
