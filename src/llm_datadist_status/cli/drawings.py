"""The page and the drawing that ``scan`` can write beside what it prints."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from importlib.util import find_spec

import click

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

    from ..scan.report import Report

_NEEDS = {"--html": ("jinja2", "matplotlib"), "--plot": ("matplotlib",)}
_PLOTS = (".svg", ".png")


class Drawings:
    """What ``--html`` and ``--plot`` name, opened before the scan, and put in place when all is written.

    Raises:
        click.UsageError: a package is missing, or a file cannot be written.
    """

    def __init__(self, html: str | None, plot: str | None, inputs: list[str]) -> None:
        given = {"--html": html, "--plot": plot}
        if plot is not None and not plot.lower().endswith(_PLOTS):
            raise click.UsageError(f"--plot {plot}: expected a name that ends in .svg or .png.")
        missing = sorted({name for option in _given(given) for name in _NEEDS[option] if find_spec(name) is None})
        if missing:
            raise click.UsageError(
                f"{' and '.join(_given(given))} cannot be written without {' and '.join(missing)}:"
                " install llm-datadist-status[report]."
            )
        self._files: dict[str, _Replacing] = {}
        try:
            for option, path in _given(given).items():
                _check(option, path, inputs)
                self._files[option] = _Replacing(option, path)
        except click.UsageError:
            self.close()
            raise

    @property
    def wanted(self) -> bool:
        """Whether anything is to be written."""
        return bool(self._files)

    @property
    def quoting(self) -> bool:
        """Whether it shows lines of the logs."""
        return "--html" in self._files

    def write(self, report: Report, lang: str) -> None:
        """Write the report to each file."""
        os.environ["MPLBACKEND"] = "agg"  # no window is wanted, whatever is set
        if "--html" in self._files:
            from ..scan.page import write_page

            write_page(report, self._files["--html"].file, lang)
        if "--plot" in self._files:
            from ..scan.plot import draw

            target = self._files["--plot"]
            draw(report, target.file, target.path[-3:].lower(), lang)
        for target in self._files.values():
            target.finish()

    def close(self) -> None:
        """Leave nothing behind of what was not written."""
        for target in self._files.values():
            target.forget()


def _given(options: dict[str, str | None]) -> dict[str, str]:
    return {option: path for option, path in options.items() if path is not None}


def _check(option: str, path: str, inputs: list[str]) -> None:
    for name in inputs:
        with suppress(OSError):
            if os.path.samefile(name, path):  # noqa: PTH121 - a path may be any bytes
                raise click.UsageError(f"{option} {path}: this is one of the logs.")


class _Replacing:
    """A file that takes the place of ``path`` when it is whole; what is no regular file is written as it is."""

    def __init__(self, option: str, path: str) -> None:
        self.path = path
        self._target = os.path.realpath(path)
        self._beside: str | None = f"{self._target}.{os.getpid()}.new"
        try:
            mode = _mode(self._target)
            if mode is not None and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
                self._beside = None
            elif mode is not None:
                os.close(os.open(self._target, os.O_WRONLY))  # says why not, where it cannot be written
            self.file: IO[bytes] = open(self._beside or self._target, "xb" if self._beside else "wb")  # noqa: PTH123, SIM115
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise click.UsageError(f"{option} {path}: it cannot be written: {reason}.") from None
        if mode is not None and self._beside is not None:
            with suppress(OSError):
                os.chmod(self._beside, stat.S_IMODE(mode))  # noqa: PTH101

    def finish(self) -> None:
        self.file.close()
        if self._beside is not None:
            os.replace(self._beside, self._target)  # noqa: PTH105
            self._beside = None

    def forget(self) -> None:
        with suppress(OSError):  # what is left of it cannot be written either
            self.file.close()
        if self._beside is not None:
            with suppress(OSError):
                os.unlink(self._beside)  # noqa: PTH108


def _mode(path: str) -> int | None:
    try:
        return os.stat(path).st_mode  # noqa: PTH116
    except FileNotFoundError:
        return None
