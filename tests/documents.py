"""The examples in the documents, to be run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any


def blocks(path: Path, language: str) -> list[str]:
    """The fenced blocks of a ``language`` in a Markdown file, in their order."""
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [text for said, text in fenced if said == language]


def example(path: Path, holding: str, **names: object) -> dict[str, Any]:
    """Run the one block of Python that holds this text, with ``names`` in sight; the names afterwards."""
    (block,) = (block for block in blocks(path, "python") if holding in block)
    exec(compile(block, str(path), "exec"), names)
    return names
