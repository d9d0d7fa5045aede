"""Statuses in metrics, traces and logs: ``labels``, ``attributes`` and ``StatusFilter``."""

from __future__ import annotations

import copy
import io
import json
import logging
import logging.config
import logging.handlers
import pickle
import queue
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry import metrics
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from prometheus_client import REGISTRY, CollectorRegistry, Counter

from llm_datadist_status import Status, StatusFilter, attributes, error_for, labels
from llm_datadist_status.calls import KINDS
from llm_datadist_status.notation import BY_NAME
from llm_datadist_status.observability import _HINT
from llm_datadist_status.scan.line import occurrences

from .codes import CODES
from .conftest import ROOT
from .documents import example
from .official import GENERATIONS, LLMException

# Labels and attributes.


def test_the_labels_of_a_code_from_a_call() -> None:
    assert labels(0x5010B001, "pull_blocks") == {
        "status": "LLM_WAIT_PROC_TIMEOUT",
        "action": "RELINK",
        "recoverable": "true",
        "api": "pull_blocks",
    }


def test_what_there_is_nothing_to_say_of_is_empty() -> None:
    assert labels(0) == {"status": "LLM_SUCCESS", "action": "NONE", "recoverable": "", "api": ""}


def test_a_value_without_a_name_becomes_no_label() -> None:
    assert labels(0x5010B0FF) == {"status": "_OTHER", "action": "COLLECT_LOGS", "recoverable": "", "api": ""}


def test_an_unknown_call_becomes_no_label() -> None:
    for function in (labels, attributes):
        with pytest.raises(ValueError, match="unknown call 'pull_block': did you mean"):
            function(0, "pull_block")


@pytest.mark.parametrize("code", GENERATIONS)
def test_a_value_is_whatever_advise_takes(code: Any) -> None:
    assert labels(code.LLM_WAIT_PROCESS_TIMEOUT) == labels("ret = 5010b001") == labels(Status.LLM_WAIT_PROC_TIMEOUT)
    assert labels(code.LLM_UNKNOWN_ERROR, "link") == labels(5, "link")  # counting what failed does not fail itself


@given(st.integers(0, 0xFFFFFFFF), st.sampled_from([None, *KINDS]))
def test_no_value_adds_a_label_that_the_codes_do_not_have(value: int, api: str | None) -> None:
    assert labels(value, api)["status"] in {*CODES, "_OTHER"}


def test_prometheus_takes_the_labels_of_every_code() -> None:
    counter = Counter("calls", "Calls", list(labels(0)), registry=CollectorRegistry())
    for value in (*Status, 5):
        for api in (None, *KINDS):
            counter.labels(**labels(value, api)).inc()
    (metric,) = counter.collect()
    assert len(metric.samples) == 2 * (len(CODES) + 1) * (len(KINDS) + 1)  # each with the time of its creation


def test_the_attributes_of_a_failure_and_of_an_unknown_value() -> None:
    assert attributes("LLM_TIMEOUT", "pull_blocks") == {
        "error.type": "LLM_TIMEOUT",
        "llm_datadist.action": "COLLECT_LOGS",
        "llm_datadist.recoverable": False,
        "llm_datadist.api": "pull_blocks",
    }
    assert attributes(5) == {"error.type": "_OTHER", "llm_datadist.action": "COLLECT_LOGS"}


def test_what_is_done_has_no_error_type() -> None:
    assert "error.type" not in attributes("LLM_ALREADY_LINK", "link_clusters")
    assert attributes("LLM_ALREADY_LINK", "pull_blocks")["error.type"] == "LLM_ALREADY_LINK"


def test_success_has_no_error_type() -> None:
    assert attributes(0, "pull_blocks") == {"llm_datadist.action": "NONE", "llm_datadist.api": "pull_blocks"}


# The filter.

FIELDS = "%(status_name)s|%(status_hex)s|%(status_action)s|%(message)s"
FAILED = "LLM_LINK_FAILED|0x5010B009|CHECK_NETWORK|"
NOTHING = "|||"


