"""``scan --follow``: files that grow, are rotated, cut off, or not there for a while."""

from __future__ import annotations

import gzip
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

from llm_datadist_status.scan.find import Finder

from .conftest import Run, environment

DEADLINE = 30  # seconds to wait for what must come
LINK_FAILED = "pull failed, ret = 1343270921\n"
UNLINK_FAILED = "unlink gave up, ret = 1343270922\n"
FAILED = "[ERROR] GE(7,d):2026-07-14-10:00:00.000.000 [link_mgr.cc:3] 7 Link: ErrorNo: 4294967295 no link\n"
CAUSE = "[ERROR] GE(7,d):2026-07-14-10:00:00.001.000 [link_mgr.cc:9] 7 Link: ErrorNo: 1343270921 no answer\n"


class Follower:
    """The command in a process of its own, whose output is read as it comes."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._lines: queue.Queue[str] = queue.Queue()
        if process.stdout is not None:
            threading.Thread(target=self._read, args=(process.stdout,), daemon=True).start()

    def _read(self, output: IO[str]) -> None:
        for line in output:
            self._lines.put(line)

    def line(self) -> str:
        return self._lines.get(timeout=DEADLINE)

    def found(self) -> dict[str, Any]:
        item = json.loads(self.line())
        assert isinstance(item, dict)
        return item

    def place(self) -> tuple[str, int, str]:
        """Of the next occurrence: the file's name, the line and the status."""
        item = self.found()
        return Path(item["path"]).name, item["line"], item["name"]

    def end(self, number: int = signal.SIGINT) -> tuple[int, str, str]:
        """Interrupt it; its exit status, the rest of its output, and its remarks."""
        self.process.send_signal(number)
        status = self.process.wait(DEADLINE)
        assert self.process.stderr is not None
        remarks = self.process.stderr.read()
        rest = ""
        while not self._lines.empty():
            rest += self._lines.get()
        return status, rest, remarks


@contextmanager
def following(*args: object, stdout: int = subprocess.PIPE) -> Iterator[Follower]:
    process = subprocess.Popen(
        [sys.executable, "-m", "llm_datadist_status", "scan", "--follow", *map(str, args)],
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=environment(),
    )
    with process:
        try:
            yield Follower(process)
        finally:
            process.kill()


def append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def until(what: Callable[[], object]) -> None:
    """Wait for something that happens in another process."""
    end = time.monotonic() + DEADLINE
    while not what():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "worker.log"
    path.write_text(LINK_FAILED, encoding="utf-8")
    return path


def test_what_is_there_comes_first_and_then_what_is_added(log: Path) -> None:
    with following("--jsonl", log) as follower:
        assert follower.place() == ("worker.log", 1, "LLM_LINK_FAILED")
        append(log, "nothing here\n" + UNLINK_FAILED)
        assert follower.place() == ("worker.log", 3, "LLM_UNLINK_FAILED")


def test_after_rotation_the_rest_of_the_old_file_comes_before_the_new_one(log: Path) -> None:
    with following("--jsonl", log) as follower:
        follower.line()
        log.rename(log.with_suffix(".log.1"))
        append(log.with_suffix(".log.1"), UNLINK_FAILED + "the last line, LLM_LINK_BUSY")
        append(log, LINK_FAILED)
        assert [follower.place()[1:] for _ in range(3)] == [
            (2, "LLM_UNLINK_FAILED"),
            (3, "LLM_LINK_BUSY"),
            (1, "LLM_LINK_FAILED"),
        ]


def test_the_old_file_is_read_on_as_long_as_the_new_one_is_empty(log: Path) -> None:
    with following("--jsonl", log) as follower:
        follower.line()
        log.rename(log.with_suffix(".log.1"))
        log.touch()
        append(log.with_suffix(".log.1"), UNLINK_FAILED)
        assert follower.place() == ("worker.log", 2, "LLM_UNLINK_FAILED")
        append(log, LINK_FAILED)
        assert follower.place() == ("worker.log", 1, "LLM_LINK_FAILED")


def test_a_file_that_was_cut_off_is_read_from_its_beginning(log: Path) -> None:
    with following("--jsonl", log) as follower:
        follower.line()
        os.truncate(log, 0)
        append(log, "LLM_LINK_BUSY\n")
        assert follower.place() == ("worker.log", 1, "LLM_LINK_BUSY")


