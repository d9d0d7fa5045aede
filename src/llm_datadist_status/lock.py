"""A snapshot of a header for review in a diff: the codes, and what else may move when a toolkit is upgraded."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from .header import Constant, read_facts
from .parity import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SCHEMA = 1


class LockError(Exception):
    """The lock cannot be read or written; the text is one clear sentence."""


class Drift:
    """Something beside the codes that differs from the lock: an include line, an option, or a default argument."""

    severity = "warning"

    def __init__(self, kind: str, name: str, old: str | None, new: str | None) -> None:
        self.kind = kind
        self.name = name
        self.old = old
        self.new = new

    def to_dict(self) -> dict[str, object]:
        """The drift as JSON's types."""
        return {"kind": self.kind, "name": self.name, "old": self.old, "new": self.new, "severity": self.severity}


class Lock:
    """What a lock file holds: the codes, and facts of three kinds, each a name and a text."""

    def __init__(self, codes: Mapping[str, int], facts: Mapping[str, Mapping[str, str]]) -> None:
        self.codes = codes
        self.facts = facts

    def source(self, path: str) -> Source:
        """The codes of the lock as a source for the comparison."""
        return Source(f"lock:{path}", [Constant(name, value, "", 0) for name, value in self.codes.items()])

    def drift(self, now: Lock) -> list[Drift]:
        """What has moved since, beside the codes."""
        moved = []
        for kind, facts in self.facts.items():
            names = dict.fromkeys([*facts, *now.facts[kind]])
            pairs = [(name, facts.get(name), now.facts[kind].get(name)) for name in names]
            moved += [Drift(kind, name, old, new) for name, old, new in pairs if old != new]
        return moved


def take(header: Source, path: str, include_dirs: Sequence[str] = ()) -> Lock:
    """The lock of a header that was read completely as ``header``; LockError where it was not.

    Raises:
        HeaderError: the header's other facts cannot be read.
    """
    if header.undecided or not header.constants:
        raise LockError(f"no lock can be made of {path}: not all of its codes can be read")
    facts = read_facts(path, include_dirs)
    codes = {name: constant.value for name, constant in header.constants.items() if constant.value is not None}
    return Lock(
        codes,
        {
            "include": dict.fromkeys(facts.includes, "included"),
            "option": facts.options,
            "default": {
                f"{call}({name})": value for call, named in facts.defaults.items() for name, value in named.items()
            },
        },
    )


def write(path: str, lock: Lock) -> None:
    """Write a lock: JSON in a stable order, one fact a line; LockError where the file cannot be written."""
    document = {
        "schema": _SCHEMA,
        "codes": {name: f"0x{value:08X}" for name, value in sorted(lock.codes.items(), key=lambda item: item[::-1])},
        "includes": sorted(lock.facts["include"]),
        "options": dict(sorted(lock.facts["option"].items())),
        "defaults": dict(sorted(lock.facts["default"].items())),
    }
    beside = Path(f"{path}.new")  # a full disk must not cost the old lock
    try:
        beside.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        os.replace(beside, path)  # noqa: PTH105 - path may be any name, also of a folder, of which this says why not
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise LockError(f"cannot write the lock {path}: {error.strerror}") from error


def read(path: str) -> Lock:
    """Read a lock that ``write`` wrote; LockError with what is wrong and what would be right."""
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise LockError(f"cannot read the lock {path}: {error.strerror} (--update writes one)") from error
    except (ValueError, RecursionError) as error:
        raise LockError(f"{path} is no lock: expected JSON (--update writes one)") from error
    if not isinstance(document, dict) or document.get("schema") is not _SCHEMA:
        raise LockError(
            f"{path} is no lock of this version: expected an object of schema {_SCHEMA} (--update writes one)"
        )
    includes = document.get("includes")
    if not isinstance(includes, list) or not all(isinstance(spelled, str) for spelled in includes):
        raise LockError(f"{path} is no lock: expected 'includes' to be a list of texts (--update writes one)")
    texts = {key: _texts(document, key, path) for key in ("codes", "options", "defaults")}
    for name, value in texts["codes"].items():
        if not re.fullmatch(r"0x[0-9A-F]{8}", value):
            raise LockError(f"{path} is no lock: expected {name} to be like '0x5010B009', not {value!r}")
    return Lock(
        {name: int(value, 16) for name, value in texts["codes"].items()},
        {"include": dict.fromkeys(includes, "included"), "option": texts["options"], "default": texts["defaults"]},
    )


def _texts(document: dict[str, object], key: str, path: str) -> dict[str, str]:
    texts = document.get(key)
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        raise LockError(f"{path} is no lock: expected {key!r} to be an object of texts (--update writes one)")
    return texts
