"""Statuses in logs: what is read, which report is the cause, and what the report of a scan holds."""

from __future__ import annotations

import gzip
import json
import os
import random
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_datadist_status import Report, scan_bytes, scan_file, scan_lines
from llm_datadist_status.scan.find import Found

ROW = "[ERROR] GE({pid},decode_0):2026-07-14-10:14:{time} [link_mgr.cc:9][HIXL] 41860 Open: ErrorNo: {code} it ended\n"


def row(code: int, time: str, pid: int = 7) -> bytes:
    """A native line; ``time`` is seconds, milliseconds and microseconds."""
    return ROW.format(pid=pid, time=time, code=code).encode()


def roles(data: bytes) -> list[tuple[int, str]]:
    """Line and role of each occurrence, by line."""
    found: list[Found] = []
    scan_bytes(data, found=found.append)
    return sorted((item.line, item.role) for item in found)


def causes(report: Report) -> list[tuple[str, int]]:
    return [(i.cause["name"], i.wrappers) for i in report.sorted_incidents()]


FAILED, LINK, GONE = 4294967295, 1343270921, 1343270914


def test_what_follows_the_cause_is_a_wrapper() -> None:
    data = row(LINK, "07.000.000") + row(FAILED, "07.500.000") + row(FAILED, "08.500.000")
    assert roles(data) == [(1, "report"), (2, "wrapper"), (3, "wrapper")]
    assert causes(scan_bytes(data)) == [("LLM_LINK_FAILED", 2)]


def test_the_first_wrapper_waits_for_the_cause() -> None:
    data = row(FAILED, "07.000.000") + row(FAILED, "07.100.000") + row(LINK, "07.200.000")
    assert roles(data) == [(1, "wrapper"), (2, "wrapper"), (3, "report")]
    assert causes(scan_bytes(data)) == [("LLM_LINK_FAILED", 2)]


def test_a_burst_of_nothing_else_has_its_first_line_as_cause() -> None:
    data = row(FAILED, "07.000.000") + row(FAILED, "07.100.000")
    assert roles(data) == [(1, "report"), (2, "wrapper")]
    assert causes(scan_bytes(data)) == [("LLM_FAILED", 1)]


def test_more_than_a_second_ends_a_burst() -> None:
    data = row(LINK, "07.000.000") + row(FAILED, "08.000.001")
    assert causes(scan_bytes(data)) == [("LLM_LINK_FAILED", 0), ("LLM_FAILED", 0)]


def test_processes_do_not_mix() -> None:
    data = row(LINK, "07.000.000", 1) + row(GONE, "07.100.000", 2) + row(FAILED, "07.200.000", 1)
    assert causes(scan_bytes(data)) == [("LLM_LINK_FAILED", 1), ("LLM_KV_CACHE_NOT_EXIST", 0)]


def test_a_second_code_is_a_report_of_the_same_incident() -> None:
    data = row(LINK, "07.000.000") + row(GONE, "07.100.000")
    assert roles(data) == [(1, "report"), (2, "report")]
    assert causes(scan_bytes(data)) == [("LLM_LINK_FAILED", 0)]


def test_what_ret_says_is_never_a_wrapper() -> None:
    data = row(LINK, "07.000.000") + row(1, "07.100.000").replace(b"ErrorNo: 1 ", b"PullKvBlocks, ret = 4294967295 ")
    assert roles(data) == [(1, "report"), (2, "report")]


def test_success_is_counted_and_is_no_incident() -> None:
    report = scan_bytes(b"results: [<LLMStatusCode.LLM_SUCCESS: 0>]\n")
    assert report.counts == {"LLM_SUCCESS": 1}
    assert report.incidents == []


def test_mentions_are_not_counted() -> None:
    report = scan_bytes(b"    if code != LLMStatusCode.LLM_LINK_BUSY:\n")
    assert (report.counts, report.incidents) == ({}, [])


def test_an_unknown_value_is_counted_in_hexadecimal_and_can_be_a_cause() -> None:
    report = scan_bytes(row(103900, "07.000.000") + row(FAILED, "07.100.000"))
    assert report.counts == {"0x000195DC": 1, "LLM_FAILED": 1}
    assert causes(report) == [(None, 1)]  # type: ignore[comparison-overlap]


def test_a_line_without_a_time_takes_that_of_its_process_before_it() -> None:
    data = (
        b"(Worker pid=3) ERROR 07-14 09:00:00 [a.py:1] LLM_LINK_FAILED\n"
        b"(Worker pid=4) ERROR 07-14 09:30:00 [a.py:1] nothing\n"
        b"(Worker pid=3) E: LLM_LINK_BUSY\n"
    )
    report = scan_bytes(data)
    assert [(i.cause["name"], i.first, i.last) for i in report.incidents] == [
        ("LLM_LINK_FAILED", "--07-14T09:00:00", "--07-14T09:00:00")
    ]


