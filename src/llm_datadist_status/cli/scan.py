"""``scan``: the statuses in logs, and what caused what."""

from __future__ import annotations

import os
import sys
from contextlib import closing
from functools import lru_cache

import click

from ..notation import NotAStatusError, parse
from ..scan.logs import Scan
from ..scan.sources import STDIN
from .drawings import Drawings
from .options import language, language_option
from .output import forget_output, print_json, remark
from .progress import progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

    from ..scan.find import Finder, Found
    from ..scan.line import Token
    from ..scan.report import Report
    from ..status import Status, UnknownStatus

_UNREAD = {"en": "{}: cannot be read: {}", "zh": "{}：无法读取：{}"}


class _FailOn(click.ParamType):  # type: ignore[type-arg, unused-ignore] # generic from click 8.4 on
    name = "any|unrecoverable|STATUS"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str | Status | UnknownStatus:
        if value in ("any", "unrecoverable"):
            return str(value)
        try:
            return parse(value)
        except NotAStatusError as error:
            self.fail(f"expected any, unrecoverable or a status: {error}", param, ctx)


@click.command(
    help="""Find statuses in logs: how often each one was reported, and which was the cause of which.

    A PATH is a file, plain or packed (gz, zst), a directory (its *.log, *.log.*, *.txt, *.gz and *.zst), or "-" for
    standard input, which is also read when no PATH is given.

    \b
    Examples:
      llm-datadist-status scan ~/ascend/log/debug/plog
      llm-datadist-status scan --fail-on unrecoverable worker.log
      kubectl logs decode-0 | llm-datadist-status scan --annotate
      llm-datadist-status scan --follow --jsonl worker.log

    \b
    Exit status:
      0  scanned, also when some paths could not be read
      1  what --fail-on names was reported
      2  nothing could be read, or a usage error

    An interrupted --follow ends with the same status.
    """
)
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option("--json", "form", flag_value="json", help="Print the whole report as one JSON document.")
@click.option("--jsonl", "form", flag_value="jsonl", help="Print each occurrence as one line of JSON, as it is found.")
@click.option("--annotate", "form", flag_value="annotate", help="Copy the log through, with explanations in it.")
@click.option(
    "--fail-on",
    type=_FailOn(),
    help="Exit with 1 when this was reported: any status but LLM_SUCCESS, an unrecoverable one, or STATUS.",
)
@click.option("--html", metavar="FILE", help="Also write the report as one HTML page that needs no network.")
@click.option("--plot", metavar="FILE", help="Also draw the timeline, as the end of FILE says: .svg or .png.")
@click.option("--jobs", metavar="N", type=click.IntRange(1, 1024), default=1, show_default=True, help="Threads to use.")
@click.option("--follow", is_flag=True, help="Go on as the files grow, until interrupted.")
@click.option("--ray", metavar="ADDRESS", help="Scan the PATHs on each node of this Ray cluster; auto finds it.")
@language_option()
def scan(
    paths: tuple[str, ...],
    form: str | None,
    fail_on: object,
    html: str | None,
    plot: str | None,
    jobs: int,
    follow: bool,
    ray: str | None,
) -> int:
    if ray is not None and (follow or form == "annotate" or not paths or STDIN in paths):
        raise click.UsageError("--ray needs PATHs on the nodes, and goes with neither --follow nor --annotate.")
    if follow:
        from .follow import check_followable

        check_followable(paths)
    if not paths and sys.stdin is not None and sys.stdin.isatty():
        raise click.UsageError("Give a PATH, or a log through a pipe.")
    lang = language()
    names = list(paths) or [STDIN]
    failing = _Failing(fail_on)
    try:
        with closing(Drawings(html, plot, names)) as drawings:
            if ray is not None:
                report = _scan_cluster(ray, names, jobs, failing, drawings, jsonl=form == "jsonl")
            elif form == "annotate":
                report = _annotate(names, lang, failing, drawings, follow=follow)
            else:
                printer = _print_lines(sys.stdout.buffer) if form == "jsonl" else None
                report = _scan(names, jobs, failing, printer, drawings, lang if follow else None)
            drawings.write(report, lang)
        for file in report.unreadable:
            remark(_UNREAD[lang].format(file["path"], file["error"]))
        if form == "json":
            print_json(report.to_dict())
        elif form is None:
            from .summary import print_summary

            print_summary(report, lang)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough; click would make a failure of it
        forget_output()
    else:
        if report.unreadable and not report.files and not _has_empty_directory(names, report):
            return 2
    return 1 if failing.seen else 0


def _has_empty_directory(names: list[str], report: Report) -> bool:
    """Whether one of the paths is a directory that could be read, and held nothing."""
    unread = [file["path"] for file in report.unreadable]
    return any(os.path.isdir(name) and not any(path.startswith(name) for path in unread) for name in names)  # noqa: PTH112


