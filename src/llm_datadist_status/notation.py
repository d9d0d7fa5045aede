"""Every spelling and form of a status, from text to value: ``parse``."""

from __future__ import annotations

import re
from enum import Enum

from .status import BY_VALUE, Status, UnknownStatus, from_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn

# What the same codes are called elsewhere: the official Python enum, and the enumerators of older C++ code (one of them
# misspelt there, so the right spelling is here as well).
SPELLINGS: Mapping[str, str] = {
    "kSuccess": "LLM_SUCCESS",
    "kFailed": "LLM_FAILED",
    "LLM_WAIT_PROCESS_TIMEOUT": "LLM_WAIT_PROC_TIMEOUT",
    "kLLMWaitProcessTimeOut": "LLM_WAIT_PROC_TIMEOUT",
    "kLLMKVCacheNotExist": "LLM_KV_CACHE_NOT_EXIST",
    "kParamInvalid": "LLM_PARAM_INVALID",
    "kLLMNotYetLink": "LLM_NOT_YET_LINK",
    "kAlreadyLink": "LLM_ALREADY_LINK",
    "kLinKFailed": "LLM_LINK_FAILED",
    "kLinkFailed": "LLM_LINK_FAILED",
    "kUnlinkFailed": "LLM_UNLINK_FAILED",
    "kNotifyPromptUnlinkFailed": "LLM_NOTIFY_PROMPT_UNLINK_FAILED",
    "kLLMClusterNumExceedLimit": "LLM_CLUSTER_NUM_EXCEED_LIMIT",
    "kProcessingLink": "LLM_PROCESSING_LINK",
    "kDeviceOutOfMemory": "LLM_DEVICE_OUT_OF_MEMORY",
    "kLLMExistLink": "LLM_EXIST_LINK",
    "kLLMFeatureNotEnabled": "LLM_FEATURE_NOT_ENABLED",
    "kLLMTimeout": "LLM_TIMEOUT",
    "kLLMLinkBusy": "LLM_LINK_BUSY",
    "kLLMOutOfMemory": "LLM_OUT_OF_MEMORY",
}

# The label that stands before a value in logs, with the sign that follows it.
LABEL = r"(?:ErrorNo|(?:[0-9A-Za-z_]*_)?ret|status|error code|returned)\s*[:=\[]"

BY_NAME: Mapping[str, Status] = {
    **dict(Status.__members__),
    **{spelling: Status[name] for spelling, name in SPELLINGS.items() if name in Status.__members__},
}
_BY_FOLDED_NAME = {name.casefold(): status for name, status in BY_NAME.items() if name.startswith("LLM_")}

_NUMBER = re.compile(
    r"(?P<hex>0[xX][0-9A-Fa-f]+)[uU]?|(?P<bare>(?=[0-9]*[A-Fa-f])[0-9A-Fa-f]{8})|(?P<decimal>-?[0-9]+|[0-9]+[uU])"
)
_REPR = re.compile(r"<(?P<name>[^:<>]+(?:::[^:<>]+)?):(?P<number>[^<>]+)>")
_QUALIFIED = re.compile(r"(?:(?:::)?(?:llm_datadist|ge)::|(?:llm_datadist\.)?(?:LLMStatusCode|Status)\.)(?P<name>.+)")
_RETYPED = re.compile(r"(?:LLMStatusCode\.)?(?P<name>LLM[ _][A-Z_ ]+)", re.ASCII | re.IGNORECASE)
_LABEL = re.compile(LABEL)

_EXPECTED = "expected a number (1343270921, 0x5010B009, 5010b009, -1) or a name (LLM_LINK_FAILED), with a label at most"


def parse(value: object) -> Status | UnknownStatus:
    """The status that ``value`` is: a ``Status``, or an ``UnknownStatus`` for a 32-bit value that is no member.

    ``value`` is an int from -2147483648 (read as signed 32-bit) to 4294967295, or a string that is a status in a form
    found in logs and sources: decimal, hexadecimal, a name or another spelling of it, an enum member or its repr, a
    qualified C++ name, any of these after a label such as ``ErrorNo:`` or ``ret =``.

    ValueError for what is no status, with near names where there are some, and TypeError for what is neither int nor
    str (bool and float included).
    """
    if type(value) is int:
        try:
            return BY_VALUE[value]
        except KeyError:
            pass
    return _parse(value)


