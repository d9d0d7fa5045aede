"""The statuses on one line of a log."""

from __future__ import annotations

import sys

import pytest

from llm_datadist_status.scan.line import occurrences

NATIVE = b"[ERROR] GE(52110,prefill_3):2026-07-14-08:22:05.731.090 [%s:214][HIXL] 52388 Wait: "
WORKER = b"(Worker_TP2 pid=733) ERROR 07-14 09:02:14 [connector.py:171] "

# A line, and what is found on it: the token, the name (None: no name), form and role.
REPORTS: list[tuple[bytes, list[tuple[str, str | None, str]]]] = [
    (NATIVE % b"comm_entity.cc" + b"ErrorNo: 1343270921", [("1343270921", "LLM_LINK_FAILED", "decimal")]),
    (
        NATIVE % b"link_mgr.cc" + b"ErrorNo: 1343270920(linked (twice)) [GE][MODULE]no",
        [("1343270920", "LLM_ALREADY_LINK", "decimal")],
    ),
    (NATIVE % b"sync_flag.cc" + b"ErrorNo: 4294967295", [("4294967295", "LLM_FAILED", "decimal")]),
    (NATIVE % b"sync_flag.cc" + b"ErrorNo: 103900", [("103900", None, "decimal")]),
    (
        NATIVE % b"comm_entity.cc" + b"ErrorNo: 1343270918 peer said, error code[1343270914]",
        [("1343270918", None, "decimal"), ("1343270914", "LLM_KV_CACHE_NOT_EXIST", "decimal")],
    ),
    (
        WORKER + b"[link] failed, error code is LLMStatusCode.LLM_LINK_FAILED, {6: 0, 22: 1}.",
        [("LLMStatusCode.LLM_LINK_FAILED", "LLM_LINK_FAILED", "enum")],
    ),
    (
        b"results: [<LLMStatusCode.LLM_SUCCESS: 0>, <LLMStatusCode.LLM_LINK_FAILED: 1343270921>]",
        [
            ("<LLMStatusCode.LLM_SUCCESS: 0>", "LLM_SUCCESS", "repr"),
            ("<LLMStatusCode.LLM_LINK_FAILED: 1343270921>", "LLM_LINK_FAILED", "repr"),
        ],
    ),
    (b"LinkLlmClusters, ret = 5010b009", [("5010b009", "LLM_LINK_FAILED", "bare-hex")]),
    (
        b"PullKvBlocks, k_ret = 5010b01a, v_ret = 0",
        [("5010b01a", "LLM_TIMEOUT", "bare-hex"), ("0", "LLM_SUCCESS", "decimal")],
    ),
    (b"PullKvBlocks, ret = -1", [("-1", "LLM_FAILED", "signed")]),
    (b"PullKvBlocks, ret = ffffffff", [("ffffffff", "LLM_FAILED", "bare-hex")]),
    (b"peer sent 0x5010b00aU twice", [("0x5010b00aU", "LLM_UNLINK_FAILED", "hex")]),
    (b"status: ge::LLM_NOT_YET_LINK", [("ge::LLM_NOT_YET_LINK", "LLM_NOT_YET_LINK", "name")]),
    (
        b"AllocateCache said LLM_DEVICE_OUT_OF_MEMORY",
        [("LLM_DEVICE_OUT_OF_MEMORY", "LLM_DEVICE_OUT_OF_MEMORY", "name")],
    ),
    (b"pull_blocks ended with LLM_TIMEOUT", [("LLM_TIMEOUT", "LLM_TIMEOUT", "name")]),
    (b"it was kLLMLinkBusy", [("kLLMLinkBusy", "LLM_LINK_BUSY", "name")]),
    ("链路ret=1343270921失败".encode("gbk"), [("1343270921", "LLM_LINK_FAILED", "decimal")]),
    (b"\x1b[31mret = 1343270921\x1b[0m", [("1343270921", "LLM_LINK_FAILED", "decimal")]),
    (rb'{"log":"failed\nret=1343270921\n"}', [("1343270921", "LLM_LINK_FAILED", "decimal")]),
    (rb'{"log":"\u001b[31mLLM_LINK_BUSY\u001b[0m"}', [("LLM_LINK_BUSY", "LLM_LINK_BUSY", "name")]),
    (b"<Status.LLM_LINK_BUSY: 0x5010b01b>", [("<Status.LLM_LINK_BUSY: 0x5010b01b>", "LLM_LINK_BUSY", "repr")]),
    (b"ret = 1343270921U", [("1343270921U", "LLM_LINK_FAILED", "decimal")]),
    (b"PullKvBlocks, ret = 0xFFFFFFFF", [("0xFFFFFFFF", "LLM_FAILED", "hex")]),
    (b"PullKvBlocks, status: 0xFFFFFFFF", [("0xFFFFFFFF", "LLM_FAILED", "hex")]),
    (b"[link_mgr.cc:7] ret = -1", [("-1", "LLM_FAILED", "signed")]),
    (b"[link_mgr.cc:7] ret = 0", [("0", "LLM_SUCCESS", "decimal")]),
    (b"datadist.link(3) ended, ret = -1", [("-1", "LLM_FAILED", "signed")]),
    (b"rank7[link] ended, ret = -1", [("-1", "LLM_FAILED", "signed")]),
    (b"datadist::unlink ended, ret = -1", [("-1", "LLM_FAILED", "signed")]),
    (b"error code said LLM_TIMEOUT", [("LLM_TIMEOUT", "LLM_TIMEOUT", "name")]),
    (b"block 3 not found in (req 7, ret=1343270914)", [("1343270914", "LLM_KV_CACHE_NOT_EXIST", "decimal")]),
    (b"ENV_X=(a ret = 1343270921)", [("1343270921", "LLM_LINK_FAILED", "decimal")]),
    (b"::llm_datadist::LLM_LINK_FAILED", [("llm_datadist::LLM_LINK_FAILED", "LLM_LINK_FAILED", "name")]),
    (b"it was ::ge::LLM_TIMEOUT", [("ge::LLM_TIMEOUT", "LLM_TIMEOUT", "name")]),
    (b"link_mgr.cc says LLM_TIMEOUT", [("LLM_TIMEOUT", "LLM_TIMEOUT", "name")]),
    (b"LLM_FAILED at link_mgr.cc:77", [("LLM_FAILED", "LLM_FAILED", "name")]),
    (b"(src/link_mgr.cc:77) LLM_OUT_OF_MEMORY", [("LLM_OUT_OF_MEMORY", "LLM_OUT_OF_MEMORY", "name")]),
    (b'File "link_mgr.cc", line 5: LLM_TIMEOUT', [("LLM_TIMEOUT", "LLM_TIMEOUT", "name")]),
    (b"PullKvBlocks".ljust(4090) + b"ret = -1", [("-1", "LLM_FAILED", "signed")]),
]

