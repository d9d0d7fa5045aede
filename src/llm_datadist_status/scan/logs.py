"""Finding statuses in logs: ``scan_file``, ``scan_bytes``, ``scan_lines``, and ``Scan`` for several files."""

from __future__ import annotations

import os
from contextlib import closing

from .find import PROCESSES, Finder
from .report import Report
from .roles import Roles
from .sources import Source, UnreadableError, expand, reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .entry import Entry
    from .find import Found, Read

    Piece = bytes | bytearray | memoryview | str
    Steps = Callable[[Finder], Iterator[int]]  # scans what a finder reads, and says step by step how much came


def scan_file(path: str | os.PathLike[str], found: Callable[[Found], None] | None = None) -> Report:
    """The statuses in a file, plain or packed (gz, zst), or in the files of a directory.

    ``found`` is called with each occurrence once its role is known. A path that cannot be read is in the report's
    ``unreadable``.
    """
    scan = Scan(_each(found))
    scan.paths([os.fspath(path)])
    return scan.finish()


def scan_bytes(
    data: bytes | bytearray | memoryview, path: str = "", found: Callable[[Found], None] | None = None
) -> Report:
    """The statuses in ``data``, which the report calls ``path``; ``found`` as in ``scan_file``."""
    return scan_lines([data], path, found)


def scan_lines(lines: Iterable[Piece], path: str = "", found: Callable[[Found], None] | None = None) -> Report:
    """The statuses in pieces of text, such as the lines of an open file; for the rest as ``scan_bytes``."""
    scan = Scan(_each(found))
    scan.stream(_reader(iter(lines)), path)
    return scan.finish()


class Scan:
    """A scan of several files that belong together: bursts of a process go on from one file to the next.

    ``found`` gets occurrences once their roles are known, those that become known together at once; ``patient`` as in
    ``Roles``. Without ``count`` the report has the files and nothing else, for those who want the occurrences alone.
    With ``quote`` its incidents have lines.
    """

    def __init__(
        self,
        found: Callable[[list[Found]], None] = lambda _: None,
        *,
        patient: bool = True,
        count: bool = True,
        quote: bool = False,
    ) -> None:
        self.report = Report()
        self.quote = quote
        self._found = found
        self._count = count
        self._roles = Roles(self.report.add_burst if count else lambda _: None, patient=patient, quote=quote)
        self._file_begins()

    def paths(self, paths: list[str], jobs: int = 1) -> None:
        """Scan files and directories, ``jobs`` of them or of their parts at the same time; "-" is standard input."""
        for _ in self.paths_by_steps(paths, jobs):
            pass

    def paths_by_steps(self, paths: list[str], jobs: int = 1, *, steps: Steps | None = None) -> Iterator[int]:
        """The same step by step; gives back how many bytes came.

        ``steps`` scans what a finder reads, where there is one job: by default ``self.steps``.
        """
        files = expand(paths, self.unreadable)
        if jobs > 1:
            yield from self._parts(files, jobs)
        else:
            for path in files:
                yield from self._path(path, steps or self.steps)

    def stream(self, read: Read, path: str) -> None:
        """Scan what ``read`` gives; what was read before an error counts."""
        for _ in self._stream(read, path, self.steps):
            pass

    def _stream(self, read: Read, path: str, steps: Steps) -> Iterator[int]:
        finder = Finder(read, path, quote=self.quote)
        self._file_begins()
        yield from steps(finder)
        self.done(path, finder.bytes, finder.lines, finder.error)

    def steps(self, finder: Finder) -> Iterator[int]:
        """Scan what ``finder`` reads; gives back how many bytes came, step by step."""
        for piece, found in finder.steps():
            self.take(found)
            yield len(piece)

    def done(self, path: str, size: int, lines: int, error: BaseException | None) -> None:
        """Count a file of which so many bytes were read, and perhaps not all."""
        if error is not None:
            self.unreadable(path, reason(error))
        if error is None or size:
            self.report.files.append({"path": path, "bytes": size, "lines": lines})

    def _path(self, path: str, steps: Steps) -> Iterator[int]:
        try:
            source = Source(path)
        except (OSError, UnreadableError) as error:
            self.unreadable(path, reason(error))
            return
        with closing(source):
            yield from self._stream(source.readinto, path, steps)

    def _parts(self, paths: Iterator[str], jobs: int) -> Iterator[int]:
        from .parallel import scanned

        path, size, lines, error = None, 0, 0, None
        for part in scanned(paths, jobs, quote=self.quote):
            if part.start == 0:
                if path is not None:
                    self.done(path, size, lines, error)
                path, size, lines, error = part.path, 0, 0, None
                self._file_begins()
            for found in part.found():
                for item in found:
                    item.line += lines
                self.take(found)
                yield 0
            finder = part.finder
            error = error or part.error or (finder.error if finder else None)
            size += finder.bytes if finder else 0
            yield finder.bytes if finder else 0
            lines += finder.lines if finder else 0
        if path is not None:
            self.done(path, size, lines, error)

    def _file_begins(self) -> None:
        self._current = ""
        self._last: Entry | None = None
        self._seen: dict[bytes | None, Entry] = {}

    def take(self, occurrences: list[Found]) -> None:
        """Give occurrences, all of one file, their roles."""
        if occurrences and occurrences[0].path != self._current:  # where files take turns
            self._file_begins()
            self._current = occurrences[0].path
        for item in occurrences:
            place = item.entry
            if place is self._last:
                continue
            if place.moment is None:
                self._date(place)
            self._last = self._seen[place.pid] = place
            if len(self._seen) > PROCESSES:
                del self._seen[next(iter(self._seen))]
        if occurrences:
            self._hand_over(self._roles.settle(occurrences))

    def _date(self, place: Entry) -> None:
        """Give a line without a time that of the last line of its process that was found."""
        before = self._last if place.pid is None else self._seen.get(place.pid)
        if before is not None:
            place.moment, place.pid = before.moment, before.pid

    def unreadable(self, path: str, error: str) -> None:
        """Remember that a path could not be read, or not to its end."""
        self.report.unreadable.append({"path": path, "error": error})

    def finish(self) -> Report:
        """The report, when all has been scanned."""
        self._hand_over(self._roles.finish())
        return self.report

    def _hand_over(self, settled: Iterator[Found]) -> None:
        occurrences = list(settled)
        if self._count:
            for item in occurrences:
                self.report.add(item)
        self._found(occurrences)


def _each(found: Callable[[Found], None] | None) -> Callable[[list[Found]], None]:
    def take(occurrences: list[Found]) -> None:
        if found is not None:
            for item in occurrences:
                found(item)

    return take


def _reader(pieces: Iterator[Piece]) -> Read:
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
