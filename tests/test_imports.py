"""What importing costs: which modules each import adds to a fresh process, and what the package shows."""

from __future__ import annotations

import subprocess
import sys

import pytest

import llm_datadist_status

from .conftest import environment

PACKAGE = "llm_datadist_status"


def added_by(statement: str) -> set[str]:
    """The modules that ``statement`` adds to a fresh process, beside those that ``enum`` needs."""
    script = f"import sys, enum; before = set(sys.modules); {statement}; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run(
        [sys.executable, "-I", "-c", script], capture_output=True, encoding="utf-8", env=environment(), check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("statement", "modules"),
    [
        (f"import {PACKAGE}", {""}),
        (f"from {PACKAGE} import _native", {"", "._native"}),
        (f"from {PACKAGE} import Status", {"", "._native", ".status"}),
        (
            f"from {PACKAGE} import Status; Status.LLM_TIMEOUT.hex, f'{{Status.LLM_TIMEOUT}}'",
            {"", "._native", ".status"},
        ),
        (f"from {PACKAGE} import header_info; header_info()", {"", "._native", ".status"}),
        (
            f"from {PACKAGE} import Status; Status.LLM_TIMEOUT.description(), Status.LLM_TIMEOUT.recoverable",
            {"", "._native", ".status", ".catalog", "__future__"},
        ),
    ],
)
def test_an_import_loads_no_more_than_it_must(statement: str, modules: set[str]) -> None:
    assert added_by(statement) == {module if module[:2] == "__" else PACKAGE + module for module in modules}


@pytest.mark.parametrize(
    "statement",
    [
        f"from {PACKAGE} import advise; advise('LLM_TIMEOUT', 'pull_blocks')",
        f"from {PACKAGE} import parse; parse('ErrorNo: 1343270921').explain('zh')",
    ],
)
def test_the_library_needs_no_other_wheel(statement: str) -> None:
    tops = {name.partition(".")[0] for name in added_by(statement)}
    assert tops <= {PACKAGE} | sys.stdlib_module_names


def test_the_official_package_is_never_imported() -> None:
    statement = f"import {PACKAGE} as p; [getattr(p, name) for name in p.__all__]; import {PACKAGE}.cli"
    assert "llm_datadist" not in {name.partition(".")[0] for name in added_by(statement)}


def test_explaining_into_a_pipe_draws_nothing() -> None:
    script = (
        "import sys; sys.argv = ['llm-datadist-status', 'explain', '0x5010B009']\n"
        "from llm_datadist_status.__main__ import main\n"
        "try: main()\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, encoding="utf-8", env=environment(), check=True
    )
    assert not {"rich", "json", "difflib", "csv", f"{PACKAGE}.scan"} & set(done.stderr.split())


@pytest.mark.parametrize("code", ["0x5010B009", "PullKvBlocks gave up, ret = 1343270921"])
def test_explaining_does_not_load_the_kernel_of_scan(code: str) -> None:
    statement = (
        f"import sys; sys.argv = ['x', 'explain', {code!r}]; from {PACKAGE}.cli import main; main(standalone_mode=0)"
    )
    assert f"{PACKAGE}._scan" not in added_by(statement)


def test_every_public_name_is_there_and_listed() -> None:
    for name in llm_datadist_status.__all__:
        public = getattr(llm_datadist_status, name)
        assert getattr(public, "__module__", public.__name__).startswith(f"{PACKAGE}.")
    assert set(llm_datadist_status.__all__) <= set(dir(llm_datadist_status))


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Statuses'"):
        llm_datadist_status.Statuses  # noqa: B018
