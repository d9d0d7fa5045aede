"""Several files, or parts of a large one, scanned at the same time, with what they hold handed over in order.

The kernel works without the interpreter's lock, so threads are enough.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from concurrent.futures import ThreadPoolExecutor

from .find import KEPT, Finder
from .sources import RANGES, STDIN, Range, Source, UnreadableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from concurrent.futures import Future

    from .find import Found

_PART = 1 << 24  # bytes of a file that are scanned by one thread at a time
_LONG = 512  # bytes of a line for which it counts as one more occurrence of these:
_HELD = 2048  # occurrences that a thread finds ahead of its turn; the others are found when it has come


class Part:
    """A part of a file that is being scanned; ``start`` is 0 for the first one of each file."""

    def __init__(self, path: str, start: int, stop: int | None) -> None:
        self.path = path
        self.start = start
        self.finder: Finder | None = None
        self.error: OSError | UnreadableError | None = None  # why it cannot be read at all
        self._stop = stop
        self._source: Source | None = None
        self._held: list[list[Found]] = []
        self._steps: Iterator[tuple[memoryview, list[Found]]] = iter(())

    def begin(self, *, quote: bool = False) -> Part:
        """Scan, until there are many occurrences to hand over."""
        try:
            self._source = Source(self.path)
            if self._stop is None:
                self.finder = Finder(self._source.readinto, self.path, quote=quote)
            else:
                part = Range(self._source.fd, self.start, self._stop)
                self.finder = Finder(part.readinto, self.path, start=part.first, before=part.before(KEPT), quote=quote)
        except (OSError, UnreadableError) as error:
            self.error = error
            return self
        self._steps = self.finder.steps()
        count = 0
        for _, found in self._steps:
            if found:
                self._held.append(found)
                count += sum(1 + item.held // _LONG for item in found)
                if count >= _HELD:
                    break
        return self

    def found(self) -> Iterator[list[Found]]:
        """What was found, and what is found on the rest."""
        yield from self._held
        for _, found in self._steps:
            yield found
        self._held = []
        if self._source is not None:
            self._source.close()


def scanned(paths: Iterable[str], jobs: int, *, quote: bool = False) -> Iterator[Part]:
    """The files' parts in order, each begun; ``jobs`` of them are scanned at the same time."""
    running: deque[Future[Part]] = deque()
    with ThreadPoolExecutor(jobs) as pool:
        try:
            for part in _parts(paths):
                running.append(pool.submit(part.begin, quote=quote))
                if len(running) > jobs:
                    yield running.popleft().result()
            while running:
                yield running.popleft().result()
        finally:
            for future in running:
                future.cancel()


def _parts(paths: Iterable[str]) -> Iterator[Part]:
    for path in paths:
        size = _divisible(path)
        if size < 2 * _PART:
            yield Part(path, 0, None)
        else:
            last = size // _PART * _PART  # the last part takes what the file has grown by, too
            for start in range(0, last, _PART):
                yield Part(path, start, start + _PART if start + _PART < last else 1 << 62)


def _divisible(path: str) -> int:
    """The size of a plain regular file, else 0."""
    if path == STDIN or not RANGES:
        return 0
    try:
        status = os.stat(path)  # noqa: PTH116
        if not stat.S_ISREG(status.st_mode) or status.st_size < 2 * _PART:
            return 0
        source = Source(path)
    except (OSError, UnreadableError):
        return 0  # the reason is given when it is read
    source.close()
    return 0 if source.packed else status.st_size
