"""Statuses in metrics, traces and logs: ``labels``, ``attributes`` and ``StatusFilter``."""

from __future__ import annotations

import logging
import re

from .advice import advise
from .calls import check_call
from .errors import from_exception
from .notation import BY_NAME, parse
from .status import Status, UnknownStatus, unknown_language

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# What OpenTelemetry's conventions call an error without a name of its own.
_OTHER = "_OTHER"

_RECOVERABLE = {True: "true", False: "false", None: ""}
_ATTRIBUTES = {
    "status": "error.type",
    "action": "llm_datadist.action",
    "recoverable": "llm_datadist.recoverable",
    "api": "llm_datadist.api",
}
_NO_FIELDS = {"status_name": "", "status_hex": "", "status_action": ""}


def labels(value: object, api: str | None = None) -> dict[str, str]:
    """Labels for a metric in Prometheus: ``status``, ``action``, ``recoverable`` and ``api``.

    ``value`` and ``api`` are as in ``advise``, and so are the errors. The four are there for every value, as Prometheus
    asks for, and ``recoverable`` ("true", "false") and ``api`` are empty, which to Prometheus is absent, where there is
    nothing to say. They take few values: ``status`` is a name of the header, or ``_OTHER`` for every value that it does
    not name; ``action`` is the name of an ``Action``; an unknown call is an error and never a label.
    """
    status = parse(value)
    advice = advise(status, api)
    return {
        "status": _name(status),
        "action": advice.action.name,
        "recoverable": _RECOVERABLE[advice.recoverable],
        "api": api or "",
    }


def attributes(value: object, api: str | None = None) -> dict[str, str]:
    """Attributes for a span or a metric in OpenTelemetry: ``labels`` under the names that belong there.

    ``error.type`` is the status, by the semantic conventions: absent on success, and ``_OTHER`` for a value that the
    header does not name. The others are ``llm_datadist.action``, ``llm_datadist.recoverable`` and ``llm_datadist.api``;
    what would be empty is absent. Arguments and errors are those of ``labels``.
    """
    known = labels(value, api)
    if parse(value).ok:
        del known["status"]
    return {_ATTRIBUTES[label]: text for label, text in known.items() if text}


class StatusFilter(logging.Filter):
    """Adds ``status_name``, ``status_hex`` and ``status_action`` to log records, and lets every record through.

    The status is the first failure that the message reports, by the rules by which logs are scanned, else that of the
    exception in ``exc_info`` (``from_exception``). The fields are its name (``_OTHER`` for a value without one, as in
    ``labels``), its value in hexadecimal, and the name of the ``Action``. They are empty strings where there is none: a
    success, or a code that is only mentioned, is no failure.

    ``explain`` ("en" or "zh") appends what the status means and what to do to the message of such a record, once;
    ``api`` is the call that the advice is for. ValueError for another language and for an unknown call.

    It goes on loggers and on handlers. What the first one finds stays with the record; on a ``QueueHandler`` or on the
    logger before it, it still sees the exception, which the other end of the queue does not.
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
        fields = record.__dict__
        if "status_hex" not in fields:
            try:
                plain = not (record.exc_info or _HINT.search(record.getMessage()))
            except Exception:  # arguments that the message does not take: the handler will say so
                plain = False
            if plain:
                fields["status_name"] = fields["status_hex"] = fields["status_action"] = ""
                return True
            fields.update(self._fields(_status_of(record)))
        if self.explain and fields["status_hex"]:
            _append(record, self.explain, self.api)
        return True

    def _fields(self, status: Status | UnknownStatus | None) -> dict[str, str]:
        if status is None:
            return _NO_FIELDS
        action = advise(status, self.api).action.name
        return {"status_name": _name(status), "status_hex": status.hex, "status_action": action}


def _name(status: Status | UnknownStatus) -> str:
    return _OTHER if isinstance(status, UnknownStatus) else status.name


def _status_of(record: logging.LogRecord) -> Status | UnknownStatus | None:
    """The failure that the message reports, else that of the exception; whatever goes wrong in them, None."""
    from .scan.line import occurrences

    try:
        for line in record.getMessage().split("\n"):
            for found in occurrences(line.encode("utf-8", "replace")):
                if found.role == "report" and not found.status.ok:
                    return found.status
    except Exception:  # as in filter
        pass
    try:
        exc = record.exc_info[1] if record.exc_info else None
        return None if exc is None else from_exception(exc)
    except Exception:  # somebody else's exception, whose attributes and text may fail in any way
        return None


def _append(record: logging.LogRecord, lang: str, api: str | None) -> None:
    """Append the explanation to the message, unless it is there already."""
    try:
        status = parse(vars(record)["status_hex"])
        start = f"[{status.hex}" if isinstance(status, UnknownStatus) else f"[{status} {status.hex}"
        if start in record.getMessage():
            return
    except Exception:  # as in filter; such a message stays as it is
        return
    colon, space = ("：", "") if lang == "zh" else (": ", " ")
    text = space.join((status.description(lang), *advise(status, api).steps(lang)))
    added = f" {start}{colon}{text}]"
    # The arguments stay what they are, for what groups records by their messages before formatting.
    record.msg = str(record.msg) + (added.replace("%", "%%") if record.args else added)


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
