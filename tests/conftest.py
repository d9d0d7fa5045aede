"""What several test modules use."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run() -> Run:
    """Runs the command with these arguments; English, no colour and no terminal unless ``env`` says otherwise."""

    def run(*args: str, stdin: str = "", env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "llm_datadist_status", *args],
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            env=environment(**(env or {})),
            timeout=60,
            check=False,
        )

    return run


def environment(**changes: str) -> dict[str, str]:
    """This process's environment without what chooses a language, colour, toolkit or compiler, and with ``changes``."""
    chosen = {"LLM_DATADIST_STATUS_LANG", "NO_COLOR", "FORCE_COLOR", "LC_ALL", "LC_MESSAGES", "LANG", "TERM"}
    chosen |= {"ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME", "CXX"}
    kept = {name: value for name, value in os.environ.items() if name not in chosen}
    return {**kept, "PYTHONUTF8": "1", **changes}
