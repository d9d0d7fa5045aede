"""``scan --ray``: the same scan on several nodes, merged; one of them lacks the package, one is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import IO

import pytest

from llm_datadist_status.scan.cluster import living_nodes

from .conftest import ROOT, Run, environment
from .documents import blocks

LINE = b"[ERROR] GE(7,d):2026-07-14-10:00:00.001.000 [link_mgr.cc:9] 7 Link: ErrorNo: 1343270921 no answer\n"
DEADLINE = 60  # seconds to wait for what must come

needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed (the extra ray)")


class Nodes:
    """The cluster, in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._stdin: IO[str] = process.stdin
        self._stdout: IO[str] = process.stdout
        self.address = self._answer("address ")

    def lose(self, name: str) -> None:
        """End a node without a farewell."""
        self._stdin.write(f"lose {name}\n")
        self._stdin.flush()
        self._answer("lost")

    def _answer(self, start: str) -> str:
        for line in self._stdout:
            if line.startswith(start):
                return line[len(start) :].strip()
        raise AssertionError("the cluster has ended")


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    shadow = tmp_path_factory.mktemp("shadow")
    (shadow / "llm_datadist_status").mkdir()
    (shadow / "llm_datadist_status" / "__init__.py").write_text("raise ImportError('no such wheel')\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.nodes", str(shadow)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        env=environment(),
    )
    with process:
        yield Nodes(process)
        process.communicate(timeout=DEADLINE)


def until(what: Callable[[], object]) -> None:
    """Wait for something that happens in other processes."""
    end = time.monotonic() + DEADLINE
    while not what():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "worker.log"
    path.write_bytes(LINE)
    return path


@needs_ray
def test_each_node_scans_its_own_files_and_stands_before_their_paths(run: Run, nodes: Nodes, log: Path) -> None:
    done = run("scan", "--json", "--ray", nodes.address, str(log))
    document = json.loads(done.stdout)  # and nothing that Ray says
    assert done.returncode == 0
    paths = [f"{name}:{log}" for name in ("decode", "head", "prefill")]
    assert document["files"] == [{"path": path, "bytes": len(LINE), "lines": 1} for path in paths]
    assert document["counts"] == {"LLM_LINK_FAILED": 3}
    assert [(incident["cause"]["path"], incident["files"]) for incident in document["incidents"]] == [
        (path, [path]) for path in paths
    ]


@needs_ray
def test_a_node_without_the_package_is_unreadable(run: Run, nodes: Nodes, log: Path) -> None:
    done = run("scan", "--json", "--ray", nodes.address, str(log))
    sentence = "the package llm-datadist-status cannot be imported there: no such wheel"
    assert json.loads(done.stdout)["unreadable"] == [{"path": f"bare:{log}", "error": sentence}]
    assert f"bare:{log}: cannot be read: {sentence}" in done.stderr


@needs_ray
def test_a_path_that_a_node_does_not_have_is_unreadable_there(run: Run, nodes: Nodes, log: Path) -> None:
    done = run("scan", "--json", "--ray", "auto", str(log), str(log) + ".1", env={"RAY_ADDRESS": nodes.address})
    errors = {entry["path"]: entry["error"] for entry in json.loads(done.stdout)["unreadable"]}
    assert errors[f"head:{log}.1"] == "No such file or directory"
    assert f"head:{log}" not in errors


@needs_ray
def test_nothing_could_be_read_anywhere(run: Run, nodes: Nodes, log: Path) -> None:
    assert run("scan", "--ray", nodes.address, str(log) + ".1").returncode == 2


@needs_ray
def test_the_summary_names_the_nodes(run: Run, nodes: Nodes, log: Path) -> None:
    done = run("scan", "--ray", nodes.address, str(log))
    assert done.stdout.startswith(f"Scanned 3 files, 3 lines, {3 * len(LINE)} bytes.\n")
    assert f"decode:{log}:1" in done.stdout


@needs_ray
def test_occurrences_come_as_lines_in_any_number(run: Run, nodes: Nodes, log: Path) -> None:
    log.write_bytes(LINE * 3000)
    done = run("scan", "--jsonl", "--ray", nodes.address, str(log))
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == 9000
    assert [item["line"] for item in found if item["path"] == f"head:{log}"] == list(range(1, 3001))
    alone = json.loads(run("scan", "--jsonl", str(log)).stdout.partition("\n")[0])
    assert {**alone, "path": f"decode:{log}"} in found