def test_a_file_that_was_cut_off_and_has_grown_beyond_its_size_is_noticed_too(log: Path) -> None:
    with following("--jsonl", log) as follower:
        follower.line()
        log.write_text(UNLINK_FAILED + "LLM_LINK_BUSY\n", encoding="utf-8")
        assert [follower.place()[1:] for _ in range(2)] == [(1, "LLM_UNLINK_FAILED"), (2, "LLM_LINK_BUSY")]


def test_a_file_that_is_not_there_is_waited_for(tmp_path: Path) -> None:
    log = tmp_path / "later.log"
    with following("--jsonl", log) as follower:
        assert follower.process.stderr is not None
        assert "later.log: waiting until it can be read: No such file" in follower.process.stderr.readline()
        append(log, LINK_FAILED)
        assert follower.place() == ("later.log", 1, "LLM_LINK_FAILED")


def test_a_file_that_is_gone_for_a_while_is_read_when_it_is_back(log: Path) -> None:
    with following("--jsonl", log) as follower:
        follower.line()
        log.unlink()
        append(log, UNLINK_FAILED)
        assert follower.place() == ("worker.log", 1, "LLM_UNLINK_FAILED")
        assert follower.end() == (0, "", "")


def test_several_files_are_followed_at_once(log: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.log"
    other.touch()
    with following("--jsonl", log, other) as follower:
        follower.line()
        append(other, UNLINK_FAILED)
        assert follower.place() == ("other.log", 1, "LLM_UNLINK_FAILED")
        append(log, LINK_FAILED)
        assert follower.place() == ("worker.log", 2, "LLM_LINK_FAILED")


def test_a_directory_is_watched_for_new_files_but_rotated_ones_are_not_read_again(log: Path, tmp_path: Path) -> None:
    with following("--jsonl", tmp_path) as follower:
        follower.line()
        log.rename(log.with_suffix(".log.1"))
        append(tmp_path / "plog-9.log", UNLINK_FAILED)
        assert follower.place() == ("plog-9.log", 1, "LLM_UNLINK_FAILED")
        assert follower.end() == (0, "", "")


def test_packed_and_numbered_files_of_a_directory_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "a.log.2.gz").write_bytes(gzip.compress(LINK_FAILED.encode()))
    (tmp_path / "a.log.1").write_text(UNLINK_FAILED, encoding="utf-8")
    (tmp_path / "a.log").write_text("LLM_LINK_BUSY\n", encoding="utf-8")
    with following("--jsonl", tmp_path) as follower:
        assert [follower.place()[0] for _ in range(3)] == ["a.log.2.gz", "a.log.1", "a.log"]
        append(tmp_path / "a.log.1", "LLM_LINK_BUSY\n")
        append(tmp_path / "a.log", UNLINK_FAILED)
        assert follower.place() == ("a.log", 2, "LLM_UNLINK_FAILED")


def test_a_line_that_comes_in_pieces_is_one_line(log: Path) -> None:
    with following("--jsonl", log) as follower:
        follower.line()
        append(log, "pull failed, ret = 13432")
        append(log, "70922\n")
        assert follower.place() == ("worker.log", 2, "LLM_UNLINK_FAILED")


def test_a_last_line_without_its_end_is_decided_upon_after_a_while(log: Path) -> None:
    with following("--jsonl", log) as follower:
        follower.line()
        append(log, UNLINK_FAILED.rstrip("\n"))
        assert follower.place() == ("worker.log", 2, "LLM_UNLINK_FAILED")


PIECES = [
    *("ret = 1343270921, then ret = 13432|70922 ", "error code| is 3: LLM_LINK_|BUSY", "k_ret |= |5010b|01a and on"),
    *("LLMStatusCode.|LLM_TIMEOUT.", "LLM_LINK_FAILED|\n0x5010B0|0A", "[link_mgr.cc:3] 7 L: ErrorNo: 134327|0921 text"),
]


@pytest.mark.parametrize("text", PIECES)
def test_no_token_is_torn_by_a_pause_within_it(text: str) -> None:
    def found(pieces: list[str]) -> list[tuple[int, int, str]]:
        reads: list[bytes | None] = []
        for piece in pieces:
            reads += [piece.encode(), *[None] * 9]

        def read(view: memoryview) -> int | None:
            data = reads.pop(0) if reads else b""
            view[: len(data or b"")] = data or b""
            return None if data is None else len(data)

        return [(item.line, item.column, item.text) for _, found in Finder(read, "").steps() for item in found]

    assert found(text.split("|")) == found([text.replace("|", "")]) != []


