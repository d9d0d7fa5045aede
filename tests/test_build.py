"""The build: from a header to a module, through CMake alone."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import llm_datadist_status

from . import toolkits
from .conftest import ROOT, Run, environment

HEADER = ROOT / "cpp" / "include" / "llm_datadist" / "llm_datadist.h"

pytestmark = [
    pytest.mark.skipif(shutil.which("cmake") is None, reason="needs cmake on the path"),
    pytest.mark.skipif(importlib.util.find_spec("pybind11") is None, reason="needs pybind11 (the extra 'check')"),
]


class Project:
    """A build tree against an include tree of its own."""

    def __init__(self, folder: Path, text: str) -> None:
        self.build_dir = folder / "build"
        self.header = folder / "include" / "llm_datadist" / "llm_datadist.h"
        self.header.parent.mkdir(parents=True)
        self.header.write_text(text)

    def configure(self, *definitions: str, **env: str) -> subprocess.CompletedProcess[str]:
        import pybind11

        return _cmake(
            "-S", str(ROOT), "-B", str(self.build_dir), "-DSKBUILD_PROJECT_VERSION=9.8.7", "-DLLM_DATADIST_WERROR=ON",
            f"-DPython_EXECUTABLE={sys.executable}", f"-Dpybind11_DIR={pybind11.get_cmake_dir()}",
            "-DCMAKE_BUILD_TYPE=MinSizeRel", *definitions, **env,
        )  # fmt: skip

    def build(self) -> subprocess.CompletedProcess[str]:
        return _cmake("--build", str(self.build_dir))

    def module(self) -> dict[str, object]:
        """The attributes of the module that was built."""
        script = "import _native, json; print(json.dumps(vars(_native), default=str))"
        done = subprocess.run(
            [sys.executable, "-c", script], cwd=self.build_dir, capture_output=True, encoding="utf-8", check=True
        )
        attributes = json.loads(done.stdout)
        assert isinstance(attributes, dict)
        return attributes

    def compilations(self) -> int:
        """How many times the extension has been compiled: its object file's time of change tells them apart."""
        return next(self.build_dir.rglob("native.cpp.o")).stat().st_mtime_ns


def _cmake(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["cmake", *args], capture_output=True, encoding="utf-8", env=environment(**env), check=False)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path, HEADER.read_text())


def include_dir(project: Project) -> str:
    return f"-DLLM_DATADIST_INCLUDE_DIR={project.header.parent.parent}"


def test_changing_the_header_rebuilds_and_a_second_build_does_nothing(project: Project) -> None:
    assert project.configure(include_dir(project)).returncode == 0
    first = project.build()
    assert first.returncode == 0, first.stdout + first.stderr
    built = project.compilations()

    again = project.build()
    assert again.returncode == 0
    assert project.compilations() == built
    assert "Reading the names" not in again.stdout

    text = project.header.read_text()
    project.header.write_text(
        text.replace("LLM_LINK_BUSY = 0x5010B01BU", "LLM_LINK_BUSY = 0x5010B01DU, LLM_LINK_DOWN = LLM_LINK_FAILED")
    )
    third = project.build()
    assert third.returncode == 0, third.stdout + third.stderr
    module = project.module()
    assert module["LLM_LINK_BUSY"] == 0x5010B01D
    # Names that share a value are all there, in the header's order.
    assert module["LLM_LINK_DOWN"] == module["LLM_LINK_FAILED"] == 0x5010B009
    table = module["__constants__"]
    assert isinstance(table, list)
    assert [name for name, _ in table] == re.findall(r"\b(LLM_\w+) =", project.header.read_text())


def test_the_module_says_which_header_it_was_compiled_from(project: Project) -> None:
    assert project.configure(include_dir(project)).returncode == 0
    assert project.build().returncode == 0
    module = project.module()
    assert module["__version__"] == "9.8.7"
    header = module["__header__"]
    assert isinstance(header, list)
    assert (header[0], header[2]) == ("cann", str(project.header))


@pytest.mark.parametrize("variable", ["ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"])
def test_the_toolkit_is_found_by_its_variable_where_that_is_asked_for(project: Project, variable: str) -> None:
    toolkit = str(project.header.parent.parent.parent)
    done = project.configure("-DLLM_DATADIST_FROM_CANN=ON", **{variable: toolkit})
    assert done.returncode == 0, done.stderr


def test_a_toolkit_that_is_not_there_is_a_clear_error(project: Project) -> None:
    done = project.configure("-DLLM_DATADIST_FROM_CANN=ON", ASCEND_HOME_PATH="")
    assert done.returncode != 0
    assert "needs ASCEND_HOME_PATH or ASCEND_TOOLKIT_HOME" in " ".join(done.stderr.split())
    done = project.configure("-DLLM_DATADIST_FROM_CANN=OFF", f"-DLLM_DATADIST_INCLUDE_DIR={project.build_dir}")
    assert done.returncode != 0
    assert "There is no" in done.stderr


