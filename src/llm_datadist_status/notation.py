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
_QUALIFIED = re.compile(
    r"(?:(?:::)?(?:llm_datadist|ge)::|(?:llm_datadist\.)?LLMStatusCode\.|(?:llm_datadist_status\.)?Status\.)(?P<name>.+)"
)
_RETYPED = re.compile(r"(?:LLMStatusCode\.)?(?P<name>LLM[ _][A-Z_ ]+)", re.ASCII | re.IGNORECASE)
_LABEL = re.compile(LABEL)

_EXPECTED = {
    "en": "expected a number (1343270921, 0x5010B009, 5010b009, -1) or a name (LLM_LINK_FAILED), perhaps behind a label"
    " (ret = ...)",
    "zh": "应为数值（1343270921、0x5010B009、5010b009、-1）或名称（LLM_LINK_FAILED），前面可带标签（ret = ...）",
}
_TOO_LARGE = {
    "en": "expected 32 bits, from -2147483648 to 4294967295 (0xFFFFFFFF)",
    "zh": "应为32位数值，即-2147483648至4294967295（0xFFFFFFFF）",
}
_UNKNOWN_ERROR = {
    "en": "it is the official Python enum's -1, for codes that the enum does not list, while the -1 of a native call is"
    " LLM_FAILED (0xFFFFFFFF); look for the number in the native log",
    "zh": "它是官方Python枚举中的-1，表示枚举未收录的错误码；而C++接口返回的-1是LLM_FAILED（0xFFFFFFFF）。"
    "请到native日志中查找实际数值",
}


class NotAStatusError(ValueError):
    """What was given is no status; ``in_language`` has the text in either language."""

    def __init__(self, given: str, reasons: Mapping[str, str]) -> None:
        super().__init__(given, reasons)
        self.given = given
        self.reasons = reasons

    def in_language(self, lang: str) -> str:
        """One sentence: what was given, and what was expected; ``lang`` is "en" or "zh"."""
        shown = repr(self.given if len(self.given) <= 80 else self.given[:77] + "...")
        return (
            f"{shown}不是错误码：{self.reasons['zh']}"
            if lang == "zh"
            else f"{shown} is not a status code: {self.reasons['en']}"
        )

    def __str__(self) -> str:
        return self.in_language("en")


def parse(value: object) -> Status | UnknownStatus:
    """The status that ``value`` is: a ``Status``, or an ``UnknownStatus`` for a 32-bit value that is no member.

    ``value`` is an int from -2147483648 (read as signed 32-bit) to 4294967295, or a string that is a status in a form
    found in logs and sources: decimal, hexadecimal, a name or another spelling of it, an enum member or its repr, a
    qualified C++ name, any of these after a label such as ``ErrorNo:`` or ``ret =``. A member of the official enum is
    read by its name.

    ValueError for what is no status, with near names where there are some, and TypeError for what is neither int nor
    str (bool and float included).
    """
    if type(value) is int:
        try:
            return BY_VALUE[value]
        except KeyError:
            pass
    if isinstance(value, (Status, UnknownStatus)):
        return value
    if isinstance(value, Enum) and _is_official(value):
        return _official(value)
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise TypeError(f"a status is an int or a str, not {type(value).__name__}")
    return from_value(int(value)) if isinstance(value, int) else _read(value)


def aliases(status: Status | UnknownStatus) -> tuple[str, ...]:
    """The other names and spellings of a status."""
    return tuple(name for name, other in BY_NAME.items() if other is status and name != getattr(status, "name", None))


def _is_official(member: Enum) -> bool:
    """Whether it is a member of the official ``LLMStatusCode``, or of an enum that agrees with the header on it."""
    if type(member).__name__ == "LLMStatusCode":
        return True
    status = BY_NAME.get(member.name)
    return status is not None and isinstance(member.value, int) and BY_VALUE.get(member.value) is status


def _official(member: Enum) -> Status | UnknownStatus:
    """A member by its name: the number of LLM_UNKNOWN_ERROR is -1, which would be LLM_FAILED.

    A name that is not known here leaves the number, which is never lost.
    """
    known = member.name in BY_NAME or member.name == "LLM_UNKNOWN_ERROR" or not isinstance(member.value, int)
    return _named(member.name, member.name) if known else from_value(int(member.value))


def _read(given: str) -> Status | UnknownStatus:
    text = _unlabelled(given.strip())
    for read in (_number, _repr):
        status = read(text, given)
        if status is not None:  # not "or": LLM_SUCCESS is false
            return status
    return _named(text, given)


def _unlabelled(text: str) -> str:
    """The value without the label before it, the brackets around it and the description in brackets after it."""
    label = _LABEL.match(text)
    if label is None:
        return text
    value, described, description = text[label.end() :].partition("(")
    if described and not description.endswith(")"):
        return text
    if label[0].endswith("["):
        value, closed, rest = value.partition("]")
        if not closed or rest.strip():
            return text
    return value.strip()


def _number(text: str, given: str) -> Status | UnknownStatus | None:
    number = _NUMBER.fullmatch(text)
    if number is None:
        return None
    base = 10 if number["decimal"] else 16
    sign, digits = text.startswith("-"), text.rstrip("uU").lstrip("-").removeprefix("0x").removeprefix("0X").lstrip("0")
    # A long number is refused unconverted: converting takes time and has a limit of its own.
    value = int(digits or "0", base) * (-1 if sign else 1) if len(digits) <= 10 else None
    if value is None or not -(1 << 31) <= value < 1 << 32:
        raise NotAStatusError(given, _TOO_LARGE)
    return from_value(value)


def _repr(text: str, given: str) -> Status | UnknownStatus | None:
    match = _REPR.fullmatch(text)
    if match is None:
        return None
    number = _number(match["number"].strip(), given)
    if number is None:
        _refuse(given)
    if match["name"] == UnknownStatus.__name__:
        return number
    named = _named(match["name"], given)
    if named != number:
        reasons = {
            "en": f"{named} is {named.hex}, not {number.hex}",
            "zh": f"{named}的值是{named.hex}，不是{number.hex}",
        }
        raise NotAStatusError(given, reasons)
    return named


def _named(text: str, given: str) -> Status:
    qualified, retyped = _QUALIFIED.fullmatch(text), _RETYPED.fullmatch(text)
    name = qualified["name"] if qualified else text
    folded = retyped["name"].replace(" ", "_") if retyped else name
    # Folding makes an S of a long s, which no header has: only ASCII is folded.
    status = BY_NAME.get(name, _BY_FOLDED_NAME.get(folded.casefold()) if folded.isascii() else None)
    if status is None:
        _refuse(given)
    return status


def _refuse(given: str) -> NoReturn:
    if "LLM_UNKNOWN_ERROR" in given.upper():
        raise NotAStatusError(given, _UNKNOWN_ERROR)
    near = _near(given)
    if near:
        reasons = {"en": f"did you mean {' or '.join(near)}?", "zh": f"是否指{'或'.join(near)}？"}
        raise NotAStatusError(given, reasons)
    raise NotAStatusError(given, _EXPECTED)


def _near(given: str) -> list[str]:
    words = re.findall(r"[A-Za-z_]+", given) if len(given) <= 80 else []
    if not words:
        return []
    from difflib import get_close_matches

    folded = {name.casefold(): name for name in BY_NAME}
    return [folded[name] for name in get_close_matches(words[-1].casefold(), folded, cutoff=0.75)]
