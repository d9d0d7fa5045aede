"""Logs of any size, made from a seed: what ``scan`` meets on a cluster, and what a hostile or broken log may hold. Used by benchmark_scan.py.

    python -m tests.corpora NAME BYTES FILE

``REALISTIC`` and ``HOSTILE`` are the names. The same name, size and seed give the same bytes. Every address, path and
process is invented.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

BLOCK = 1 << 20
_BEGIN = datetime(2026, 7, 14, 8, 0, 0, tzinfo=timezone.utc)

# A line of each log, without a status. {day} and {clock} are the block's, so that time goes on through a file.
_NATIVE = (
    "[INFO] GE({pid},prefill_wrk_{rank}):{day}-{clock}.{ms:03}.{us:03} [data_cache_engine.cc:{row}][HIXL] {tid} Pull: request {big} of {few} blocks took {big} us",
    "[INFO] GE({pid},prefill_wrk_{rank}):{day}-{clock}.{ms:03}.{us:03} [llm_datadist_v2.cc:{row}][HIXL] {tid} CheckIn: cluster {few}, cache_id:{few}, batch {few}, addr {addr}",
    "[DEBUG] GE({pid},prefill_wrk_{rank}):{day}-{clock}.{ms:03}.{us:03} [comm_entity.cc:{row}][HIXL] {tid} Poll: entity {few} is ready, seq {big}, rank -1 idle",
    "[INFO] RUNTIME({pid},prefill_wrk_{rank}):{day}-{clock}.{ms:03}.{us:03} [stream.cc:{row}] {tid} Synchronize: stream_id={few}, task_id={big}, ret=0",
    "[WARNING] GE({pid},prefill_wrk_{rank}):{day}-{clock}.{ms:03}.{us:03} [graph_manager.cc:{row}] {tid} Free: block of {big} bytes returned to the pool at {addr}",
    "[INFO] HCCL({pid},prefill_wrk_{rank}):{day}-{clock}.{ms:03}.{us:03} [transport.cc:{row}] {tid} qp[{few}] status[{few}] port {few} is up, 192.0.2.{octet}:26010",
)
_VLLM = (
    "(Worker_DP0_TP{rank}_EP{rank} pid={pid}) INFO 07-14 {clock} [kv_link_connector.py:{row}] request cmpl-{addr}-{few}: {few} blocks received in {big} us",
    "(EngineCore_DP0 pid={pid}) INFO 07-14 {clock} [loggers.py:{row}] Engine 000: Avg prompt throughput: {few}.{rank} tokens/s, Running: {few} reqs, Waiting: 0 reqs, GPU KV cache usage: {few}.{rank}%",
    '(APIServer pid={pid}) INFO:     192.0.2.{octet}:{row} - "POST /v1/completions HTTP/1.1" 200 OK',
    "(Worker_DP0_TP{rank}_EP{rank} pid={pid}) DEBUG 07-14 {clock} [kv_link_connector.py:{row}] finished sending: {{'cmpl-{addr}-{few}', 'cmpl-{addr}-{few}'}}, errno: 0",
    "(EngineCore_DP0 pid={pid}) WARNING 07-14 {clock} [scheduler.py:{row}] LLM request {big} was preempted, recomputing {few} tokens",
)
# Lines with a status, for the same logs.
_NATIVE_HITS = (
    "[ERROR] GE({pid},prefill_wrk_{rank}):{day}-{clock}.{ms:03}.{us:03} [comm_entity.cc:{row}][HIXL] {tid} AwaitPeer: ErrorNo: 1343270938 no answer from 192.0.2.{octet}:26010 after 3000 ms",
    "[ERROR] GE({pid},prefill_wrk_{rank}):{day}-{clock}.{ms:03}.{us:03} [llm_datadist_v2.cc:{row}][HIXL] {tid} PullKvBlocks: ErrorNo: 4294967295 pull of {few} blocks stopped",
    "[ERROR] GE({pid},prefill_wrk_{rank}):{day}-{clock}.{ms:03}.{us:03} [link_mgr.cc:{row}][HIXL] {tid} Open: ErrorNo: 1343270921 cluster {few} is unreachable",
)
_VLLM_HITS = (
    "(Worker_DP0_TP{rank}_EP{rank} pid={pid}) ERROR 07-14 {clock} [kv_link_connector.py:{row}] link step gave up: [link] failed, error code is LLMStatusCode.LLM_LINK_FAILED, {{6: 0, 22: 1}}.",
    "(Worker_DP0_TP{rank}_EP{rank} pid={pid}) ERROR 07-14 {clock} [kv_link_connector.py:{row}] pull_blocks failed, error code is LLMStatusCode.LLM_WAIT_PROC_TIMEOUT",
    "(Worker_DP0_TP{rank}_EP{rank} pid={pid}) ERROR 07-14 {clock} [kv_link_connector.py:{row}] PullKvBlocks gave up, ret = 1343270919",
)
# Tokens that look like a status and are none: wrong values, longer words, other names.
_NEAR = (
    "0x5010B000 0x5010B053 0x05010b00 0x5010B0099 1343270995 13432709211 2701343270921543841 1343270921.5",
    "LLM_TIMEOUT_MS=3000 VLLM_LLM_TIMEOUT LLM_LINK_FAILED_COUNT xLLM_LINK_BUSY LLMStatusCode.SUCCESS LLM_ENGINE",
    "ret = 5010b053, k_ret = 95010b0090000, 1D05010B00, ErrorNo: 1343270995x, status: 1343270900, ret = -12",
    "5010b009-1d05-4c1a-9010-b0095010b009 {addr}5010b009 kLinkFailedOnce kLLMLinkBusyX llm_datadist::LLM_x",
)


def _fill(rng: random.Random, template: str) -> str:
    return template.format(
        day="{day}",
        clock="{clock}",
        pid=52000 + rng.randrange(16),
        rank=rng.randrange(8),
        ms=rng.randrange(1000),
        us=rng.randrange(1000),
        row=rng.randrange(20, 900),
        tid=rng.randrange(52000, 53000),
        big=rng.randrange(10**4, 10**8),
        few=rng.randrange(100),
        octet=rng.randrange(1, 255),
        addr=f"{rng.randrange(1 << 48):012x}",
    )


def _lines(rng: random.Random, templates: tuple[str, ...], size: int) -> list[bytes]:
    """About ``size`` bytes of filled lines."""
    lines, left = [], size
    while left > 0:
        lines.append(_fill(rng, rng.choice(templates)).encode() + b"\n")
        left -= len(lines[-1])
    return lines


def _at(now: datetime, block: bytes) -> bytes:
    """The block with its time filled in."""
    return block.replace(b"{day}", now.strftime("%Y-%m-%d").encode()).replace(
        b"{clock}", now.strftime("%H:%M:%S").encode()
    )


def _log(templates: tuple[str, ...], hits: tuple[str, ...], every: int | None) -> Callable[[int], Iterator[bytes]]:
    """Blocks of a log with a status in about one of ``every`` lines, or in none."""

    def blocks(seed: int) -> Iterator[bytes]:
        rng = random.Random(seed)
        plain = [_lines(rng, templates, BLOCK) for _ in range(8)]
        number = 0
        while True:
            lines = list(plain[rng.randrange(len(plain))])
            for at in range(len(lines) if every else 0):
                if every is not None and rng.random() * every < 1:
                    lines[at] = _fill(rng, rng.choice(hits)).encode() + b"\n"
            yield _at(_BEGIN + timedelta(seconds=number), b"".join(lines))
            number += 1

    return blocks


def _repeated(make: Callable[[random.Random], bytes]) -> Callable[[int], Iterator[bytes]]:
    """Blocks chosen from eight that ``make`` made."""

    def blocks(seed: int) -> Iterator[bytes]:
        rng = random.Random(seed)
        made = [make(rng) for _ in range(8)]
        while True:
            yield made[rng.randrange(len(made))]

    return blocks


def _of_characters(alphabet: bytes) -> Callable[[random.Random], bytes]:
    return lambda rng: b"".join(bytes(rng.choices(alphabet, k=99)) + b"\n" for _ in range(BLOCK // 100))


def _native_without(old: bytes, new: bytes) -> Callable[[random.Random], bytes]:
    return lambda rng: _at(_BEGIN, b"".join(_lines(rng, _NATIVE, BLOCK))).replace(old, new)


def _long_lines(rng: random.Random) -> bytes:
    return _at(_BEGIN, b"".join(_lines(rng, _VLLM, BLOCK))).replace(b"\n", b" ") + b"\n"


def _glued(rng: random.Random) -> bytes:
    tokens = [b"LLM_LINK_FAILED", b"0x5010B009", b"1343270921", b"5010b009", b"LLM_TIMEOUT", b"LLMStatusCode"]
    return b"\n".join(b"".join(rng.choices(tokens, k=10)) for _ in range(BLOCK // 110)) + b"\n"


def _adjacent(rng: random.Random) -> bytes:
    tokens = [b"LLM_LINK_FAILED", b"0x5010B009", b"LLM_LINK_BUSY", b"0x5010B01A", b"LLM_NOT_YET_LINK"]
    return b"\n".join(b" ".join(rng.choices(tokens, k=10)) for _ in range(BLOCK // 140)) + b"\n"


def _near_misses(rng: random.Random) -> bytes:
    return b"".join(_lines(rng, _NEAR, BLOCK))


REALISTIC: dict[str, Callable[[int], Iterator[bytes]]] = {
    f"{name}, {rate}": _log(lines, hits, every)
    for name, lines, hits in (("native", _NATIVE, _NATIVE_HITS), ("vllm", _VLLM, _VLLM_HITS))
    for rate, every in (("no hit", None), ("1 in 100000", 100_000), ("1 in 1000", 1_000))
}
HOSTILE: dict[str, Callable[[int], Iterator[bytes]]] = {
    "near misses": _repeated(_near_misses),
    "only digits": _repeated(_of_characters(b"0123456789")),
    "only hexadecimal": _repeated(_of_characters(b"0123456789abcdef")),
    "no newline": _repeated(_native_without(b"\n", b" ")),
    "very long lines": _repeated(_long_lines),
    "binary": _repeated(lambda rng: rng.randbytes(BLOCK)),
    "tokens back to back": _repeated(_glued),
    "all hits, ten a line": _repeated(_adjacent),
    "all hits": _log(_NATIVE_HITS, _NATIVE_HITS, None),
}


def write(path: Path, name: str, size: int, seed: int = 1) -> None:
    """Write at least ``size`` bytes of the corpus ``name``, in whole blocks of about a mebibyte."""
    left = size
    with path.open("wb") as file:
        for block in {**REALISTIC, **HOSTILE}[name](seed):
            file.write(block)
            left -= len(block)
            if left <= 0:
                return


if __name__ == "__main__":
    write(Path(sys.argv[3]), sys.argv[1], int(sys.argv[2]))