def logged(message: object, *args: object, exc: BaseException | None = None, status: StatusFilter | None = None) -> str:
    """What a handler with the filter writes."""
    record = logging.makeLogRecord({"msg": message, "args": args, "exc_info": (type(exc), exc, None) if exc else None})
    assert (status or StatusFilter()).filter(record) is True
    record.exc_info = None
    return logging.Formatter(FIELDS).format(record)


def test_a_reported_code_is_in_the_fields() -> None:
    assert logged("ret = %d from %s", 1343270921, "a") == FAILED + "ret = 1343270921 from a"
    assert logged("failed: LLMStatusCode.LLM_LINK_FAILED") == FAILED + "failed: LLMStatusCode.LLM_LINK_FAILED"


@pytest.mark.parametrize(
    "message",
    [
        "all is well",
        "134327092 rows and 100%",
        "PullKvBlocks, ret = 0",  # a success
        "if code != LLMStatusCode.LLM_LINK_FAILED:",  # a mention
        "will retry on LLM_LINK_BUSY",
        "ErrorNo: 103900",  # of another component
        "1343270921",  # a number without a label
        "",
    ],
)
def test_other_messages_have_empty_fields(message: str) -> None:
    assert logged(message) == NOTHING + message


def test_the_first_failure_counts() -> None:
    assert logged("[link_mgr.cc:7] k_ret = 0, v_ret = 1343270921,\nthen ret = 1343270914").startswith(FAILED)


def test_a_value_without_a_name_keeps_its_number() -> None:
    line = "[link_mgr.cc:7][HIXL] 7 Wait: ErrorNo: 103900"
    assert logged(line) == "_OTHER|0x000195DC|COLLECT_LOGS|" + line


def test_the_action_is_that_for_the_call() -> None:
    assert "|RELINK|" in logged("ret = 1343270913", status=StatusFilter(api="pull_blocks"))
    assert "|RETRY_LONGER|" in logged("ret = 1343270913", status=StatusFilter(api="link_clusters"))


@pytest.mark.parametrize("code", GENERATIONS)
def test_the_status_of_the_exception_stands_in_for_the_message(code: Any) -> None:
    exc = LLMException("argument check", code.LLM_LINK_FAILED)
    assert logged("pull failed", exc=exc) == FAILED + "pull failed"
    assert logged("PullKvBlocks, ret = 0", exc=exc).startswith(FAILED)
    assert logged("ret = 1343270939", exc=exc).startswith("LLM_LINK_BUSY")
    assert logged("cache miss", exc=KeyError(17)) == NOTHING + "cache miss"


