"""The statuses in a text of one or several lines."""

from __future__ import annotations

from ..notation import NotAStatusError, parse
from .line import occurrences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..status import Status, UnknownStatus


def statuses(text: str) -> list[Status | UnknownStatus]:
    """What ``text`` is or reports, else what it names.

    Raises:
        NotAStatusError: it holds no status.
    """
    try:
        return [parse(text)]
    except NotAStatusError:
        found = [item for line in text.split("\n") for item in _on_line(line)]
        if not found:
            raise
        return [status for status, role in found if role == "report"] or [status for status, _ in found]


def reported(text: str) -> list[Status | UnknownStatus]:
    """What ``text`` reports line by line, by the rules of logs; where that is nothing, what its lines say as one."""
    for lines in (text.split("\n"), [" ".join(text.split("\n"))]):
        found = [item for line in lines for item in occurrences(line.encode("utf-8", "replace"))]
        statuses = [item.status for item in found if item.role == "report"]
        if statuses:
            return statuses
    return []


def _on_line(line: str) -> Iterator[tuple[Status | UnknownStatus, str]]:
    try:
        yield parse(line), "report"
    except NotAStatusError:
        for item in occurrences(line.encode("utf-8", "surrogateescape")):
            yield item.status, item.role
