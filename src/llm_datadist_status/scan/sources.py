"""Where bytes come from: files, directories, standard input; plain, gz and zst."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Read = Callable[[memoryview], int]


STDIN = "-"
_PATTERNS = re.compile(r".+(?:\.log(?:\..+)?|\.txt|\.gz|\.zst)", re.DOTALL)
_GZ, _ZST = b"\x1f\x8b", re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")
_CHUNK = 1 << 16  # compressed bytes read at once
_PIECE = 3 << 15  # unpacked bytes at once; for more, memory would be fetched from the system each time
_PIPE = 1 << 20  # bytes that a pipe may hold: fewer turns between its two ends
_CUT_OFF, _DAMAGED = "the {} file is cut off", "the {} file is damaged: {}"


class UnreadableError(Exception):
    """Why a path cannot be read, or not to its end."""


def expand(paths: list[str], unreadable: Callable[[str, str], None]) -> Iterator[str]:
    """The files to read: those of a directory in the order in which they were written; "-" stays."""
    for path in paths:
        try:
            is_directory = path != STDIN and stat.S_ISDIR(os.stat(path).st_mode)  # noqa: PTH116 - bytes that are no text
        except OSError as error:
            unreadable(path, reason(error))
            continue
        if is_directory:
            yield from _walk(path, unreadable, set())
        else:
            yield path


def reason(error: BaseException) -> str:
    """What went wrong, in a few words."""
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).strip()


def _walk(path: str, unreadable: Callable[[str, str], None], seen: set[tuple[int, int]]) -> Iterator[str]:
    """Regular files under a directory, each once, whatever links lead to it."""
    try:
        entries = sorted(os.listdir(path), key=_age)  # noqa: PTH208
    except OSError as error:
        unreadable(path, reason(error))
        return
    for name in entries:
        full = os.path.join(path, name)  # noqa: PTH118
        try:
            status = os.stat(full)  # noqa: PTH116
        except OSError as error:
            if _PATTERNS.fullmatch(name):
                unreadable(full, reason(error))
            continue
        place = (status.st_dev, status.st_ino)
        wanted = stat.S_ISDIR(status.st_mode) or (stat.S_ISREG(status.st_mode) and _PATTERNS.fullmatch(name))
        if not wanted or (place in seen and status.st_ino):
            continue
        seen.add(place)
        if stat.S_ISDIR(status.st_mode):
            yield from _walk(full, unreadable, seen)
        else:
            yield full


def _age(name: str) -> tuple[object, ...]:
    """Sorts the names of a directory: the higher the number behind ".log.", the older; dates count upwards."""
    stem = re.sub(r"\.(?:gz|zst)$", "", name)
    rotated = re.fullmatch(r"(.*\.(?:log|txt))(?:\.([0-9]{1,5})|[.-]([0-9].*))?", stem, re.DOTALL)
    if rotated is None:
        return (_natural(stem), 2, 0, ())
    base, number, stamp = rotated.groups()
    if number:
        return (_natural(base), 0, -int(number), ())
    return (_natural(base), 1 if stamp else 2, 0, _natural(stamp or ""))


def _natural(text: str) -> tuple[tuple[int, str], ...]:
    return tuple(
        (int(part), "") if part.isdecimal() and part.isascii() else (-1, part) for part in re.split(r"([0-9]+)", text)
    )


def rotation_base(path: str) -> str:
    """The path without what rotation and compression add to it."""
    return re.sub(r"(?<=\.log)[.-][0-9][^/]*$", "", re.sub(r"\.(?:gz|zst)$", "", path))


class Source:
    """A file or standard input, opened: ``readinto`` fills a buffer with unpacked bytes and gives 0 at the end.

    Raises:
        OSError: it cannot be opened or read.
        UnreadableError: it is packed and damaged; what could be unpacked came before.
    """

    taken = 0  # bytes read from all files by now, packed ones as they are: for showing progress

    def __init__(self, path: str) -> None:
        self._own = path != STDIN
        if self._own:
            self.fd = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0))
        elif sys.stdin is None:
            raise UnreadableError("standard input is closed")
        else:
            self.fd = sys.stdin.fileno()
        self._start = b""
        try:
            mode = os.fstat(self.fd).st_mode
            if stat.S_ISDIR(mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            if stat.S_ISFIFO(mode):
                self._widen_pipe()
            self._start = self._first_bytes()
            Source.taken += len(self._start)
            self.readinto: Read = self._choose(path)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self._own:
            os.close(self.fd)

    def _widen_pipe(self) -> None:
        try:
            import fcntl

            fcntl.fcntl(self.fd, fcntl.F_SETPIPE_SZ, _PIPE)
        except (ImportError, AttributeError, OSError):
            pass  # not on this system, or no more allowed to this user

    def _first_bytes(self) -> bytes:
        start = b""
        while len(start) < 4:
            more = os.read(self.fd, 4 - len(start))
            if not more or b"\n" in more:
                return start + more
            start += more
        return start

    def _choose(self, path: str) -> Read:
        self.packed = True
        if self._start.startswith(_GZ):
            return _gz(self._read)
        if _ZST.match(self._start):
            return _zst(self._read)
        if self._start and path.endswith((".gz", ".zst")):
            raise UnreadableError(f"it is no {path.rpartition('.')[2]} file, whatever its name says")
        self.packed = False
        return self._readinto

    def _read(self, size: int) -> bytes:
        start, self._start = self._start, b""
        if start:
            return start
        data = os.read(self.fd, size)
        Source.taken += len(data)
        return data

    def _readinto(self, view: memoryview) -> int:
        if self._start:
            count = len(self._start)
            view[:count], self._start = self._start, b""
            return count
        count = os.readv(self.fd, [view]) if _READV else _copy(os.read(self.fd, len(view)), view)
        Source.taken += count
        return count


class Range:
    """The lines of a file that start in [start, stop); from ``first`` on, which is where the first of them starts."""

    def __init__(self, fd: int, start: int, stop: int) -> None:
        self._fd = fd
        self._stop = stop
        self._end: int | None = None  # when it is known: where the last line ends
        self.first = self._place = self._line_start(start)

    def before(self, size: int) -> bytes:
        """As many bytes before the first line."""
        start = max(0, self.first - size)
        return os.pread(self._fd, self.first - start, start)

    def readinto(self, view: memoryview) -> int:
        """Fill ``view``; 0 at the end."""
        if self._place == self._end:
            return 0
        count = os.preadv(self._fd, [view], self._place)
        last = self._stop - 1 - self._place  # the line that goes on here is the last
        if count > last:
            newline = bytes(view[max(last, 0) : count]).find(b"\n")
            if newline >= 0:
                count = max(last, 0) + newline + 1
                self._end = self._place + count
        self._place += count
        Source.taken += count
        return count

    def _line_start(self, start: int) -> int:
        """Where the first line starts, or ``stop`` where none does."""
        place = start - 1
        while start and place < self._stop:
            data = os.pread(self._fd, _CHUNK, place)
            newline = data.find(b"\n")
            if newline >= 0:
                start = place + newline + 1
                break
            place += len(data)
            if not data or place >= self._stop:
                start = self._stop
                break
        if start >= self._stop:
            self._end = start
        return start


RANGES = hasattr(os, "preadv")  # whether parts of files can be read
_READV = hasattr(os, "readv")


def _copy(data: bytes, view: memoryview) -> int:
    view[: len(data)] = data
    return len(data)


def _unpack(read: Callable[[int], bytes], make: Callable[[], Any], kind: str) -> Read:
    """Reads one member or frame after the other, with decompressors whose output is bounded."""
    decompressor: Any = make()
    pending = b""

    def readinto(view: memoryview) -> int:
        nonlocal decompressor, pending
        while True:
            if not pending and (decompressor.eof or getattr(decompressor, "needs_input", True)):
                pending = read(_CHUNK)
                if not pending and not decompressor.eof:
                    raise UnreadableError(_CUT_OFF.format(kind))
            if decompressor.eof:
                padding = not pending.strip(b"\0")  # what tapes and block devices fill up with
                if not pending:
                    return 0
                pending = b"" if padding else pending
                if padding:
                    continue
                decompressor = make()
            try:
                data = decompressor.decompress(pending, min(len(view), _PIECE))
            except Exception as error:  # each library has its own
                raise UnreadableError(_DAMAGED.format(kind, error)) from error
            pending = decompressor.unused_data if decompressor.eof else getattr(decompressor, "unconsumed_tail", b"")
            if data:
                return _copy(data, view)

    return readinto


def _gz(read: Callable[[int], bytes]) -> Read:
    try:
        unpacking = import_module("isal.isal_zlib")  # the extra "fast"
    except ImportError:
        unpacking = import_module("zlib")
    return _unpack(read, lambda: unpacking.decompressobj(wbits=31), "gz")


def _zst(read: Callable[[int], bytes]) -> Read:
    try:
        decompressor = import_module("compression.zstd").ZstdDecompressor  # from Python 3.14 on
    except ImportError:
        return _zst_by_package(read)
    return _unpack(read, decompressor, "zst")


def _zst_by_package(read: Callable[[int], bytes]) -> Read:
    try:
        from zstandard import ZstdDecompressor, ZstdError
    except ImportError:
        raise UnreadableError("to read zst, install the package zstandard") from None
    frames = _Frames(read)
    reader = ZstdDecompressor(max_window_size=1 << 31).stream_reader(
        frames,  # type: ignore[arg-type] # it only reads
        read_size=_CHUNK,
        read_across_frames=True,
        closefd=False,
    )

    def readinto(view: memoryview) -> int:
        try:
            count = reader.readinto1(view)
        except ZstdError as error:
            raise UnreadableError(_DAMAGED.format("zst", error)) from error
        if count == 0 and not frames.complete:
            raise UnreadableError(_CUT_OFF.format("zst"))
        return count

    return readinto


class _Frames:
    """Follows the frames of zst (RFC 8878) that are read through it: the package does not say when one is cut off."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._expected = "magic"
        self._head = b""  # what has come of it
        self._skip = 0  # bytes to pass over
        self._checksum = 0

    @property
    def complete(self) -> bool:
        return self._expected == "magic" and not self._head and not self._skip

    def read(self, size: int) -> bytes:
        data = self._read(size)
        place = 0
        while place < len(data):
            if self._skip:
                step = min(self._skip, len(data) - place)
                self._skip -= step
                place += step
                continue
            wanted = {"magic": 4, "size": 4, "descriptor": 1, "block": 3}[self._expected] - len(self._head)
            self._head += data[place : place + wanted]
            place += wanted
            if place <= len(data):
                head, self._head = int.from_bytes(self._head, "little"), b""
                self._follow(head)
        return data

    def _follow(self, head: int) -> None:
        if self._expected == "magic":
            self._expected = "size" if head & ~15 == 0x184D2A50 else "descriptor"
        elif self._expected == "size":
            self._skip, self._expected = head, "magic"
        elif self._expected == "descriptor":
            single = head >> 5 & 1
            self._checksum = 4 * (head >> 2 & 1)
            self._skip = (1 - single) + (0, 1, 2, 4)[head & 3] + (single, 2, 4, 8)[head >> 6]
            self._expected = "block"
        else:
            last, kind, size = head & 1, head >> 1 & 3, head >> 3
            self._skip = 1 if kind == 1 else size
            if last:
                self._skip += self._checksum
                self._expected = "magic"