@needs_ray
@pytest.mark.parametrize(("named", "status"), [("any", 1), ("LLM_LINK_FAILED", 1), ("unrecoverable", 0)])
def test_fail_on_counts_all_nodes(run: Run, nodes: Nodes, log: Path, named: str, status: int) -> None:
    assert run("scan", "--jsonl", "--fail-on", named, "--ray", nodes.address, str(log)).returncode == status


@needs_ray
def test_the_rest_is_kept_when_a_node_is_lost_while_it_scans(nodes: Nodes, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.log"
    os.mkfifo(pipe)
    writer = os.open(pipe, os.O_RDWR)  # so that whoever opens it for reading waits for what is written
    child = subprocess.Popen(
        [sys.executable, "-m", "llm_datadist_status", "scan", "--json", "--ray", nodes.address, str(pipe)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    try:
        until(lambda: len(readers(pipe)) == 3)  # on all nodes but the one without the package
        nodes.lose("prefill")
        until(lambda: len(readers(pipe)) == 2)
        os.write(writer, LINE)
        os.close(writer)
        output, _ = child.communicate(timeout=DEADLINE)
    finally:
        child.kill()
        child.communicate()
    document = json.loads(output)
    assert {file["path"] for file in document["files"]} == {f"decode:{pipe}", f"head:{pipe}"}
    assert sum(file["bytes"] for file in document["files"]) == len(LINE)
    (lost,) = [entry for entry in document["unreadable"] if entry["path"] == f"prefill:{pipe}"]
    assert lost["error"].startswith("the node was lost while it was scanned")


def readers(pipe: Path) -> list[int]:
    """The processes beside this one that have ``pipe`` open."""
    entries = [entry for entry in Path("/proc").glob("[0-9]*/fd/*") if link(entry) == str(pipe)]
    return [int(entry.parts[2]) for entry in entries if entry.parts[2] != str(os.getpid())]


def link(entry: Path) -> str | None:
    try:
        return os.readlink(entry)  # noqa: PTH115
    except OSError:
        return None  # another user's, or gone


@pytest.mark.parametrize(
    "args", [("--follow", "a.log"), ("--annotate", "a.log"), ("-",), ()], ids=["follow", "annotate", "stdin", "none"]
)
def test_what_goes_not_with_a_cluster_is_a_usage_error(run: Run, args: tuple[str, ...]) -> None:
    done = run("scan", "--ray", "auto", *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--ray needs PATHs on the nodes" in done.stderr


def test_nodes_of_the_same_name_are_told_apart_by_their_ids() -> None:
    class Cluster:
        @staticmethod
        def nodes() -> list[dict[str, object]]:
            named = [("a", "11111111aa", True), ("a", "22222222bb", True), ("b", "33", True), ("b", "44", False)]
            return [{"NodeName": name, "NodeID": node, "Alive": alive} for name, node, alive in named]

    assert living_nodes(Cluster) == {"a#11111111": "11111111aa", "a#22222222": "22222222bb", "b": "33"}


@needs_ray
@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("127.0.0.1:9", "there is no Ray cluster at '127.0.0.1:9'"),
        ("ray://127.0.0.1:10001", "expected auto or the cluster's own address"),
        ("nonsense", "there is no Ray cluster at 'nonsense'"),
    ],
)
def test_an_address_without_a_cluster_is_a_usage_error(run: Run, address: str, said: str) -> None:
    done = run("scan", "--ray", address, "a.log")
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_without_ray_it_says_what_to_install(run: Run, tmp_path: Path) -> None:
    (tmp_path / "ray.py").write_text("raise ImportError\n", encoding="utf-8")
    done = run("scan", "--ray", "auto", "a.log", env={"PYTHONPATH": str(tmp_path)})
    assert (done.returncode, done.stdout) == (2, "")
    assert "Ray is not installed: pip install 'llm-datadist-status[ray]'" in done.stderr


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_documented_merge_with_dask(lang: str, tmp_path: Path) -> None:
    (example,) = (block for block in blocks(ROOT / "docs" / lang / "scan.md", "python") if "dask" in block)
    for name, count in (("prefill", 2), ("decode", 3)):
        (tmp_path / "logs" / name).mkdir(parents=True)
        (tmp_path / "logs" / name / "worker.log").write_bytes(LINE * count)
    done = subprocess.run(
        [sys.executable, "-c", example],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        env=environment(),
        check=False,
    )
    assert (done.stdout, done.stderr) == ("{'LLM_LINK_FAILED': 5}\n", "")
