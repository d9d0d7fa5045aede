"""The occurrences in a stream of bytes of any size, read piece by piece."""

from __future__ import annotations

import re
from codecs import BOM_UTF8

from .._scan import AHEAD, BATCH, Scanner, Tables
from ..calls import KINDS
from ..notation import BY_NAME
from ..status import BY_VALUE
from .entry import HEAD, Entry, entry
from .line import COMMON, FILES, SINGLE, WEAK, Line, Occurrence, occurrences
from .sources import UnreadableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .line import Token

    # Fills a part of the view and says how much; 0 at the end, None where nothing has come since the last time.
    Read = Callable[[memoryview], int | None]

_SIZE = 1 << 19  # of the buffer: it stays in the processor's cache
KEPT = 1 << 15  # bytes kept before what is being looked at, in which a line without a time looks for one
_PART = 1 << 15  # bytes of a long line that are looked at together
PROCESSES = 1024  # whose last lines are remembered
_CLOCK = re.compile(rb"[0-9]:[0-9]{2}:[0-9]")  # without one, looking for a line with a time is in vain
_QUOTED = 400  # bytes of a line that a quote holds at most
_PAUSES = 4  # times that nothing comes, after which the beginning of a line is decided upon
_CODE = 8  # characters of a code; a shorter token, for instance 0, may be the start of one
_WORDS = 400  # bytes at the end of such a beginning that may be part of a token
# What the rest of the line may make a token of: a label and a value, or the start of either.
_UNFINISHED = re.compile(rb"(?:\berror[ \t]+)?\S*[ \t]*(?:[:=\[][ \t]*\S*)?\Z")


def _signs() -> list[bytes]:
    """What line.py takes for a sign of LLM-DataDist, or the start of it."""
    calls = [name.encode() for name in KINDS]
    single = [form % call for call in calls if call in SINGLE for form in (b"%s(", b"[%s]", b"LLMDataDist.%s", b"::%s")]
    return sorted([*(call for call in calls if call not in SINGLE), *single, *FILES, b"LLMStatusCode.", b"error code"])


def tables(search: str = "") -> Tables:
    """What the kernel looks for; ``search`` names one of its implementations, by default the fastest."""
    names = [name.encode() for name in BY_NAME]
    return Tables(
        names=names,
        weak=[name for name in names if name in WEAK],
        values=list(BY_VALUE),
        common=[value for value in BY_VALUE if int(BY_VALUE[value]) in COMMON],
        signs=_signs(),
        search=search,
    )


_TABLES = tables()