def test_logging_an_exception_the_usual_way(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.Logger("connector")
    logger.addFilter(StatusFilter())
    logger.addHandler(caplog.handler)
    try:
        raise LLMException("x", 1343270921)
    except LLMException:
        logger.exception("pull failed")
    logger.error("no exception is there", exc_info=True)
    assert [vars(record)["status_name"] for record in caplog.records] == ["LLM_LINK_FAILED", ""]


def test_what_the_first_filter_found_stays() -> None:
    exc = LLMException("x", 1343270921)
    record = logging.makeLogRecord({"msg": "pull failed", "exc_info": (LLMException, exc, None)})
    StatusFilter().filter(record)
    record.exc_info = None  # as a QueueHandler leaves it
    StatusFilter().filter(record)
    assert vars(record)["status_name"] == "LLM_LINK_FAILED"


ENGLISH = StatusFilter(explain="en")
CHINESE = StatusFilter(explain="zh", api="pull_blocks")


def test_the_explanation_is_appended() -> None:
    message = logged("ret = %u", 1343270938, status=ENGLISH).rpartition("|")[2]
    assert message.startswith(
        "ret = 1343270938 [LLM_TIMEOUT 0x5010B01A: Processing took longer than the timeout allows. "
    )
    assert message.endswith(" ".join(Status.LLM_TIMEOUT.advise().steps()) + "]")
    message = logged("ret = %u", 1343270913, status=CHINESE).rpartition("|")[2]
    steps = "".join(Status.LLM_WAIT_PROC_TIMEOUT.advise("pull_blocks").steps("zh"))
    expected = f"[LLM_WAIT_PROC_TIMEOUT 0x5010B001：处理超时，未在限定时间内完成。{steps}]"
    assert message == f"ret = 1343270913 {expected}"


def test_an_exception_is_explained_and_nothing_else_is() -> None:
    assert "pull failed [LLM_LINK_FAILED 0x5010B009: " in logged(
        "pull failed", exc=LLMException("x", 1343270921), status=ENGLISH
    )
    assert logged("100%", status=ENGLISH) == NOTHING + "100%"


def test_the_arguments_stay_arguments() -> None:
    record = logging.makeLogRecord({"msg": "%(share)d%% done, ret = %(ret)d", "args": {"share": 5, "ret": 1343270921}})
    arguments = record.args
    ENGLISH.filter(record)
    assert record.args is arguments
    assert record.getMessage().startswith("5% done, ret = 1343270921 [LLM_LINK_FAILED 0x5010B009: ")


def test_a_percent_sign_without_arguments_stays_one() -> None:
    assert "|50% done, ret = 1343270921 [LLM_LINK_FAILED" in logged("50% done, ret = 1343270921", status=ENGLISH)


@pytest.mark.parametrize(("message", "args"), [("ret = 1343270939", ()), ("ret = %d", (1343270939,))])
def test_a_percent_sign_in_the_explanation_stays_one(
    message: str, args: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    Status.LLM_LINK_BUSY.description()
    monkeypatch.setitem(vars(Status.LLM_LINK_BUSY), "description", lambda _: "The link is 100% busy.")
    assert "|ret = 1343270939 [LLM_LINK_BUSY 0x5010B01B: The link is 100% busy. " in logged(
        message, *args, status=ENGLISH
    )


def test_a_message_may_be_an_object() -> None:
    assert logged(RuntimeError("ret = 1343270921"), status=ENGLISH).startswith(FAILED + "ret = 1343270921 [LLM_LINK")


def test_several_filters_append_once() -> None:
    record = logging.makeLogRecord({"msg": "ret = %d", "args": (1343270921,)})
    for status in (StatusFilter(), ENGLISH, ENGLISH, CHINESE):  # one that does not explain comes before one that does
        status.filter(record)
    assert record.getMessage().count("[LLM_LINK_FAILED 0x5010B009") == 1


@pytest.mark.parametrize("status", [StatusFilter(), ENGLISH])
def test_what_does_not_take_its_arguments_is_left_to_logging(
    status: StatusFilter, capsys: pytest.CaptureFixture[str]
) -> None:
    logger = logging.Logger("broken")
    logger.addHandler(logging.StreamHandler(io.StringIO()))
    logger.addFilter(status)
    logger.error("ret = %d, 1343270921, LLM_LINK_FAILED", "x")
    assert "Message: 'ret = %d, 1343270921, LLM_LINK_FAILED'\nArguments: ('x',)" in capsys.readouterr().err


class Unprintable(Exception):  # noqa: N818 - it is one of others
    def __str__(self) -> str:
        raise RuntimeError("no text")

    @property
    def status_code(self) -> int:
        raise RuntimeError("no code")


def test_nothing_that_a_record_holds_raises() -> None:
    assert logged("ret =", exc=Unprintable()) == NOTHING + "ret ="
    assert logged("LLM_LINK_FAILED \ud800").startswith(FAILED)
    record = logging.makeLogRecord({"msg": Unprintable(), "exc_info": True})
    assert ENGLISH.filter(record)
    assert vars(record)["status_name"] == ""


def test_wrong_options_are_errors() -> None:
    with pytest.raises(ValueError, match="unknown language 'fr': expected 'en' or 'zh'"):
        StatusFilter(explain="fr")
    with pytest.raises(ValueError, match="unknown call 'pull': "):
        StatusFilter(api="pull")


@pytest.fixture
def logger() -> Iterator[logging.Logger]:
    """A logger of its own name for ``dictConfig``, which is as new afterwards."""
    logger = logging.getLogger("connector.observed")
    yield logger
    for handler in logger.handlers[:]:
        logger.removeHandler(handler)
        handler.close()
    for status in logger.filters[:]:
        logger.removeFilter(status)
    logger.propagate = True


@pytest.mark.parametrize("name", ["StatusFilter", "observability.StatusFilter"])
@pytest.mark.parametrize("place", ["logger", "handler"])
def test_it_is_configured_by_a_dictionary(name: str, place: str, logger: logging.Logger) -> None:
    stream = io.StringIO()
    filters: dict[str, list[str]] = {"filters": ["status"]}
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "filters": {"status": {"()": f"llm_datadist_status.{name}", "api": "pull_blocks"}},
            "formatters": {"fields": {"format": FIELDS}},
            "handlers": {
                "stream": {
                    "class": "logging.StreamHandler",
                    "stream": stream,
                    "formatter": "fields",
                    **(filters if place == "handler" else {}),
                }
            },
            "loggers": {
                logger.name: {
                    "handlers": ["stream"],
                    "propagate": False,
                    **(filters if place == "logger" else {}),
                }
            },
        }
    )
    logger.error("ret = %d", 1343270913)
    logger.error("nothing")
    assert stream.getvalue() == "LLM_WAIT_PROC_TIMEOUT|0x5010B001|RELINK|ret = 1343270913\n|||nothing\n"


