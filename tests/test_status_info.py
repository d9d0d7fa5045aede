"""``status_info.hpp``: it compiles everywhere without a warning, and answers what the Python package answers."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from llm_datadist_status import Status, UnknownStatus, __version__, advise, get_cmake_dir, get_include
from llm_datadist_status.calls import CPP_CALLS

from . import toolkits
from .conftest import ROOT, environment
from .documents import blocks

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
UNKNOWN = UnknownStatus(0x5010B0FF)

COMPILERS = [
    pytest.param(name, marks=pytest.mark.skipif(shutil.which(name) is None, reason=f"needs {name} on the path"))
    for name in ("g++", "clang++")
]
needs_gcc = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ on the path")
needs_cmake = pytest.mark.skipif(shutil.which("cmake") is None, reason="needs cmake on the path")

# Prints everything about each status, for each call.
PROGRAM = """\
#include <cstdio>

#include "llm_datadist_status/status_info.hpp"

using namespace llm_datadist_status;

static_assert(name(llm_datadist::LLM_SUCCESS)[4] == 'S', "a constant");
static_assert(description(llm_datadist::LLM_SUCCESS)[0] == 'T', "a constant");
static_assert(recoverable(llm_datadist::LLM_TIMEOUT) == Recoverable::No, "a constant");
static_assert(action(llm_datadist::LLM_ALREADY_LINK, Call::LinkLlmClusters) == Action::None, "a constant");
static_assert(remedy(llm_datadist::LLM_SUCCESS)[0] == 'N', "a constant");
static_assert(name(Action::None)[0] == 'N', "a constant");
static_assert(noexcept(StatusText(0U).c_str()), "no exception");
static_assert(noexcept(name(action(0U))) && noexcept(remedy(0U)), "no exception");
static_assert(noexcept(name(0U)) && noexcept(description(0U)) && noexcept(recoverable(0U)), "no exception");

int main() {
  const llm_datadist::Status statuses[] = {STATUSES};
  const Call calls[] = {CALLS};
  const char* const recoverables[] = {"None", "False", "True"};
  for (llm_datadist::Status status : statuses) {
    std::printf("%s\\t%s\\t%s\\t%s\\n", StatusText(status).c_str(), name(status), description(status),
                recoverables[static_cast<int>(recoverable(status))]);
    std::printf("%s\\t%s\\n", name(action(status)), remedy(status));
    for (Call call : calls) {
      std::printf("%s\\t%s\\n", name(action(status, call)), remedy(status, call));
    }
  }
}
"""


def program() -> str:
    statuses = [*(f"llm_datadist::{status.name}" for status in Status), f"{UNKNOWN.hex}U"]
    calls = ["Call::Any", *(f"Call::{call}" for call in CPP_CALLS)]
    return PROGRAM.replace("STATUSES", ", ".join(statuses)).replace("CALLS", ", ".join(calls))


def expected() -> str:
    """What the program prints, by the Python package."""
    lines = []
    for status in (*Status, UNKNOWN):
        name, description = str(status), status.description()
        if isinstance(status, UnknownStatus):
            name, description = "unknown status", "No status code with this value is known."
        lines.append(f"{name} ({status.hex})\t{name}\t{description}\t{status.recoverable}")
        for call in (None, None, *CPP_CALLS):  # left out, Call::Any, and each call
            advice = advise(status, call)
            lines.append(f"{advice.action.name}\t{' '.join(advice.steps())}")
    return "".join(f"{line}\n" for line in lines)


@pytest.fixture
def bundled(tmp_path: Path) -> Path:
    """An include tree with the bundled header and nothing else."""
    tree = tmp_path / "bundled"
    shutil.copytree(ROOT / "cpp" / "include" / "llm_datadist", tree / "llm_datadist")
    return tree


def toolkit(folder: Path, codes: list[str]) -> Path:
    """An include tree in the form of a toolkit's, with these declarations of codes."""
    return toolkits.make(folder / "toolkit", *toolkits.SHAPES["new name, there"], codes) / "include"


def document(lang: str) -> Path:
    return ROOT / "docs" / lang / "cpp.md"


def compile_and_run(
    code: str, include: Path, standard: str = "c++11", compiler: str = "g++"
) -> subprocess.CompletedProcess[str]:
    """The run of ``code`` against the header in ``include``; the compiler's own where it does not compile."""
    binary = include / "program"
    source = binary.with_suffix(".cpp")
    source.write_text(code, encoding="utf-8")
    places = ["-I", get_include(), "-isystem", str(include)]
    compiled = subprocess.run(
        [compiler, f"-std={standard}", *WARNINGS, *places, str(source), "-o", str(binary)],
        capture_output=True, encoding="utf-8", env=environment(), check=False,
    )  # fmt: skip
    if compiled.returncode:
        return compiled
    return subprocess.run([binary], capture_output=True, encoding="utf-8", check=False)


