"""``fold_links``: the results of a link call, cluster by cluster."""

from __future__ import annotations

from typing import Any

import pytest

from llm_datadist_status import Status, errors, fold_links

from .official import GENERATIONS

DONE, LINKED, FAILED, RUNNING, LATE = 0, 0x5010B008, 0x5010B009, 0x5010B00D, 0x5010B001


def test_each_result_is_done_to_be_retried_or_failed() -> None:
    folded = fold_links([DONE, LINKED, FAILED, RUNNING, LATE, 5], ["a", "b", "c", "d", "e", "f"])
    assert folded.done == (("a", Status.LLM_SUCCESS), ("b", Status.LLM_ALREADY_LINK))
    assert folded.retry == (("d", Status.LLM_PROCESSING_LINK), ("e", Status.LLM_WAIT_PROC_TIMEOUT))
    assert [(cluster, int(status)) for cluster, status in folded.failed] == [("c", FAILED), ("f", 5)]


def test_clusters_are_numbered_where_they_have_no_names() -> None:
    assert fold_links([FAILED, DONE]).failed == ((0, Status.LLM_LINK_FAILED),)


def test_unlinking_what_is_not_linked_is_done() -> None:
    not_linked = Status.LLM_NOT_YET_LINK
    assert fold_links([not_linked], operation="unlink").done == ((0, not_linked),)
    assert fold_links([not_linked]).failed == ((0, not_linked),)
    assert fold_links([LINKED], operation="unlink").failed == ((0, Status.LLM_ALREADY_LINK),)


@pytest.mark.parametrize("code", GENERATIONS)
def test_the_official_pair_is_taken_as_it_is(code: Any) -> None:
    pair = (code.LLM_LINK_FAILED, [code.LLM_SUCCESS, code.LLM_LINK_FAILED])
    folded = fold_links(pair, clusters=[7, 8])
    assert folded.done == ((7, Status.LLM_SUCCESS),)
    assert folded.failed == ((8, Status.LLM_LINK_FAILED),)
    assert not folded.retry


def test_a_call_that_failed_without_any_result_raises_its_error() -> None:
    with pytest.raises(errors.ParamInvalidError) as caught:
        fold_links((0x5010B005, []))
    assert caught.value.api == "link_clusters"
    with pytest.raises(errors.ParamInvalidError) as caught:
        fold_links((0x5010B005, []), operation="unlink")
    assert caught.value.api == "unlink_clusters"


def test_no_clusters_and_success_is_nothing_to_do() -> None:
    nothing: list[object] = [(DONE, []), []]
    for results in nothing:
        folded = fold_links(results)
        assert folded.done == folded.retry == folded.failed == ()


@pytest.mark.parametrize("clusters", [["a"], ["a", "b", "c"]])
def test_too_few_and_too_many_results_are_an_error(clusters: list[str]) -> None:
    said = f"expected one result for each cluster: clusters {len(clusters)}, results 2"
    with pytest.raises(ValueError, match=f"^{said}$"):
        fold_links([DONE, DONE], clusters)
    with pytest.raises(ValueError, match=f"^{said}, and the call returned LLM_PARAM_INVALID$"):
        fold_links((0x5010B005, (DONE, DONE)), clusters)


@pytest.mark.parametrize("code", GENERATIONS)
def test_what_is_no_status_is_told_with_its_cluster(code: Any) -> None:
    with pytest.raises(ValueError, match=r"^cluster 8: .*LLM_UNKNOWN_ERROR"):
        fold_links([DONE, code.LLM_UNKNOWN_ERROR], [7, 8])
    with pytest.raises(TypeError, match=r"^cluster 1: .*NoneType"):
        fold_links([DONE, None])


def test_clusters_may_come_one_by_one() -> None:
    assert fold_links([DONE, DONE], (name for name in "ab")).done == (("a", DONE), ("b", DONE))


def test_the_three_can_be_unpacked_and_not_changed() -> None:
    links = fold_links([DONE, FAILED])
    done, retry, failed = links
    assert (done, retry, failed) == (links.done, links.retry, links.failed)
    with pytest.raises(AttributeError):
        links.failed = ()  # type: ignore[misc]


@pytest.mark.parametrize("results", [{0: FAILED}, {DONE}, frozenset([DONE]), b"00"])
def test_results_without_an_order_of_clusters_are_refused(results: object) -> None:
    with pytest.raises(TypeError, match=f"in their order, not {type(results).__name__}"):
        fold_links(results)


def test_what_is_no_list_of_results_is_an_error() -> None:
    with pytest.raises(TypeError, match="expected a status for each cluster, in their order, not int"):
        fold_links(5)
    with pytest.raises(TypeError, match="not str"):
        fold_links("LLM_SUCCESS")
    with pytest.raises(ValueError, match="is not a status code"):
        fold_links(["nothing"])
    with pytest.raises(ValueError, match="expected 'link' or 'unlink'"):
        fold_links([DONE], operation="relink")