# Words of source and of lists of codes, which before a code do not make a report of it a mention.
HARMLESS = [
    b"while pulling layer 3, error code is ",
    b"check if the link is up: error code is ",
    b"assert failed: the result is ",
    b"RuntimeError: return ",
    b"retry failed: [",
    b"retry 2: (",
    b"retries left: 3, rets: [",
    b"retryable=True, results=[",
    b"recoverable: False, statuses: [",
    b"LINK_RESULTS = [",
    b"error codes: [",
    b"clusters not ready in [1, 2, ",
]

# Words that introduce codes, where something else stands between, or that are a level or a label.
NO_INTRODUCTIONS = [
    b"FATAL: pull_blocks failed, error code is %s",
    b"RETRY: pull_blocks failed, error code is %s",
    b"ignored: pull_blocks failed with %s",
    b"LOG_FATAL: pull_blocks failed with %s",
    b"FATAL: %s",
    b"RETRY: %s",
    b"ignored: %s",
    b"LOG_FATAL: %s",
    b"FATAL: [%s]",
    b"will not retry on cluster 3: %s",
    b"retry on failure: pull_blocks failed with %s",
    b"retryable codes are known, but it was %s",
    b"unexpected codes: [%s]",
]

# Prose that starts with a word of source and ends like source.
PROSE = [
    b"for cluster 3: [link] failed, error code is %s (try 2)",
    b"for cluster in (3, 4): pull_blocks failed with %s:",
    b"while linking: LinkLlmClusters said %s (cluster 9)",
    b"if this goes on: %s;",
    b"return code %s;",
    b"return code %s",
    b"return code is %s",
    b"switch of role failed with %s (cluster 3)",
    b"case 3 failed with %s:",
    b"const cache: %s",
    b"const cache failed, status=3, %s",
    b"import of cache 3 failed with %s",
    b"using cache 3 failed with %s;",
    b"KV_LINK(3): %s",
    b"KV_LINK(3): failed (%s)",
    b"# 3 pull_blocks: %s",
]

RESULTS = [
    b"link_clusters returned codes: [%s]",
    b"link_clusters per-cluster codes: [%s]",
    b"unlink_clusters codes: [%s]",
    b"link_clusters gave codes=[%s]",
    b"link_clusters statuses: [%s]",
]

