"""Exceptions that carry a status, and statuses read from the exceptions of others."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import multiprocessing
import pickle
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest

from llm_datadist_status import (
    Status,
    StatusError,
    UnknownStatus,
    error_for,
    errors,
    explained,
    from_exception,
    raise_for_status,
)

from .codes import CODES
from .official import GENERATIONS, LLMException

FAILURES = [name for name in CODES if name != "LLM_SUCCESS"]


@pytest.mark.parametrize("name", FAILURES)
def test_every_failure_has_a_class_of_its_own_under_its_name(name: str) -> None:
    error = error_for(name, "pull_blocks")
    assert type(error) is getattr(errors, errors.class_name(name))
    assert type(error) is not StatusError
    assert isinstance(error, RuntimeError)
    assert (error.status, error.value, error.api) == (Status[name], CODES[name][0], "pull_blocks")
    assert error.advice == Status[name].advise("pull_blocks")


@pytest.mark.parametrize(
    ("constant", "name"),
    [
        ("LLM_LINK_FAILED", "LinkFailedError"),
        ("LLM_TIMEOUT", "LLMTimeoutError"),
        ("LLM_KV_CACHE_NOT_EXIST", "KvCacheNotExistError"),
        ("LLM_MEMORY", "LLMMemoryError"),
        ("DATADIST_CLOSED", "DatadistClosedError"),
    ],
)
def test_how_classes_are_named(constant: str, name: str) -> None:
    assert errors.class_name(constant) == name


@pytest.mark.parametrize(
    ("family", "names"),
    [
        (errors.DeadlineError, {"LLM_TIMEOUT", "LLM_WAIT_PROC_TIMEOUT"}),
        (errors.MemoryShortageError, {"LLM_OUT_OF_MEMORY", "LLM_DEVICE_OUT_OF_MEMORY"}),
        (
            errors.CallError,
            {
                "LLM_PARAM_INVALID",
                "LLM_KV_CACHE_NOT_EXIST",
                "LLM_CLUSTER_NUM_EXCEED_LIMIT",
                "LLM_EXIST_LINK",
                "LLM_FEATURE_NOT_ENABLED",
            },
        ),
        (
            errors.LinkError,
            {
                "LLM_NOT_YET_LINK",
                "LLM_ALREADY_LINK",
                "LLM_LINK_FAILED",
                "LLM_UNLINK_FAILED",
                "LLM_NOTIFY_PROMPT_UNLINK_FAILED",
                "LLM_PROCESSING_LINK",
                "LLM_LINK_BUSY",
            },
        ),
    ],
)
def test_families(family: type[StatusError], names: set[str]) -> None:
    assert {name for name in FAILURES if isinstance(error_for(name), family)} == names


def test_a_second_class_for_a_code_is_refused() -> None:
    with pytest.raises(TypeError, match="LLM_TIMEOUT has two classes: LLMTimeoutError and SecondError"):
        type("SecondError", (StatusError,), {}, code="LLM_TIMEOUT")


def test_the_message_stands_alone_in_a_log_line() -> None:
    assert str(error_for(0x5010B001, "pull_blocks")) == (
        "LLM_WAIT_PROC_TIMEOUT (0x5010B001) from pull_blocks: Processing took longer than the timeout allows."
        " The link is beyond recovery: set it up again."
    )


def test_an_unknown_value_keeps_its_number() -> None:
    error = error_for(0x5010B0FF)
    assert type(error) is StatusError
    assert (error.value, error.status) == (0x5010B0FF, UnknownStatus(0x5010B0FF))
    assert str(error).startswith("unknown status (0x5010B0FF): ")


def test_success_is_no_error() -> None:
    for make in (error_for, StatusError):
        with pytest.raises(ValueError, match="LLM_SUCCESS is no error"):
            make(0)


def test_a_class_takes_its_own_code_only() -> None:
    assert errors.LinkFailedError("LLM_LINK_FAILED").value == 0x5010B009
    with pytest.raises(ValueError, match="LLM_TIMEOUT belongs to LLMTimeoutError, not to LinkFailedError"):
        errors.LinkFailedError("LLM_TIMEOUT")


def test_raise_for_status() -> None:
    assert raise_for_status(0) is Status.LLM_SUCCESS
    with pytest.raises(errors.LinkBusyError):
        raise_for_status(0x5010B01B, api="unlink_clusters")
    with pytest.raises(StatusError):
        raise_for_status(5)
    for value in (0, 5):
        with pytest.raises(ValueError, match="unknown call 'pull'"):
            raise_for_status(value, "pull")


class OurTimeoutError(errors.LLMTimeoutError):
    """A class of a user's own."""