@pytest.mark.parametrize("place", ["logger", "queue", "listener"])
def test_the_fields_cross_a_queue(place: str) -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter(FIELDS))
    records: queue.SimpleQueue[logging.LogRecord] = queue.SimpleQueue()
    sender = logging.handlers.QueueHandler(records)
    logger = logging.Logger("queued")
    logger.addHandler(sender)
    if place != "listener":
        (logger if place == "logger" else sender).addFilter(ENGLISH)
    handler.addFilter(ENGLISH)
    listener = logging.handlers.QueueListener(records, handler)
    listener.start()
    logger.error("ret = %d", 1343270921)
    listener.stop()
    assert stream.getvalue().startswith(FAILED + "ret = 1343270921 [LLM_LINK_FAILED 0x5010B009: ")
    assert stream.getvalue().count("[LLM_LINK_FAILED") == 1


def test_a_record_with_the_fields_pickles_and_copies() -> None:
    record = logging.makeLogRecord({"msg": "ret = %d", "args": (1343270921,)})
    ENGLISH.filter(record)
    for again in (logging.makeLogRecord(pickle.loads(pickle.dumps(vars(record)))), copy.copy(record)):
        assert again.getMessage() == record.getMessage()
        assert vars(again)["status_name"] == "LLM_LINK_FAILED"


# The quick look before the finder.

CARRIERS = [
    "{}",
    "ErrorNo: {}",
    "ErrorNo: {}(local cluster link)",
    "[ERROR] GE(52110,prefill_3):2026-07-14-08:22:05.731.090 [link_mgr.cc:214][HIXL] 52388 Wait: ErrorNo: {} x",
    "PullKvBlocks, ret = {}",
    "PullKvBlocks, ret={} done",
    "PullKvBlocks, k_ret = {}",
    "[link_mgr.cc:7] ret\t:{}",
    "status: {} of PullKvBlocks",
    "error code[{}]",
    "PullKvBlocks returned: {}",
    "[link] failed, error code is {}, step 3.",
    "results: [{}, {}]",
    "\x1b[31mPullKvBlocks, ret\x1b[0m =\x1b[1m {}\x1b[0m",
    '{{"log":"PullKvBlocks,\\nret\\t= {}\\n"}}',
    "(Worker_DP0_TP4_EP4 pid=852061) ERROR 09-12 03:40:02 [file.py:581] link_clusters: ret = {}",
    "E20251110 15:36:33.327589 280651 file.cpp:75] PushKvCache ended, ret = {}",
    "链路建立失败，PullKvBlocks ret={}，请检查",
]


def forms(status: Status) -> list[str]:
    """Every way in which a code is written."""
    value = int(status)
    numbers = [
        f"{value}",
        f"{value}U",
        f"000{value}",
        f"0x{value:X}",
        f"0X{value:x}u",
        f"0x{value:08x}",
        f"{value:08x}",
    ]
    numbers += [f"0x{f'{value:08x}'.title()}", f"0x0000{value:08X}"]
    numbers += [f"{value - (1 << 32)}", f"-000{(1 << 32) - value}"] if value >> 31 else []
    names = [name for name, other in BY_NAME.items() if other is status]
    named = ["{}", "llm_datadist::{}", "::ge::{}", "LLMStatusCode.{}", f"<LLMStatusCode.{{}}: {value}>"]
    return numbers + [form.format(name) for name in names for form in named]


