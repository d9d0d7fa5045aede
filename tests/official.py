"""Stand-ins for the official package's enum and exception, in the shape that its two generations have."""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import Any


class _Old(Enum):
    LLM_SUCCESS = 0
    LLM_FAILED = 4294967295
    LLM_LINK_FAILED = 1343270921
    LLM_WAIT_PROCESS_TIMEOUT = 1343270913
    LLM_UNKNOWN_ERROR = -1
    LLM_NEW = 5


class _New(IntEnum):
    LLM_SUCCESS = 0
    LLM_FAILED = 4294967295
    LLM_LINK_FAILED = 1343270921
    LLM_WAIT_PROCESS_TIMEOUT = 1343270913
    LLM_UNKNOWN_ERROR = -1
    LLM_NEW = 5


_Old.__name__ = _New.__name__ = "LLMStatusCode"

GENERATIONS: list[Any] = [_Old, _New]


class LLMException(Exception):  # noqa: N818 - the official name
    """Says success unless it is told otherwise."""

    def __init__(self, message: str, status_code: object = _New.LLM_SUCCESS) -> None:
        super().__init__(message)
        self._status_code = status_code

    @property
    def status_code(self) -> object:
        return self._status_code
