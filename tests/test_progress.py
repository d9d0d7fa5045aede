"""How far a long scan has come, shown on a terminal while standard output holds the result alone."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from llm_datadist_status.cli.progress import is_shown, size_of

from .conftest import environment

LINE = b"pull failed, ret = 1343270921\n"


def scan_held_open(*args: str, **env: str) -> tuple[bytes, bytes, int]:
    """What a scan of a pipe shows on a terminal before the pipe ends; its output, and its exit status."""
    terminal, end = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "llm_datadist_status", "scan", *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=end,
        env=environment(TERM="xterm", COLUMNS="100", **env),
    )
    os.close(end)
    assert process.stdin is not None
    process.stdin.write(LINE)
    process.stdin.flush()
    shown = b""
    while b"30/? bytes" not in shown:
        shown += os.read(terminal, 4096)  # the test's time limit is the deadline
    output, _ = process.communicate(timeout=60)
    os.close(terminal)
    return shown, output, process.returncode


def test_a_long_scan_shows_bytes_and_rate_on_the_terminal_and_nothing_in_the_output() -> None:
    shown, output, status = scan_held_open("--json")
    assert b"\x1b[" in shown
    assert (json.loads(output)["counts"], status) == ({"LLM_LINK_FAILED": 1}, 0)


def test_lines_that_go_elsewhere_do_not_keep_it_away() -> None:
    assert json.loads(scan_held_open("--jsonl")[1])["name"] == "LLM_LINK_FAILED"


def test_without_colour_it_has_none() -> None:
    assert b"\x1b[3" not in scan_held_open("--json", NO_COLOR="1")[0]


@pytest.mark.parametrize(
    ("terminals", "prints", "term", "shown"),
    [
        ({"stderr"}, True, "xterm", True),
        ({"stderr", "stdout"}, False, "xterm", True),
        ({"stderr", "stdout"}, True, "xterm", False),
        ({"stdout"}, False, "xterm", False),
        (set(), False, "xterm", False),
        ({"stderr"}, False, "dumb", False),
    ],
)
def test_it_is_shown_on_a_terminal_that_has_no_other_output(
    monkeypatch: pytest.MonkeyPatch, terminals: set[str], prints: bool, term: str, shown: bool
) -> None:
    def isatty(name: str) -> Callable[[], bool]:
        return lambda: name in terminals

    monkeypatch.setenv("TERM", term)
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(getattr(sys, name), "isatty", isatty(name), raising=False)
    assert is_shown(prints=prints) is shown


def test_the_whole_is_the_size_of_the_files_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(b"12345")
    (tmp_path / "b.gz").write_bytes(b"123")
    assert size_of([str(tmp_path), str(tmp_path / "a.log"), str(tmp_path / "none.log")]) == 13


def test_the_whole_of_a_pipe_is_not_known(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert size_of([str(tmp_path / "pipe")]) is None
    assert size_of(["-"]) is None


def test_a_scan_without_a_terminal_loads_nothing_for_it() -> None:
    script = (
        "import sys; sys.argv = ['llm-datadist-status', 'scan', '-']\n"
        "from llm_datadist_status.__main__ import main\n"
        "try: main()\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=LINE.decode(),
        capture_output=True,
        encoding="utf-8",
        env=environment(),
        check=True,
    )
    loaded = set(done.stderr.split())
    assert "llm_datadist_status.cli.progress" in loaded
    assert not {"rich", "ray", "llm_datadist_status.cli.follow", "llm_datadist_status.scan.cluster"} & loaded