LISTS = [
    b"retryable_codes = [%s]",
    b"retryable_codes=[%s]",
    b"retry_codes: [%s]",
    b"self.retryable_codes: {%s}",
    b"RETRYABLE_CODES = frozenset({%s})",
    b"'retryable_codes': (%s)",
    b"retryable error codes: [%s]",
    b"retryable status codes: [%s]",
    b"retryable return codes: [%s]",
    b"codes to retry: [%s]",
    b"list of retryable codes [%s]",
    b"retryable statuses: [%s]",
    b"retryable: [%s]",
    b"retry on [%s]",
    b"retry_on=[%s]",
    b"ignored codes: [%s]",
    b"tolerated codes: [%s]",
    b"fatal codes: [%s]",
    b"transient codes: [%s]",
    b"unrecoverable codes: [%s]",
    b"expected codes: [%s]",
    b"allowed codes: [%s]",
    b"retryable codes: %s",
    b"retryable codes=%s",
    b"retryable codes are %s",
    b"will retry on %s",
]

SOURCE = [
    b"    if error.status_code in (LLMStatusCode.LLM_TIMEOUT, LLMStatusCode.LLM_LINK_BUSY):",
    b"    if code in (LLMStatusCode.LLM_TIMEOUT, LLMStatusCode.LLM_LINK_BUSY): return",
    b"    if (code in (LLMStatusCode.LLM_TIMEOUT, LLMStatusCode.LLM_LINK_BUSY,",
    b"    if error is not None and code not in (LLMStatusCode.LLM_TIMEOUT, LLMStatusCode.LLM_LINK_BUSY):",
    b"    if int(code) in (LLMStatusCode.LLM_TIMEOUT, LLMStatusCode.LLM_LINK_BUSY):",
    b"    elif error.status_code is LLMStatusCode.LLM_TIMEOUT:",
    b"    while is_passing(code, LLMStatusCode.LLM_LINK_BUSY):",
    b"    assert code in (LLMStatusCode.LLM_TIMEOUT, LLMStatusCode.LLM_LINK_BUSY)",
    b"    return (LLMStatusCode.LLM_TIMEOUT, LLMStatusCode.LLM_LINK_BUSY)",
    b"    return LLMStatusCode.LLM_TIMEOUT, LLMStatusCode.LLM_LINK_BUSY",
    b"    return LLMStatusCode.LLM_TIMEOUT",
    b"    return LLMStatusCode.LLM_TIMEOUT if late else None",
    b"    return self.fail(LLMStatusCode.LLM_TIMEOUT)",
    b"    return code in (LLMStatusCode.LLM_TIMEOUT, LLMStatusCode.LLM_LINK_BUSY)",
    b"    is_passing = code in (LLMStatusCode.LLM_TIMEOUT, LLMStatusCode.LLM_LINK_BUSY)",
    b"    for code in (LLMStatusCode.LLM_TIMEOUT, LLMStatusCode.LLM_LINK_BUSY):",
    b"    DONE_CODES = (LLMStatusCode.LLM_ALREADY_LINK,)",
    b"    } else if (IsPassing(ret, llm_datadist::LLM_LINK_BUSY)) {",
    b"    if (late) return llm_datadist::LLM_TIMEOUT;",
    b"    return ::llm_datadist::LLM_TIMEOUT;",
    b"    case ::llm_datadist::LLM_LINK_BUSY: break;",
    b"    if (ret == ::llm_datadist::LLM_LINK_BUSY) {",
    b"    CHECK_EQ(Code(ret), llm_datadist::LLM_SUCCESS) << ret;",
    b"    constexpr Status kDone = llm_datadist::LLM_SUCCESS;",
]

PREFIXES = [
    b"%s",
    b"2026-07-14T10:14:07.1Z stderr F %s",
    b"(Worker_TP1 pid=61300) %s",
    b"\x1b[1;36m(Worker_TP1 pid=61300)\x1b[0;0m %s",
    b"2026-07-14T10:14:07.1Z stderr F \x1b[1;36m(Worker_TP1 pid=61300)\x1b[0;0m %s",
    b"\xef\xbb\xbf%s",
    rb'{"log":"%s\n","stream":"stderr","time":"2026-07-14T10:14:07.1Z"}',
    rb'{"log":"\u001b[1;36m(Worker_TP1 pid=61300)\u001b[0;0m %s\n","stream":"stderr"}',
]

ENUM, REPR = b"LLMStatusCode.LLM_LINK_FAILED", b"<LLMStatusCode.LLM_LINK_FAILED: 1343270921>"

