"""What to do about a status after a given call: ``advise``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import NamedTuple

from .calls import KINDS, check_call, matches
from .catalog import CONDITIONS, PYTHON_PAGE
from .notation import parse
from .status import UnknownStatus, unknown_language

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .catalog import Case, Remedy
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


class Advice(NamedTuple):
    """What one official page advises about one status after one call; made by ``advise``.

    ``status``, ``action`` (an ``Action``), ``recoverable`` (the page's column; None where the notion does not apply),
    ``api`` (the call, or None), ``docs`` (the page that was chosen) and ``source`` (page and version).
    """

    status: Status | UnknownStatus
    action: Action
    recoverable: bool | None
    api: str | None
    docs: str

    @property
    def source(self) -> str:
        """Page and version, in English; ``page`` has it in either language."""
        return self.page("en")

    def page(self, lang: str = "en") -> str:
        """Page and version, in ``lang`` ("en" or "zh"; ValueError for another)."""
        return _in_language(_remedy(self.status, self.docs)[1], lang)

    def steps(self, lang: str = "en") -> tuple[str, ...]:
        """What to do, in order, in ``lang`` ("en" or "zh"; ValueError for another)."""
        cases = _cases(_remedy(self.status, self.docs)[0], self.api)
        steps = [step for case in cases for step in _steps(case, conditional=self.api is None)]
        return tuple(_in_language(step, lang) for step in steps)

    def paragraph(self, lang: str = "en") -> str:
        """What the status means and what to do, as one paragraph, in ``lang`` as in ``steps``."""
        return (" " if lang == "en" else "").join((self.status.description(lang), *self.steps(lang)))

    def conflict(self, lang: str = "en") -> str | None:
        """What the other official page says where it disagrees, in ``lang`` as in ``steps``; None where it does not."""
        conflict = self.status._entry.conflict
        return None if conflict is None else _in_language(conflict[self.docs], lang)

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


def check_context(api: str | None, docs: str) -> None:
    """ValueError for an ``api`` or ``docs`` that ``advise`` does not take."""
    if docs not in ("cpp", "python"):
        raise ValueError(f"unknown docs {docs!r}: expected 'cpp' or 'python'")
    if api is not None:
        check_call(api)


def can_report(status: Status | UnknownStatus, api: str) -> bool:
    """Whether the call ``api`` can report ``status``: False only where the documented facts rule it out.

    ValueError, with near names, for an unknown call.
    """
    check_call(api)
    calls = status._entry.calls
    return KINDS[api] != "silent" and (calls is None or api in calls)


class Links(NamedTuple):
    """The results of a link call, cluster by cluster: tuples of ``(cluster, status)``; made by ``fold_links``."""

    done: tuple[tuple[object, Status | UnknownStatus], ...]
    retry: tuple[tuple[object, Status | UnknownStatus], ...]
    failed: tuple[tuple[object, Status | UnknownStatus], ...]


# The call of each operation, and the code that says that there was nothing left to do.
_OPERATIONS = {"link": ("link_clusters", "LLM_ALREADY_LINK"), "unlink": ("unlink_clusters", "LLM_NOT_YET_LINK")}


def fold_links(results: object, clusters: Iterable[object] | None = None, *, operation: str = "link") -> Links:
    """Sort the results of linking or unlinking several clusters into ``done``, ``retry`` and ``failed``.

    ``results`` are the statuses of the clusters, in their order, each as ``parse`` takes it; or the pair
    ``(ret, rets)`` that the official calls give back, of which ``rets`` counts. ``clusters`` are what to call the
    clusters, by default their places from 0. ``operation`` is "link", where LLM_ALREADY_LINK counts as done, or
    "unlink", where LLM_NOT_YET_LINK does. What ``advise`` says to retry is in ``retry``.

    ValueError where clusters and results do not match in number, for another ``operation``, and, with the cluster,
    for what is no status; TypeError for results without an order; the error of ``ret`` where the call failed without
    a result for any cluster.
    """
    if operation not in _OPERATIONS:
        raise ValueError(f"unknown operation {operation!r}: expected 'link' or 'unlink'")
    api, needless = _OPERATIONS[operation]
    ret, rets = _pair(results)
    if ret is not None and not rets:
        from .errors import raise_for_status

        raise_for_status(ret, api)
    names = list(range(len(rets)) if clusters is None else clusters)
    if len(names) != len(rets):
        returned = "" if ret is None else f", and the call returned {parse(ret)}"
        raise ValueError(f"expected one result for each cluster: clusters {len(names)}, results {len(rets)}{returned}")
    folded: dict[str, list[tuple[object, Status | UnknownStatus]]] = {"done": [], "retry": [], "failed": []}
    for cluster, result in zip(names, rets, strict=True):
        try:
            status = parse(result)
        except (ValueError, TypeError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"cluster {cluster!r}: {error}") from error
        action = advise(status, api).action
        done = status.ok or str(status) == needless
        retry = action in (Action.RETRY_LATER, Action.RETRY_LONGER)
        folded["done" if done else "retry" if retry else "failed"].append((cluster, status))
    return Links(**{kind: tuple(pairs) for kind, pairs in folded.items()})


def _pair(results: object) -> tuple[object, list[object]]:
    """What a call returned and its results for the clusters; None and the results where there are only those."""
    if not isinstance(results, Iterable) or isinstance(results, (str, bytes, Mapping, set, frozenset)):
        raise TypeError(f"expected a status for each cluster, in their order, not {type(results).__name__}")
    listed = list(results)
    if len(listed) == 2 and isinstance(listed[1], (list, tuple)):
        return listed[0], list(listed[1])
    return None, listed


def _make(status: Status | UnknownStatus, api: str | None, docs: str) -> Advice:
    check_context(api, docs)
    remedy, _ = _remedy(status, docs)
    cases = _cases(remedy, api)
    # Without a call the case for all or for "any other call" decides.
    deciding = [case for case in cases if not _special(case)] or cases
    return Advice(status, Action[deciding[0].action], remedy.recoverable, api, docs)


def _remedy(status: Status | UnknownStatus, docs: str) -> tuple[Remedy, Mapping[str, str]]:
    """What the page says, and which page that is: the other one where the chosen one says nothing of its own."""
    entry = status._entry
    return (entry.python, PYTHON_PAGE) if docs == "python" and entry.python is not None else (entry.cpp, entry.source)


def _cases(remedy: Remedy, api: str | None) -> list[Case]:
    return [case for case in remedy.cases if api is None or matches(api, case.when)]


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
