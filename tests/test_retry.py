"""When a failed call may be made again, and the loops that the documents show."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from llm_datadist_status import (
    Action,
    Status,
    StatusError,
    advise,
    error_for,
    errors,
    fold_links,
    retryable,
    with_recovery,
)
from llm_datadist_status.calls import KINDS

from .codes import CODES
from .conftest import ROOT
from .documents import example
from .official import GENERATIONS, LLMException

DEAD = error_for("LLM_WAIT_PROC_TIMEOUT", "pull_blocks")
LINKED = (0, [0])


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that were asked for; time passes by them alone."""
    asked: list[float] = []
    monkeypatch.setattr("time.sleep", asked.append)
    monkeypatch.setattr("time.monotonic", lambda: sum(asked))
    return asked


def failing(*codes: str | None, api: str = "pull_blocks") -> Callable[..., str]:
    """A call that fails with these codes, one each time; None, and what comes after the last, is a result."""
    left = iter(codes)

    def call(*_: object) -> str:
        code = next(left, None)
        if code:
            raise error_for(code, api)
        return "result"

    return call


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise KeyError("no text")


def raise_unprintable() -> None:
    raise UnprintableError


def notes(error: BaseException) -> list[str]:
    return getattr(error, "__notes__", [])


# retryable


@pytest.mark.parametrize("docs", ["cpp", "python"])
@pytest.mark.parametrize("api", [None, *KINDS])
@pytest.mark.parametrize("name", [name for name in CODES if name != "LLM_SUCCESS"])
def test_only_what_waiting_or_more_time_mends_is_retryable(name: str, api: str | None, docs: str) -> None:
    action = advise(name, api, docs).action
    error = LLMException("argument check", GENERATIONS[1].LLM_SUCCESS)
    error.__cause__ = error_for(name)
    assert retryable(error, api, docs=docs) is (action in (Action.RETRY_LATER, Action.RETRY_LONGER))


@pytest.mark.parametrize("code", GENERATIONS)
def test_the_official_exception_of_a_dead_link_is_not_retryable(code: Any) -> None:
    error = LLMException("pull failed", code.LLM_WAIT_PROCESS_TIMEOUT)
    assert not retryable(error, "pull_blocks")
    assert retryable(error, "link_clusters")


@pytest.mark.parametrize("result", [None, True, 0, Status.LLM_SUCCESS, LINKED, [0, 0], fold_links(LINKED)])
def test_a_dead_link_is_retryable_once_it_was_set_up_again(result: object) -> None:
    assert retryable(DEAD, relink=lambda: result)


@pytest.mark.parametrize(
    ("result", "note"),
    [
        (False, "setting up the link again failed"),
        (fold_links([0x5010B009]), "setting up the link again gave LLM_LINK_FAILED"),
        ((0, []), "setting up the link again gave no result for any cluster"),
        ({}, "setting up the link again failed: TypeError: expected a status for each cluster"),
        ((0x5010B009, [0, 0x5010B009]), "setting up the link again gave LLM_LINK_FAILED"),
        ((0, [Status.LLM_ALREADY_LINK]), "setting up the link again gave LLM_ALREADY_LINK"),
        (0x5010B00D, "setting up the link again gave LLM_PROCESSING_LINK"),
        ("nonsense", "setting up the link again failed: ValueError: cluster 0: 'nonsense' is not a status code: "),
        (
            (0x5010B005, []),
            "setting up the link again failed: ParamInvalidError: LLM_PARAM_INVALID (0x5010B005)",
        ),
    ],
)
def test_a_link_that_was_not_set_up_again_stays_dead(result: object, note: str) -> None:
    error = error_for("LLM_WAIT_PROC_TIMEOUT", "pull_blocks")
    assert not retryable(error, relink=lambda: result)
    (said,) = notes(error)
    assert said.startswith(note)


def test_what_setting_up_the_link_raises_is_a_note_on_the_first_failure() -> None:
    def relink() -> None:
        raise OSError("no route")

    error = error_for("LLM_WAIT_PROC_TIMEOUT", "pull_blocks")
    assert not retryable(error, relink=relink)
    assert not retryable(DEAD, relink=raise_unprintable)
    assert notes(error) == ["setting up the link again failed: OSError: no route"]


def test_a_link_is_set_up_again_only_where_it_is_dead() -> None:
    calls: list[str] = []
    for code in ("LLM_LINK_BUSY", "LLM_OUT_OF_MEMORY", "LLM_LINK_FAILED"):
        retryable(error_for(code, "pull_blocks"), relink=lambda: calls.append("relink"))
    assert calls == []


def test_the_call_that_the_error_names_counts_where_none_is_given() -> None:
    assert not retryable(DEAD)
    wrapped = RuntimeError("pull failed")
    wrapped.__cause__ = DEAD
    assert not retryable(wrapped)
    assert retryable(DEAD, "link_clusters")
    assert retryable(error_for("LLM_WAIT_PROC_TIMEOUT"))


def test_an_exception_without_a_status_is_not_retryable() -> None:
    assert not retryable(ConnectionError("refused"), "pull_blocks", relink=lambda: None)


