"""``advise``: what to do about a status after a call, by either official page."""

from __future__ import annotations

import copy
import pickle

import pytest

from llm_datadist_status import Action, Status, advise
from llm_datadist_status.advice import can_report
from llm_datadist_status.calls import KINDS
from llm_datadist_status.catalog import ACTIONS, CONDITIONS, ENTRIES, UNCATALOGUED, UNKNOWN, Entry

from .codes import CODES

TRANSFERS = [
    "PullKvCache",
    "PullKvBlocks",
    "PushKvCache",
    "PushKvBlocks",
    "pull_cache",
    "pull_blocks",
    "push_cache",
    "push_blocks",
    "transfer_cache_async",
]
OTHERS = sorted(set(KINDS) - set(TRANSFERS))
DISAGREEING = {"LLM_TIMEOUT", "LLM_LINK_BUSY", "LLM_WAIT_PROC_TIMEOUT", "LLM_FAILED", "LLM_FEATURE_NOT_ENABLED"}


@pytest.mark.parametrize("name", CODES)
def test_the_action_without_a_call(name: str) -> None:
    advice = advise(name)
    assert advice.action.name == CODES[name][2]
    assert advice.recoverable is CODES[name][1]
    assert advice.status is Status[name]
    assert advice.api is None


@pytest.mark.parametrize("docs", ["cpp", "python"])
@pytest.mark.parametrize("api", TRANSFERS)
def test_a_transfer_that_timed_out_waiting_needs_a_new_link(api: str, docs: str) -> None:
    assert advise(Status.LLM_WAIT_PROC_TIMEOUT, api, docs).action is Action.RELINK


@pytest.mark.parametrize("api", OTHERS)
def test_another_call_that_timed_out_waiting_is_repeated_with_more_time(api: str) -> None:
    assert advise(Status.LLM_WAIT_PROC_TIMEOUT, api).action is Action.RETRY_LONGER


@pytest.mark.parametrize("api", [None, *KINDS])
def test_a_timeout_is_for_the_logs_by_the_cpp_page_and_for_a_retry_by_the_python_page(api: str | None) -> None:
    assert advise(Status.LLM_TIMEOUT, api).action is Action.COLLECT_LOGS
    assert advise(Status.LLM_TIMEOUT, api).recoverable is False
    python = advise(Status.LLM_TIMEOUT, api, docs="python")
    assert python.action is (Action.RELINK if api in TRANSFERS else Action.RETRY_LONGER)
    assert python.recoverable is True
    assert "Python" in python.source


@pytest.mark.parametrize("api", KINDS)
def test_already_link_is_done_when_linking_and_a_question_otherwise(api: str) -> None:
    expected = Action.NONE if api in ("LinkLlmClusters", "link_clusters", "link") else Action.CHECK_LINK
    assert advise(Status.LLM_ALREADY_LINK, api).action is expected


ONLY_FROM = {
    "LLM_EXIST_LINK": {"SetRole", "switch_role"},
    "LLM_CLUSTER_NUM_EXCEED_LIMIT": {"LinkLlmClusters", "UnlinkLlmClusters", "link_clusters", "unlink_clusters"},
}


@pytest.mark.parametrize("name", CODES)
def test_a_code_is_ruled_out_only_where_the_facts_say_so(name: str) -> None:
    reporting = set(KINDS) - {"Finalize", "finalize"}
    assert {api for api in KINDS if can_report(Status[name], api)} == ONLY_FROM.get(name, reporting)


@pytest.mark.parametrize("name", CODES)
def test_the_conflict_is_told_where_the_pages_disagree(name: str) -> None:
    for docs in ("cpp", "python"):
        for lang in ("en", "zh"):
            conflict = advise(name, docs=docs).conflict(lang)
            assert bool(conflict) is (name in DISAGREEING)
    assert (advise(name, docs="cpp").conflict() == advise(name, docs="python").conflict()) is (name not in DISAGREEING)


def test_without_a_call_each_step_that_depends_on_it_says_on_what() -> None:
    steps = advise(Status.LLM_WAIT_PROC_TIMEOUT).steps()
    assert [step.partition(":")[0] for step in steps] == [
        "After a transfer call (PullKvCache, PullKvBlocks and the like)",
        "After any other call",
    ]
    assert advise(Status.LLM_WAIT_PROC_TIMEOUT, "pull_cache").steps() == (steps[0].partition(": ")[2],)
    assert advise(Status.LLM_WAIT_PROC_TIMEOUT, "init").steps() == (steps[1].partition(": ")[2],)


def test_the_role_option_is_named_after_set_role_only() -> None:
    def steps(api: str | None, docs: str = "cpp") -> str:
        return " ".join(advise(Status.LLM_FEATURE_NOT_ENABLED, api, docs).steps())

    assert 'OPTION_ENABLE_SET_ROLE = "1"' in steps("SetRole")
    assert 'After SetRole (switch_role): Make sure that the initialization set OPTION_ENABLE_SET_ROLE = "1"' in steps(
        None
    )
    assert "OPTION_ENABLE_SET_ROLE" not in steps("Initialize")
    assert "enable_switch_role = True" in steps("switch_role", "python")
    assert "not supported" in steps("init", "python")


