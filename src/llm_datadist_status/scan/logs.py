"""Finding statuses in logs: ``scan_file``, ``scan_bytes``, ``scan_lines``, and ``Scan`` for several files."""

from __future__ import annotations

import os
from contextlib import closing
from functools import lru_cache

from .find import Finder
from .report import Report
from .roles import Roles
from .sources import Source, UnreadableError, expand, reason, rotation_base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .find import Found, Read


def scan_file(path: str | os.PathLike[str], found: Callable[[Found], None] | None = None) -> Report:
    """The statuses in a file, plain or packed (gz, zst), or in the files of a directory.

    ``found`` is called with each occurrence once its role is known. A path that cannot be read is in the report's
    ``unreadable``.
    """
    scan = Scan(found)
    scan.paths([os.fspath(path)])
    return scan.finish()


def scan_bytes(
    data: bytes | bytearray | memoryview, path: str = "", found: Callable[[Found], None] | None = None
) -> Report:
    """The statuses in ``data``, which the report calls ``path``; ``found`` as in ``scan_file``."""
    return scan_lines([data], path, found)


def scan_lines(lines: Iterable[bytes | str], path: str = "", found: Callable[[Found], None] | None = None) -> Report:
    """The statuses in pieces of text, for instance an open file's lines, each with its end; otherwise as ``scan_bytes``."""
    scan = Scan(found)
    scan.stream(_reader(iter(lines)), path)
    return scan.finish()


class Scan:
    """A scan of several files that belong together: bursts of a process go on from one file to the next.

    ``found`` gets each occurrence once its role is known; ``patient`` as in ``Roles``. Without ``count`` the report lists
    the files and nothing else, for those who want the occurrences alone.
    """

    def __init__(
        self, found: Callable[[Found], None] | None = None, *, patient: bool = True, count: bool = True
    ) -> None:
        self.report = Report()
        self._roles = Roles(self.report.add_burst if count else lambda _: None, patient=patient)
        self._takers = [taker for taker in (self.report.add if count else None, found) if taker]

    def paths(self, paths: list[str]) -> None:
        """Scan files and directories; "-" is standard input."""
        for path in expand(paths, self.unreadable):
            self.path(path)

    def path(self, path: str) -> None:
        """Scan one file."""
        try:
            source = Source(path)
        except (OSError, UnreadableError) as error:
            self.unreadable(path, reason(error))
            return
        with closing(source):
            self.stream(source.readinto, path)

    def stream(self, read: Read, path: str) -> None:
        """Scan what ``read`` gives; what was read before an error counts."""
        finder = Finder(read, path)
        for _, found in finder.steps():
            self.take(found)
        self.done(finder)

    def done(self, finder: Finder) -> None:
        """Count what a finder has read."""
        if finder.error is not None:
            self.unreadable(finder.path, reason(finder.error))
            if not finder.bytes:
                return
        self.report.files.append({"path": finder.path, "bytes": finder.bytes, "lines": finder.lines})

    def take(self, occurrences: list[Found]) -> None:
        """Give occurrences their roles."""
        for item in occurrences:
            for settled in self._roles.settle(item, process(item)):
                self._settled(settled)

    def unreadable(self, path: str, error: str) -> None:
        """Remember that a path could not be read, or not to its end."""
        self.report.unreadable.append({"path": path, "error": error})

    def finish(self) -> Report:
        """The report, when all has been scanned."""
        for settled in self._roles.finish():
            self._settled(settled)
        return self.report

    def _settled(self, found: Found) -> None:
        for taker in self._takers:
            taker(found)


def process(found: Found) -> tuple[str, bytes | None]:
    """What tells processes apart: directory and pid; without a pid, the file and those that it was rotated to."""
    pid = found.entry.pid
    return (_file(found.path) if pid is None else _directory(found.path), pid)


_directory = lru_cache(16)(os.path.dirname)
_file = lru_cache(16)(rotation_base)


def _reader(pieces: Iterator[bytes | str]) -> Read:
    rest = memoryview(b"")

    def readinto(view: memoryview) -> int:
        nonlocal rest
        while not rest:
            piece = next(pieces, None)
            if piece is None:
                return 0
            rest = memoryview(piece.encode("utf-8", "surrogateescape") if isinstance(piece, str) else piece).cast("B")
        count = min(len(rest), len(view))
        view[:count] = rest[:count]
        rest = rest[count:]
        return count

    return readinto