class ClusterError(errors.LinkFailedError):
    """One with arguments of its own."""

    def __init__(self, *, cluster: int) -> None:
        super().__init__("LLM_LINK_FAILED", "link")
        self.cluster = cluster


def test_a_users_own_class_and_a_family_keep_their_type() -> None:
    for error in (OurTimeoutError("LLM_TIMEOUT", "pull_blocks"), errors.DeadlineError("LLM_TIMEOUT")):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert (again.value, again.api) == (error.value, error.api)
    for again in (pickle.loads(pickle.dumps(ClusterError(cluster=3))), copy.copy(ClusterError(cluster=3))):
        assert (type(again), again.cluster, again.value, again.api) == (ClusterError, 3, 0x5010B009, "link")
    with pytest.raises(ValueError, match="LLM_LINK_BUSY belongs to LinkBusyError, not to OurTimeoutError"):
        OurTimeoutError("LLM_LINK_BUSY")


def raise_in_child(value: int) -> None:
    error = error_for(value, "pull_cache")
    error.layer = 7  # type: ignore[attr-defined]
    raise error from KeyError("inner")


@pytest.mark.parametrize("value", [0x5010B01A, 0x5010B0FF])
def test_an_error_crosses_process_borders_whole(value: int) -> None:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        error = pool.submit(raise_in_child, value).exception()
    assert isinstance(error, StatusError)
    assert (error.value, error.api, error.layer) == (value, "pull_cache", 7)  # type: ignore[attr-defined]
    assert error.advice == error.status.advise("pull_cache")


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_an_error_pickles_and_copies(protocol: int) -> None:
    error = error_for("LLM_TIMEOUT", "pull_blocks")
    for again in (pickle.loads(pickle.dumps(error, protocol)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is errors.LLMTimeoutError
        assert (again.value, again.api, str(again), again.args) == (error.value, error.api, str(error), error.args)


# The bridge.


@pytest.mark.parametrize("code", GENERATIONS)
def test_the_attribute_of_the_official_exception_is_read(code: Any) -> None:
    assert from_exception(LLMException("argument check", code.LLM_LINK_FAILED)) is Status.LLM_LINK_FAILED
    assert from_exception(LLMException("x", code.LLM_WAIT_PROCESS_TIMEOUT)) is Status.LLM_WAIT_PROC_TIMEOUT
    assert from_exception(LLMException("x", 1343270921)) is Status.LLM_LINK_FAILED
    assert from_exception(LLMException("x", 5)) == UnknownStatus(5)


@pytest.mark.parametrize("code", GENERATIONS)
def test_success_by_default_is_not_believed(code: Any) -> None:
    text = "[pull_cache] failed, error code is LLMStatusCode.LLM_TIMEOUT, step 3."
    assert from_exception(LLMException(text, code.LLM_SUCCESS)) is Status.LLM_TIMEOUT
    assert from_exception(LLMException("no code in here", code.LLM_SUCCESS)) is None


@pytest.mark.parametrize("code", GENERATIONS)
def test_the_official_unknown_error_is_no_status(code: Any) -> None:
    assert from_exception(LLMException("x", code.LLM_UNKNOWN_ERROR)) is None


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("LLMStatusCode.LLM_LINK_FAILED", "LLM_LINK_FAILED"),
        ("ErrorNo: 1343270921", "LLM_LINK_FAILED"),
        ("[link] failed, error code is\nLLMStatusCode.LLM_LINK_FAILED, {6: 0}.", "LLM_LINK_FAILED"),
        ("Traceback ...\n    if code != LLMStatusCode.LLM_SUCCESS:\nret = 1343270921", "LLM_LINK_FAILED"),
        ("1343270921", "LLM_LINK_FAILED"),
        ("17", None),
        ("-1", None),
        ("deadbeef", None),
        ("ffffffff", None),
        ("4294967295", None),
        ("status: 503", None),
        ("hccl_ret = -1", None),
        ("error code[-1]", None),
        ("returned: 4294967295", None),
        ("ErrorNo: 4294967295", None),
        ("\ud800 LLM_LINK_FAILED", "LLM_LINK_FAILED"),
        ("LLM_FAILED", "LLM_FAILED"),
        ("results:\n0\n12\nerror code is LLMStatusCode.LLM_LINK_FAILED", "LLM_LINK_FAILED"),
        ("retryable codes: [LLM_LINK_BUSY, LLM_PROCESSING_LINK] must be ints", None),
        ("connection refused", None),
        ("", None),
    ],
)
def test_an_exception_that_crossed_a_border_as_text(text: str, status: str | None) -> None:
    assert from_exception(RuntimeError(text)) is (None if status is None else Status[status])


