"""Exceptions that carry a status and its advice, and statuses read from the exceptions of others."""

from __future__ import annotations

import builtins

from .advice import advise
from .calls import check_call
from .notation import BY_NAME, NotAStatusError, parse
from .status import Status, UnknownStatus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import Any, TypeVar

    from typing_extensions import Self

    from .advice import Advice

    _Function = TypeVar("_Function", bound=Callable[..., Any])

_SUCCESS = BY_NAME.get("LLM_SUCCESS")
_SUCCESS_VALUE = object() if _SUCCESS is None else int(_SUCCESS)
_HTTP = range(100, 600)
_LONGEST = 100  # characters of a status in any form
_CLASSES: dict[Status, type[StatusError]] = {}


class StatusError(RuntimeError):
    """A call of LLM-DataDist failed; the root of the classes below.

    ``status`` (a ``Status`` or an ``UnknownStatus``), ``value`` (its number), ``api`` (the call that reported it, or
    None) and ``advice``. Made by ``error_for`` and ``raise_for_status``, which choose the class that a status has.

    ValueError for success, which is no error, for what is no status, for an unknown call, and for a status that has
    another class.
    """

    def __init__(self, value: object, api: str | None = None) -> None:
        status = parse(value)
        if status.ok:
            raise ValueError(f"{status} is no error")
        own = class_of(status)
        if not (issubclass(own, type(self)) or issubclass(type(self), own)):
            raise ValueError(f"{status} belongs to {own.__name__}, not to {type(self).__name__}")
        super().__init__(int(status), api)
        self.status = status
        self.value = int(status)
        self.api = api
        self.advice: Advice = advise(status, api)

    def __init_subclass__(cls, code: str | None = None) -> None:
        """Register the class for the header's constant ``code``, where it has one; TypeError for a second class."""
        super().__init_subclass__()
        status = BY_NAME.get(code) if code else None
        if status is not None:
            if status in _CLASSES:
                raise TypeError(f"{code} has two classes: {_CLASSES[status].__name__} and {cls.__name__}")
            _CLASSES[status] = cls

    def __str__(self) -> str:
        name = self.status.name if isinstance(self.status, Status) else "unknown status"
        by = f" from {self.api}" if self.api else ""
        return f"{name} ({self.status.hex}){by}: {self.advice.paragraph()}"

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...], dict[str, object]]:
        # By value, as a status is; what was added to the error (notes, attributes) goes with it.
        added = {name: value for name, value in vars(self).items() if name not in ("status", "value", "api", "advice")}
        own = type(self) is class_of(self.status)
        return _remake, (None if own else type(self), self.value, self.api), added


def _remake(kind: type[StatusError] | None, value: int, api: str | None) -> StatusError:
    """An error as it was pickled; a class of the user's own need not take these arguments."""
    if kind is None:  # where it is unpickled, the status may have another class
        return error_for(value, api)
    error = kind.__new__(kind, value, api)
    StatusError.__init__(error, value, api)
    return error


# Families: what a handler may want to tell apart without naming codes.


class LinkError(StatusError):
    """Something about a link: not there, there already, busy, or failed."""


class MemoryShortageError(StatusError):
    """Memory of the device or of the host ran short."""


class DeadlineError(StatusError):
    """Time ran out."""


class CallError(StatusError):
    """The call itself was wrong: arguments, order of calls, options."""


# One class a code, named after the header's constant.


class FailedError(StatusError, code="LLM_FAILED"):
    """LLM_FAILED."""


class WaitProcTimeoutError(DeadlineError, code="LLM_WAIT_PROC_TIMEOUT"):
    """LLM_WAIT_PROC_TIMEOUT."""


class KvCacheNotExistError(CallError, code="LLM_KV_CACHE_NOT_EXIST"):
    """LLM_KV_CACHE_NOT_EXIST."""


class ParamInvalidError(CallError, code="LLM_PARAM_INVALID"):
    """LLM_PARAM_INVALID."""


class NotYetLinkError(LinkError, code="LLM_NOT_YET_LINK"):
    """LLM_NOT_YET_LINK."""


class AlreadyLinkError(LinkError, code="LLM_ALREADY_LINK"):
    """LLM_ALREADY_LINK."""


class LinkFailedError(LinkError, code="LLM_LINK_FAILED"):
    """LLM_LINK_FAILED."""


class UnlinkFailedError(LinkError, code="LLM_UNLINK_FAILED"):
    """LLM_UNLINK_FAILED."""


