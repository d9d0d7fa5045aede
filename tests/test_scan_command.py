"""``scan`` as a command: what it prints, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Run, environment

LINK = "E20260714 13:00:05.118340 88120 a.cpp:97] LinkLlmClusters ended, ret = 1343270921\n"
TIMEOUT = "E20260714 13:00:09.118340 88120 a.cpp:97] PullKvBlocks ended, ret = 5010b01a\n"
SCAN = [sys.executable, "-m", "llm_datadist_status", "scan"]


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = tmp_path / "a.log"
    path.write_text(LINK + "nothing\n" + TIMEOUT)
    return str(path)


def test_jsonl(run: Run, log: str) -> None:
    first, second = map(json.loads, run("scan", "--jsonl", log).stdout.splitlines())
    assert first == {
        "path": log,
        "line": 1,
        "column": 72,
        "time": "2026-07-14T13:00:05.118340",
        "name": "LLM_LINK_FAILED",
        "value": 1343270921,
        "hex": "0x5010B009",
        "form": "decimal",
        "role": "report",
        "text": "1343270921",
    }
    assert (second["line"], second["text"]) == (3, "5010b01a")


def test_json(run: Run, log: str) -> None:
    document = json.loads(run("scan", "--json", log).stdout)
    assert list(document) == ["schema", "files", "counts", "incidents", "unreadable"]
    assert document["files"] == [{"path": log, "bytes": len(LINK + TIMEOUT) + 8, "lines": 3}]
    assert document["counts"] == {"LLM_LINK_FAILED": 1, "LLM_TIMEOUT": 1}
    assert [list(incident) for incident in document["incidents"]] == [
        ["cause", "wrappers", "first", "last", "files"]
    ] * 2


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", ["Causes", "from PullKvBlocks", "What to do", "Counts"]),
        ("zh", ["根因", "来自PullKvBlocks", "处理步骤", "次数"]),
    ],
)
def test_the_summary_names_cause_call_and_remedy(run: Run, log: str, lang: str, words: list[str]) -> None:
    shown = run("scan", "--lang", lang, log).stdout
    assert [word for word in words if word not in shown] == []


def test_the_summary_shows_a_failure_of_many_workers_once(run: Run, tmp_path: Path) -> None:
    for worker in range(6):
        (tmp_path / f"worker{worker}.log").write_text(LINK.replace("13:00:05", f"13:0{worker}:00"))
    hostile = tmp_path / "z\x1b[31m.log"
    hostile.write_text(LINK)
    shown = run("scan", str(tmp_path)).stdout
    assert "Scanned 7 files, 7 lines, " in shown
    assert shown.count("The link could not be set up.") == 1
    assert "LLM_LINK_FAILED 0x5010B009 from LinkLlmClusters: 7 incidents\n" in shown
    assert "worker2.log, and 3 more\n" in shown
    assert "reports and wrappers per 30 s\n  07-14 13:00:00       2  ####" in shown
    assert "\x1b" not in shown
    assert "z\N{SYMBOL FOR ESCAPE}[31m.log" in shown


def test_standard_input_is_read_with_and_without_a_dash(run: Run) -> None:
    for args in ([], ["-"]):
        assert json.loads(run("scan", "--jsonl", *args, stdin=LINK).stdout)["path"] == "-"


@pytest.mark.parametrize(
    ("option", "status"),
    [
        ("any", 1),
        ("unrecoverable", 1),
        ("LLM_LINK_FAILED", 1),
        ("0x5010B01A", 1),
        ("LLM_LINK_BUSY", 0),
        ("LLM_LINK", 2),
    ],
)
def test_fail_on(run: Run, log: str, option: str, status: int) -> None:
    for form in ("--json", "--jsonl", "--annotate"):
        assert run("scan", form, "--fail-on", option, log).returncode == status


def test_success_never_fails(run: Run) -> None:
    line = "RegisterKvCache, ret = 0\n"
    assert run("scan", "--fail-on", "any", stdin=line).returncode == 0


def test_a_path_that_cannot_be_read_is_named_and_the_others_are_read(run: Run, log: str) -> None:
    done = run("scan", "--json", "absent.log", log)
    assert (done.returncode, json.loads(done.stdout)["unreadable"][0]["path"]) == (0, "absent.log")
    assert done.stderr == "llm-datadist-status: absent.log: cannot be read: No such file or directory\n"


def test_a_remark_does_not_control_the_terminal(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x\x1b[31m\n.log").symlink_to("nowhere")
    done = run("scan", str(tmp_path))
    assert "\x1b" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_nothing_that_can_be_read(run: Run, tmp_path: Path) -> None:
    assert run("scan", "absent.log").returncode == 2
    assert run("scan", "absent.log", str(tmp_path)).returncode == 0  # an empty directory has been read
    (tmp_path / "dead.log").symlink_to("nowhere")
    assert run("scan", str(tmp_path)).returncode == 2


def test_several_jobs_print_the_same(run: Run, tmp_path: Path) -> None:
    filler = "".join(f"E20260714 13:00:05.118340 88120 a.cpp:97] step {number} is done\n" for number in range(6000))
    with (tmp_path / "large.log").open("w") as large:
        for _ in range(110):
            large.write(filler + LINK + "LLM_LINK_BUSY without a time\n")
    (tmp_path / "small.log").write_text(LINK)
    (tmp_path / "broken.log.gz").write_bytes(b"\x1f\x8b\x08")
    for form in ("--json", "--jsonl"):
        alone, together = (run("scan", form, "--jobs", jobs, str(tmp_path)) for jobs in ("1", "3"))
        assert together.stdout == alone.stdout
        assert "LLM_LINK_BUSY" in alone.stdout


def annotated(data: bytes) -> bytes:
    done = subprocess.run([*SCAN, "--annotate"], input=data, capture_output=True, env=environment(), check=True)
    return done.stdout


def test_lines_without_a_report_are_copied_as_they_are() -> None:
    data = bytes(range(256)) * 999 + b"\r\n\n    if code != LLMStatusCode.LLM_LINK_BUSY:\r\nno end"
    assert annotated(data) == data


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_a_line_with_a_report_gets_its_explanation_before_its_end(end: bytes) -> None:
    out = annotated(b"a\n" + LINK.encode().rstrip() + end)
    assert out.startswith(b"a\n" + LINK.encode().rstrip() + b"  <-- LLM_LINK_FAILED (0x5010B009): ")
    assert out.endswith(end)
    assert out.count(b"\n") == 1 + end.count(b"\n")


def test_a_very_long_line_is_annotated_at_its_end() -> None:
    line = LINK.encode().rstrip() + b"." * 2_000_000
    out = annotated(line + b"\nb\n")
    assert out.startswith(line + b"  <-- LLM_LINK_FAILED")
    assert out.endswith(b"\nb\n")


def test_annotations_come_line_by_line_and_end_with_an_interrupt() -> None:
    with subprocess.Popen(
        [*SCAN, "--annotate"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as child:
        assert child.stdin is not None and child.stdout is not None and child.stderr is not None  # noqa: PT018
        for text in (LINK, TIMEOUT):
            child.stdin.write(text.encode())
            child.stdin.flush()
            assert child.stdout.readline().startswith(text.encode().rstrip() + b"  <-- ")
        child.send_signal(signal.SIGINT)
        assert child.wait(10) == 130
        assert child.stderr.read().strip() == b""


def test_a_reader_that_has_seen_enough_ends_it_quietly(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(LINK * 20_000)
    for form in ("--annotate", "--jsonl"):
        read, write = os.pipe()
        with subprocess.Popen(
            [*SCAN, form, str(tmp_path)], stdout=write, stderr=subprocess.PIPE, env=environment()
        ) as child:
            os.close(write)
            os.read(read, 100)
            os.close(read)
            assert child.stderr is not None
            assert (child.wait(20), child.stderr.read()) == (0, b"")
