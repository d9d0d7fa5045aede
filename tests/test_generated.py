"""What is generated and committed is up to date."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import generate


@pytest.mark.parametrize("path", generate.generated(), ids=lambda path: path.name)
def test_a_generated_file_is_up_to_date(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == generate.generated()[path], "run python -m tests.generate"
