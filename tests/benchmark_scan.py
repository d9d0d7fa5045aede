"""How fast ``scan`` is and how much memory it takes, against ripgrep on the same files.

    python -m tests.benchmark_scan [--only TEXT] [--size BYTES] [--repeat N]

Run it in an environment that holds the wheel and ``ripgrep==14.1.0``. ripgrep looks for all codes and names by one
regular expression, on one thread; both sides read the same files from the page cache and take turns, and the medians of
their whole lives are compared. A ratio above one says that ``scan`` is faster. This is no test: a missed target is
printed as missed, and the exit status stays 0.
"""

from __future__ import annotations

import argparse
import gzip
import os
import platform
import shlex
import shutil
import subprocess
import sysconfig
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from . import corpora
from .benchmarks import ENVIRONMENT, shown

SCRIPTS = Path(sysconfig.get_path("scripts"))
SCAN = (str(SCRIPTS / "llm-datadist-status"), "scan", "--jsonl")
RIPGREP = (str(SCRIPTS / "rg"), "--no-config", "-j1", "-a", "--no-unicode", "--no-mmap", "-onb", "-f", "patterns")


class Run(NamedTuple):
    """The median seconds of a process, and the most memory that one of them took, in megabytes."""

    seconds: float
    megabytes: float


def patterns() -> str:
    """One regular expression for all names and for all values in their forms, but 0."""
    from llm_datadist_status import Status

    values = [int(status) for status in Status if int(status)]
    forms = [*Status.__members__, *(str(value) for value in values), *(f"(?i:{value:08x})" for value in values)]
    return "|".join(forms) + "\n"


def once(command: tuple[str, ...], folder: Path) -> Run:
    """Run ``command`` once; its output goes to a file, as a user's would, and is counted by nobody."""
    with (folder / "out").open("wb") as out:
        begin = time.perf_counter()
        child = subprocess.Popen(command, cwd=folder, env=ENVIRONMENT, stdout=out, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode > 1:  # ripgrep says 1 where there is no match
        raise subprocess.CalledProcessError(child.returncode, command)
    return Run(seconds, usage.ru_maxrss / 1000)


def compare(one: tuple[str, ...], other: tuple[str, ...], folder: Path, repeat: int) -> tuple[Run, Run]:
    """Both commands, in turns."""
    runs: dict[tuple[str, ...], list[Run]] = {one: [], other: []}
    for command in runs:
        once(command, folder)  # not counted: it brings the files into memory
    for turn in range(repeat):
        for command in runs if turn % 2 else reversed(runs):
            runs[command].append(once(command, folder))
    both = [Run(median(run.seconds for run in taken), max(run.megabytes for run in taken)) for taken in runs.values()]
    return both[0], both[1]


def row(title: str, scan: Run, reference: Run, target: float | None) -> float:
    """Print one comparison, and return its ratio."""
    ratio = reference.seconds / scan.seconds
    verdict = "" if target is None else "met" if ratio >= target else "missed"
    aim = "" if target is None else f">= {target}"
    times = f"{shown(scan.seconds):>9}  {shown(reference.seconds):>9}  {scan.megabytes:5.1f} MB"
    print(f"{ratio:6.3f}  {aim:8} {verdict:7}{times}  {title}", flush=True)
    return ratio


def piped(command: tuple[str, ...], file: str) -> tuple[str, ...]:
    return ("/bin/sh", "-c", f"cat {file} | exec {shlex.join(command)}")


def against_ripgrep(names: list[str], target: float, options: argparse.Namespace, folder: Path) -> list[float]:
    """Each corpus on one core."""
    ratios = []
    for name in names:
        if options.only in name:
            corpora.write(folder / "log", name, options.size)
            scan, reference = compare((*SCAN, "log"), (*RIPGREP, "log"), folder, options.repeat)
            ratios.append(row(name, scan, reference, None if name.startswith("all hits") else target))
    return ratios


def other_ways(options: argparse.Namespace, folder: Path) -> None:
    """Cores, archives, a pipe, and how time and memory grow, all on one realistic corpus."""
    name = "native, 1 in 100000"
    corpora.write(folder / "log", name, options.size)
    shutil.copy(folder / "log", folder / "second")
    one, rg = (*SCAN, "log"), (*RIPGREP, "log")
    both = (*SCAN, "log", "second")
    rows: list[tuple[str, tuple[str, ...], tuple[str, ...], float | None]] = [
        ("two cores on one file / ripgrep on one", (*one, "--jobs", "2"), rg, 1.6),
        ("two files on two cores / on one", (*both, "--jobs", "2"), both, 1.7),
        ("from a pipe / the same file", piped((*SCAN, "-"), "log"), one, 0.6),
    ]
    with gzip.open(folder / "log.gz", "wb", 6) as packed, (folder / "log").open("rb") as plain:
        shutil.copyfileobj(plain, packed, 1 << 20)
    rows.append(("gz / rg -z", (*SCAN, "log.gz"), (*RIPGREP, "-z", "log.gz"), 3.0))
    if shutil.which("zstd"):  # rg -z runs it
        subprocess.run(["zstd", "-q", "-f", "log"], cwd=folder, check=True)
        rows.append(("zst / rg -z", (*SCAN, "log.zst"), (*RIPGREP, "-z", "log.zst"), 0.8))
    else:
        print("skipped: zst, which rg -z reads through the program zstd, is not on this machine")
    for title, scan, reference, target in rows:
        if options.only in title:
            row(title, *compare(scan, reference, folder, options.repeat), target)
    for times in (1, 2, 4):
        title = f"{times} x {options.size} bytes"
        if options.only in title:
            corpora.write(folder / "log", name, times * options.size)
            row(title, *compare(one, rg, folder, options.repeat), None)


def main() -> None:
    """Print the table; the exit status is that of a wrong usage, else 0."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmark_scan", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--only", metavar="TEXT", default="", help="only the rows whose title contains TEXT")
    parser.add_argument(
        "--size", metavar="BYTES", type=int, default=1_000_000_000, help="size of a corpus (default: 1 GB)"
    )
    parser.add_argument("--repeat", metavar="N", type=int, default=7, help="runs a side (default: 7)")
    options = parser.parse_args()
    if not Path(RIPGREP[0]).exists():
        parser.error("ripgrep is not in this environment: pip install ripgrep==14.1.0")
    print(
        f"{platform.python_implementation()} {platform.python_version()}, {platform.platform()}, {os.cpu_count()} CPUs"
    )
    print(f"medians of {options.repeat} runs a side: speed ratio, target, verdict, scan, reference, scan's peak memory")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "patterns").write_text(patterns())
        ratios = against_ripgrep(list(corpora.REALISTIC), 0.85, options, folder)
        if ratios:
            print(f"{median(ratios):6.3f}  >= 1.0   {'met' if median(ratios) >= 1 else 'missed'}: median of these")
        against_ripgrep(list(corpora.HOSTILE), 0.5, options, folder)
        other_ways(options, folder)


if __name__ == "__main__":
    main()