# The facts that no rewording may lose: what must stand in the steps of either language.
FACTS = {
    "LLM_FAILED": [("host", "Host"), ("device", "Device"), ("backup", "备份")],
    "LLM_KV_CACHE_NOT_EXIST": [
        ("cache_id", "cache_id"),
        ("released", "释放"),
        ("Prefill", "全量"),
        ("more than once", "重复拉取"),
    ],
    "LLM_PARAM_INVALID": [("logs", "日志")],
    "LLM_NOT_YET_LINK": [("Decode and Prompt", "Decode和Prompt"), ("layer above", "上层")],
    "LLM_ALREADY_LINK": [("Decode and Prompt", "Decode和Prompt"), ("layer above", "上层"), ("done", "成功")],
    "LLM_LINK_FAILED": [
        ("second return value of LinkLlmClusters", "LinkLlmClusters的第二个返回值"),
        ("network", "网络"),
    ],
    "LLM_UNLINK_FAILED": [
        ("second return value of UnlinkLlmClusters", "UnlinkLlmClusters的第二个返回值"),
        ("network", "网络"),
    ],
    "LLM_NOTIFY_PROMPT_UNLINK_FAILED": [
        ("Decode and Prompt reach each other over the network", "Decode与Prompt之间的网络"),
        ("From the Prompt side, call UnlinkLlmClusters", "从Prompt侧主动调用一次UnlinkLlmClusters"),
    ],
    "LLM_CLUSTER_NUM_EXCEED_LIMIT": [
        ("LinkLlmClusters or UnlinkLlmClusters", "LinkLlmClusters、UnlinkLlmClusters"),
        ("at most 16", "最多接受16个"),
    ],
    "LLM_PROCESSING_LINK": [("Linking or unlinking", "建链或断链"), ("wait", "等一会儿")],
    "LLM_DEVICE_OUT_OF_MEMORY": [("never released", "未释放")],
    "LLM_EXIST_LINK": [
        ("before SetRole", "SetRole之前"),
        ("UnlinkLlmClusters", "UnlinkLlmClusters"),
        ("every link", "所有链路"),
    ],
    "LLM_LINK_BUSY": [("reserved", "预留"), ("not returned at present", "目前不会返回")],
    "LLM_OUT_OF_MEMORY": [("memory pool", "内存池"), ("system", "系统")],
}


@pytest.mark.parametrize("name", FACTS)
def test_the_steps_state_the_documented_facts_in_both_languages(name: str) -> None:
    english, chinese = (" ".join(advise(name).steps(lang)) for lang in ("en", "zh"))
    for in_english, in_chinese in FACTS[name]:
        assert in_english in english
        assert in_chinese in chinese


def test_every_documented_code_has_an_entry_and_no_entry_is_left_over() -> None:
    assert list(ENTRIES) == list(CODES)


@pytest.mark.parametrize("entry", [*ENTRIES.values(), UNKNOWN, UNCATALOGUED])
def test_every_text_of_an_entry_is_there_in_both_languages(entry: Entry) -> None:
    remedies = [entry.cpp, *([entry.python] if entry.python else [])]
    texts = [entry.description, *(entry.conflict or {}).values()]
    for case in (case for remedy in remedies for case in remedy.cases):
        assert case.steps
        assert case.when in CONDITIONS
        assert case.action in Action.__members__
        texts += case.steps
    for text in texts:
        assert sorted(text) == ["en", "zh"]
        assert text["en"].isascii()
        assert any("\u4e00" <= char <= "\u9fff" for char in text["zh"])


def test_every_action_has_its_words() -> None:
    assert list(ACTIONS) == [action.name for action in Action]


@pytest.mark.parametrize("value", [1343270915, 103900, "0x5010B0FF"])
def test_an_unknown_value_is_for_the_logs(value: int | str) -> None:
    advice = advise(value, "PullKvCache", "python")
    assert advice.action is Action.COLLECT_LOGS
    assert advice.recoverable is None
    assert advice.conflict() is None


def test_advice_is_the_same_by_function_and_method() -> None:
    assert advise(Status.LLM_TIMEOUT, "pull_blocks", "python") is Status.LLM_TIMEOUT.advise(
        "pull_blocks", docs="python"
    )


def test_an_unknown_call_is_refused_with_near_names() -> None:
    with pytest.raises(ValueError, match=r"^unknown call 'LinkLlmCluster': did you mean LinkLlmClusters"):
        advise(Status.LLM_LINK_FAILED, "LinkLlmCluster")
    with pytest.raises(
        ValueError, match=r"^unknown call 'pull': did you mean PullKvCache or pull_cache or PullKvBlocks"
    ):
        advise(Status.LLM_LINK_FAILED, "pull")
    for name in ("open", ""):
        with pytest.raises(ValueError, match="expected one of Initialize"):
            advise(Status.LLM_LINK_FAILED, name)


def test_another_page_and_another_language_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^unknown docs 'java': expected 'cpp' or 'python'$"):
        advise(Status.LLM_LINK_FAILED, docs="java")
    with pytest.raises(ValueError, match=r"^unknown language 'de': expected 'en' or 'zh'$"):
        advise(Status.LLM_LINK_FAILED).steps("de")
    with pytest.raises(ValueError, match=r"^unknown language 'de'"):
        advise(Status.LLM_TIMEOUT).conflict("de")


def test_advice_pickles_copies_and_compares() -> None:
    for value in (Status.LLM_TIMEOUT, 103900):
        advice = advise(value, "pull_blocks", "python")
        for again in (copy.deepcopy(advice), *(pickle.loads(pickle.dumps(advice, p)) for p in range(6))):
            assert again == advice
            assert again.steps("zh") == advice.steps("zh")
    assert advise(5) != advise(6)
    assert len({advise(5), advise(5), advise(6)}) == 2


def test_advice_cannot_be_changed_for_others() -> None:
    with pytest.raises(AttributeError):
        advise(Status.LLM_TIMEOUT).recoverable = True  # type: ignore[misc]


def test_the_page_is_named_in_both_languages() -> None:
    assert advise(Status.LLM_TIMEOUT).source == advise(Status.LLM_TIMEOUT).page("en")
    assert advise(Status.LLM_TIMEOUT).page("zh") == "CANN商用版9.0.0，LLM-DataDist C++接口，“错误码”页"
