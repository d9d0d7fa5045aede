"""A log copied through, with an explanation behind each line that reports a status."""

from __future__ import annotations

from .logs import Scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .find import Finder, Found


def annotate(
    finder: Finder, scan: Scan, write: Callable[[memoryview | bytes], object], explain: Callable[[list[Found]], bytes]
) -> Iterator[int]:
    """Write what ``finder`` reads, as it comes, and behind the lines with reports what ``explain`` says to these.

    ``scan`` gives the roles; it must not be patient. What is given back is how many bytes came, step by step.
    """
    waiting: list[Found] = []  # the reports of a line whose end has not come
    for piece, found in finder.steps():
        scan.take(found)
        begin = finder.bytes - len(piece)
        text = bytes(piece) if found or waiting else b""
        written = 0
        for item in [*found, None]:
            if waiting and (item is None or item.line != waiting[0].line):
                end = text.find(b"\n", max(written, waiting[-1].offset - begin))
                if end >= 0:
                    end -= text[end - 1 : end] == b"\r"
                    write(piece[written:end])
                    write(explain(waiting))
                    written, waiting = end, []
            if item is not None and item.role == "report":
                waiting.append(item)
        write(piece[written:])
        yield len(piece)
    if waiting:
        write(explain(waiting))