def is_found(message: str) -> bool:
    return any(
        found.role == "report" and not found.status.ok
        for line in message.split("\n")
        for found in occurrences(line.encode("utf-8", "replace"))
    )


@pytest.mark.parametrize("name", [name for name in CODES if name != "LLM_SUCCESS"])
def test_whatever_the_finder_finds_passes_the_quick_look(name: str) -> None:
    for form in forms(Status[name]):
        found = [message for carrier in CARRIERS if is_found(message := carrier.format(form, form))]
        assert found, form
        assert all(map(_HINT.search, found)), form


@given(st.integers(0, 0xFFFFFFFF), st.sampled_from(["link_mgr.cc", "comm_entity.cc", "sync_flag.cc"]))
def test_an_unknown_number_of_a_listed_file_passes_the_quick_look(value: int, file: str) -> None:
    message = f"[{file}:214][HIXL] 52388 Wait: ErrorNo: {value}"
    assert is_found(message) == (value != 0)
    assert _HINT.search(message)


PIECES = [
    *("PullKvBlocks", "[link_mgr.cc:7]", "link(", "error code", "ErrorNo", "ret", "k_ret", "status", "returned", "k"),
    *(
        ":",
        "=",
        "[",
        "]",
        " ",
        "\t",
        "\n",
        "-",
        "0",
        "1",
        "0x",
        "0X",
        "U",
        "(",
        "\x1b[0m",
        "\\n",
        "\\u001b[1m",
        "é",
        "\ud800",
    ),
    *(form for status in Status for form in forms(status)),
]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_no_arrangement_is_found_that_does_not_pass_the_quick_look(message: str) -> None:
    assert _HINT.search(message) or not is_found(message)


@pytest.mark.parametrize(
    "message",
    [
        "Request 17 finished after 4096 tokens in 1.25 s",
        "Avg prompt throughput: 0.0 tokens/s, Running: 3 reqs, GPU KV cache usage: 15.2%",
        "2026-07-14 10:14:07 retry 2 of 5: peer 10.0.0.7:8000 returned nothing, max index 5",
    ],
)
def test_the_quick_look_is_enough_for_ordinary_messages(message: str) -> None:
    assert not _HINT.search(message)