NOTHING = [
    b"remote id 134327092115567004, rows 1343270921, 1343270995",
    b"registers at 0x5010B000 and 0x05010b00 and 0x5010B0097, frame 1D05010B009C5E",
    b"crc 5010b00e, secret = 5010b009",
    b"ret = 5010b009-3c1e-4d7a-9b7d-0c54b1a2d3e4",
    b"RankID:-1, device_id: '0', errno: 0, ret: -1, exit status: 0, returned: 0",
    b"stream_id: 4294967295, PullKvBlocks takes at most 4294967295 bytes",
    NATIVE % b"model_manager.cc" + b"ErrorNo: 4294967295",
    NATIVE % b"model_manager.cc" + b"ErrorNo: 103900",
    b'{"peers": [{"ip": 1343270921}]}',
    b"ret = 1343270921.482",
    b"export LLM_TIMEOUT=45 LLM_TIMEOUT_MS=4 VLLM_LLM_TIMEOUT=1",
    b"job LLM_FAILED, LLM_OUT_OF_MEMORY budget, XLLM_LINK_FAILED=4 LLM_LINK_FAILED_COUNT=9 llm_link_failed",
    b"LLMStatusCode.SUCCESS and LLMStatusCode.LLM_UNKNOWN_ERROR",
    b"<LLMStatusCode.LLM_LINK_FAILED: 5>",
    b"ErrorNo: 99999999999999999999999999",
    b"ret = 4294967295, [link_mgr.cc:7]",
    b"status: 0, status: 4294967295 of PullKvBlocks",
    b"ret = 0xFFFFFFFF, ret = ffffffff of another library",
    b"link_clusters started with LLM_TIMEOUT=30",
    b"unlink and link and init, ret = -1",
    b"x" * 5000 + b" PullKvBlocks" + b" " * 4200 + b"ret = -1",
    b"PullKvBlocks".ljust(4091) + b"ret = -1",
    b"ret = -1" + b" " * 1100 + b"PullKvBlocks",
    b"LLM_TIMEOUT [my-link_mgr.cc:96] and old_link_mgr.cc:96] and link_mgr.cck:9",
    NATIVE % b"my-link_mgr.cc" + b"ErrorNo: 4294967295",
    b"link_mgr.cc:7 says ErrorNo: 4294967295",
    b"kSuccess kFailed kParamInvalid kDeviceOutOfMemory",
    NATIVE % b"link_mgr.cc" + b"ErrorNo: 4294967296",
    b"",
]

MENTIONS = [
    b"    if code != LLMStatusCode.LLM_SUCCESS:",
    b"    if (ret != llm_datadist::LLM_LINK_BUSY) {",
    b"    if ret in (LLMStatusCode.LLM_LINK_BUSY, LLMStatusCode.LLM_PROCESSING_LINK):",
    b"RETRYABLE_CODES = [LLMStatusCode.LLM_LINK_BUSY, LLMStatusCode.LLM_TIMEOUT]",
    b"connector: retryable codes: [<LLMStatusCode.LLM_TIMEOUT: 1343270938>, <LLMStatusCode.LLM_LINK_BUSY: 1343270939>]",
    b"constexpr Status LLM_UNLINK_FAILED = 0x5010B00AU;",
    b"Check failed: ret == LLM_SUCCESS here",
    WORKER + b"    return LLMStatusCode.LLM_LINK_FAILED",
    b"(Worker_TP2 pid=733)     if error.status_code in (LLMStatusCode.LLM_TIMEOUT, LLMStatusCode.LLM_LINK_BUSY):",
    b"    return llm_datadist::LLM_LINK_FAILED;",
    b"2026-07-14T10:14:07.1Z stderr F     case LLM_LINK_FAILED:",
    b'{"log":"    return LLMStatusCode.LLM_LINK_FAILED',
    b"  EXPECT_EQ(ret, llm_datadist::LLM_SUCCESS);",
    b"  LLM_LINK_FAILED = 0x5010B009,",
    b"const uint32_t LLM_LINK_FAILED = 0x5010B009U;",
    b"#define LLM_LINK_FAILED 0x5010B009U",
    b'  {LLM_LINK_FAILED, "link failed"},',
    b"    LLMStatusCode.LLM_LINK_BUSY: 'retry',",
    b"from llm_datadist import LLMStatusCode, LLM_LINK_FAILED",
    b"using llm_datadist::LLM_LINK_FAILED;",
    b"# LLM_ALREADY_LINK means that it is linked",
    b"// returns LLM_LINK_BUSY while another call runs",
    b"def f(status=LLMStatusCode.LLM_SUCCESS):",
    b"    raise llm_datadist.LLMException('x', LLMStatusCode.LLM_TIMEOUT)",
    b"    raise error from LLMStatusCode.LLM_LINK_BUSY",
    b'    throw std::runtime_error("x", llm_datadist::LLM_LINK_BUSY);',
    b"codes to retry: LLM_LINK_BUSY, LLM_PROCESSING_LINK",
    b"will retry on LLMStatusCode.LLM_LINK_BUSY, LLMStatusCode.LLM_PROCESSING_LINK",
    b"if (LLM_SUCCESS != ret)",
    b"status is not LLMStatusCode.LLM_LINK_BUSY",
    b"expected LLM_LINK_BUSY here",
]


