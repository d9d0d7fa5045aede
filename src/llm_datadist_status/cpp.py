"""Where the header for C++ authors and its CMake package lie in the installed package."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def get_include() -> str:
    """The folder to give to a C++ compiler for ``#include "llm_datadist_status/status_info.hpp"``.

    The header includes ``llm_datadist/llm_datadist.h``, which is not there: it is the toolkit's.
    """
    return str(_PACKAGE / "include")


def get_cmake_dir() -> str:
    """The folder of the CMake package: the value of ``llm_datadist_status_DIR`` for ``find_package``."""
    return str(_PACKAGE / "cmake")