def test_a_long_traceback_keeps_the_time_of_the_line_before_it() -> None:
    frames = b'  File "a.py", line 1, in f\n' * 300
    started = b"[INFO] GE(7,decode_0):2026-07-14-10:14:07.000.000 [link_mgr.cc:9][HIXL] 41860 Open: begins\n"
    data = started + frames + b"PullKvBlocks ret = 1343270921\n" + row(FAILED, "07.500.000")
    assert causes(scan_bytes(data)) == [("LLM_LINK_FAILED", 1)]


@pytest.mark.parametrize("piece", [1 << 20, 3000, 77])
def test_how_a_log_comes_does_not_change_where_a_time_is_looked_for(piece: int) -> None:
    other = b"(W pid=6) INFO nothing to see here, really nothing at all\n"
    data = (
        other * 9000
        + b"(W pid=5) ERROR 07-14 09:02:14 [a.py:1] start\n"
        + other * 700  # farther than a time is looked for
        + b"(W pid=5) LLMStatusCode.LLM_LINK_FAILED\n"
        + b"(W pid=5) ERROR 07-14 09:02:14 [a.py:1] LLMStatusCode.LLM_FAILED\n"
    )
    pieces = (data[at : at + piece] for at in range(0, len(data), piece))
    assert causes(scan_lines(pieces)) == [("LLM_LINK_FAILED", 0), ("LLM_FAILED", 0)]


def test_a_byte_order_mark_hides_no_prefix() -> None:
    data = b"\xef\xbb\xbf2026-07-14T10:14:07.1Z stderr F (W pid=5) ERROR 07-14 10:14:08 [a.py:1] LLM_LINK_FAILED\n"
    found: list[Found] = []
    scan_bytes(data, found=found.append)
    assert [(item.time, item.column, item.entry.pid) for item in found] == [("--07-14T10:14:08", 76, b"5")]


TIMES = [
    (b"[ERROR] GE(1,p):2026-07-14-10:14:07.204.118 [link_mgr.cc:9] ", "2026-07-14T10:14:07.204118"),
    (b"[ERROR] LLM_DATADIST(1,P):2026-07-14 08:55:01.337 [a.py:2]1 f: ", "2026-07-14T08:55:01.337"),
    (b"(Worker_DP0 pid=1) ERROR 09-12 03:40:02 [file.py:581] ", "--09-12T03:40:02"),
    (b"E20251110 15:36:33.327589 280651 file.cpp:75] ", "2025-11-10T15:36:33.327589"),
    (b"E1110 15:36:33.327589 280651 file.cpp:75] ", "--11-10T15:36:33.327589"),
    (b"2026-07-14 11:00:01,25 INFO ", "2026-07-14T11:00:01.25"),
    (b"2026-07-14T10:14:07.1Z stderr F ", "2026-07-14T10:14:07.1Z"),
    (b"2026-07-14T10:14:07.1Z stderr F ERROR 07-13 09:00:00 ", "--07-13T09:00:00"),
    (b"Jul 14 11:00:01 host serve: ", "--07-14T11:00:01"),
    (b"\x1b[31m2026-07-14T11:00:01+08:00\x1b[0m ", "2026-07-14T11:00:01+08:00"),
    (b"2026-13-14 11:00:01 ", None),
    (b"version 1.2 ", None),
]


@pytest.mark.parametrize(("head", "time"), TIMES)
def test_times(head: bytes, time: str | None) -> None:
    found: list[Found] = []
    scan_bytes(head + b"LLM_LINK_BUSY\n", found=found.append)
    assert [item.time for item in found] == [time]


def test_the_time_of_docker_stands_behind_the_line() -> None:
    found: list[Found] = []
    scan_bytes(rb'{"log":"LLM_LINK_BUSY\n","stream":"stdout","time":"2026-09-01T02:00:12Z"}', found=found.append)
    assert [item.time for item in found] == ["2026-09-01T02:00:12Z"]


def test_each_entry_of_a_pasted_line_has_its_own_time() -> None:
    found: list[Found] = []
    scan_bytes((row(LINK, "07.000.001") + row(GONE, "09.000.002")).replace(b"\n", b" "), found=found.append)
    assert [item.time for item in found] == ["2026-07-14T10:14:07.000001", "2026-07-14T10:14:09.000002"]


def test_lines_may_be_text_and_come_in_pieces() -> None:
    assert scan_lines(["ret = 13432", "70921\n", b"LLM_LINK_BUSY"]).counts == {"LLM_LINK_FAILED": 1, "LLM_LINK_BUSY": 1}


@pytest.mark.parametrize("name", ["a.log", "a.log.gz"])
def test_a_file_and_what_was_unpacked(tmp_path: Path, name: str) -> None:
    path, data = tmp_path / name, row(LINK, "07.000.000") + b"end"
    path.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    report = scan_file(path)
    assert report.files == [{"path": str(path), "bytes": len(data), "lines": 2}]
    assert report.counts == {"LLM_LINK_FAILED": 1}


