"""The codes of the official Python package, read in a child process, since its native libraries may crash."""

from __future__ import annotations

import json
import re
import subprocess
import sys

from .header import Constant, Undecided
from .notation import SPELLINGS
from .parity import Source

_TIMEOUT = 120  # seconds
_MARK = "llm-datadist-status:"

# Runs in the child, and means the installed package, not a folder of its name that happens to lie here. The package may
# print what it likes; the answer is the line behind the mark.
_SCRIPT = f"""
import sys
sys.path[:] = [path for path in sys.path if path]
import json
import llm_datadist
official = getattr(llm_datadist, "LLMStatusCode", None)
if official is None:
    from llm_datadist.status import LLMStatusCode as official
members = {{name: member.value for name, member in official.__members__.items()}}
print("\\n{_MARK}" + json.dumps(members, default=repr), flush=True)
"""


def package() -> Source:
    """The members of ``LLMStatusCode``, each under the header's name for it where it has another there.

    LLM_UNKNOWN_ERROR is no status and becomes a remark. What keeps the package from being read, a crash included, is
    told in ``undecided``.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-c", _SCRIPT],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _unread(f"importing llm_datadist did not end within {_TIMEOUT} seconds")
    _, mark, answer = done.stdout.rpartition(f"\n{_MARK}")
    if not mark:
        said = [line for line in done.stderr.splitlines() if re.match(r"[\w.]*(?:Error|Exception)\b", line)]
        return _unread(
            f"importing llm_datadist failed: {said[-1] if said else f'it ended with status {done.returncode}'}"
        )
    try:
        members = json.loads(answer.splitlines()[0])
    except (ValueError, IndexError):
        return _unread("the child process that imported llm_datadist did not answer")
    return _source(members)


def _unread(reason: str) -> Source:
    return Source("package", None, [Undecided("", None, reason)])


def _source(members: dict[str, object]) -> Source:
    constants: dict[str, Constant] = {}
    undecided, remarks = [], []
    for spelled, value in members.items():
        name = SPELLINGS.get(spelled, spelled)
        if name == "LLM_UNKNOWN_ERROR":
            remarks.append(f"package: {name} = {value} is the official enum's own and no status of the header")
        elif not isinstance(value, int) or not -(1 << 31) <= value < 1 << 32:
            undecided.append(Undecided("", None, f"{spelled} has the value {value!r}, which is no 32-bit number"))
        elif constants.setdefault(name, Constant(name, value % (1 << 32), "", 0)).value != value % (1 << 32):
            undecided.append(Undecided("", None, f"{name} has two values under two spellings"))
    return Source("package", constants.values(), undecided, remarks=remarks)
