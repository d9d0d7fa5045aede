"""Where the header for C++ authors and its CMake package lie in the installed package."""

from __future__ import annotations

import sys
from pathlib import Path


def get_include() -> str:
    """The folder to give to a C++ compiler for ``#include "llm_datadist_status/status_info.hpp"``.

    The header includes ``llm_datadist/llm_datadist.h``, which is not there: it is the toolkit's. FileNotFoundError
    where the package is not installed.
    """
    return _installed("include")


def get_cmake_dir() -> str:
    """The folder of the CMake package: the value of ``llm_datadist_status_DIR`` for ``find_package``.

    FileNotFoundError where the package is not installed.
    """
    return _installed("cmake")


def _installed(name: str) -> str:
    # An editable installation has a place for the sources and one for what the build installed.
    folders = [Path(place) / name for place in sys.modules[__package__ or ""].__path__]
    found = next((folder for folder in folders if folder.is_dir()), None)
    if found is None:
        raise FileNotFoundError(f"there is no {folders[0]}: it comes with an installed {__package__}")
    return str(found)
