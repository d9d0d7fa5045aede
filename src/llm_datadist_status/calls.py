"""The calls of LLM-DataDist that report a status: their C++ and Python names, and what kind of call each is.

Source: the API reference of LLM-DataDist, C++ and Python (CANN commercial edition 9.0.0).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# C++ names, Python names, kind. Calls on one line do the same in the two languages.
_TABLE = (
    (("Initialize",), ("init",), ""),
    (("Finalize",), ("finalize",), "silent"),
    (("SetRole",), ("switch_role",), "set role"),
    (("LinkLlmClusters",), ("link_clusters",), "link"),
    (("UnlinkLlmClusters",), ("unlink_clusters",), ""),
    (("PullKvCache",), ("pull_cache",), "transfer"),
    (("PullKvBlocks",), ("pull_blocks",), "transfer"),
    (("PushKvCache",), ("push_cache",), "transfer"),
    (("PushKvBlocks",), ("push_blocks",), "transfer"),
    ((), ("transfer_cache_async",), "transfer"),
    (("RegisterKvCache",), ("register_cache", "register_blocks_cache"), ""),
    (("UnregisterKvCache",), ("unregister_cache",), ""),
    (("AllocateCache",), ("allocate_cache",), ""),
    (("DeallocateCache",), ("deallocate_cache",), ""),
    (("CopyKvCache",), ("copy_cache",), ""),
    (("CopyKvBlocks",), ("copy_blocks",), ""),
    ((), ("link",), "link"),
    ((), ("unlink",), ""),
    ((), ("query_register_mem_status",), ""),
    # It waits for an asynchronous transfer; when it times out, the wait has ended and the link need not be dead.
    ((), ("synchronize",), ""),
)

CPP_CALLS: tuple[str, ...] = tuple(name for cpp, _, _ in _TABLE for name in cpp)

# Every name, to the kind of call: "transfer", "link", "set role", "silent" (it reports no status), "" for the others.
KINDS: Mapping[str, str] = {name: kind for cpp, python, kind in _TABLE for name in (*cpp, *python)}


def check_call(api: str) -> None:
    """ValueError, with near names, for an ``api`` that is no call of LLM-DataDist."""
    if api not in KINDS:
        raise ValueError(_unknown(api))


def matches(api: str, when: str) -> bool:
    """Whether a case for ``when`` (a key of ``catalog.CONDITIONS``) speaks of the call ``api``."""
    negated, kind = when.startswith("not "), when.removeprefix("not ")
    return kind == "any" or (KINDS[api] == kind) is not negated


def _unknown(api: str) -> str:
    from difflib import get_close_matches

    folded, wanted = {name.casefold(): name for name in KINDS}, str(api).casefold()
    close = get_close_matches(wanted, folded) or [name for name in folded if wanted and wanted in name]
    near = [folded[name] for name in close]
    hint = f"did you mean {' or '.join(near)}?" if near else f"expected one of {', '.join(KINDS)}"
    return f"unknown call {api!r}: {hint}"