class _Failing:
    """Notices a report of what ``--fail-on`` names; None names nothing."""

    def __init__(self, what: object) -> None:
        self._what = what
        self.seen = False

    def notice(self, occurrences: list[Found]) -> None:
        if self._what is not None and not self.seen:
            self.seen = any(item.role == "report" and self._is_named(item.status) for item in occurrences)

    def count(self, reported: set[int]) -> None:
        """Notice the values that were reported elsewhere."""
        self.seen = self._what is not None and any(self._is_named(parse(value)) for value in reported)

    def _is_named(self, status: Status | UnknownStatus) -> bool:
        if self._what == "any":
            return not status.ok
        if self._what == "unrecoverable":
            return status.recoverable is False
        return status == self._what


def _scan_cluster(
    address: str, names: list[str], jobs: int, failing: _Failing, drawings: Drawings, *, jsonl: bool
) -> Report:
    from json import dumps

    from ..scan.cluster import ClusterError, scan_cluster

    output = sys.stdout.buffer

    def printer(found: dict[str, object]) -> None:
        output.write(dumps(found, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")

    try:
        report, reported = scan_cluster(address, names, printer if jsonl else None, jobs=jobs, quote=drawings.quoting)
    except ClusterError as error:
        raise click.UsageError(f"{error}.") from error
    failing.count(reported)
    return report


def _scan(
    names: list[str],
    jobs: int,
    failing: _Failing,
    printer: Callable[[list[Found]], None] | None,
    drawings: Drawings,
    follow_in: str | None,
) -> Report:
    def found(occurrences: list[Found]) -> None:
        failing.notice(occurrences)
        if printer is not None:
            printer(occurrences)

    scan = Scan(found, patient=follow_in is None, count=printer is None or drawings.wanted, quote=drawings.quoting)
    if follow_in is None:
        with progress(names, prints=printer is not None):
            scan.paths(names, jobs)
    else:
        from .follow import follow_files

        follow_files(names, scan, scan.steps, follow_in)
    return scan.finish()


def _print_lines(output: BinaryIO) -> Callable[[list[Found]], None]:
    """Prints occurrences as JSON; the texts in it need no escapes, except the path."""

    def printer(occurrences: list[Found]) -> None:
        lines = []
        for found in occurrences:
            shown = f'"{found.entry.time}"' if found.entry.time else "null"
            status, text = _what(found.token)
            lines.append(
                f'{{"path": {_path(found.path)}, "line": {found.line}, "column": {found.column},'
                f' "time": {shown}, {status}, "role": "{found.role}", {text}}}\n'
            )
        output.write("".join(lines).encode("utf-8", "backslashreplace"))
        if any(found.path == STDIN for found in occurrences):
            output.flush()  # whoever writes the log may wait with the next line

    return printer


@lru_cache(1024)
def _what(token: Token) -> tuple[str, str]:
    """What the JSON of a token is before its role, and behind it."""
    name = getattr(token.status, "name", None)
    shown = "null" if name is None else f'"{name}"'
    before = f'"name": {shown}, "value": {token.status:d}, "hex": "{token.status.hex}", "form": "{token.form}"'
    return before, f'"text": "{token.text}"'


@lru_cache(16)
def _path(path: str) -> str:
    from json import dumps

    return dumps(path, ensure_ascii=False)


def _annotate(names: list[str], lang: str, failing: _Failing, drawings: Drawings, *, follow: bool) -> Report:
    from ..scan.annotate import annotate

    output = sys.stdout.buffer

    def write(data: memoryview | bytes) -> None:
        output.write(data)
        output.flush()  # a line that has come is seen, also in a pipe

    scan = Scan(failing.notice, patient=False, count=drawings.wanted, quote=drawings.quoting)

    def steps(finder: Finder) -> Iterator[int]:
        return annotate(finder, scan, write, lambda found: _explanation(found, lang))

    if follow:
        from .follow import follow_files

        follow_files(names, scan, steps, lang, whole_lines=True)
        return scan.finish()
    with progress(names, prints=True):
        for _ in scan.paths_by_steps(names, steps=steps):
            pass
    return scan.finish()


def _explanation(found: list[Found], lang: str) -> bytes:
    """What stands behind a line: each status that it reports, with its meaning and what to do."""
    statuses = {int(item.status): item for item in found}
    parts = []
    for item in statuses.values():
        title = f"{item.name} ({item.status.hex})" if item.name else item.status.hex
        colon = ": " if lang == "en" else "："
        parts.append(f"{title}{colon}{item.status.advise(item.call()).paragraph(lang)}")
    return ("  <-- " + " | ".join(parts)).encode()
