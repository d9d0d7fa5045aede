"""What it costs to import, call and run the installed wheel, as ratios to named references.

Run ``python -m tests.benchmarks`` in an environment that holds the wheel. Every sample comes from a fresh process, the
two sides of a row take turns, and their medians are compared. This is no test: a missed target is printed as missed,
and the exit status stays 0.
"""

from __future__ import annotations

import argparse
import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Literal, NamedTuple

from . import toolkits

WHEEL = "llm-datadist-status"
PACKAGE = "llm_datadist_status"
PROGRAMS = {"python": sys.executable, WHEEL: str(Path(sysconfig.get_path("scripts"), WHEEL))}

# Variables such as PYTHONPATH or PYTHONDONTWRITEBYTECODE would make the processes run something else than the wheel.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}

# Collections are off, as timeit has them: one that the process is due for would fall into the import only by chance.
IMPORT = """
import gc, sys, time
gc.disable()
sys.path.insert(0, "")
import {package}
begin = time.perf_counter()
import {package}._native
print(time.perf_counter() - begin)
"""

# Names are globals, as in a user's module; a line holds ten calls, so that the loop itself weighs little. The padding
# has another length in each process: caches of the interpreter go by address, and one layout would repeat its luck.
CALL = """
import timeit
padding = [str(number) for number in range(hash("length") % 3_000)]
{setup}
print(min(timeit.repeat("; ".join([{call!r}] * 10), globals=globals(), number=1_000, repeat=25)) / 10_000)
"""

C_SOURCE = """
#include <Python.h>
#define CONSTANT(NAME, VALUE) if (PyModule_AddIntConstant(module, #NAME, VALUE) < 0) return -1;
static int fill(PyObject *module) {{ {constants} return 0; }}
static PyModuleDef_Slot slots[] = {{{{Py_mod_exec, fill}}, {{0, NULL}}}};
static PyModuleDef definition = {{PyModuleDef_HEAD_INIT, "_native", NULL, 0, NULL, slots, NULL, NULL, NULL}};
PyMODINIT_FUNC PyInit__native(void) {{ return PyModuleDef_Init(&definition); }}
"""

PYBIND11_SOURCE = """
#include <pybind11/pybind11.h>
#define CONSTANT(NAME, VALUE) module.attr(#NAME) = VALUE;
PYBIND11_MODULE(_native, module) {{ {constants} }}
"""


class UnavailableError(Exception):
    """Why a row cannot be measured here."""


class Side(NamedTuple):
    """One side of a row: a program that is run afresh for each sample."""

    name: str
    argv: tuple[str, ...]
    clock: Literal["process", "import", "call"]  # what is timed; an import and a call print their own seconds
    build: Callable[[Path], None] | None = None  # compiles what the program imports into the folder it runs in


class Row(NamedTuple):
    """A measured side, what it is compared with, and the highest ratio that meets the target."""

    measured: Side
    reference: Side
    target: float

    @property
    def title(self) -> str:
        return f"{self.measured.name} / {self.reference.name}"


def process(*words: str) -> Side:
    """The whole life of a process; the first word is a key of ``PROGRAMS``."""
    return Side(shlex.join(words), (PROGRAMS[words[0]], *words[1:]), "process")


def native(package: str, name: str, build: Callable[[Path], None] | None = None) -> Side:
    """The statement that imports ``_native`` of a ``package`` that is imported already."""
    return Side(name, (sys.executable, "-I", "-c", IMPORT.format(package=package)), "import", build)


def call(setup: str, expression: str) -> Side:
    """One evaluation of ``expression``: the best of many loops in one process."""
    return Side(expression, (sys.executable, "-I", "-c", CALL.format(setup=setup, call=expression)), "call")


def build_c(folder: Path) -> None:
    """Compile ``plain_c._native``: what importing constants costs without any binding library."""
    compile_native(folder / "plain_c", ["cc", "-x", "c", f"-I{sysconfig.get_path('include')}"], C_SOURCE)


def build_pybind11(folder: Path) -> None:
    """Compile ``plain_pybind11._native`` with pybind11's headers and nothing else: it loads libstdc++ when imported."""
    if find_spec("pybind11") is None:
        raise UnavailableError("pybind11 is not installed")
    asked = subprocess.run([sys.executable, "-m", "pybind11", "--includes"], capture_output=True, text=True, check=True)
    compiler = ["c++", "-x", "c++", "-std=c++17", *shlex.split(asked.stdout)]
    compile_native(folder / "plain_pybind11", compiler, PYBIND11_SOURCE)


