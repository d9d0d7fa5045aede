"""Logs of any size from a seed, for measuring and testing ``scan``: realistic ones and hostile ones."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

from .codes import CODES

MEGABYTE = 1 << 20

_FILES = "graph_optimizer.cc model_executor.cc stream_pool.cc llm_datadist_v2.cc cache_manager.cc link_mgr.cc".split()
_FUNCTIONS = "Run Prepare Sweep Submit Report Collect Dispatch Await Register Pull Push".split()
_WORDS = (
    "blocks of layer were moved within the window request finished tokens per second prefill decode throughput queue"
    " running waiting cache usage prefix hit rate engine step returned batch scheduled stream device memory node host"
    " retry later secret interpreter status okay mode error config connection from peer"
).split()
_VALUES = [value for value, _, _ in CODES.values() if value not in (0, 0xFFFFFFFF)]


def native(rng: random.Random, number: int) -> str:
    """A line of a native log that reports nothing."""
    head = _native_head(rng, number, "INFO", rng.choice(_FILES))
    return f"{head} {_text(rng, 9)}, layer = {rng.randrange(64)}, {rng.randrange(1 << 30)} bytes, rank -1"


def native_hit(rng: random.Random, number: int) -> str:
    """A line of a native log that reports a status."""
    head = _native_head(rng, number, "ERROR", "link_mgr.cc")
    return f"{head} ErrorNo: {rng.choice(_VALUES)} {_text(rng, 6)}"


def vllm(rng: random.Random, number: int) -> str:
    """A line of a vLLM worker that reports nothing."""
    return f"{_vllm_head(rng, number, 'INFO')} {_text(rng, 12)}: {rng.random() * 100:.1f}%, {rng.randrange(10**6)} tokens"


def vllm_hit(rng: random.Random, number: int) -> str:
    """A line of a vLLM worker that reports a status."""
    name = rng.choice([name for name in CODES if name != "LLM_SUCCESS"])
    return f"{_vllm_head(rng, number, 'ERROR')} [pull_blocks] failed, error code is LLMStatusCode.{name}, {{6: 0}}."


def _native_head(rng: random.Random, number: int, level: str, file: str) -> str:
    return (
        f"[{level}] GE({41000 + number % 8},decode_rank{number % 8}):2026-07-14-{_clock(number)}.{number % 1000:03}."
        f"{rng.randrange(1000):03} [{file}:{rng.randrange(900)}][HIXL] {rng.randrange(41000, 42000)}"
        f" {rng.choice(_FUNCTIONS)}:"
    )


def _vllm_head(rng: random.Random, number: int, level: str) -> str:
    rank = number % 8
    return (
        f"(Worker_DP0_TP{rank}_EP{rank} pid={852061 + rank}) {level} 09-12 {_clock(number)}"
        f" [kv_connector.py:{rng.randrange(900)}]"
    )


def _clock(number: int) -> str:
    seconds = number // 50 % 86400
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def _text(rng: random.Random, words: int) -> str:
    return " ".join(rng.choices(_WORDS, k=words))



# Pieces of hostile logs, each of which is repeated with other numbers in it.
HOSTILE: dict[str, Callable[[random.Random, int], str]] = {
    "near misses": lambda rng, _: (
        f"ret = 1343270{rng.randrange(100, 900)} LLM_LINK_FAILED_COUNT=4 0x5010B0{rng.randrange(32, 99)} status: 503900\n"
    ),
    "digits": lambda rng, _: f"{rng.getrandbits(4000)}\n",
    "hexadecimal": lambda rng, _: f"{rng.getrandbits(4000):x}\n",
    "no newline": lambda rng, _: _text(rng, 40) + " ",
    "long lines": lambda rng, number: _text(rng, 40) + ("\n" if number % 4000 == 0 else " "),
    "tokens back to back": lambda rng, _: " ".join(str(rng.choice(_VALUES)) for _ in range(20)) + "\n",
}
HITS = {"native": (native, native_hit), "vllm": (vllm, vllm_hit)}


def blocks(kind: str, seed: int, every: int = 0) -> Iterator[bytes]:
    """Pieces of a corpus without end. ``kind`` is a key of ``HITS`` or ``HOSTILE``, or "binary"; of the lines of the
    former, one in ``every`` reports a status (0: none does).
    """
    rng = random.Random(seed)
    if kind == "binary":
        while True:
            yield rng.randbytes(MEGABYTE)
    if kind in HOSTILE:
        pool = "".join(HOSTILE[kind](rng, number) for number in range(8000)).encode()
        while True:
            yield pool
    plain, hit = HITS[kind]
    pool = [plain(rng, number) + "\n" for number in range(20_000)]
    number = 0
    while True:
        lines = pool[:]
        first = -number % every if every else len(lines)
        for place in range(first, len(lines), every or 1):
            lines[place] = hit(rng, place) + "\n"
        number += len(lines)
        yield "".join(lines).encode()


def write(path: Path, kind: str, size: int, *, seed: int = 1, every: int = 0) -> None:
    """Write a corpus of about ``size`` bytes."""
    written = 0
    with path.open("wb") as file:
        for block in blocks(kind, seed, every):
            written += file.write(block)
            if written >= size:
                return
