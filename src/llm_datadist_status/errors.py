"""Exceptions that carry a status and its advice, and statuses read from the exceptions of others."""

from __future__ import annotations

import builtins

from .advice import advise
from .notation import BY_NAME, NotAStatusError, parse
from .status import Status, UnknownStatus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any, TypeVar

    from typing_extensions import Self

    from .advice import Advice

    _Function = TypeVar("_Function", bound=Callable[..., Any])

_SUCCESS = BY_NAME.get("LLM_SUCCESS")
_SUCCESS_VALUE = object() if _SUCCESS is None else int(_SUCCESS)
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
        if not issubclass(own, type(self)):
            raise ValueError(f"{status} is a {own.__name__} and no {type(self).__name__}")
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
        return f"{name} ({self.status.hex}){by}: {self.status.description()} {' '.join(self.advice.steps())}"

    def __reduce__(self) -> tuple[Callable[..., object], tuple[int, str | None], dict[str, object]]:
        # By value, as a status is; what was added to the error (notes, attributes) goes with it.
        added = {name: value for name, value in vars(self).items() if name not in ("status", "value", "api", "advice")}
        return error_for, (self.value, self.api), added


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
    """Raise the error for ``value`` from the call ``api``, unless it is success, which is given back."""
    if value is _SUCCESS_VALUE:  # by far the most frequent case, and CPython has one int 0
        return _SUCCESS  # type: ignore[return-value]
    status = parse(value)
    if isinstance(status, UnknownStatus) or not status.ok:
        raise error_for(status, api)
    return status


def from_exception(exc: BaseException) -> Status | UnknownStatus | None:
    """The status that an exception carries or names, or None.

    Read are, of the exception and then of those that it came from: the attribute ``status_code`` or ``statusCode`` (a
    number or a member of the official enum of any generation), then the text. An attribute that says success is what
    the official exception has by default, so the text decides; LLM_UNKNOWN_ERROR is no status.
    """
    seen: set[int] = set()
    link: BaseException | None = exc
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        status = link.status if isinstance(link, StatusError) else _attribute(link) or _text(link)
        if status is not None:
            return status
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
    return None


def _attribute(exc: BaseException) -> Status | UnknownStatus | None:
    for name in ("status_code", "statusCode"):
        try:
            status = parse(getattr(exc, name, None))
        except (ValueError, TypeError):
            continue
        if not status.ok:
            return status
    return None


def _text(exc: BaseException) -> Status | UnknownStatus | None:
    from .scan.text import statuses

    text = str(exc)
    try:
        found = statuses(text)
    except NotAStatusError:
        return None
    # KeyError(17) and IndexError(-1) have a number for a text, which says nothing unless it is laid out as codes are.
    bare = text.strip().removeprefix("-").isdecimal()
    return next((status for status in found if not (status.ok or (bare and status.fields is None))), None)


def add_note(exc: BaseException, note: str) -> None:
    """Add a note (PEP 678) that the exception does not have yet; Python 3.10 only keeps it, in ``__notes__``."""
    notes = getattr(exc, "__notes__", [])
    if note not in notes:
        vars(exc)["__notes__"] = [*notes, note]


class explained:  # noqa: N801 - it reads as an adverb: with explained(): ...
    """Adds the explanation to an exception that names a status, on its way out of a block or a function.

    A context manager and a decorator, for functions and coroutines, and for generators of both kinds. The exception
    keeps its type and its identity; the explanation is a note (PEP 678). Python 3.10 shows no notes; there it is only
    kept in ``__notes__``, where formatters and later tools look for it.
    """

    def __init__(self, api: str | None = None) -> None:
        self.api = api

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        status = None if exc is None else from_exception(exc)
        if exc is None or status is None:
            return
        add_note(exc, status.explain(api=self.api))

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
                    async for item in items:
                        yield item

        chosen: Any = wrapper
        if inspect.isasyncgenfunction(function):
            chosen = async_generator
        elif inspect.iscoroutinefunction(function):
            chosen = coroutine
        elif inspect.isgeneratorfunction(function):
            chosen = generator
        wrapped: Any = functools.wraps(function)(chosen)
        return wrapped  # type: ignore[no-any-return]
