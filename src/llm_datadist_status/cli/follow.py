"""Following files until someone interrupts it or nobody reads on."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from contextlib import contextmanager

import click

from ..scan.follow import INTERVAL, Follower, unfollowable
from ..scan.sources import STDIN
from .output import remark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

    from ..scan.logs import Scan, Steps

_MISSING = {"en": "{}: waiting until it can be read: {}", "zh": "{}：暂时无法读取，等待中：{}"}


def check_followable(paths: Sequence[str]) -> None:
    """Refuse what cannot grow under a name.

    Raises:
        click.UsageError: standard input, a packed file, or no file at all is to be followed.
    """
    if not paths or STDIN in paths:
        raise click.UsageError("--follow needs files or directories: standard input is read to its end without it.")
    for path in paths:
        why = unfollowable(path)
        if why is not None:
            raise click.UsageError(f"{path} cannot be followed: {why}; without --follow it is read to its end.")


def follow_files(names: list[str], scan: Scan, steps: Steps, lang: str, *, whole_lines: bool = False) -> None:
    """Follow files and directories until the first SIGINT or SIGTERM; a second one interrupts at once.

    Raises:
        BrokenPipeError: nobody reads standard output any more.
    """
    with _until_signal() as stopped:
        follower = Follower(
            names,
            scan,
            steps,
            lambda path, error: remark(_MISSING[lang].format(path, error)),
            whole_lines=whole_lines and (len(names) > 1 or os.path.isdir(names[0])),  # noqa: PTH112
        )
        while not stopped() and not follower.over:
            came = follower.step()
            sys.stdout.flush()
            if not came:
                _check_reader()
                time.sleep(INTERVAL)
        follower.finish()


@contextmanager
def _until_signal() -> Iterator[Callable[[], bool]]:
    caught: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        if caught:
            raise KeyboardInterrupt
        caught.append(number)

    previous = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(caught)
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _check_reader() -> None:
    """Notice that the other end of a pipe was closed, although there is nothing to write."""
    if not hasattr(select, "poll"):
        return
    output = select.poll()
    output.register(sys.stdout.fileno(), 0)
    if output.poll(0):
        raise BrokenPipeError
