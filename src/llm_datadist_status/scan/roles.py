"""Which reports are wrappers of others: bursts of one process, which make incidents."""

from __future__ import annotations

from collections import OrderedDict

from .entry import SECOND
from .line import COMMON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .find import Found, Quote

_OPEN = 1024  # bursts that may go on at the same time; the one that was silent longest ends when there are more
_LINES = 4  # of a burst that are kept


class Burst:
    """Lines of one process, each at most a second after the one before, that hold reports or wrappers."""

    __slots__ = ("begin", "cause", "end", "files", "first", "last", "line", "quotes", "waiting", "wrappers")

    def __init__(self) -> None:
        self.cause: Found | None = None
        self.waiting: Found | None = None  # the first 4294967295, as long as nothing else is known
        self.wrappers = 0
        self.begin: int | None = None  # moments
        self.end: int | None = None
        self.first: str | None = None
        self.last: str | None = None
        self.line: tuple[str, int] | None = None
        self.files: list[str] = []
        self.quotes: dict[tuple[str, int], Quote] = {}  # its first lines, if wanted

    def holds(self, found: Found) -> bool:
        """Whether an occurrence belongs to this burst: on its last line, or at most a second away."""
        if (found.path, found.line) == self.line:
            return True
        moment = found.entry.moment
        if moment is None or self.begin is None or self.end is None:
            return False
        return self.begin - SECOND <= moment <= self.end + SECOND

    def extend(self, found: Found) -> None:
        self.line = (found.path, found.line)
        moment, time = found.entry.moment, found.time
        if moment is not None:
            self.begin = moment if self.begin is None else min(self.begin, moment)
            self.end = moment if self.end is None else max(self.end, moment)
        if time is not None:
            self.first = self.first or time
            self.last = time
        if found.path not in self.files:
            self.files.append(found.path)

    def quote(self, found: Found) -> None:
        if len(self.quotes) < _LINES and self.line is not None and self.line not in self.quotes:
            self.quotes[self.line] = found.quote()

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

    def settle(self, found: Found, process: object) -> Iterator[Found]:
        """The occurrences whose roles are known now that ``found``, of ``process``, has come."""
        if found.role == "mention" or found.status.ok:
            yield found
            return
        burst = self._bursts.pop(process, None)
        if burst is not None and not burst.holds(found):
            yield from self._end(burst)
            burst = None
        burst = burst or Burst()
        self._bursts[process] = burst
        burst.extend(found)
        if self._quote:
            burst.quote(found)
        if burst.cause is None or (burst.cause.status in COMMON and found.status not in COMMON):
            yield from self._make_cause(burst, found)
        elif found.wraps:
            found.role = "wrapper"
            burst.wrappers += 1
            yield found
        else:
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
