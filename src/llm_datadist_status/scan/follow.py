"""Files that grow: read on as more comes, also where they are rotated or cut off in between."""

from __future__ import annotations

import os
import re
import stat
import time
from collections import Counter
from contextlib import closing

from .find import Finder
from .sources import Source, UnreadableError, expand, reason, rotation_base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .find import Read
    from .logs import Scan, Steps

INTERVAL = 0.25  # seconds to wait after a round in which nothing came
_LOOK = 2.0  # seconds between two looks into the directories
_SIZE = 1 << 16  # of a file's buffer: many files may be followed
_COMPARED = 64  # bytes by which a file is known again
_STEPS = 64  # of one file, before it is the next one's turn
_ENDED = re.compile(r".*\.(?:(?:log|txt)\.[0-9]{1,5}|gz|zst)", re.DOTALL)  # what rotation has put aside does not grow


def unfollowable(path: str) -> str | None:
    """Why ``path`` cannot grow, or None; what is not there yet may come."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - bytes that are no text
        if stat.S_ISDIR(mode):
            return None
        if not stat.S_ISREG(mode):
            return "it is no regular file"
        with closing(Source(path)) as source:
            return "it is packed" if source.packed else None
    except UnreadableError as error:
        return reason(error)
    except OSError:
        return None


class Follower:
    """Follows files, and those of directories, new ones included; what rotation has put aside already is read once.

    ``scan`` gathers; it must not be patient. ``steps`` scans what a finder reads. ``missing`` is called once with a
    path that is not there or cannot be opened, and the reason; it is tried again and again. With ``whole_lines``, a
    line that comes in pieces waits for its end; else its beginning is decided upon after a short while.
    """

    def __init__(
        self,
        paths: list[str],
        scan: Scan,
        steps: Steps,
        missing: Callable[[str, str], None],
        *,
        whole_lines: bool = False,
    ) -> None:
        self._scan = scan
        self._make: Callable[[str], _Tail] = lambda path: _Tail(
            path, lambda read: Finder(read, path, size=_SIZE, whole_lines=whole_lines, quote=scan.quote), steps, missing
        )
        self._directories = [path for path in paths if os.path.isdir(path)]  # noqa: PTH112
        self._named = {path: self._make(path) for path in paths if path not in self._directories}
        self._found: dict[str, _Tail] = {}  # in directories
        for path in expand(self._directories, scan.unreadable):
            self._found.setdefault(path, self._make(path))
        self._looked = time.monotonic()

    @property
    def over(self) -> bool:
        """Whether nothing more can come."""
        return not self._directories and all(tail.over for tail in self._named.values())

    def step(self) -> bool:
        """Scan what has come to the files since the last time; whether anything had."""
        if self._directories and time.monotonic() - self._looked > _LOOK:
            self._look_for_files()
            self._looked = time.monotonic()
        came = [tail.step() for tails in (self._named, self._found) for tail in tails.values() if not tail.over]
        return any(came)

    def finish(self) -> None:
        """Decide upon the last lines as they stand, and count the files."""
        for tail in (*self._named.values(), *self._found.values()):
            self._end(tail)

    def _end(self, tail: _Tail) -> None:
        tail.finish()
        if tail.error is not None:
            self._scan.unreadable(tail.path, tail.error)
        if tail.opened:
            self._scan.report.files.append({"path": tail.path, **tail.sizes})

    def _look_for_files(self) -> None:
        for path in [path for path, tail in self._found.items() if tail.is_deleted()]:
            self._end(self._found.pop(path))
        for path in expand(self._directories, lambda _path, _error: None):
            # The lines of a file that is put aside were read when it still had its first name.
            if path not in self._found and rotation_base(path) == path:
                self._found[path] = self._make(path)


class _Tail:
    """One of the files that are followed; ``sizes`` counts bytes and lines, of all that had its name."""

    def __init__(
        self, path: str, make: Callable[[Read], Finder], steps: Steps, missing: Callable[[str, str], None]
    ) -> None:
        self.path = path
        self._make = make
        self.over = False
        self.error: str | None = None
        self.opened = False
        self.sizes = Counter({"bytes": 0, "lines": 0})
        self._make_steps = steps
        self._missing = missing
        self._once = _ENDED.fullmatch(path) is not None
        self._stopped = False
        self._source: Source | None = None
        self._finder: Finder | None = None
        self._steps: Iterator[int] = iter(())
        self._place = 0  # how far it has been read
        self._read_last = b""  # before that place
        self._changed = 0  # when it was last looked at for having been cut off

    def step(self) -> bool:
        """Scan what has come; whether anything had."""
        if self._source is None and not self._open():
            return False
        came = False
        for _ in range(_STEPS):
            count = next(self._steps, None)
            if count is None:
                self._close()
                return True
            if count == 0:
                break
            came = True
        return came

    def finish(self) -> None:
        """Scan what is there, but no endless rest, and decide upon it as it stands."""
        if not self.over:
            self.step()
        self._stopped = True
        if self._source is not None:
            for _ in self._steps:
                pass
            self._close()

    def is_deleted(self) -> bool:
        """Whether no name leads to the file any more."""
        return self._source is not None and os.fstat(self._source.fd).st_nlink == 0

    def _open(self) -> bool:
        try:
            self._source = Source(self.path)
        except (OSError, UnreadableError) as error:
            if self.error is None and not self.opened:
                self.error = reason(error)
                self._missing(self.path, self.error)
            self.over = self._once
            return False
        self.opened, self.error = True, None
        self._once = self._once or self._source.packed
        self._place, self._changed = 0, 0
        self._finder = self._make(self._read)
        self._steps = self._make_steps(self._finder)
        return True

    def _close(self) -> None:
        assert self._source is not None
        assert self._finder is not None
        self._source.close()
        self.sizes.update(bytes=self._finder.bytes, lines=self._finder.lines)
        if self._finder.error is not None:
            self.error = reason(self._finder.error)
        self.over = self._once or self.error is not None
        self._source, self._finder, self._steps = None, None, iter(())

    def _read(self, view: memoryview) -> int | None:
        assert self._source is not None
        if self._stopped or self._is_cut_off():
            return 0
        ended = self._once or self._is_replaced()  # asked first, so that what was written before is read
        count = self._source.readinto(view)
        if count:
            self._place += count
            self._read_last = bytes(view[max(0, count - _COMPARED) : count])
        return count if count or ended else None

    def _is_cut_off(self) -> bool:
        """Whether what was read is no longer there, although the file may have grown again since."""
        assert self._source is not None
        mine = os.fstat(self._source.fd)
        if self._source.packed:
            return False
        if mine.st_size < self._place:
            return True
        if mine.st_mtime_ns == self._changed:
            return False
        self._changed = mine.st_mtime_ns
        size = len(self._read_last) if self._place and hasattr(os, "pread") else 0
        return size > 0 and os.pread(self._source.fd, size, self._place - size) != self._read_last

    def _is_replaced(self) -> bool:
        """Whether what comes will be in another file of this name."""
        assert self._source is not None
        try:
            named = os.stat(self.path)  # noqa: PTH116
        except OSError:
            return False
        # As long as the new file is empty, the old one may still be written to.
        return named.st_size > 0 and not os.path.samestat(named, os.fstat(self._source.fd))