class Found(Occurrence):
    """An occurrence in a stream, as ``scan --jsonl`` prints it; ``path`` says which stream it was.

    ``role`` is "report" or "mention"; roles.py makes a "wrapper" of some reports. ``offset`` is that of the token, from
    the beginning of the file.
    """

    __slots__ = ("_around", "column", "entry", "line", "offset", "path")

    def __init__(
        self,
        path: str,
        line: int,
        column: int,
        offset: int,
        entry: Entry,
        around: Line,
        token: Token,
        start: int,
        role: str,
    ) -> None:
        self.path = path
        self.line = line
        self.column = column
        self.offset = offset
        self.entry = entry
        self._around = around
        self.token = token
        self.start = start
        self.role = role

    @property
    def name(self) -> str | None:
        """The header's name, or None."""
        return getattr(self.status, "name", None)

    @property
    def time(self) -> str | None:
        """When the line was written: ISO 8601, or None."""
        return self.entry.time

    @property
    def wraps(self) -> bool:
        """Whether it can be a wrapper: LLM_FAILED as a file of LLM-DataDist logs it."""
        return self.token.logged and self.token.is_common

    def call(self) -> str | None:
        """The call of LLM-DataDist that the line names nearest."""
        return self._around.call_near(self.start, self.end)

    @property
    def held(self) -> int:
        """How many bytes of its line it keeps in memory."""
        return len(self._around.text)

    def shorten(self) -> None:
        """Keep no more of a long line than what can be asked for, since the occurrence is kept for longer."""
        low, self._around = self._around.near(self.start, self.end)
        self.start -= low

    def quote(self) -> Quote:
        """Its line, or of a long one what is around it."""
        raw = self._around.raw
        stop = len(raw) - (self._around.ends and not self._around.beyond and raw.endswith(b"\r"))
        begin = max(0, min(self.start - _QUOTED // 2, stop - _QUOTED))
        end = min(stop, max(begin + _QUOTED, self.end))
        for _ in range(3):  # no character of UTF-8 is cut
            begin += 0 < begin < self.start and raw[begin] & 0xC0 == 0x80
            end -= self.end < end < stop and raw[end] & 0xC0 == 0x80
        before = self.column - 1 - self.start + begin
        return Quote(
            self, before, raw[begin:end], stop - end + self._around.beyond, self.start - begin, self.end - begin
        )

    def to_dict(self) -> dict[str, object]:
        """The occurrence as JSON's types."""
        return {
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "time": self.time,
            "name": self.name,
            "value": int(self.status),
            "hex": self.status.hex,
            "form": self.form,
            "role": self.role,
            "text": self.text,
        }


class Quote:
    """A line of a log, ``text`` as it stands there, around a token from ``start`` to ``end``.

    ``before`` and ``after`` are the bytes that were cut off; ``ends`` is False where there are even more behind it.
    """

    __slots__ = ("after", "before", "end", "ends", "line", "path", "start", "text")

    def __init__(self, found: Found, before: int, text: bytes, after: int, start: int, end: int) -> None:
        self.path = found.path
        self.line = found.line
        self.before = before
        self.text = text
        self.after = after
        self.ends = found._around.ends
        self.start = start
        self.end = end


class Finder:
    """Finds the occurrences in what ``read`` gives; ``bytes`` and ``lines`` count what has been looked at.

    ``error`` is what kept it from reading to the end, or None. Where ``read`` begins in the middle of a file, ``start``
    is the place, where a line starts, and ``before`` are some bytes that come before it; lines still count from 1.
    With ``quote``, what is found can be quoted as it stands. Where ``read`` gives None again and again, the beginning
    of a line is decided upon, unless ``whole_lines`` are wanted.
    """

    def __init__(
        self,
        read: Read,
        path: str,
        *,
        start: int = 0,
        before: bytes = b"",
        quote: bool = False,
        kernel: Tables = _TABLES,
        size: int = _SIZE,
        whole_lines: bool = False,
    ) -> None:
        self._quote = quote
        self.path = path
        self.bytes = 0
        self.lines = 0
        self.error: Exception | None = None
        self._read = read
        self._scanner = Scanner(kernel, start)
        self._buffer = bytearray(max(size, 4 * AHEAD))
        self.start = start
        self._before = before
        self._base = start - len(before)  # where the buffer starts, from the beginning of the file
        self._whole_lines = whole_lines
        self._final = False
        self._sure = False  # whether what is there is decided upon as it stands
        self._head = (-1, b"")  # where a line starts whose head is no longer in the buffer, and that head
        self._last: tuple[int, Entry] | None = None  # the last line that an entry was made for, and the entry
        self._seen: dict[bytes | None, tuple[int, Entry]] = {}  # the same by process

    def steps(self) -> Iterator[tuple[memoryview, list[Found]]]:
        """The stream piece by piece, each piece with the occurrences whose tokens it holds, in order.

        Where nothing comes for now, the piece is empty.
        """
        view = memoryview(self._buffer)
        begin = end = len(self._before)
        view[:end] = self._before
        pauses = 0
        while not self._final:
            end = self._make_room(view, begin, end)
            begin -= self._moved
            count = self._fill(view[end:])
            self._final = count == 0
            pauses = pauses + 1 if count is None else 0
            end += count or 0
            stop = end
            if count is None:
                stop = self._sure_part(begin, end) if pauses == _PAUSES and not self._whole_lines else begin
                if stop == begin:
                    yield view[:0], []
                    continue
            self._sure = not count
            full = True
            while full:
                place, candidates = self._scanner.scan(self._buffer, begin, stop, self._base, self._sure)
                full = len(candidates) == BATCH
                self.bytes = self._base + place - self.start
                self.lines = self._scanner.newlines
                if self._final and not full and self.bytes and self._buffer[place - 1] != 10:
                    self.lines += 1  # the last line counts without its end
                if place > begin:
                    yield view[begin:place], self._decide(candidates, end)
                begin = place

    def _sure_part(self, begin: int, end: int) -> int:
        """Where the beginning of a line, [begin, end), may be parted without tearing a token that goes on behind it."""
        floor = max(begin, end - _WORDS)
        words = bytes(self._buffer[floor:end])
        for item in occurrences(words):
            if item.end == len(words) and item.end - item.start >= _CODE and int(item.status) in BY_VALUE:
                return end  # nothing goes on behind a code
        unfinished = _UNFINISHED.search(words)
        return floor + unfinished.start() if unfinished else end

    def _fill(self, view: memoryview) -> int | None:
        try:
            return self._read(view)
        except (OSError, UnreadableError) as error:
            self.error = error  # what came before it is scanned
            return 0

    def _make_room(self, view: memoryview, begin: int, end: int) -> int:
        self._moved = 0
        if len(view) - end > len(view) // 4:
            return end
        drop = max(0, begin - min(KEPT, len(view) // 2))
        line = self._scanner.line_start - self._base
        if 0 <= line < drop:
            self._head = (line + self._base, bytes(view[line : line + HEAD]))
        view[: end - drop] = view[drop:end]
        self._base += drop
        self._moved = drop
        return end - drop

    def _decide(self, candidates: list[tuple[int, int, int]], end: int) -> list[Found]:
        found = []
        around, place = Line(b""), Entry(None, None, None)
        number, low, high, closed = 0, 0, 0, False
        dated = 0  # the line that `place` is of
        native = False  # whether there may be native entries around, each with its time
        for start, line, line_start in candidates:
            begin = line_start - self._base
            if line != number or not (closed or start + AHEAD <= high):
                number, low = line, max(begin, start - AHEAD, 0)
                high = self._buffer.find(b"\n", start, min(end, start + _PART))
                closed = high >= 0
                if not closed:
                    high = min(end, start + _PART)
                    closed = self._sure and high == end
                around = Line(
                    bytes(self._buffer[low:high]), whole=closed and low == begin, ends=closed, quote=self._quote
                )
                native = b"):" in around.text
            read = around.at(start - low)
            if read is None:
                continue
            token, at, role = read
            if native or dated != number:
                dated = number
                place = self._entry(around, start - low, low, begin)
            column, offset = low + at - begin + 1, self._base + low + at
            found.append(Found(self.path, line, column, offset, place, around, token, at, role))
        return found

    def _entry(self, around: Line, start: int, low: int, begin: int) -> Entry:
        """The entry of a token; where its line has no time, for grouping that of the process's line before it."""
        if low == begin:
            head = around.text[:HEAD]
        elif begin >= 0:
            head = Line(bytes(self._buffer[begin : begin + HEAD])).text
        else:
            head = Line(self._head[1]).text if self._head[0] == begin + self._base else b""
        if begin + self._base == 0:
            head = head.removeprefix(BOM_UTF8)
        place = entry(head, around.text, start)
        if place.moment is None:
            before = self._entry_before(place.pid, begin)
            if before is not None:
                place.moment, place.pid = before.moment, before.pid
        self._last = (begin + self._base, place)
        self._seen.pop(place.pid, None)
        self._seen[place.pid] = self._last
        if len(self._seen) > PROCESSES:
            del self._seen[next(iter(self._seen))]
        return place

    def _entry_before(self, pid: bytes | None, begin: int) -> Entry | None:
        """The entry of the line before, of the process ``pid`` where that is known; it must not be far."""
        known = self._last if pid is None else self._seen.get(pid)
        floor = max(0, begin - KEPT, known[0] - self._base if known else 0)
        clock = _CLOCK.search(self._buffer, floor, max(floor, begin))
        while clock is not None:
            end = begin - 1
            if end > floor and pid is not None:
                end = max(self._buffer.rfind(form % pid, floor, end) for form in (b"pid=%s)", b"(%s,"))
            if end <= floor:
                break
            begin, end = self._buffer.rfind(b"\n", 0, end) + 1, self._buffer.find(b"\n", end)
            if begin < floor:
                break
            head = Line(bytes(self._buffer[begin : min(begin + HEAD, end)])).text
            place = entry(head, head, len(head))
            if place.moment is not None and pid in (None, place.pid):
                return place
        return known[1] if known else None