@pytest.mark.parametrize(("line", "expected"), REPORTS)
def test_reports(line: bytes, expected: list[tuple[str, str | None, str]]) -> None:
    found = list(occurrences(line))
    assert [
        (line[o.start : o.end].decode("latin-1"), getattr(o.status, "name", None), o.form) for o in found
    ] == expected
    assert {o.role for o in found} == {"report"}


@pytest.mark.parametrize("text", HARMLESS)
def test_a_report_stays_one_behind_words_of_source(text: bytes) -> None:
    (found,) = occurrences(WORKER + text + b"LLMStatusCode.LLM_LINK_BUSY")
    assert found.role == "report"


@pytest.mark.parametrize("text", NO_INTRODUCTIONS + PROSE)
def test_a_report_stays_one_behind_words_that_could_introduce_a_mention(text: bytes) -> None:
    (found,) = occurrences(text % ENUM)
    assert found.role == "report"


@pytest.mark.parametrize("text", RESULTS)
def test_the_codes_of_a_call_are_reports(text: bytes) -> None:
    assert [o.role for o in occurrences(text % (REPR + b", " + REPR))] == ["report", "report"]


@pytest.mark.parametrize("between", [b", ", b"|", b" and ", b", or ", b" / "])
@pytest.mark.parametrize("code", [ENUM, REPR, b"LLM_LINK_FAILED", b"0x5010b009"])
@pytest.mark.parametrize("text", LISTS)
def test_codes_with_which_something_is_done_are_mentions(text: bytes, code: bytes, between: bytes) -> None:
    assert [o.role for o in occurrences(text % between.join([code] * 9))] == ["mention"] * 9


def test_a_report_behind_a_row_of_codes_stays_one() -> None:
    line = b"retryable codes: LLM_LINK_BUSY, LLM_PROCESSING_LINK; pull_blocks failed with LLM_LINK_FAILED"
    assert [o.role for o in occurrences(line)] == ["mention", "mention", "report"]


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("line", SOURCE)
def test_source_is_known_behind_what_a_log_puts_before_it(line: bytes, prefix: bytes) -> None:
    assert {o.role for o in occurrences(prefix % line)} == {"mention"}


@pytest.mark.parametrize("line", NOTHING)
def test_what_is_no_status(line: bytes) -> None:
    assert not list(occurrences(line))


@pytest.mark.parametrize("line", MENTIONS)
def test_lines_that_name_a_code_without_reporting_it(line: bytes) -> None:
    assert {o.role for o in occurrences(line)} == {"mention"}


def test_an_expected_value_is_a_mention_and_the_actual_one_a_report() -> None:
    line = b"Check failed: ret == LLM_SUCCESS SetRole failed, ret = 1343270937"
    assert [(str(o.status), o.role) for o in occurrences(line)] == [
        ("LLM_SUCCESS", "mention"),
        ("LLM_FEATURE_NOT_ENABLED", "report"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        b"LLM_LINK_FAILED, if ",
        b"ret=0 ",
        b"(LLM_LINK_BUSY ",
        b"<LLMStatusCode.LLM_LINK_FAILED: 1343270921>, ",
        b"ErrorNo: 4294967295 ",
        b"retryable: [LLM_TIMEOUT, ",
        b"ret    ",
    ],
)
def test_the_work_grows_with_the_line_and_no_faster(text: bytes) -> None:
    def calls(repeat: int) -> int:
        count = 0

        def trace(*_: object) -> None:
            nonlocal count
            count += 1

        sys.setprofile(trace)
        try:
            list(occurrences(text * repeat))
        finally:
            sys.setprofile(None)
        return count

    assert calls(800) <= 2.1 * calls(400)


def test_entries_pasted_on_one_line_are_told_apart() -> None:
    line = NATIVE % b"link_mgr.cc" + b"ErrorNo: 4294967295 " + NATIVE % b"model_manager.cc" + b"ErrorNo: 4294967295"
    assert [o.start for o in occurrences(line)] == [line.index(b"4294967295")]
