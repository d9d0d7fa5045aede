"""Statuses in metrics, traces and logs: ``labels``, ``attributes`` and ``StatusFilter``."""

from __future__ import annotations

import logging
import re

from .advice import Action, advise
from .calls import check_call
from .errors import find_status
from .notation import BY_NAME
from .status import Status, UnknownStatus, unknown_language

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .advice import Advice

# What OpenTelemetry's conventions call an error without a name of its own.
_OTHER = "_OTHER"

_NO_CODE = UnknownStatus(1)  # stands for values without a name
_RECOVERABLE = {True: "true", False: "false", None: ""}


def labels(value: object, api: str | None = None) -> dict[str, str]:
    """Labels for a metric in Prometheus: ``status``, ``action``, ``recoverable`` and ``api``.

    ``value`` and ``api`` are as in ``advise``, and so are the errors. The four are there for every value, as Prometheus
    asks for, and ``recoverable`` ("true", "false") and ``api`` are empty, which to Prometheus is absent, where there is
    nothing to say. They take few values: ``status`` is a name of the header, or ``_OTHER`` for every value that it does
    not name and for the official LLM_UNKNOWN_ERROR; ``action`` is the name of an ``Action``; an unknown call is an
    error and never a label.
    """
    advice = _advice(value, api)
    return {
        "status": _name(advice.status),
        "action": advice.action.name,
        "recoverable": _RECOVERABLE[advice.recoverable],
        "api": api or "",
    }


def attributes(value: object, api: str | None = None) -> dict[str, str | bool]:
    """Attributes for a span or a metric in OpenTelemetry; the facts, arguments and errors are those of ``labels``.

    ``error.type`` is the status, by the semantic conventions: absent on success and where the advice is that there is
    nothing to do, and ``_OTHER`` for a value that the header does not name. The others are ``llm_datadist.action``,
    ``llm_datadist.recoverable`` (a bool) and ``llm_datadist.api``; what there is nothing to say of is absent.
    """
    advice = _advice(value, api)
    known = {
        "error.type": None if advice.action is Action.NONE else _name(advice.status),
        "llm_datadist.action": advice.action.name,
        "llm_datadist.recoverable": advice.recoverable,
        "llm_datadist.api": api,
    }
    return {name: said for name, said in known.items() if said is not None}


def _advice(value: object, api: str | None) -> Advice:
    # The official enum has a member for what it does not list; counting it is not to fail where a call just did.
    return advise(_NO_CODE if getattr(value, "name", None) == "LLM_UNKNOWN_ERROR" else value, api)