def test_the_filter_loads_no_finder_before_a_message_needs_it(capfd: pytest.CaptureFixture[str]) -> None:
    script = (
        "import logging, sys; from llm_datadist_status import StatusFilter\n"
        "StatusFilter().filter(logging.makeLogRecord({'msg': 'all is well'}))\n"
        "print('llm_datadist_status.scan.line' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
    assert capfd.readouterr().out == "False\n"


def fields(status: StatusFilter, msg: object, *args: object, **more: object) -> tuple[str, str]:
    """The name and the action that a record gets."""
    record = logging.makeLogRecord({"msg": msg, "args": args, **more})
    status.filter(record)
    return vars(record)["status_name"], vars(record)["status_action"]


def test_what_formatters_take_apart_keeps_its_form() -> None:
    event = {"event": "pull failed, ret = 1343270921", "cluster": 3}
    record = logging.makeLogRecord({"msg": event, "args": ()})
    ENGLISH.filter(record)
    assert record.msg is event
    assert vars(record)["status_name"] == "LLM_LINK_FAILED"


def test_the_call_that_an_error_names_decides_where_none_is_given() -> None:
    error = error_for("LLM_WAIT_PROC_TIMEOUT", "pull_blocks")
    logged = (type(error), error, None)
    assert fields(StatusFilter(), "pull failed", exc_info=logged) == ("LLM_WAIT_PROC_TIMEOUT", "RELINK")
    assert fields(StatusFilter(api="init"), "pull failed", exc_info=logged) == ("LLM_WAIT_PROC_TIMEOUT", "RETRY_LONGER")


def test_an_exception_may_be_the_message_or_an_argument() -> None:
    error = LLMException("argument check", GENERATIONS[0].LLM_LINK_FAILED)
    assert fields(StatusFilter(), error) == ("LLM_LINK_FAILED", "CHECK_NETWORK")
    assert fields(StatusFilter(), "link: %s", error) == ("LLM_LINK_FAILED", "CHECK_NETWORK")


def test_the_general_failure_counts_only_where_there_is_no_other() -> None:
    wrapper = "[link_mgr.cc:7] Open: ErrorNo: 4294967295"
    assert fields(StatusFilter(), wrapper)[0] == "LLM_FAILED"
    assert fields(StatusFilter(), f"{wrapper}\n[link_mgr.cc:9] Open: ErrorNo: 1343270921")[0] == "LLM_LINK_FAILED"
    error = error_for("LLM_LINK_BUSY")
    assert fields(StatusFilter(), wrapper, exc_info=(type(error), error, None))[0] == "LLM_LINK_BUSY"


def test_a_message_may_be_wrapped_over_two_lines() -> None:
    assert fields(StatusFilter(), "[link] failed, error code is\nLLM_TIMEOUT")[0] == "LLM_TIMEOUT"


def test_a_record_that_brings_one_of_the_fields_gets_all() -> None:
    record = logging.makeLogRecord({"msg": "all is well", "status_hex": "mine"})
    StatusFilter().filter(record)
    assert logging.Formatter(FIELDS).format(record) == NOTHING + "all is well"


# What the documents show, with the real packages.

RET = 1343270913


def document(lang: str) -> Path:
    return ROOT / "docs" / lang / "observability.md"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_example_for_prometheus(lang: str) -> None:
    calls = example(document(lang), "prometheus_client", ret=RET)["calls"]
    assert isinstance(calls, Counter)
    REGISTRY.unregister(calls)
    total = next(sample for metric in calls.collect() for sample in metric.samples if sample.name.endswith("_total"))
    assert (total.name, total.labels, total.value) == ("datadist_calls_total", labels(RET, "pull_blocks"), 1)


@pytest.fixture(scope="module")
def measured() -> InMemoryMetricReader:
    """What the process's meters measure; OpenTelemetry takes its providers once."""
    reader = InMemoryMetricReader()
    metrics.set_meter_provider(MeterProvider([reader]))
    return reader


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_example_for_opentelemetry(lang: str, measured: InMemoryMetricReader) -> None:
    with TracerProvider(shutdown_on_exit=False).get_tracer("connector").start_as_current_span("pull") as span:
        example(document(lang), "opentelemetry", ret=RET)
    assert isinstance(span, ReadableSpan)
    assert span.attributes == attributes(RET, "pull_blocks")
    data = json.loads(measured.get_metrics_data().to_json())  # type: ignore[union-attr]
    (metric,) = data["resource_metrics"][0]["scope_metrics"][0]["metrics"]
    assert metric["name"] == "datadist.calls"
    assert [point["attributes"] for point in metric["data"]["data_points"]] == [attributes(RET, "pull_blocks")]


@pytest.fixture
def root() -> Iterator[None]:
    """The root logger gets its handlers back."""
    root = logging.getLogger()
    handlers = root.handlers[:]
    yield
    root.handlers[:] = handlers


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize(("lang", "meaning"), [("en", "took longer"), ("zh", "处理超时")])
def test_the_example_for_logging(lang: str, meaning: str, capsys: pytest.CaptureFixture[str]) -> None:
    example(document(lang), "dictConfig", ret=RET)
    line = capsys.readouterr().err
    assert line.startswith(
        f"ERROR LLM_WAIT_PROC_TIMEOUT RETRY_LONGER pull_blocks: ret = {RET} [LLM_WAIT_PROC_TIMEOUT 0x"
    )
    assert meaning in line


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_example_for_structlog(lang: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        example(document(lang), "structlog", ret=RET)
    finally:
        structlog.reset_defaults()
    assert json.loads(capsys.readouterr().out) == {
        "event": "pull failed",
        "ret": RET,
        "api": "pull_blocks",
        "datadist": labels(RET, "pull_blocks"),
    }
