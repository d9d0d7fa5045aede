"""Which reports are wrappers of others: bursts of one process, which make incidents."""

from __future__ import annotations

import os
from collections import OrderedDict
from functools import lru_cache

from .entry import SECOND
from .sources import rotation_base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .find import Found, Quote

_OPEN = 1024  # bursts that may go on at the same time; the one that was silent longest ends when there are more
_LINES = 4  # of a burst that are kept


class Burst:
    """Lines of one process, each at most a second after the one before, that hold reports or wrappers."""

    __slots__ = (
        *("begin", "cause", "end", "files", "first", "last", "line", "path"),
        *("quotes", "waiting", "wrappers"),
    )

    def __init__(self) -> None:
        self.cause: Found | None = None
        self.waiting: Found | None = None  # the first 4294967295, as long as nothing else is known
        self.wrappers = 0
        self.begin: int | None = None  # moments
        self.end: int | None = None
        self.first: str | None = None
        self.last: str | None = None
        self.path = ""  # with the line: where the last one was
        self.line = 0
        self.files: list[str] = []
        self.quotes: dict[tuple[str, int], Quote] = {}  # its first lines, if wanted

    def holds(self, found: Found) -> bool:
        """Whether an occurrence belongs to this burst: on its last line, or at most a second away."""
        if found.line == self.line and found.path == self.path:
            return True
        moment = found.entry.moment
        if moment is None or self.begin is None or self.end is None:
            return False
        return self.begin - SECOND <= moment <= self.end + SECOND

    def extend(self, found: Found) -> None:
        """Take an occurrence in."""
        moment, time = found.entry.moment, found.entry.time
        if moment is not None:
            if self.begin is None or moment < self.begin:
                self.begin = moment
            if self.end is None or moment > self.end:
                self.end = moment
        if time is not None:
            self.first = self.first or time
            self.last = time
        self.line = found.line
        if found.path != self.path:
            self.path = found.path
            if found.path not in self.files:
                self.files.append(found.path)

    def quote(self, found: Found) -> None:
        place = (found.path, found.line)
        if len(self.quotes) < _LINES and place not in self.quotes:
            self.quotes[place] = found.quote()

    def lines(self) -> list[Quote]:
        """Its first lines, that of the cause among them; none where they are not wanted."""
        if not self.quotes or self.cause is None:
            return []
        place = (self.cause.path, self.cause.line)
        if place not in self.quotes and len(self.quotes) == _LINES:
            self.quotes.popitem()
        self.quotes[place] = self.cause.quote()
        return list(self.quotes.values())


class Roles:
    """Gives occurrences their roles, and ``ended`` the bursts.

    With ``patient``, the first 4294967295 of a burst waits for what follows; else it is a report at once. With
    ``quote``, bursts keep some of their lines.
    """

    def __init__(self, ended: Callable[[Burst], None], *, patient: bool = True, quote: bool = False) -> None:
        self._ended = ended
        self._quote = quote
        self._patient = patient
        self._bursts: OrderedDict[object, Burst] = OrderedDict()

    def settle(self, occurrences: Iterable[Found]) -> Iterator[Found]:
        """The occurrences whose roles are known now that these have come."""
        for found in occurrences:
            if found.role == "mention" or found.token.is_success:
                yield found
                continue
            of = process(found)
            burst = self._bursts.get(of)
            if burst is not None:
                self._bursts.move_to_end(of)
            if burst is None or not burst.holds(found):
                if burst is not None:
                    yield from self._end(burst)
                burst = self._bursts[of] = Burst()
            burst.extend(found)
            if self._quote:
                burst.quote(found)
            if burst.cause is None or (burst.cause.token.is_common and not found.token.is_common):
                yield from self._make_cause(burst, found)
            else:
                if found.wraps:
                    found.role = "wrapper"
                    burst.wrappers += 1
                yield found
            if len(self._bursts) > _OPEN:
                yield from self._end(self._bursts.popitem(last=False)[1])

    def finish(self) -> Iterator[Found]:
        """End all bursts; what was still waiting."""
        while self._bursts:
            yield from self._end(self._bursts.popitem(last=False)[1])

    def _make_cause(self, burst: Burst, found: Found) -> Iterator[Found]:
        if burst.waiting is not None:
            burst.waiting.role = "wrapper"
            burst.wrappers += 1
            yield burst.waiting
            burst.waiting = None
        burst.cause = found
        found.shorten()
        if found.wraps and self._patient:
            burst.waiting = found
        else:
            yield found

    def _end(self, burst: Burst) -> Iterator[Found]:
        if burst.waiting is not None:
            yield burst.waiting
        self._ended(burst)


def process(found: Found) -> tuple[str, bytes | None]:
    """What tells processes apart: directory and pid; without a pid, the file and those that it was rotated to."""
    pid = found.entry.pid
    return (_file(found.path) if pid is None else _directory(found.path), pid)


_directory = lru_cache(16)(os.path.dirname)
_file = lru_cache(16)(rotation_base)
