"""How far a long scan has come, on the terminal."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import contextmanager

from ..scan.sources import STDIN, Source, expand

TYPE_CHECKING = False
if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

_AFTER, _EVERY = 1.0, 0.2  # seconds


@contextmanager
def progress(names: list[str], *, prints: bool) -> Iterator[None]:
    """Show how much of ``names`` has been read, when it takes long; ``prints`` says that there is output meanwhile."""
    if not is_shown(prints=prints):
        yield
        return
    import threading

    done = threading.Event()
    thread = threading.Thread(target=_show, args=(names, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def is_shown(*, prints: bool) -> bool:
    """Whether there is a terminal that nothing else is printed on."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb" and not (prints and sys.stdout.isatty())


def _show(names: list[str], done: threading.Event) -> None:
    if done.wait(_AFTER):
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn

    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    console = Console(stderr=True)  # heeds NO_COLOR
    with Progress(
        *columns, console=console, transient=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False
    ) as shown:
        task = shown.add_task("", total=size_of(names))
        while True:
            shown.update(task, completed=Source.taken, refresh=True)
            if done.wait(_EVERY):
                return


def size_of(names: list[str]) -> int | None:
    """The bytes of all files to read, packed ones as they are; None where that cannot be known."""
    size = 0
    for path in expand(names, lambda _path, _error: None):
        try:
            status = None if path == STDIN else os.stat(path)  # noqa: PTH116 - bytes that are no text
        except OSError:
            continue
        if status is None or not stat.S_ISREG(status.st_mode):
            return None
        size += status.st_size
    return size