def test_the_status_may_sit_in_an_inner_exception() -> None:
    inner = LLMException("x", GENERATIONS[0].LLM_LINK_FAILED)
    outer = RuntimeError("link step failed")
    outer.__cause__ = inner
    assert from_exception(outer) is Status.LLM_LINK_FAILED
    outer.__cause__ = None
    outer.__context__ = inner
    assert from_exception(outer) is None  # "from None" says that it does not matter
    outer.__suppress_context__ = False
    assert from_exception(outer) is Status.LLM_LINK_FAILED


def test_a_chain_that_bites_its_tail_ends() -> None:
    first, second = RuntimeError("a"), RuntimeError("b")
    first.__cause__, second.__cause__ = second, first
    assert from_exception(first) is None


def test_other_attributes_of_that_name_do_no_harm() -> None:
    error = RuntimeError("LLM_LINK_BUSY")
    error.status_code = b"404"  # type: ignore[attr-defined]
    assert from_exception(error) is Status.LLM_LINK_BUSY
    error.statusCode = 1343270921  # type: ignore[attr-defined]
    assert from_exception(error) is Status.LLM_LINK_FAILED


class WebError(Exception):
    """As web frameworks raise it."""

    status_code = 503


class BrokenError(Exception):
    """Somebody else's exception, nothing of which can be read."""

    @property
    def status_code(self) -> int:
        raise RuntimeError("gone")

    @property
    def exceptions(self) -> tuple[BaseException, ...]:
        raise RuntimeError("gone as well")

    def __str__(self) -> str:
        raise RuntimeError("gone too")


def test_a_name_anywhere_beats_a_number_without_one() -> None:
    inner = error_for("LLM_LINK_BUSY")
    for outer in (LLMException("x", 103900), WebError("busy"), BrokenError(), KeyError(7)):
        outer.__cause__ = inner
        assert from_exception(outer) is Status.LLM_LINK_BUSY
    assert from_exception(LLMException("x", 103900)) == UnknownStatus(103900)
    assert from_exception(LLMException("LLM_LINK_BUSY", 103900)) is Status.LLM_LINK_BUSY
    assert from_exception(error_for(103900)) == UnknownStatus(103900)


def test_the_general_failure_counts_only_where_there_is_no_other() -> None:
    outer = LLMException("x", GENERATIONS[0].LLM_FAILED)
    assert from_exception(outer) is Status.LLM_FAILED
    outer.__cause__ = LLMException("x", GENERATIONS[0].LLM_LINK_FAILED)
    assert from_exception(outer) is Status.LLM_LINK_FAILED


def test_what_is_no_exception_is_refused() -> None:
    with pytest.raises(TypeError, match=r"^expected an exception, not str: advise\(\) takes statuses$"):
        from_exception("LLM_LINK_FAILED")  # type: ignore[arg-type]


def test_what_other_software_raises_carries_no_status() -> None:
    assert from_exception(WebError("busy")) is None
    assert from_exception(BrokenError()) is None
    with pytest.raises(BrokenError), explained():
        raise BrokenError


def test_the_members_of_a_group_are_read() -> None:
    class GroupError(Exception):  # like ExceptionGroup, which Python 3.10 lacks
        exceptions = (KeyError("x"), LLMException("x", GENERATIONS[1].LLM_LINK_FAILED), error_for("LLM_TIMEOUT"))

    assert from_exception(GroupError()) is Status.LLM_LINK_FAILED