class StatusFilter(logging.Filter):
    """Adds ``status_name``, ``status_hex`` and ``status_action`` to log records, and lets every record through.

    The status is the first failure that the message reports, by the rules by which logs are scanned, else that of an
    exception in the message's arguments or in ``exc_info`` (``from_exception``); LLM_FAILED counts only where there is
    no other. The fields are its name (``_OTHER`` for a value without one, as in ``labels``), its value in hexadecimal,
    and the name of the ``Action``. They are empty strings where there is none: a success, or a code that is only
    mentioned, is no failure.

    ``explain`` ("en" or "zh") appends what the status means and what to do to the message of such a record, once, for
    all handlers that come after. ``api`` is the call that the advice is for; by default the one that a ``StatusError``
    names. ValueError for another language and for an unknown call.

    It goes on loggers and on handlers. The fields that the first one adds stay with the record; on a ``QueueHandler``
    or on the logger before it, it still sees the exception, which the other end of the queue does not.
    """

    def __init__(self, explain: str | None = None, api: str | None = None) -> None:
        super().__init__()
        if explain not in (None, "en", "zh"):
            raise unknown_language(str(explain))
        if api is not None:
            check_call(api)
        self.explain = explain
        self.api = api

    def filter(self, record: logging.LogRecord) -> bool:
        """Add the fields to ``record``, and the explanation to its message where that was asked for; always True."""
        fields, advice = record.__dict__, None
        if not ("status_hex" in fields and "status_name" in fields and "status_action" in fields):
            try:
                plain = not (record.exc_info or _HINT.search(record.getMessage()) or _exceptions(record))
            except Exception:  # arguments that the message does not take: the handler will say so
                plain = False
            advice = None if plain else self._advice(record)
            fields["status_name"] = "" if advice is None else _name(advice.status)
            fields["status_hex"] = "" if advice is None else advice.status.hex
            fields["status_action"] = "" if advice is None else advice.action.name
        if self.explain and fields["status_hex"]:
            self._append(record, advice or self._advice(record), self.explain)
        return True

    def _advice(self, record: logging.LogRecord) -> Advice | None:
        status, api = _failure(record)
        return None if status is None else advise(status, self.api or api)

    def _append(self, record: logging.LogRecord, advice: Advice | None, lang: str) -> None:
        """Append the explanation to a message that is text, unless it is there; what formatters take apart stays."""
        if advice is None or not isinstance(record.msg, (str, BaseException)):
            return
        status = advice.status
        start = f" [{status.hex}" if isinstance(status, UnknownStatus) else f" [{status} {status.hex}"
        if start in str(record.msg):
            return
        added = f"{start}{'：' if lang == 'zh' else ': '}{advice.paragraph(lang)}]"
        # The arguments stay what they are, for what groups records by their messages before formatting.
        record.msg = str(record.msg) + (added.replace("%", "%%") if record.args else added)


def _name(status: Status | UnknownStatus) -> str:
    return _OTHER if isinstance(status, UnknownStatus) else status.name


def _exceptions(record: logging.LogRecord) -> list[BaseException]:
    """The exceptions that the record is about: its message, its arguments, and the one that is logged with it."""
    arguments = record.args if isinstance(record.args, tuple) else ()
    logged = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
    return [each for each in (record.msg, *arguments, logged) if isinstance(each, BaseException)]


def _failure(record: logging.LogRecord) -> tuple[Status | UnknownStatus | None, str | None]:
    """The failure that the message reports, else that of an exception; and the call, where an error names it."""
    from .scan.text import reported

    try:
        message = reported(record.getMessage())
    except Exception:  # as in filter
        message = []
    found = [(status, None) for status in message if not status.ok] + [find_status(exc) for exc in _exceptions(record)]
    return min((pair for pair in found if pair[0] is not None), key=_is_general, default=(None, None))


def _is_general(found: tuple[Status | UnknownStatus | None, str | None]) -> bool:
    """Whether it is LLM_FAILED, which outer calls report for whatever went wrong within."""
    status, _ = found
    return isinstance(status, Status) and status.fields is None


def _starts(words: Iterable[str]) -> set[str]:
    """What the words with the same first letter begin with, but at least two letters."""
    groups: dict[str, list[str]] = {}
    for word in sorted(words):
        groups.setdefault(word[0], []).append(word)
    return {start for group in groups.values() for start in _start(group)}


def _start(words: Sequence[str]) -> set[str]:
    first, last = words[0], words[-1]  # in order: what these two begin with, all between them do
    common = [first[:end] for end in range(2, len(first) + 1) if last.startswith(first[:end])]
    return {common[-1]} if common else {word[:2] for word in words}


# Nearly no record holds a code. So one of a few texts is looked for first, and one is in every message in which the
# finder finds a failure; that takes a thirtieth of the time. It is fast because each alternative begins with a letter.
_HINT = re.compile(
    "|".join(
        (
            *map(re.escape, sorted(_starts(BY_NAME))),
            *sorted(_starts(str(int(status)) for status in Status if not status.ok)),
            "0[xX]",
            "ErrorNo",
            # Bare hexadecimal and signed numbers stand behind it; there may be an escape before the sign.
            r"ret[\s:=\[\x1b\\]",
        )
    )
)