def status_of(value: object) -> Status | UnknownStatus:
    """``parse`` for all that the library calls a value: also a member of the official enum, read by its name.

    The official enum was a plain ``Enum`` and is an ``IntEnum`` now. Its LLM_UNKNOWN_ERROR has the number -1, which
    would be LLM_FAILED, so the name decides and not the number.
    """
    if isinstance(value, Enum) and not isinstance(value, Status) and (value.name in BY_NAME or _is_official(value)):
        return _named(value.name, value.name)
    return parse(value)


def aliases(status: Status | UnknownStatus) -> tuple[str, ...]:
    """The other names and spellings of a status."""
    return tuple(name for name, other in BY_NAME.items() if other is status and name != getattr(status, "name", None))


def _is_official(member: Enum) -> bool:
    return type(member).__name__ == "LLMStatusCode"


def _parse(value: object) -> Status | UnknownStatus:
    if isinstance(value, (Status, UnknownStatus)):
        return value
    if isinstance(value, Enum) and _is_official(value):
        return status_of(value)
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise TypeError(f"a status is an int or a str, not {type(value).__name__}")
    if isinstance(value, int):
        return from_value(int(value))
    text = value.strip()
    bare = _unlabelled(text)
    for read in (_number, _repr):
        status = read(bare, text)
        if status is not None:  # not "or": LLM_SUCCESS is false
            return status
    return _named(bare, text)


def _unlabelled(text: str) -> str:
    """The value without the label before it, the brackets around it and the description in brackets after it."""
    label = _LABEL.match(text)
    if label is None:
        return text
    value = text[label.end() :]
    if value.endswith(")"):
        value = value[: value.find("(")]
    if label[0].endswith("["):
        value = value.rstrip()
        value = value[:-1] if value.endswith("]") else ""
    return value.strip()


def _number(text: str, whole: str) -> Status | UnknownStatus | None:
    number = _NUMBER.fullmatch(text)
    if number is None:
        return None
    base = 10 if number["decimal"] else 16
    digits = number[number.lastgroup or 0].rstrip("uU")
    # A long number is refused unconverted: converting takes time and has a limit of its own.
    value = int(digits, base) if len(digits.lstrip("-0xX")) <= 10 else None
    if value is None or not -(1 << 31) <= value < 1 << 32:
        raise ValueError(f"{_shown(whole)} is no status: expected 32 bits, from -2147483648 to 4294967295 (0xFFFFFFFF)")
    return from_value(value)


def _repr(text: str, whole: str) -> Status | UnknownStatus | None:
    match = _REPR.fullmatch(text)
    if match is None:
        return None
    number = _number(match["number"].strip(), whole)
    if number is None:
        _refuse(whole)
    if match["name"] == UnknownStatus.__name__:
        return number
    named = _named(match["name"], whole)
    if named != number:
        raise ValueError(f"{_shown(whole)} is no status: {named} is {named.hex}, not {number.hex}")
    return named


def _named(text: str, whole: str) -> Status:
    qualified, retyped = _QUALIFIED.fullmatch(text), _RETYPED.fullmatch(text)
    name = qualified["name"] if qualified else text
    folded = retyped["name"].replace(" ", "_") if retyped else name
    status = BY_NAME.get(name, _BY_FOLDED_NAME.get(folded.casefold()))
    if status is None:
        _refuse(whole)
    return status


def _refuse(text: str) -> NoReturn:
    if "LLM_UNKNOWN_ERROR" in text.upper():
        raise ValueError(
            f"{_shown(text)} is no status: it is the official Python enum's -1, for codes that the enum does not list,"
            " while the -1 of a native call is LLM_FAILED (0xFFFFFFFF); look for the number in the native log"
        )
    near = _near(text)
    raise ValueError(f"{_shown(text)} is no status: {f'did you mean {near}?' if near else _EXPECTED}")


def _near(text: str) -> str:
    words = re.findall(r"[A-Za-z_]+", text[-80:])
    if not words or len(text) > 80:
        return ""
    from difflib import get_close_matches

    folded = {name.casefold(): name for name in BY_NAME}
    return " or ".join(folded[name] for name in get_close_matches(words[-1].casefold(), folded, cutoff=0.75))


def _shown(text: str) -> str:
    return ascii(text if len(text) <= 80 else text[:77] + "...")