def compile_native(package: Path, compiler: list[str], source: str) -> None:
    """Make a package whose ``_native`` has the constants of the wheel's."""
    from llm_datadist_status import Status

    if shutil.which(compiler[0]) is None:
        raise UnavailableError(f"there is no compiler {compiler[0]}")
    package.mkdir()
    (package / "__init__.py").touch()
    constants = " ".join(f"CONSTANT({name}, {int(status)}L)" for name, status in Status.__members__.items())
    command = [*compiler, "-O2", "-shared", "-fPIC", "-", "-o", str(package / f"_native{EXTENSION_SUFFIXES[0]}")]
    text = source.format(constants=constants)
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error" in line]
        raise UnavailableError(f"{compiler[0]} failed: {errors[0] if errors else done.returncode}")


def write_header(path: Path, size: int) -> None:
    """A header in the toolkit's form of about ``size`` bytes: the codes, and around them what real headers hold."""
    page = """\
/**
 * @brief One of many calls; returns 0x5010B009U when it fails.
 * @param [in] number  which one
 */
Status Call{number}(uint64_t number, const std::vector<uint64_t> &blocks, int32_t timeout_in_millis = 1000);
struct Shape{number} {{
  int64_t sides[4] = {{1, 2, 3, 4}};
  uint32_t flags = 1U << 3U;
}};
constexpr const char OPTION_{number}[] = "llm.option_{number}";  // not a code
"""
    codes = "\n".join(toolkits.plain_codes())
    pages = "".join(page.format(number=number) for number in range(size // len(page)))
    path.write_text(
        f"#pragma once\n#include <cstdint>\n#include <vector>\nnamespace llm_datadist {{\nusing Status = uint32_t;\n"
        f"{codes}\n{pages}}}\n"
    )


def verify(size: int, *options: str) -> Side:
    """``verify`` of a header of ``size`` bytes."""
    name = f"{size}.h"
    side = process(WHEEL, "verify", "--header", name, *options)
    return side._replace(build=lambda folder: write_header(folder / name, size))


# What the exact mode may take: the start, the imports that it needs, and one and a half plain compilations.
COMPILE = """
import subprocess, time
import click
from elftools.elf.elffile import ELFFile
begin = time.perf_counter()
subprocess.run(["c++", "-std=c++17", "-x", "c++", "-w", "-c", {name!r}, "-o", "plain.o"], check=True)
time.sleep((time.perf_counter() - begin) / 2)
"""

MEGABYTE = 1 << 20
LINES_400 = 15_000  # bytes of a header of about 400 lines

LOOKUP = f"""
from {PACKAGE} import Status
table = {{int(status): status for status in Status}}
def fallback(value):
    raise ValueError(value)
def look(value):
    status = table.get(value)
    return status if status is not None else fallback(value)
"""
ADVISE = f"from {PACKAGE} import advise"
TUPLE_LOOKUP = """
table = {(0x5010B001, "pull_blocks", "cpp"): object()}
def look(value, api=None, docs="cpp"):
    return table[value, api, docs]
"""
BARE = """
def bare(value):
    return value
"""
# A record without a code is made afresh each time, as logging does: the fields that a filter adds stay with a record.
STATUS_FILTER = f"""
import logging
from {PACKAGE} import StatusFilter
status_filter = StatusFilter()
"""
PLAIN_FILTER = """
import logging
class PlainFilter(logging.Filter):
    def filter(self, record):
        return "LLM_" in record.getMessage()
plain_filter = PlainFilter()
"""
RECORD = "logging.LogRecord('kv', 20, 'kv.py', 7, 'Pulled %d blocks of %s in %.2f ms', (16, 'cmpl-8f7a', 1.25), None)"
STATUS = f"from {PACKAGE} import Status"
NATIVE = native(PACKAGE, f"import {PACKAGE}._native")
CLICK = process("python", "-c", "import click")
COMPILATION = process("python", "-c", COMPILE.format(name=f"{LINES_400}.h"))._replace(
    name="start, imports of click and pyelftools, 1.5 compilations"
)
FILTERED = call(STATUS_FILTER, f"status_filter.filter({RECORD})")._replace(name="StatusFilter, a record without a code")
LOOKED_AT = call(PLAIN_FILTER, f"plain_filter.filter({RECORD})")._replace(name='"LLM_" in record.getMessage()')
PHRASE = call("from http import HTTPStatus", "HTTPStatus.NOT_FOUND.phrase")

# To add a row, add a line: what is measured, the reference, the highest ratio that meets the target.
ROWS = (
    Row(NATIVE, native("plain_c", "the same in plain C", build_c), 2.0),
    Row(NATIVE, native("plain_pybind11", "the same in ordinary pybind11", build_pybind11), 0.4),
    Row(process("python", "-c", f"import {PACKAGE}"), process("python", "-c", "pass"), 1.15),
    Row(process("python", "-c", STATUS), process("python", "-c", "from http import HTTPStatus"), 1.1),
    Row(call(f"from {PACKAGE} import parse", "parse(0x5010B009)"), call(LOOKUP, "look(0x5010B009)"), 1.6),
    Row(call(STATUS, "Status.LLM_LINK_FAILED.recoverable"), PHRASE, 2.0),
    Row(call(STATUS, "Status.LLM_LINK_FAILED.hex"), PHRASE, 2.0),
    Row(call(STATUS, "Status.LLM_LINK_FAILED.description()"), PHRASE, 2.0),
    Row(call(ADVISE, "advise(0x5010B001, 'pull_blocks')"), call(TUPLE_LOOKUP, "look(0x5010B001, 'pull_blocks')"), 3.0),
    Row(call(f"from {PACKAGE} import raise_for_status", "raise_for_status(0)"), call(BARE, "bare(0)"), 2.0),
    Row(FILTERED, LOOKED_AT, 2.0),
    Row(process(WHEEL, "explain", "0x5010B009"), CLICK, 1.3),
    Row(verify(LINES_400), CLICK, 2.5),
    Row(verify(5 * MEGABYTE), process("python", "-c", "import time; time.sleep(2)"), 1.0),
    *(Row(verify(2 * size * MEGABYTE), verify(size * MEGABYTE), 2.2) for size in (1, 2, 4)),
    Row(verify(LINES_400, "--exact"), COMPILATION, 1.0),
)


def sample(side: Side, folder: Path) -> float:
    """The seconds of one fresh process, or the seconds that it prints."""
    begin = time.perf_counter()
    done = subprocess.run(side.argv, cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, check=True)
    seconds = time.perf_counter() - begin
    return seconds if side.clock == "process" else float(done.stdout)


def measure(row: Row, folder: Path, repeat: int) -> tuple[float, float]:
    """The median seconds of the measured side and of the reference."""
    sides = (row.measured, row.reference)
    for side in sides:
        if side.build is not None:
            side.build(folder)
        sample(side, folder)  # not counted: it may write bytecode, and brings the files into memory
    taken: dict[Side, list[float]] = {side: [] for side in sides}
    for turn in range(repeat):
        for side in sides if turn % 2 else sides[::-1]:  # neither side always comes second
            taken[side].append(sample(side, folder))
    return median(taken[row.measured]), median(taken[row.reference])


def profile(side: Side, folder: Path) -> str:
    """The last imports of a side, by ``-X importtime``: those of the interpreter's own start come first."""
    arguments = side.argv[1:] if side.argv[0] == sys.executable else side.argv
    command = [sys.executable, "-X", "importtime", *arguments]
    done = subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    return "\n".join("    " + line for line in done.stderr.splitlines()[-25:])


def shown(seconds: float) -> str:
    """Seconds in the unit that leaves a readable number."""
    unit, size = next((unit, size) for unit, size in (("ms", 1e3), ("us", 1e6), ("ns", 1e9)) if seconds * size >= 1)
    return f"{seconds * size:.1f} {unit}"


def report(row: Row, folder: Path, repeat: int, profiled: bool) -> None:
    """Measure a row and print it."""
    try:
        measured, reference = measure(row, folder, repeat)
    except UnavailableError as reason:
        print(f"skipped: {reason}  {row.title}", flush=True)
        return
    ratio = measured / reference
    verdict = "met" if ratio <= row.target else "missed"
    times = f"{shown(measured):>9}  {shown(reference):>9}"
    print(f"{ratio:6.3f}  <= {row.target:4}  {verdict:7}  {times}  {row.title}", flush=True)
    if profiled and verdict == "missed" and row.measured.clock != "call":
        print(profile(row.measured, folder), flush=True)


def main() -> None:
    """Print the table; the exit status is that of a wrong usage, else 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", metavar="TEXT", default="", help="only the rows whose title contains TEXT")
    parser.add_argument("--repeat", metavar="N", type=int, default=30, help="fresh processes a side (default: 30)")
    parser.add_argument("--profile", action="store_true", help="show the last imports of what missed its target")
    options = parser.parse_args()
    if options.repeat < 1:
        parser.error("--repeat must be at least 1")
    wheel = distribution(WHEEL)
    if not Path(str(wheel.locate_file(f"{PACKAGE}/__init__.py"))).exists():
        parser.error(f"{WHEEL} is installed in editable mode, which imports more slowly: install the wheel")
    python = f"{platform.python_implementation()} {platform.python_version()}"
    print(f"{python}, {platform.platform()}, {os.cpu_count()} CPUs; {WHEEL} {wheel.version}")
    print(f"medians of {options.repeat} fresh processes a side: ratio, target, verdict, measured / reference")
    with tempfile.TemporaryDirectory() as folder:
        for row in ROWS:
            if options.only in row.title:
                report(row, Path(folder), options.repeat, options.profile)


if __name__ == "__main__":
    main()