def test_roles_are_decided_from_earlier_lines_alone(log: Path) -> None:
    log.write_text(FAILED, encoding="utf-8")
    with following("--jsonl", log) as follower:
        assert follower.found()["role"] == "report"
        append(log, CAUSE + FAILED)
        assert [follower.found()["role"] for _ in range(2)] == ["report", "wrapper"]


def test_annotate_explains_lines_as_they_come(log: Path) -> None:
    with following("--annotate", log) as follower:
        assert "<-- LLM_LINK_FAILED (0x5010B009)" in follower.line()
        append(log, "nothing\n" + UNLINK_FAILED)
        assert follower.line() == "nothing\n"
        assert follower.line().startswith(UNLINK_FAILED.rstrip("\n") + "  <-- LLM_UNLINK_FAILED")


def test_annotate_of_several_files_does_not_mix_their_lines(log: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.log"
    other.touch()
    with following("--annotate", log, other) as follower:
        follower.line()
        append(log, "begun, ")
        append(other, "whole\n")
        assert follower.line() == "whole\n"
        append(log, "ended\n")
        assert follower.line() == "begun, ended\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_summary_comes_when_it_is_interrupted(log: Path, number: int) -> None:
    with following(log) as follower:
        until(lambda: str(log) in open_files(follower.process.pid))
        status, output, remarks = follower.end(number)
    assert (status, remarks) == (0, "")
    assert "Scanned 1 file, 1 line" in output
    assert "LLM_LINK_FAILED" in output


def test_json_counts_what_came_under_a_name_as_one_file(log: Path) -> None:
    with following("--json", log) as follower:
        until(lambda: str(log) in open_files(follower.process.pid))
        log.rename(log.with_suffix(".log.1"))
        append(log, LINK_FAILED)
        until(lambda: open_files(follower.process.pid) == [str(log)])
        status, output, _ = follower.end()
    assert status == 0
    document = json.loads(output)
    assert document["files"] == [{"path": str(log), "bytes": 2 * len(LINK_FAILED), "lines": 2}]
    assert document["counts"] == {"LLM_LINK_FAILED": 2}


def open_files(pid: int) -> list[str]:
    """The logs that a process has open."""
    names = [os.path.realpath(entry) for entry in Path(f"/proc/{pid}/fd").iterdir()]
    return [name for name in names if ".log" in name]


def test_fail_on_decides_the_status_after_an_interrupt(log: Path) -> None:
    with following("--jsonl", "--fail-on", "any", log) as follower:
        follower.line()
        assert follower.end()[0] == 1


def test_nothing_was_ever_there(tmp_path: Path) -> None:
    with following("--jsonl", tmp_path / "never.log") as follower:
        assert follower.process.stderr is not None
        follower.process.stderr.readline()
        status, output, remarks = follower.end()
    assert (status, output) == (2, "")
    assert "never.log: cannot be read: No such file" in remarks


def test_it_ends_when_the_reader_closes_the_pipe_though_nothing_comes(log: Path) -> None:
    reader, writer = os.pipe()
    with following("--jsonl", log, stdout=writer) as follower:
        os.close(writer)
        assert b"LLM_LINK_FAILED" in os.read(reader, 4096)
        os.close(reader)
        assert follower.process.wait(DEADLINE) == 0
        assert follower.process.stderr is not None
        assert follower.process.stderr.read() == ""


def test_waiting_takes_next_to_no_time(log: Path) -> None:
    def used(pid: int) -> int:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    with following("--jsonl", log) as follower:
        follower.line()
        before = used(follower.process.pid)
        began = time.monotonic()
        until(lambda: time.monotonic() - began > 2)
        ticks = used(follower.process.pid) - before
    assert ticks / os.sysconf("SC_CLK_TCK") < 0.1


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda _: "-", "standard input is read to its end without it"),
        (lambda path: packed(path / "a.log"), "a.log cannot be followed: it is packed"),
        (lambda path: fifo(path / "pipe"), "pipe cannot be followed: it is no regular file"),
    ],
)
def test_what_cannot_grow_is_a_usage_error(run: Run, tmp_path: Path, make: Callable[[Path], str], said: str) -> None:
    done = run("scan", "--follow", make(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def packed(path: Path) -> str:
    path.write_bytes(gzip.compress(b"text"))
    return str(path)


def fifo(path: Path) -> str:
    os.mkfifo(path)
    return str(path)


def test_following_without_a_path_is_a_usage_error(run: Run) -> None:
    done = run("scan", "--follow", stdin=LINK_FAILED)
    assert done.returncode == 2
    assert "--follow needs files" in done.stderr