def test_a_failure_while_another_one_is_handled_is_judged_alone() -> None:
    error = TypeError("a bug")
    error.__context__ = error_for("LLM_LINK_BUSY")
    assert not retryable(error)
    error.__cause__ = error_for("LLM_LINK_BUSY")
    assert retryable(error)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, asyncio.CancelledError])
def test_what_is_to_end_the_program_gets_out(kind: type[BaseException]) -> None:
    def stop(*_: object) -> None:
        raise kind

    with pytest.raises(kind):
        with_recovery(stop, api="pull_blocks")
    with pytest.raises(kind):
        with_recovery(failing("LLM_WAIT_PROC_TIMEOUT"), api="pull_blocks", relink=stop)


def test_coroutines_are_refused() -> None:
    async def call(*_: object) -> None:
        """What asyncio code might pass."""

    with pytest.raises(TypeError, match="the call gave a coroutine: expected a function that blocks"):
        _ = with_recovery(call, api="pull_blocks")
    error = error_for("LLM_WAIT_PROC_TIMEOUT", "pull_blocks")
    assert not retryable(error, relink=call)
    assert notes(error) == [
        "setting up the link again failed: TypeError: the relink gave a coroutine: expected a function that blocks"
    ]


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError])
def test_what_is_to_end_the_program_is_not_retryable(kind: type[BaseException]) -> None:
    stop = kind()
    stop.__context__ = error_for("LLM_LINK_BUSY")
    assert not retryable(stop, "pull_blocks")


def test_wrong_arguments_are_told() -> None:
    with pytest.raises(ValueError, match=r"^unknown call 'pull_block': did you mean pull_blocks"):
        retryable(ConnectionError("no status here"), "pull_block")
    with pytest.raises(ValueError, match="unknown docs 'java'"):
        retryable(DEAD, docs="java")
    with pytest.raises(TypeError, match=r"^expected an exception, not int: advise\(\) takes statuses$"):
        retryable(5)  # type: ignore[arg-type]
    for attempts in (0, 2.5):
        with pytest.raises(ValueError, match=rf"^attempts is {attempts}: expected a whole number, at least 1$"):
            with_recovery(failing(), api="pull_blocks", attempts=attempts)  # type: ignore[arg-type]
    for pause in (-1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match=rf"^pause is {pause}: expected seconds, at least 0$"):
            with_recovery(failing(), api="pull_blocks", pause=pause)
    with pytest.raises(ValueError, match=r"^timeout_scale is 0: expected a factor, more than 0$"):
        with_recovery(failing(), api="pull_blocks", timeout_scale=0)
    with pytest.raises(ValueError, match="unknown docs 'java'"):
        with_recovery(failing(), api="pull_blocks", docs="java")
    with pytest.raises(ValueError, match="unknown call 'pull_block'"):
        with_recovery(failing(), api="pull_block")


# with_recovery


def test_a_result_is_given_back(pauses: list[float]) -> None:
    assert with_recovery(failing(), api="pull_blocks") == "result"
    assert pauses == []


def test_what_passes_is_waited_for_longer_each_time(pauses: list[float]) -> None:
    call = failing("LLM_LINK_BUSY", "LLM_PROCESSING_LINK")
    assert with_recovery(call, api="pull_blocks", pause=0.5) == "result"
    assert pauses == [0.5, 1.0]


def test_no_pause_grows_beyond_five_seconds(pauses: list[float]) -> None:
    with_recovery(failing(*["LLM_LINK_BUSY"] * 5), api="pull_blocks", attempts=6, pause=2)
    assert pauses == [2, 4, 5, 5, 5]
    pauses.clear()
    with_recovery(failing(*["LLM_LINK_BUSY"] * 2), api="pull_blocks", pause=7)
    assert pauses == [7, 7]


def test_the_factor_grows_only_after_a_code_that_asks_for_time(pauses: list[float]) -> None:
    factors: list[float] = []
    inner = failing("LLM_WAIT_PROC_TIMEOUT", "LLM_LINK_BUSY", "LLM_WAIT_PROC_TIMEOUT", api="allocate_cache")

    def call(factor: float) -> str:
        factors.append(factor)
        return inner()

    assert with_recovery(call, api="allocate_cache", attempts=4, timeout_scale=3.0) == "result"
    assert factors == [1.0, 3.0, 3.0, 9.0]
    assert len(pauses) == 1


def test_the_last_failure_is_raised_and_not_relinked_for(pauses: list[float]) -> None:
    relinked: list[str] = []
    codes = ["LLM_WAIT_PROC_TIMEOUT"] * 3
    with pytest.raises(errors.WaitProcTimeoutError):
        with_recovery(failing(*codes), api="pull_blocks", relink=lambda: relinked.append("again"), attempts=3)
    assert len(relinked) == 2
    assert pauses == []  # a new link needs no waiting