def fail() -> None:
    raise LLMException("x", GENERATIONS[0].LLM_WAIT_PROCESS_TIMEOUT)


def a_function() -> None:
    fail()


def a_generator() -> Iterator[int]:
    yield 1
    fail()


async def a_coroutine() -> None:
    fail()


async def an_async_generator() -> AsyncIterator[int]:
    yield 1
    fail()


async def drain(items: AsyncIterator[int]) -> list[int]:
    return [item async for item in items]


@pytest.mark.parametrize(
    "run",
    [
        explained("pull_blocks")(a_function),
        lambda: list(explained("pull_blocks")(a_generator)()),
        lambda: asyncio.run(explained("pull_blocks")(a_coroutine)()),
        lambda: asyncio.run(drain(explained("pull_blocks")(an_async_generator)())),
    ],
    ids=["function", "generator", "coroutine", "async generator"],
)
def test_explained_adds_a_note_and_changes_nothing_else(run: Callable[[], object]) -> None:
    with pytest.raises(LLMException) as caught:
        run()
    assert vars(caught.value)["__notes__"] == [Status.LLM_WAIT_PROC_TIMEOUT.explain(api="pull_blocks")]


def test_explained_knows_the_call_of_our_own_error() -> None:
    with pytest.raises(StatusError) as caught, explained():
        raise error_for("LLM_WAIT_PROC_TIMEOUT", "pull_blocks")
    assert vars(caught.value)["__notes__"] == [Status.LLM_WAIT_PROC_TIMEOUT.explain(api="pull_blocks")]


def test_explained_knows_the_call_of_an_inner_error_too() -> None:
    with pytest.raises(RuntimeError) as caught, explained():
        raise RuntimeError("pull failed") from error_for("LLM_WAIT_PROC_TIMEOUT", "pull_blocks")
    assert vars(caught.value)["__notes__"] == [Status.LLM_WAIT_PROC_TIMEOUT.explain(api="pull_blocks")]


@pytest.mark.parametrize("notes", ["a text", 7])
def test_notes_that_are_no_list_are_left_alone(notes: object) -> None:
    error = error_for("LLM_TIMEOUT")
    vars(error)["__notes__"] = notes
    with pytest.raises(errors.LLMTimeoutError) as caught, explained():
        raise error
    assert vars(caught.value)["__notes__"] is notes


def test_a_misspelt_call_is_told_at_once() -> None:
    with pytest.raises(ValueError, match="did you mean pull_blocks"):
        explained("pull_block")


def test_a_generator_takes_and_returns_what_it_did() -> None:
    @explained()
    def echo() -> Generator[int, int, str]:
        received = yield 1
        return f"got {received}"

    items = echo()
    next(items)
    with pytest.raises(StopIteration) as stopped:
        items.send(7)
    assert stopped.value.value == "got 7"


def test_an_async_generator_takes_what_is_sent_and_thrown() -> None:
    seen: list[object] = []

    @contextlib.asynccontextmanager
    @explained()
    async def session() -> AsyncIterator[None]:
        try:
            yield
        except LLMException:
            seen.append("rolled back")

    @explained()
    async def echo() -> AsyncGenerator[int, str]:
        try:
            seen.append((yield 1))
            yield 2
        finally:
            seen.append("closed")

    async def use() -> None:
        async with session():
            fail()
        items = echo()
        await items.asend(None)  # type: ignore[arg-type]
        assert await items.asend("sent") == 2
        await items.aclose()

    asyncio.run(use())
    assert seen == ["rolled back", "sent", "closed"]


def test_explained_as_a_context_manager_adds_its_note_once() -> None:
    error = error_for("LLM_LINK_FAILED")
    with pytest.raises(errors.LinkFailedError) as caught, explained(), explained():
        raise error
    assert caught.value is error
    assert vars(error)["__notes__"] == [Status.LLM_LINK_FAILED.explain()]


def test_explained_leaves_other_exceptions_and_results_alone() -> None:
    with pytest.raises(KeyError) as caught, explained():
        raise KeyError("x")
    assert not hasattr(caught.value, "__notes__")
    assert explained()(lambda: 5)() == 5
    assert list(explained()(a_range)(3)) == [0, 1, 2]
    assert explained()(a_range).__name__ == "a_range"


def a_range(stop: int) -> Iterator[int]:
    yield from range(stop)
