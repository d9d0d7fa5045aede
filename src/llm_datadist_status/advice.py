"""What to do about a status after a given call: ``advise``."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from types import SimpleNamespace

from .calls import KINDS, check_call, matches
from .catalog import CONDITIONS, PYTHON_PAGE
from .notation import parse
from .status import UnknownStatus, unknown_language

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .catalog import Case
    from .status import Status


class Action(Enum):
    """What a caller should do; the value is the name in small letters."""

    NONE = "none"
    RETRY_LATER = "retry_later"
    RETRY_LONGER = "retry_longer"  # with a longer timeout
    RELINK = "relink"
    CHECK_LINK = "check_link"
    CHECK_NETWORK = "check_network"
    FIX_CALL = "fix_call"  # arguments, order of calls, options
    FREE_MEMORY = "free_memory"
    COLLECT_LOGS = "collect_logs"


class Advice(SimpleNamespace):
    """What one official page advises about one status after one call; made by ``advise``.

    ``status``, ``action`` (an ``Action``), ``recoverable`` (the page's column; None where the notion does not apply),
    ``api`` (the call, or None) and ``source`` (page and version).
    """

    status: Status | UnknownStatus
    action: Action
    recoverable: bool | None
    api: str | None
    _source: Mapping[str, str]
    _steps: tuple[Mapping[str, str], ...]
    _conflict: Mapping[str, str] | None

    @property
    def source(self) -> str:
        """Page and version, in English; ``page`` has it in either language."""
        return self.page("en")

    def page(self, lang: str = "en") -> str:
        """Page and version, in ``lang`` ("en" or "zh"; ValueError for another)."""
        return _in_language(self._source, lang)

    def steps(self, lang: str = "en") -> tuple[str, ...]:
        """What to do, in order, in ``lang`` ("en" or "zh"; ValueError for another)."""
        return tuple(_in_language(step, lang) for step in self._steps)

    def conflict(self, lang: str = "en") -> str | None:
        """What the other official page says where it disagrees, in ``lang`` as in ``steps``; None where it does not."""
        return None if self._conflict is None else _in_language(self._conflict, lang)

    def __repr__(self) -> str:
        return f"<Advice {self.action.name} for {self.status} from {self.api or 'any call'}>"


# Advice is the same object each time; unknown values are not kept, since there are four billion of them.
_advised: dict[tuple[Status, str | None, str], Advice] = {}


def advise(value: object, api: str | None = None, docs: str = "cpp") -> Advice:
    """What to do about ``value`` when the call ``api`` reported it.

    ``value`` is what ``parse`` takes, or a member of the official Python enum. ``api`` is the C++ or the Python name of
    a call (``PullKvBlocks``, ``pull_blocks``); without it, steps that depend on the call carry their condition.
    ``docs`` chooses between the official pages where they differ: "cpp" or "python".

    ValueError for what is no status, an unknown call (with near names) and another ``docs``; TypeError as in ``parse``.
    """
    status = parse(value)
    key = (status, api, docs)
    advice = _advised.get(key)  # type: ignore[arg-type]
    if advice is None:
        advice = _make(status, api, docs)
        if not isinstance(status, UnknownStatus):
            _advised[key] = advice  # type: ignore[index]
    return advice


def can_report(status: Status | UnknownStatus, api: str) -> bool:
    """Whether the call ``api`` can report ``status``: False only where the documented facts rule it out.

    ValueError, with near names, for an unknown call.
    """
    check_call(api)
    calls = status._entry.calls
    return KINDS[api] != "silent" and (calls is None or api in calls)


class Links(SimpleNamespace):
    """The results of a link call, cluster by cluster: tuples of ``(cluster, status)``; made by ``fold_links``."""

    done: tuple[tuple[object, Status | UnknownStatus], ...]
    retry: tuple[tuple[object, Status | UnknownStatus], ...]
    failed: tuple[tuple[object, Status | UnknownStatus], ...]


# The call of each operation, and the code that says that there was nothing left to do.
_OPERATIONS = {"link": ("link_clusters", "LLM_ALREADY_LINK"), "unlink": ("unlink_clusters", "LLM_NOT_YET_LINK")}


def fold_links(results: object, clusters: Sequence[object] | None = None, *, operation: str = "link") -> Links:
    """Sort the results of linking or unlinking several clusters into ``done``, ``retry`` and ``failed``.

    ``results`` are the statuses of the clusters, in their order, each as ``parse`` takes it; or the pair
    ``(ret, rets)`` that the official calls give back, of which ``rets`` counts. ``clusters`` are what to call the
    clusters, by default their places from 0. ``operation`` is "link", where LLM_ALREADY_LINK counts as done, or
    "unlink", where LLM_NOT_YET_LINK does. What ``advise`` says to retry is in ``retry``.

    ValueError where clusters and results do not match in number, for another ``operation``, and as in ``parse``;
    the error of ``ret`` where the call failed without a result for any cluster.
    """
    if operation not in _OPERATIONS:
        raise ValueError(f"unknown operation {operation!r}: expected 'link' or 'unlink'")
    api, needless = _OPERATIONS[operation]
    statuses = _per_cluster(results, api)
    names = range(len(statuses)) if clusters is None else clusters
    if len(names) != len(statuses):
        raise ValueError(f"{len(statuses)} results for {len(names)} clusters: expected one result for each cluster")
    folded: dict[str, list[tuple[object, Status | UnknownStatus]]] = {"done": [], "retry": [], "failed": []}
    for cluster, status in zip(names, statuses, strict=True):
        action = advise(status, api).action
        done = status.ok or str(status) == needless
        retry = action in (Action.RETRY_LATER, Action.RETRY_LONGER)
        folded["done" if done else "retry" if retry else "failed"].append((cluster, status))
    return Links(**{kind: tuple(pairs) for kind, pairs in folded.items()})


def _per_cluster(results: object, api: str) -> list[Status | UnknownStatus]:
    if not isinstance(results, Iterable) or isinstance(results, (str, bytes)):
        raise TypeError(f"expected a status for each cluster, not {type(results).__name__}")
    listed = list(results)
    if len(listed) == 2 and isinstance(listed[1], (list, tuple)):
        ret, listed = listed[0], list(listed[1])
        if not listed:
            from .errors import raise_for_status

            raise_for_status(ret, api)
    return [parse(result) for result in listed]


def _make(status: Status | UnknownStatus, api: str | None, docs: str) -> Advice:
    if docs not in ("cpp", "python"):
        raise ValueError(f"unknown docs {docs!r}: expected 'cpp' or 'python'")
    entry = status._entry
    remedy, source = entry.cpp, entry.source
    if docs == "python" and entry.python is not None:
        remedy, source = entry.python, PYTHON_PAGE
    if api is not None:
        check_call(api)
    cases = [case for case in remedy.cases if api is None or matches(api, case.when)]
    # Without a call the case for all or for "any other call" decides.
    deciding = [case for case in cases if not _special(case)] or cases
    return Advice(
        status=status,
        action=Action[deciding[0].action],
        recoverable=remedy.recoverable,
        api=api,
        _source=source,
        _steps=tuple(step for case in cases for step in _steps(case, conditional=api is None)),
        _conflict=entry.conflict[docs] if entry.conflict else None,
    )


def _special(case: Case) -> bool:
    return case.when in KINDS.values()


def _steps(case: Case, *, conditional: bool) -> tuple[Mapping[str, str], ...]:
    condition = CONDITIONS[case.when]
    if condition is None or not conditional:
        return case.steps
    colons = {"en": ": ", "zh": "："}
    return tuple({lang: condition[lang] + colon + step[lang] for lang, colon in colons.items()} for step in case.steps)


def _in_language(text: Mapping[str, str], lang: str) -> str:
    if lang not in text:
        raise unknown_language(lang)
    return text[lang]