@pytest.mark.parametrize("standard", ["c++11", "c++14", "c++17", "c++20"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_program_says_what_the_python_package_says(bundled: Path, compiler: str, standard: str) -> None:
    done = compile_and_run(program(), bundled, standard, compiler)
    assert done.returncode == 0, done.stderr
    assert done.stdout == expected()


SHOW = """\
#include <cstdio>
#include "llm_datadist_status/status_info.hpp"
int main() { std::puts(llm_datadist_status::StatusText(llm_datadist::%s).c_str()); }
"""


@needs_gcc
def test_every_value_is_that_of_the_toolkit(tmp_path: Path) -> None:
    moved = toolkit(tmp_path, [code.replace("0x5010B", "0x5010C") for code in toolkits.plain_codes()])
    done = compile_and_run(program(), moved)
    assert done.returncode == 0, done.stderr
    assert done.stdout == expected().replace("(0x5010B", "(0x5010C").replace("(0x5010C0FF)", f"({UNKNOWN.hex})")


@needs_gcc
def test_of_two_names_with_one_value_the_first_is_told(tmp_path: Path) -> None:
    shared = toolkit(tmp_path, [code.replace("0x5010B01A", "0x5010B001") for code in toolkits.plain_codes()])
    assert compile_and_run(SHOW % "LLM_TIMEOUT", shared).stdout == "LLM_WAIT_PROC_TIMEOUT (0x5010B001)\n"


@needs_gcc
def test_a_code_that_is_newer_than_the_catalogue_is_unknown_and_keeps_its_value(tmp_path: Path) -> None:
    newer = toolkit(tmp_path, [*toolkits.plain_codes(), "constexpr Status LLM_PEER_LOST = 0x5010B01DU;"])
    assert compile_and_run(SHOW % "LLM_PEER_LOST", newer).stdout == "unknown status (0x5010B01D)\n"


@needs_gcc
def test_a_header_that_lacks_a_name_does_not_compile_and_the_compiler_says_which(tmp_path: Path) -> None:
    older = toolkit(tmp_path, [code for code in toolkits.plain_codes() if "LLM_LINK_BUSY" not in code])
    done = compile_and_run(SHOW % "LLM_TIMEOUT", older)
    assert done.returncode != 0
    assert "LLM_LINK_BUSY" in done.stderr


@needs_gcc
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_example_of_the_document_compiles_and_prints_what_it_shows(bundled: Path, lang: str) -> None:
    (example,) = blocks(document(lang), "cpp")
    main = "\nint main() { return must_relink(llm_datadist::LLM_WAIT_PROC_TIMEOUT) ? 0 : 1; }\n"
    done = compile_and_run(example + main, bundled)
    assert done.returncode == 0, done.stderr
    assert done.stderr in blocks(document(lang), "")


@needs_cmake
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_cmake_finds_the_installed_package_as_the_document_says(tmp_path: Path, bundled: Path, lang: str) -> None:
    (commands,) = blocks(document(lang), "cmake")
    (example,) = blocks(document(lang), "cpp")
    (tmp_path / "engine.cpp").write_text(example, encoding="utf-8")
    # A second file that includes the header: its functions may be in both.
    (tmp_path / "main.cpp").write_text(
        '#include "llm_datadist_status/status_info.hpp"\n'
        "bool must_relink(llm_datadist::Status status);\n"
        "int main() { return must_relink(llm_datadist::LLM_SUCCESS) || *llm_datadist_status::name(1U) != 'u'; }\n"
    )
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\n"
        "project(engine LANGUAGES CXX)\n"
        "add_executable(engine engine.cpp main.cpp)\n"
        f'target_include_directories(engine PRIVATE "{bundled}")\n{commands}'
    )
    build = tmp_path / "build"
    cmake("-S", tmp_path, "-B", build, f"-Dllm_datadist_status_DIR={get_cmake_dir()}")
    cmake("--build", build)
    subprocess.run([build / "engine"], capture_output=True, check=True)


@needs_cmake
def test_a_moved_package_is_found_by_its_prefix_with_its_version(tmp_path: Path) -> None:
    package = tmp_path / "moved" / "llm_datadist_status"
    for folder in (get_include(), get_cmake_dir()):
        shutil.copytree(folder, package / Path(folder).name)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\n"
        "project(engine LANGUAGES NONE)\n"
        f"find_package(llm_datadist_status {__version__} CONFIG REQUIRED)\n"
        "get_target_property(include llm_datadist_status::status_info INTERFACE_INCLUDE_DIRECTORIES)\n"
        'message(STATUS "include: ${include}")\n'
    )
    found = cmake("-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={tmp_path / 'moved'}")
    assert f"-- include: {package / 'include'}\n" in found


def cmake(*args: str | Path) -> str:
    done = subprocess.run(["cmake", *args], capture_output=True, encoding="utf-8", env=environment(), check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_no_header_of_the_toolkit_is_installed() -> None:
    assert [path.name for path in Path(get_include()).iterdir()] == ["llm_datadist_status"]