def test_members_of_gz_follow_each_other(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"ret = 13432") + gzip.compress(b"70921\n") + b"\0" * 512)
    report = scan_file(path)
    assert (report.counts, report.unreadable) == ({"LLM_LINK_FAILED": 1}, [])


zst = pytest.mark.parametrize("checksum", [False, True])


@zst
def test_frames_of_zst_follow_each_other(tmp_path: Path, checksum: bool) -> None:
    path = tmp_path / "a.zst"
    skipped = b"\x50\x2a\x4d\x18\x03\0\0\0abc"
    path.write_bytes(skipped + compressed(b"ret = 13432", checksum) + compressed(b"70921\n" * 50000, checksum))
    report = scan_file(path)
    assert (report.counts, report.unreadable) == ({"LLM_LINK_FAILED": 1}, [])


@zst
def test_a_zst_that_is_cut_off_gives_what_came_before(tmp_path: Path, checksum: bool) -> None:
    path = tmp_path / "a.zst"
    noise = random.Random(1).randbytes(1 << 20)
    path.write_bytes(compressed(b"ret = 1343270921\n" + noise, checksum)[:-3])
    report = scan_file(path)
    assert report.counts == {"LLM_LINK_FAILED": 1}
    assert report.unreadable == [{"path": str(path), "error": "the zst file is cut off"}]


def compressed(data: bytes, checksum: bool) -> bytes:
    zstandard = pytest.importorskip("zstandard")
    return bytes(zstandard.ZstdCompressor(write_checksum=checksum).compress(data))


def test_a_gz_that_is_cut_off_gives_what_came_before(tmp_path: Path) -> None:
    path = tmp_path / "a.log.gz"
    path.write_bytes(gzip.compress(b"ret = 1343270921\n" + random.Random(1).randbytes(1 << 20))[:-100])
    report = scan_file(path)
    assert report.counts == {"LLM_LINK_FAILED": 1}
    assert report.unreadable == [{"path": str(path), "error": "the gz file is cut off"}]
    assert [file["path"] for file in report.files] == [str(path)]


def test_what_is_packed_by_its_name_only_is_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(b"ret = 1343270921\n")
    report = scan_file(path)
    assert (report.files, len(report.unreadable)) == ([], 1)


def test_a_directory_gives_its_logs_the_oldest_first(tmp_path: Path) -> None:
    names = ["x.log", "x.log.1", "x.log.10.gz", "x.log.2", "y.log", "y.log.20260101", "notes.md", "z.txt"]
    for name in names:
        (tmp_path / name).write_bytes(gzip.compress(b"a\n") if name.endswith("gz") else b"a\n")
    read = [Path(file["path"]).name for file in scan_file(tmp_path).files]
    assert read == ["x.log.10.gz", "x.log.2", "x.log.1", "x.log", "y.log.20260101", "y.log", "z.txt"]


def test_links_and_what_is_no_file_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(b"ret = 1343270921\n")
    (tmp_path / "again.log").symlink_to("a.log")
    (tmp_path / "loop").symlink_to(".")
    os.mkfifo(tmp_path / "pipe.log")
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind(str(tmp_path / "s.log"))
    report = scan_file(tmp_path)
    assert (report.counts, report.unreadable) == ({"LLM_LINK_FAILED": 1}, [])


def test_a_burst_goes_on_in_the_rotated_file(tmp_path: Path) -> None:
    (tmp_path / "plog-7.log.1").write_bytes(row(LINK, "07.000.000"))
    (tmp_path / "plog-7.log").write_bytes(row(FAILED, "07.500.000"))
    assert causes(scan_file(tmp_path)) == [("LLM_LINK_FAILED", 1)]


def test_a_directory_that_is_empty_has_been_read(tmp_path: Path) -> None:
    report = scan_file(tmp_path)
    assert (report.files, report.unreadable) == ([], [])


def document(report: Report) -> dict[str, object]:
    merged = report.to_dict()
    merged["places"] = {
        name: [(place.time, place.path, place.line) for place in both] for name, both in sorted(report.places.items())
    }
    merged["timeline"] = (report.timeline.width, sorted(report.timeline.counts.items()))
    return json.loads(json.dumps(merged))  # type: ignore[no-any-return]


LINES = st.lists(
    st.builds(
        row, st.sampled_from([LINK, GONE, FAILED, 103900]), st.sampled_from(["01.0", "01.5", "30.1", "59.0"]).map(
            lambda time: time[:3] + time[3:].ljust(3, "0") + ".000"
        ), st.integers(1, 3)
    ),
    max_size=5,
)  # fmt: skip


@given(a=LINES, b=LINES, c=LINES)
def test_merging_is_associative_and_commutative(a: list[bytes], b: list[bytes], c: list[bytes]) -> None:
    one, two, three = (scan_lines(lines, path) for lines, path in ((a, "a"), (b, "b"), (c, "c")))
    assert document(one.merge(two).merge(three)) == document(one.merge(two.merge(three)))
    assert document(one.merge(two)) == document(two.merge(one))
    assert document(one.merge(Report())) == document(one)