class NotifyPromptUnlinkFailedError(LinkError, code="LLM_NOTIFY_PROMPT_UNLINK_FAILED"):
    """LLM_NOTIFY_PROMPT_UNLINK_FAILED."""


class ClusterNumExceedLimitError(CallError, code="LLM_CLUSTER_NUM_EXCEED_LIMIT"):
    """LLM_CLUSTER_NUM_EXCEED_LIMIT."""


class ProcessingLinkError(LinkError, code="LLM_PROCESSING_LINK"):
    """LLM_PROCESSING_LINK."""


class DeviceOutOfMemoryError(MemoryShortageError, code="LLM_DEVICE_OUT_OF_MEMORY"):
    """LLM_DEVICE_OUT_OF_MEMORY."""


class ExistLinkError(CallError, code="LLM_EXIST_LINK"):
    """LLM_EXIST_LINK."""


class FeatureNotEnabledError(CallError, code="LLM_FEATURE_NOT_ENABLED"):
    """LLM_FEATURE_NOT_ENABLED."""


class LLMTimeoutError(DeadlineError, code="LLM_TIMEOUT"):
    """LLM_TIMEOUT; without the prefix, the class would hide the builtin TimeoutError."""


class LinkBusyError(LinkError, code="LLM_LINK_BUSY"):
    """LLM_LINK_BUSY."""


class OutOfMemoryError(MemoryShortageError, code="LLM_OUT_OF_MEMORY"):
    """LLM_OUT_OF_MEMORY."""


def class_name(constant: str) -> str:
    """The name of the class for a constant of the header: CamelCase without ``LLM_``, plus ``Error``."""
    name = "".join(word.capitalize() for word in constant.removeprefix("LLM_").split("_")) + "Error"
    return f"LLM{name}" if hasattr(builtins, name) else name


# A header that is newer than this file has codes without a class above.
for _status in Status:
    if not _status.ok and _status not in _CLASSES:
        globals()[class_name(_status.name)] = type(
            class_name(_status.name), (StatusError,), {"__module__": __name__}, code=_status.name
        )


def class_of(status: Status | UnknownStatus) -> type[StatusError]:
    """The class of errors with this status: ``StatusError`` itself for an unknown value."""
    return StatusError if isinstance(status, UnknownStatus) else _CLASSES[status]


def error_for(value: object, api: str | None = None) -> StatusError:
    """The error for ``value`` from the call ``api``, both as ``advise`` takes them; ValueError for success."""
    status = parse(value)
    return StatusError(status, api) if status.ok else class_of(status)(status, api)


def raise_for_status(value: object, api: str | None = None) -> Status:
    """Raise the error for ``value`` from the call ``api``, unless it is success, which is given back.

    ValueError for an unknown call, also with success: a misspelt name is not to come out with the first failure.
    """
    if api is not None:
        check_call(api)
    if value is _SUCCESS_VALUE:  # by far the most frequent case, and CPython has one int 0
        return _SUCCESS  # type: ignore[return-value]
    status = parse(value)
    if isinstance(status, UnknownStatus) or not status.ok:
        raise error_for(status, api)
    return status


def from_exception(exc: BaseException) -> Status | UnknownStatus | None:
    """The status that an exception carries or reports, or None.

    Read are, of the exception, of those in it if it is a group, and then of those that it came from: the attribute
    ``status_code`` or ``statusCode`` (a number or a member of the official enum of any generation), then the text, by
    the rules by which logs are scanned. An attribute that says success is what the official exception has by default,
    so the text decides; LLM_UNKNOWN_ERROR is no status. The first one counts, but LLM_FAILED, which outer calls report
    for whatever went wrong within, only where there is no other, and a number without a name only as the last resort.

    TypeError for what is no exception.
    """
    return find_status(exc)[0]


def find_status(exc: BaseException, *, explicit: bool = False) -> tuple[Status | UnknownStatus | None, str | None]:
    """``from_exception`` with the call that a ``StatusError`` names.

    If ``explicit``, only the exception and what it was raised from (``raise ... from``) are read.
    """
    if not isinstance(exc, BaseException):
        raise TypeError(f"expected an exception, not {type(exc).__name__}: advise() takes statuses")
    found = [pair for link in _chain(exc, explicit=explicit) for pair in _statuses(link)]
    return min(found, key=_rank, default=(None, None))


def _rank(found: tuple[Status | UnknownStatus, str | None]) -> int:
    status, _ = found
    return 2 if isinstance(status, UnknownStatus) else int(status.fields is None)  # LLM_FAILED is not laid out


