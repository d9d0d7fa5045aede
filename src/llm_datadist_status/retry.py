"""Whether a failed call may be made again, and a loop that does so; tenacity and stamina take the former as it is."""

from __future__ import annotations

import time
from collections.abc import Coroutine, Iterable

from .advice import Action, Links, advise, check_context, fold_links
from .errors import add_note, find_status, said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    _Result = TypeVar("_Result")

_LONGEST_PAUSE = 5.0  # seconds, where the caller asks for no longer one


def retryable(
    exc: BaseException, api: str | None = None, *, relink: Callable[[], object] | None = None, docs: str = "cpp"
) -> bool:
    """Whether the call ``api`` may be made again after it raised ``exc``.

    It may where the advice is to wait or to allow a longer timeout. Where the advice is that the link is dead, it may
    once ``relink`` has set the link up again; without ``relink`` it may not. It may not after anything else, after an
    exception without a status, and after what is to end the program or the task (``KeyboardInterrupt``,
    ``asyncio.CancelledError``).

    Args:
        exc: what the call raised. Its status is read as ``from_exception`` reads it, but only from the exception and
            from those that it was explicitly raised from: another failure, in whose handling it came up, says nothing.
        api: the call, as in ``advise``; by default the one that a ``StatusError`` names.
        relink: takes the old link down and sets up a new one, without asyncio. It succeeds by returning None, True,
            success, or what the official ``link_clusters`` gives back with success for every cluster (or ``fold_links``
            of that); LLM_ALREADY_LINK says that the dead link is still there. Where it fails, a note on ``exc`` says
            how.
        docs: the page that counts, as in ``advise``.

    Raises:
        ValueError: an unknown call or page, as in ``advise``.
        TypeError: ``exc`` is no exception.
    """
    return _way_on(exc, api, relink, docs) is not None


def with_recovery(
    call: Callable[[float], _Result],
    *,
    api: str,
    relink: Callable[[], object] | None = None,
    attempts: int = 3,
    timeout_scale: float = 2.0,
    pause: float = 0.1,
    docs: str = "cpp",
) -> _Result:
    """Make a call, and make it again for as long as ``retryable`` says that it may be.

    Args:
        call: raises where it fails, and is given the factor for its timeout: 1.0 until a code asks for a longer one. It
            blocks; in asyncio, ``asyncio.to_thread`` takes the whole loop.
        api: the name of the call, as in ``advise``.
        relink: as in ``retryable``.
        attempts: how often the call is made at most.
        timeout_scale: what the factor is multiplied by each time that a code asks for a longer timeout.
        pause: seconds to wait after a code that passes by waiting, doubled each time until it is five seconds.
        docs: the page that counts, as in ``advise``.

    Returns:
        What the call returned.

    Raises:
        ValueError: an unknown call or page, or another argument that is out of range.
        TypeError: the call gave a coroutine.
        Exception: what the call raised last.
    """
    check_context(api, docs)  # what is wrong with the arguments is not to come out with the first failure
    if not isinstance(attempts, int) or attempts < 1:
        raise ValueError(f"attempts is {attempts!r}: expected a whole number, at least 1")
    if not 0 <= pause < float("inf"):
        raise ValueError(f"pause is {pause!r}: expected seconds, at least 0")
    if not 0 < timeout_scale < float("inf"):
        raise ValueError(f"timeout_scale is {timeout_scale!r}: expected a factor, more than 0")
    factor = 1.0
    while True:
        attempts -= 1
        try:
            result = call(factor)
        except Exception as exc:
            action = _way_on(exc, api, relink, docs) if attempts else None
            if action is None:
                raise
        else:
            return _blocking(result, "call")
        if action is Action.RETRY_LONGER:
            factor *= timeout_scale
        elif action is Action.RETRY_LATER:
            time.sleep(pause)
            pause = min(2 * pause, max(pause, _LONGEST_PAUSE))


def _way_on(exc: BaseException, api: str | None, relink: Callable[[], object] | None, docs: str) -> Action | None:
    """The action after which the call may be made again, done where ``relink`` does it; None where it may not."""
    check_context(api, docs)
    status, named = find_status(exc, explicit=True)
    if status is None or not isinstance(exc, Exception):
        return None
    action = advise(status, api or named, docs).action
    if action is Action.RELINK:
        return action if relink is not None and _relinked(relink, exc) else None
    return action if action in (Action.RETRY_LATER, Action.RETRY_LONGER) else None


def _relinked(relink: Callable[[], object], exc: BaseException) -> bool:
    # The caller is to see what failed first; what became of the link is a note on it.
    try:
        result = _blocking(relink(), "relink")
        if result is None or result is True:
            return True
        if result is False:
            add_note(exc, "setting up the link again failed")
            return False
        several = isinstance(result, Iterable) and not isinstance(result, str)
        links = result if isinstance(result, Links) else fold_links(result if several else [result])
    except Exception as error:
        add_note(exc, f"setting up the link again failed: {type(error).__name__}: {said(error)}")
        return False
    statuses = [status for _, status in (*links.done, *links.retry, *links.failed)]
    failed = [str(status) for status in statuses if not status.ok]
    if failed or not statuses:
        add_note(exc, f"setting up the link again gave {', '.join(failed) or 'no result for any cluster'}")
    return bool(statuses) and not failed


def _blocking(result: _Result, what: str) -> _Result:
    if isinstance(result, Coroutine):
        result.close()
        raise TypeError(f"the {what} gave a coroutine: expected a function that blocks")
    return result
