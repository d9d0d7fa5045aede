"""The independent second reader of a header: the C++ compiler's own list of names and values."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import pytest

from llm_datadist_status.exact import compiler, read_exact

needs_compiler = pytest.mark.skipif(
    shutil.which(compiler()[0]) is None or importlib.util.find_spec("elftools") is None,
    reason="comparing with the compiler takes a C++ compiler and pyelftools",
)


def as_compiled(path: Path) -> dict[str, int | None]:
    """Names and values of a header that the compiler takes."""
    reading = read_exact(path)
    assert reading.undecided == ()
    return {constant.name: constant.value for constant in reading.constants}