def _chain(exc: BaseException, *, explicit: bool) -> Iterator[BaseException]:
    """The exception, those in it, and those that it came from; each once."""
    seen: set[int] = set()
    left = [exc]
    while left:
        link = left.pop()
        if id(link) in seen:
            continue
        seen.add(id(link))
        yield link
        context = None if explicit or link.__suppress_context__ else link.__context__
        members = None if explicit else _get(link, "exceptions")  # of a group
        inner = [link.__cause__ or context, *(reversed(members) if isinstance(members, tuple) else ())]
        left += [each for each in inner if isinstance(each, BaseException)]


def _statuses(exc: BaseException) -> Iterator[tuple[Status | UnknownStatus, str | None]]:
    """The failures that one exception carries or reports, each with the call."""
    from .scan.text import reported

    own = _get(exc, "status") if isinstance(exc, StatusError) else None
    if isinstance(own, (Status, UnknownStatus)):
        yield own, _get(exc, "api")
        return
    for name in ("status_code", "statusCode"):
        try:
            status = parse(_number_or_member(_get(exc, name)))
        except (ValueError, TypeError):
            continue
        # What web frameworks raise has such an attribute too.
        if not (status.ok or (isinstance(status, UnknownStatus) and status in _HTTP)):
            yield status, None
    text = said(exc)
    for found in (_whole(text), *reported(text)):
        if found is not None and not found.ok:
            yield found, None


def _get(exc: BaseException, name: str) -> Any:
    """An attribute of somebody else's exception, which may fail in any way; None then."""
    try:
        return getattr(exc, name, None)
    except Exception:
        return None


def _number_or_member(value: object) -> object:
    return None if isinstance(value, str) else value


def said(exc: BaseException) -> str:
    """The text of somebody else's exception, which may fail in any way; "" then."""
    try:
        return str(exc)
    except Exception:
        return ""


def _whole(text: str) -> Status | None:
    """The status that the whole text is: a name, or a number that is laid out as codes are (KeyError(-1) has none)."""
    text = text.strip()
    if text in BY_NAME:
        return BY_NAME[text]
    try:
        status = parse(text if len(text) < _LONGEST else "")
    except NotAStatusError:
        return None
    return status if isinstance(status, Status) and status.fields is not None else None


def add_note(exc: BaseException, note: str) -> None:
    """Add a note (PEP 678) that the exception does not have yet; Python 3.10 only keeps it, in ``__notes__``."""
    notes = _get(exc, "__notes__")
    if (notes is None or isinstance(notes, list)) and note not in (notes or ()):
        vars(exc)["__notes__"] = [*(notes or ()), note]


class explained:  # noqa: N801 - it reads as an adverb: with explained(): ...
    """Adds the explanation to an exception that names a status, on its way out of a block or a function.

    A context manager and a decorator, for functions and coroutines, and for generators of both kinds. ``api`` is the
    call, as in ``advise``; by default the one that a ``StatusError`` names. ValueError for an unknown one.

    The exception keeps its type and its identity; the explanation is a note (PEP 678). Python 3.10 shows no notes;
    there it is only kept in ``__notes__``, where formatters and later tools look for it.
    """

    def __init__(self, api: str | None = None) -> None:
        if api is not None:
            check_call(api)
        self.api = api

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        status, api = (None, None) if exc is None else find_status(exc)
        if exc is not None and status is not None:
            add_note(exc, status.explain(api=self.api or api))

    def __call__(self, function: _Function) -> _Function:
        import contextlib
        import functools
        import inspect

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        def generator(*args: Any, **kwargs: Any) -> Any:
            with self:
                return (yield from function(*args, **kwargs))

        async def coroutine(*args: Any, **kwargs: Any) -> Any:
            with self:
                return await function(*args, **kwargs)

        async def async_generator(*args: Any, **kwargs: Any) -> Any:
            with self:
                async with contextlib.aclosing(function(*args, **kwargs)) as items:
                    step = items.asend(None)
                    with contextlib.suppress(StopAsyncIteration):
                        while True:
                            item = await step
                            try:
                                step = items.asend((yield item))
                            except GeneratorExit:
                                raise  # items is closed on the way out
                            except BaseException as exc:
                                step = items.athrow(exc)

        chosen: Any = wrapper
        if inspect.isasyncgenfunction(function):
            chosen = async_generator
        elif inspect.iscoroutinefunction(function):
            chosen = coroutine
        elif inspect.isgeneratorfunction(function):
            chosen = generator
        wrapped: Any = functools.wraps(function)(chosen)
        return wrapped  # type: ignore[no-any-return]
