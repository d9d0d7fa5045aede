"""What the head of a log line says: when it was written and by which process."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

HEAD = 512  # bytes of a line in which its head is looked for
_TIME_WITHIN = 200

_MONTHS = (b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec")

# What a container's runtime puts before a line.
_CONTAINER = re.compile(rb"\s*(?:(?P<time>\d{4}-\d\d-\d\dT\S{8,40}) std(?:out|err) [FP] |\{\"log\":\s?\")")
_JSON_TIME = re.compile(rb"\"time\":\s?\"(?P<time>[^\"]{8,40})\"")
# Native lines, and those of the official Python package.
_NATIVE = re.compile(rb"\((?P<pid>[0-9]{1,10}),[^\n]{0,200}?\):(?=[0-9]{4}-)")
_WORKER = re.compile(rb"\s*\([^()\n]{1,80} pid=(?P<pid>[0-9]{1,10})\)")
_TIME = re.compile(
    rb"""(?<![0-9A-Za-z/.-]) (?P<clock>(?:
        (?:(?P<year>[0-9]{4})[-/])? (?P<month>[0-9]{2})[-/](?P<day>[0-9]{2}) [T\x20-]
      | [DIWEFC](?P<glog_year>[0-9]{4})?(?P<glog_month>[0-9]{2})(?P<glog_day>[0-9]{2})\x20
      | (?P<name>%s)\x20{1,2}(?P<name_day>[0-9]{1,2})\x20
    )
    (?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2}))
    (?:[.,](?P<fraction>[0-9]{1,9})(?:\.(?P<more>[0-9]{3})(?![0-9]))?)?
    (?P<zone>Z|[+-][0-9]{2}:?[0-9]{2}(?![0-9:]))?
    """
    % b"|".join(_MONTHS),
    re.VERBOSE,
)

SECOND = 1_000_000  # moments are counted in microseconds
_SOME_YEAR = 2000  # a leap year, for times that come without one


class Entry:
    """``time`` (ISO 8601 or None), ``moment`` (the same in microseconds, for comparing) ``pid`` (digits or None)."""

    __slots__ = ("moment", "pid", "time")

    def __init__(self, time: str | None, moment: int | None, pid: bytes | None) -> None:
        self.time = time
        self.moment = moment
        self.pid = pid


def entry(head: bytes, text: bytes, start: int) -> Entry:
    """The entry that a token belongs to which starts at ``start`` of ``text``; ``head`` is how its line begins.

    A pasted line can hold several native entries: the last one before the token counts.
    """
    native = _native_before(text, start)
    if native is not None:
        time = _TIME.match(text, native.end())
        if time is not None:
            return Entry(*_read(time, None), native["pid"])
    container = _CONTAINER.match(head)
    begin = container.end() if container else 0
    outer = None
    if container:
        stamp = container["time"] or _first(_JSON_TIME.search(text, start)) or _first(_JSON_TIME.search(head))
        outer = _TIME.match(stamp) if stamp else None
    worker = _WORKER.match(head, begin)
    own = _TIME.search(head, worker.end() if worker else begin, begin + _TIME_WITHIN)
    pid = worker["pid"] if worker else None
    if pid is None:
        native = _NATIVE.search(head, begin, begin + _TIME_WITHIN)
        pid = native["pid"] if native else None
    time = own or outer
    return Entry(*_read(time, outer), pid) if time else Entry(None, None, pid)


def _native_before(text: bytes, start: int) -> re.Match[bytes] | None:
    stop = start
    for _ in range(4):
        closed = text.rfind(b"):", 0, stop)
        if closed < 0:
            return None
        opened = text.rfind(b"(", max(0, closed - 220), closed)
        while opened >= 0:
            native = _NATIVE.match(text, opened)
            if native is not None:
                return native if native.end() <= start else None
            opened = text.rfind(b"(", max(0, closed - 220), opened)
        stop = closed
    return None


def _first(match: re.Match[bytes] | None) -> bytes | None:
    return match["time"] if match else None


def _read(time: re.Match[bytes], outer: re.Match[bytes] | None) -> tuple[str | None, int | None]:
    """The time in ISO 8601, and as a moment; ``outer`` is a time around it that may know the year."""
    clock, fraction, more, zone = time.group("clock", "fraction", "more", "zone")
    read = _clock(clock, outer["year"] if outer else None)
    if read is None:
        return None, None
    text, moment = read
    if fraction:
        if more:
            fraction += more
        text += b"." + fraction
        moment += int(fraction[:6].ljust(6, b"0"))
    if zone:
        text += zone
    return text.decode(), moment


_YEARLESS = range(date(_SOME_YEAR, 1, 1).toordinal(), date(_SOME_YEAR + 1, 1, 1).toordinal())


def has_year(moment: int) -> bool:
    """Whether a moment comes from a time with a year."""
    return moment // SECOND // 86400 not in _YEARLESS


@lru_cache(64)  # lines that follow each other are often of the same second
def _clock(clock: bytes, outer_year: bytes | None) -> tuple[bytes, int] | None:
    """A time to the second as ``_read`` gives it, or None where there is no such time."""
    time = _TIME.fullmatch(clock)
    assert time is not None
    year, month, day = time["year"], time["month"], time["day"]
    if month is None:
        year, month, day = time["glog_year"], time["glog_month"], time["glog_day"]
    if month is None:
        month, day = b"%02d" % (_MONTHS.index(time["name"]) + 1), time["name_day"].zfill(2)
    hour, minute, second = time["hour"], time["minute"], time["second"]
    if hour > b"23" or minute > b"59" or second > b"60":
        return None
    try:
        days = date(int(year or outer_year or _SOME_YEAR), int(month), int(day)).toordinal()
    except ValueError:
        return None
    seconds = (int(hour) * 60 + int(minute)) * 60 + int(second)
    return b"%s-%s-%sT%s:%s:%s" % (year or b"-", month, day, hour, minute, second), (days * 86400 + seconds) * SECOND
