"""A snapshot of a header for review in a diff: the codes, and what else may move when a toolkit is upgraded."""

from __future__ import annotations

import json
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
    try:
        Path(path).write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise LockError(f"cannot write the lock {path}: {error.strerror}") from error


def read(path: str) -> Lock:
    """Read a lock that ``write`` wrote; LockError with what is wrong and what would be right."""
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
        if document["schema"] != _SCHEMA:
            raise LockError(
                f"the lock {path} has schema {document['schema']!r}, expected {_SCHEMA}: write it anew with --update"
            )
        codes = {str(name): int(value, 16) for name, value in document["codes"].items()}
        facts = {
            "include": {str(spelled): "included" for spelled in document["includes"]},
            "option": {str(name): str(value) for name, value in document["options"].items()},
            "default": {str(name): str(value) for name, value in document["defaults"].items()},
        }
    except OSError as error:
        raise LockError(f"cannot read the lock {path}: {error.strerror} (write one with --update)") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise LockError(f"{path} is no lock of this command: {error} (write one with --update)") from error
    return Lock(codes, facts)