def test_what_the_reader_cannot_decide_stops_the_build_with_file_and_line(project: Project) -> None:
    text = project.header.read_text().replace("constexpr Status LLM_TIMEOUT", "constexpr mystery::Type LLM_TIMEOUT")
    project.header.write_text(text)
    line = text[: text.index("mystery")].count("\n") + 1
    assert project.configure(include_dir(project)).returncode == 0
    done = project.build()
    assert done.returncode != 0
    assert f"{project.header}:{line}: error: " in done.stdout + done.stderr


def test_a_constant_of_another_type_does_not_compile(project: Project) -> None:
    text = project.header.read_text().replace("using Status = std::uint32_t", "using Status = std::int32_t")
    project.header.write_text(text.replace("0xFFFFFFFFU", "-1"))
    assert project.configure(include_dir(project)).returncode == 0
    done = project.build()
    assert done.returncode != 0


# Toolkits.


def installed_with(project: Project, folder: Path) -> str:
    """A copy of the installed package with the module that the project built; for PYTHONPATH."""
    package = Path(llm_datadist_status.__file__).parent
    copy = folder / "site" / package.name
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("_native.*.so", "__pycache__"))
    (module,) = project.build_dir.glob("_native.*.so")
    shutil.copy(module, copy)
    return str(copy.parent)


def build_against(tmp_path: Path, toolkit: Path) -> Project:
    project = Project(tmp_path / "project", "")
    configured = project.configure("-DLLM_DATADIST_FROM_CANN=ON", ASCEND_HOME_PATH=str(toolkit))
    assert configured.returncode == 0, configured.stderr
    built = project.build()
    assert built.returncode == 0, built.stdout + built.stderr
    return project


@pytest.mark.parametrize("shape", toolkits.SHAPES)
def test_it_builds_against_a_toolkit_of_any_shape(tmp_path: Path, run: Run, shape: str) -> None:
    toolkit = toolkits.make(tmp_path / "toolkit", *toolkits.SHAPES[shape])
    path = installed_with(build_against(tmp_path, toolkit), tmp_path)
    header = toolkit / "include" / "llm_datadist" / "llm_datadist.h"
    digest = hashlib.sha256(header.read_bytes()).hexdigest()
    assert run("--version", env={"PYTHONPATH": path}).stdout.endswith(f"(header: cann, {header}, sha256 {digest})\n")
    assert run("verify", "--cann", str(toolkit), env={"PYTHONPATH": path}).returncode == 0


def test_a_nineteenth_code_is_a_member_that_the_catalogue_does_not_know(tmp_path: Path, run: Run) -> None:
    codes = [*toolkits.plain_codes(), "constexpr Status LLM_PEER_LOST = 0x5010B01DU;"]
    toolkit = toolkits.make(tmp_path / "toolkit", toolkits.NEW, [], codes)
    env = {"PYTHONPATH": installed_with(build_against(tmp_path, toolkit), tmp_path)}
    done = run("explain", "--json", "LLM_PEER_LOST", env=env)
    (item,) = json.loads(done.stdout)
    assert done.returncode == 0
    assert (item["known"], item["value"], item["recoverable"]) == (True, 0x5010B01D, None)
    assert item["advice"]["action"] == "COLLECT_LOGS"
    assert "the catalogue of this version does not know it" in item["description"]["en"]
    assert "Recoverable  unknown" in run("explain", "LLM_PEER_LOST", env=env).stdout
    assert len(json.loads(run("list", "--json", env=env).stdout)) == 19
    done = run("verify", "--json", env=env)
    assert done.returncode == 1
    assert {(d["kind"], d["name"], d["between"][1]) for d in json.loads(done.stdout)["differences"]} == {
        ("missing", "LLM_PEER_LOST", "catalogue")
    }


def test_a_header_that_lost_a_code_still_builds_and_verify_names_it(tmp_path: Path, run: Run) -> None:
    codes = [line for line in toolkits.plain_codes() if "LLM_SUCCESS" not in line]
    toolkit = toolkits.make(tmp_path / "toolkit", toolkits.OLD, [], codes)
    env = {"PYTHONPATH": installed_with(build_against(tmp_path, toolkit), tmp_path)}
    assert len(json.loads(run("list", "--json", env=env).stdout)) == 17
    done = run("verify", "--json", env=env)
    assert done.returncode == 1
    assert {(d["kind"], d["name"], d["new"]) for d in json.loads(done.stdout)["differences"]} == {
        ("added", "LLM_SUCCESS", None)
    }
