"""The kernel finds what the plain reader of lines finds, wherever the pieces of a stream end."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from llm_datadist_status._scan import AHEAD, SEARCHES, Scanner
from llm_datadist_status.scan.find import Finder, tables
from llm_datadist_status.scan.line import occurrences

from .codes import CODES

Place = tuple[int, int, str, str, str]  # line, column, text, form, role

TABLES = {search: tables(search) for search in SEARCHES}

# What logs are made of, and what is made to look like it.
PIECES = [
    *(name.encode() for name in CODES),
    *(str(value).encode() for value, _, _ in CODES.values()),
    *(f"{value:x}".encode() for value, _, _ in CODES.values()),
    *(f"0x{value:X}".encode() for value, _, _ in CODES.values()),
    *b"kLinKFailed kSuccess kParamInvalid LLMStatusCode. Status. <LLMStatusCode. <Status. ge:: ::".split(),
    b"llm_datadist::",
    *b"ErrorNo: ErrorNo ret _ret k_ret status returned error code ret= ret: ret[ status: returned: code[".split(),
    *b"error\\ code error\\tcode 0 -1 -0 00 0x0 0x00 4294967295 ffffffff 0xFFFFFFFF 1343270995 103900 1e5 u U".split(),
    *b"PullKvBlocks link_clusters [link] link( ::link LLMDataDist.link init link".split(),
    *b"[link_mgr.cc:7] [model_manager.cc:8] link_mgr.cc :9] == != = : [ ] ( ) { } < > > , . - _ x a f 9".split(),
    *[rb"\n", rb"\t", rb"\"", rb"\u001b[0m", rb"\u4e2d", rb"\\", b"\\", b"\x1b[31m", b"\x1b[", b"\x1b", b"m"],
    *[
        b" ",
        b" ",
        b" ",
        b"  ",
        b"\t",
        b"\r",
        b"\x0c",
        b"\n",
        b"\n",
        b"\xe4\xb8\xad",
        b"\xc1\xb4",
        b"\x00",
        b": ",
        b"error code",
    ],
    *[b"if ", b"retryable codes: [", b"    return ", b"raise E(", b"expected ", b"is not ", b"codes to retry: "],
]


def found_by_reading_lines(data: bytes) -> list[Place]:
    return [
        (number, o.start + 1, line[o.start : o.end].decode(), o.form, o.role)
        for number, line in enumerate(data.split(b"\n"), 1)
        for o in occurrences(line)
    ]


def found_in_stream(data: bytes, step: Callable[[], int], search: str = "", size: int = 1 << 18) -> list[Place]:
    """What a finder finds that gets as many bytes at a time as ``step`` says."""
    place = 0

    def read(view: memoryview) -> int:
        nonlocal place
        count = min(step(), len(view), len(data) - place)
        view[:count] = data[place : place + count]
        place += count
        return count

    finder = Finder(read, "x", kernel=TABLES[search or SEARCHES[0]], size=size)
    found = [(f.line, f.column, f.text, f.form, f.role) for _, items in finder.steps() for f in items]
    assert finder.bytes == len(data)
    assert finder.lines == data.count(b"\n") + (data[-1:] not in (b"", b"\n"))
    return found


@pytest.mark.parametrize("search", SEARCHES)
@settings(max_examples=400, deadline=None)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=24))
@example(pieces=[b"==", b":", b"LLM_SUCCESS"])
@example(pieces=[b"code == ", b"::", b"LLM_SUCCESS"])
def test_every_search_finds_what_reading_lines_finds(search: str, pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    assert found_in_stream(data, lambda: len(data) or 1, search) == found_by_reading_lines(data)


@settings(max_examples=200, deadline=None)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=40), seed=st.integers(0, 1000))
def test_pieces_may_end_anywhere(pieces: list[bytes], seed: int) -> None:
    data = b"".join(pieces)
    rng = random.Random(seed)
    assert found_in_stream(data, lambda: rng.choice((1, 2, 7, 40))) == found_by_reading_lines(data)


@pytest.mark.parametrize("seed", range(20))
def test_long_lines_in_a_small_buffer(seed: int) -> None:
    rng = random.Random(seed)
    paddings = [b" ", b"x" * 700, b" " * 1100, b"ab " * 1500, b"." * 4096, b"\\n" * 300, b"9" * 2000]
    chosen = [rng.choice(PIECES) if rng.random() < 0.93 else rng.choice(paddings) for _ in range(4000)]
    data = b"".join(piece for piece in chosen if piece != b"\n" or rng.random() < 0.1)
    assert found_in_stream(data, lambda: rng.randrange(1, 9000), size=4 * AHEAD) == found_by_reading_lines(data)


@pytest.mark.parametrize("place", range(60))
def test_a_token_across_the_end_of_a_buffer(place: int) -> None:
    line = b"PullKvBlocks gave up, k_ret = 5010b01a, error code is LLMStatusCode.LLM_LINK_FAILED\n"
    data = b"." * (4 * AHEAD - place - len(line) // 2) + b"\n" + line
    assert found_in_stream(data, lambda: 1 << 20, size=4 * AHEAD) == found_by_reading_lines(data)
    assert len(found_by_reading_lines(data)) == 2


def test_what_a_scan_is_given_must_fit_the_buffer() -> None:
    with pytest.raises(ValueError, match="outside the buffer"):
        Scanner(tables()).scan(b"abc", 0, 4, 0, True)


def test_a_search_that_the_machine_lacks_is_refused() -> None:
    with pytest.raises(ValueError, match="no search abacus"):
        tables("abacus")