@pytest.mark.parametrize("code", ["LLM_OUT_OF_MEMORY", "LLM_WAIT_PROC_TIMEOUT", "LLM_TIMEOUT", "LLM_FAILED"])
def test_what_a_repetition_does_not_mend_is_raised_at_once(code: str) -> None:
    with pytest.raises(StatusError) as caught:
        with_recovery(failing(code, "LLM_PARAM_INVALID"), api="pull_blocks")
    assert caught.value.status is Status[code]


def test_the_page_that_counts_can_be_chosen() -> None:
    call = failing("LLM_TIMEOUT")
    assert with_recovery(call, api="pull_blocks", relink=lambda: LINKED, docs="python") == "result"


# What the documents show, in both languages.


@pytest.fixture(params=["en", "zh"])
def connectors(request: pytest.FixtureRequest) -> Callable[[str], dict[str, Any]]:
    return lambda holding: example(ROOT / "docs" / request.param / "connectors.md", holding)


Example = Callable[[str], dict[str, Any]]


class Datadist:
    """An LLM-DataDist whose links answer from a script and whose calls are written down."""

    def __init__(self, *answers: list[int]) -> None:
        self.answers = list(answers)
        self.calls: list[object] = []

    def link_clusters(self, clusters: list[int], timeout: int) -> tuple[int, list[int]]:
        self.calls.append(("link", tuple(clusters), timeout))
        rets = self.answers.pop(0)
        return next((ret for ret in reversed(rets) if ret), 0), rets

    def unlink_clusters(self, clusters: list[int], timeout: int) -> tuple[int, list[int]]:
        self.calls.append(("unlink", tuple(clusters), timeout))
        return 0, [0] * len(clusters)


class Manager:
    def __init__(self, *codes: str | None) -> None:
        self.pull_blocks = failing(*codes)


def test_the_pull_of_the_documents_sets_its_link_up_again(connectors: Example) -> None:
    pull = connectors("with_recovery")["pull"]
    datadist = Datadist([0])
    assert pull(Manager("LLM_WAIT_PROC_TIMEOUT"), datadist, 7, "key", "cache", ([1], [2])) == "result"
    assert datadist.calls == [("unlink", (7,), 3000), ("link", (7,), 3000)]


def test_the_pull_of_the_documents_gives_up_on_a_link_that_stays_dead(connectors: Example) -> None:
    pull = connectors("with_recovery")["pull"]
    with pytest.raises(errors.WaitProcTimeoutError) as caught:
        pull(Manager("LLM_WAIT_PROC_TIMEOUT"), Datadist([0x5010B009]), 7, "key", "cache", ([1], [2]))
    assert notes(caught.value) == ["setting up the link again gave LLM_LINK_FAILED"]


def test_the_link_loop_of_the_documents_asks_again_only_for_what_may_succeed(
    connectors: Example, pauses: list[float]
) -> None:
    link_all = connectors("link_all")["link_all"]
    datadist = Datadist([0, 0x5010B00D, 0x5010B008, 0x5010B001], [0, 0x5010B00D], [0])
    link_all(datadist, [1, 2, 3, 4])
    assert datadist.calls == [
        ("link", (1, 2, 3, 4), 3000),
        ("link", (2, 4), 6000),
        ("link", (4,), 6000),
    ]
    assert pauses == [0.1, 0.2]


def test_the_link_loop_of_the_documents_ends_with_the_error_of_a_cluster_that_failed(
    connectors: Example, pauses: list[float]
) -> None:
    with pytest.raises(errors.LinkFailedError):
        connectors("link_all")["link_all"](Datadist([0x5010B00D, 0x5010B009]), [1, 2])
    assert pauses == []


def test_the_link_loop_of_the_documents_ends_at_its_deadline(connectors: Example, pauses: list[float]) -> None:
    datadist = Datadist(*[[0x5010B00D]] * 9)
    with pytest.raises(errors.ProcessingLinkError):
        connectors("link_all")["link_all"](datadist, [1], seconds=1.0)
    assert sum(pauses) <= 1.0
    assert len(datadist.calls) == len(pauses) + 1 == 4


@pytest.mark.parametrize("library", ["tenacity", "stamina"])
def test_the_wait_of_the_documents_outlasts_another_operation(
    connectors: Example, library: str, pauses: list[float]
) -> None:
    class Link:
        unlink = staticmethod(failing(*["LLM_PROCESSING_LINK"] * 3, api="unlink"))

    connectors(f"import {library}")["unlink"](Link, "comm")
    assert len(pauses) == 3


@pytest.mark.parametrize("library", ["tenacity", "stamina"])
def test_the_wait_of_the_documents_is_not_for_ever_and_not_for_everything(
    connectors: Example, library: str, pauses: list[float]
) -> None:
    class Link:
        unlink = staticmethod(failing(*["LLM_PROCESSING_LINK"] * 99, api="unlink"))

    unlink = connectors(f"import {library}")["unlink"]
    with pytest.raises(errors.ProcessingLinkError):
        unlink(Link, "comm")
    assert 0 < len(pauses) < 8
    pauses.clear()
    Link.unlink = staticmethod(failing("LLM_UNLINK_FAILED", api="unlink"))
    with pytest.raises(errors.UnlinkFailedError):
        unlink(Link, "comm")
    assert pauses == []
