"""``verify``: whether all places where the codes are written say the same."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from llm_datadist_status import _native, parity
from llm_datadist_status.exact import read_exact
from llm_datadist_status.header import Constant, Undecided, read_header

from . import mutants, toolkits
from .codes import CODES
from .compiler import as_compiled, needs_compiler
from .conftest import ROOT, Run

HEADER = ROOT / "cpp" / "include" / "llm_datadist" / "llm_datadist.h"
BUILT_IN = ["compiled-header", "module", "catalogue"]


def written(folder: Path, body: str, name: str = "codes.h") -> str:
    """A header with ``body`` in the namespace."""
    path = folder / name
    text = f"#include <cstdint>\nnamespace llm_datadist {{\nusing Status = std::uint32_t;\n{body}\n}}\n"
    path.write_text(text, encoding="utf-8")
    return str(path)


def with_codes(**changes: str) -> str:
    """The documented codes with other declarations for some, in the order in which they are given."""
    lines = {name: f"constexpr Status {name} = {value}U;" for name, (value, _, _) in CODES.items()}
    return "\n".join({**lines, **changes}.values())


def verdict_of(*paths: str, exact: bool = False) -> parity.Verdict:
    return parity.verify([parity.header(path, exact=exact) for path in paths])


def told(verdict: parity.Verdict) -> set[tuple[str, str, int | str | None, int | str | None]]:
    return {(item.kind, item.name, item.old, item.new) for item in verdict.differences}


def test_all_places_agree_as_built(run: Run) -> None:
    done = run("verify")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "same: 18 codes in compiled-header, module, catalogue\n"


def test_the_bundled_header_agrees_with_the_module() -> None:
    assert verdict_of(str(HEADER)).outcome == "same"


@needs_compiler
def test_the_compiler_agrees_with_the_text_reader_on_the_bundled_header() -> None:
    exact = read_exact(HEADER)
    text = read_header(HEADER)
    assert [(c.name, c.value, c.line) for c in exact.constants] == [(c.name, c.value, c.line) for c in text.constants]


def test_a_header_may_be_named_without_an_option(run: Run) -> None:
    assert run("verify", str(HEADER), "--json").stdout == run("verify", "--header", str(HEADER), "--json").stdout


def test_the_json_of_agreement(run: Run) -> None:
    done = run("verify", "--header", str(HEADER), "--json")
    assert json.loads(done.stdout) == {
        "schema": 1,
        "outcome": "same",
        "sources": [{"name": name, "constants": 18} for name in [*BUILT_IN, f"header:{HEADER}"]],
        "differences": [],
        "undecided": [],
    }


def test_each_kind_of_difference_between_each_pair(run: Run, tmp_path: Path) -> None:
    path = written(
        tmp_path,
        with_codes(
            LLM_TIMEOUT="constexpr Status LLM_TIMEOUT = 0x5011B01AU;",
            LLM_LINK_BUSY="constexpr Status LLM_LINK_IN_USE = 0x5010B01BU;",
            LLM_EXIST_LINK="constexpr Status LLM_LINK_DOWN = LLM_LINK_FAILED;",
            LLM_NEW="constexpr Status LLM_NEW = 0x5010B020U;",
        ),
    )
    done = run("verify", "--header", path, "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, document["outcome"], document["undecided"]) == (1, "differs", [])
    expected = [
        ("changed", "LLM_TIMEOUT", 0x5010B01A, 0x5011B01A),
        ("renamed", "LLM_LINK_BUSY", "LLM_LINK_BUSY", "LLM_LINK_IN_USE"),
        ("missing", "LLM_EXIST_LINK", 0x5010B018, None),
        ("added", "LLM_LINK_DOWN", None, 0x5010B009),
        ("added", "LLM_NEW", None, 0x5010B020),
    ]
    found = [(d["kind"], d["name"], d["old"], d["new"], tuple(d["between"])) for d in document["differences"]]
    assert sorted(found, key=str) == sorted(
        [(*item, (source, f"header:{path}")) for item in expected for source in BUILT_IN], key=str
    )


def test_two_headers_are_compared_with_each_other_too(tmp_path: Path) -> None:
    first = written(tmp_path, "constexpr Status LLM_SUCCESS = 0U, LLM_A = 1U;", "a.h")
    second = written(tmp_path, "constexpr Status LLM_SUCCESS = 0U, LLM_B = 1U;", "b.h")
    between = (f"header:{first}", f"header:{second}")
    found = [(d.kind, d.name, d.new) for d in verdict_of(first, second).differences if d.between == between]
    assert found == [("renamed", "LLM_A", "LLM_B")]


def test_a_value_that_two_new_names_share_is_no_renaming(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        with_codes(LLM_TIMEOUT="constexpr Status LLM_LATE = 0x5010B01AU, LLM_TOO_LATE = 0x5010B01AU;"),
    )
    assert told(verdict_of(path)) == {
        ("missing", "LLM_TIMEOUT", 0x5010B01A, None),
        ("added", "LLM_LATE", None, 0x5010B01A),
        ("added", "LLM_TOO_LATE", None, 0x5010B01A),
    }


def test_a_value_that_cannot_be_read_is_undecided_and_no_difference(tmp_path: Path) -> None:
    path = written(tmp_path, with_codes(LLM_TIMEOUT="constexpr Status LLM_TIMEOUT = ge::TIMEOUT;"))
    verdict = verdict_of(path)
    assert (verdict.outcome, verdict.exit_status, told(verdict)) == ("cannot-tell", 2, set())
    ((source, item),) = verdict.undecided
    assert (source, item.line) == (f"header:{path}", 4 + list(CODES).index("LLM_TIMEOUT"))
    assert "LLM_TIMEOUT" in item.reason


def test_a_certain_difference_decides_even_if_something_else_is_undecided(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        with_codes(
            LLM_TIMEOUT="constexpr Status LLM_TIMEOUT = ge::TIMEOUT;", LLM_FAILED="constexpr Status LLM_FAILED = 1U;"
        ),
    )
    verdict = verdict_of(path)
    assert (verdict.outcome, verdict.exit_status) == ("differs", 1)
    assert told(verdict) == {("changed", "LLM_FAILED", 0xFFFFFFFF, 1)}


def test_nothing_is_called_missing_where_names_could_not_be_read(tmp_path: Path) -> None:
    path = written(
        tmp_path, with_codes(LLM_TIMEOUT='#include "the_rest.inc"', LLM_NEW="constexpr Status LLM_NEW = 7U;")
    )
    assert told(verdict_of(path)) == {("added", "LLM_NEW", None, 7)}


def test_nothing_is_called_missing_or_new_that_may_be_renamed() -> None:
    first = parity.Source("first", [Constant("A", 1, "", 0), Constant("B", 2, "", 0)])
    unread = parity.Source("second", [Constant("A", 1, "", 0), Constant("C", None, "", 0, "unknown")])
    hidden = parity.Source("second", [Constant("A", 1, "", 0), Constant("C", 2, "", 0)], [Undecided("", 1, "hidden")])
    assert not list(parity.compare([first, unread]))
    assert not list(parity.compare([first, hidden]))
    assert not list(parity.compare([hidden, first]))


def test_a_constant_that_is_not_catalogued_is_missing_there_alone() -> None:
    module = parity.Source("module", [Constant("A", 1, "", 0), Constant("NEW", 2, "", 0)])
    catalogue = parity.Source("catalogue", [Constant("A", 1, "", 0), Constant("OLD", None, "", 0)], names_only=True)
    assert [(d.kind, d.name, d.old, d.new) for d in parity.compare([module, catalogue])] == [
        ("missing", "NEW", 2, None),
        ("added", "OLD", None, None),
    ]


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("empty.h", b"", "the file is empty"),
        ("binary.h", b"\x7fELF\0\0\1", ""),
        ("comment.h", b"namespace llm_datadist {\n/* no end", "comment"),
        ("elsewhere.h", b"namespace other { constexpr unsigned LLM_TIMEOUT = 1U; }\n", "no code is found"),
        ("semicolon.h", b"namespace llm_datadist {\nconstexpr unsigned A = 1U\nconstexpr unsigned B = 2U;\n}\n", ""),
        ("endless.h", b'#include "endless.h"\nnamespace llm_datadist { constexpr unsigned A = 1U; }\n', ""),
        ("folder.h", None, "directory"),
    ],
)
@pytest.mark.parametrize("exact", [False, pytest.param(True, marks=needs_compiler)])
def test_a_bad_header_is_one_clear_sentence_and_exit_status_2(
    run: Run, tmp_path: Path, name: str, data: bytes | None, reason: str, exact: bool
) -> None:
    path = tmp_path / name
    if data is None:
        path.mkdir()
    else:
        path.write_bytes(data)
    done = run("verify", "--header", str(path), "--json", *(["--exact"] if exact else []))
    document = json.loads(done.stdout)
    assert (done.returncode, document["outcome"], document["differences"]) == (2, "cannot-tell", [])
    (item,) = document["undecided"]
    assert item["source"] == f"header:{path}"
    assert reason.lower() in item["reason"].lower()
    assert "Traceback" not in done.stderr


def test_a_header_that_is_not_there(run: Run) -> None:
    done = run("verify", "--header", "not_there.h")
    assert done.returncode == 2
    assert "cannot read the header not_there.h: No such file or directory" in done.stdout


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--exact",), "--exact reads headers"),
        (("--update",), "--update writes a lock"),
        (("--lock", "x.json"), "--lock takes a snapshot of one header"),
        (("--format", "yaml"), "'yaml' is not one of"),
        (("--cann", ""), "it is empty: is the variable set"),
        (("--header", ""), "it is empty"),
        (("",), "it is empty"),
    ],
)
def test_usage_errors(run: Run, args: tuple[str, ...], said: str) -> None:
    done = run("verify", *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_the_table_shows_the_culprits_and_where_they_differ(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path, with_codes(LLM_TIMEOUT="constexpr Status LLM_TIMEOUT = 5U;"))
    heading, line, last = run("verify", "--header", path).stdout.splitlines()
    assert heading.split() == ["Kind", "Name", "Old", "New", "Old", "in", "New", "in"]
    assert line.split() == [
        *["changed", "LLM_TIMEOUT", "0x5010B01A", "0x00000005"],
        *["compiled-header,", "module,", "catalogue", f"header:{path}"],
    ]
    assert last == "differs: 1 certain"
    assert "取值变化" in run("verify", "--header", path, "--lang", "zh").stdout


def test_annotations_for_github_are_escaped_and_name_file_and_line(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "a,b:c%d"
    folder.mkdir()
    path = written(folder, with_codes(LLM_SUCCESS="constexpr Status LLM_SUCCESS = 5U;"))
    (line,) = run("verify", "--header", path, "--format", "github").stdout.splitlines()
    place = path.replace("%", "%25")
    assert line == (
        f"::error file={place.replace(',', '%2C').replace(':', '%3A')},line=4,title=llm-datadist-status verify::"
        f"changed LLM_SUCCESS: 0x00000000 in compiled-header, module, catalogue; 0x00000005 in header:{place}"
    )


def test_junit_has_a_case_for_each_source_and_each_pair(run: Run, tmp_path: Path) -> None:
    path = written(
        tmp_path, with_codes(LLM_TIMEOUT="constexpr Status LLM_TIMEOUT = ge::T;", LLM_NEW="constexpr Status N = 5U;")
    )
    suite = ElementTree.fromstring(run("verify", "--header", path, "--format", "junit").stdout.partition("\n")[2])
    assert {name: suite.get(name) for name in ("tests", "failures", "errors")} == {
        "tests": "10",
        "failures": "3",
        "errors": "1",
    }
    assert [case.get("name") for case in suite if case.find("failure") is not None] == [
        f"{name} / header:{path}" for name in BUILT_IN
    ]


# A toolkit.


@pytest.mark.parametrize("exact", [False, pytest.param(True, marks=needs_compiler)])
@pytest.mark.parametrize("shape", toolkits.SHAPES)
def test_a_toolkit_of_any_shape_is_read(tmp_path: Path, shape: str, exact: bool) -> None:
    root = toolkits.make(tmp_path, *toolkits.SHAPES[shape])
    verdict = parity.verify([parity.toolkit(str(root), exact=exact)])
    assert (verdict.outcome, verdict.undecided) == ("same", ())
    assert verdict.sources[-1].name == f"cann:{root}"


def test_a_toolkit_with_one_more_code_differs(run: Run, tmp_path: Path) -> None:
    codes = [*toolkits.plain_codes(), "constexpr Status LLM_PEER_LOST = 0x5010B01DU;"]
    root = toolkits.make(tmp_path, toolkits.NEW, [], codes)
    done = run("verify", "--cann", str(root), "--format", "github")
    assert done.returncode == 1
    assert "added LLM_PEER_LOST: - in compiled-header, module, catalogue; 0x5010B01D in cann:" in done.stdout


# The official package, of which stand-ins are made here.


@pytest.mark.parametrize("base", ["Enum", "IntEnum"])
@pytest.mark.parametrize(
    ("extra", "status", "found"),
    [
        ("", 0, []),
        ("LLM_NEW = 5", 1, [("added", "LLM_NEW")]),
        ("LLM_LARGE = 1 << 40", 2, []),
        ("LLM_WAIT_PROC_TIMEOUT = 5", 2, []),
    ],
)
def test_the_official_package(
    run: Run, tmp_path: Path, base: str, extra: str, status: int, found: list[tuple[str, str]]
) -> None:
    members = {name.replace("LLM_WAIT_PROC", "LLM_WAIT_PROCESS"): value for name, (value, _, _) in CODES.items()}
    lines = [f"{name} = {value}" for name, value in members.items()]
    body = "\n    ".join([*lines, "LLM_UNKNOWN_ERROR = -1", extra])
    package = tmp_path / "llm_datadist"
    package.mkdir()
    package.joinpath("__init__.py").write_text("print('loading native libraries')\n")
    package.joinpath("status.py").write_text(f"from enum import {base}\nclass LLMStatusCode({base}):\n    {body}\n")
    done = run("verify", "--package", "--json", env={"PYTHONPATH": str(tmp_path)})
    document = json.loads(done.stdout)
    assert done.returncode == status
    assert {(d["kind"], d["name"]) for d in document["differences"]} == set(found)
    assert "LLM_UNKNOWN_ERROR = -1 is the official enum's own" in done.stderr


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("raise ImportError('libllm.so: cannot open shared object file')", "libllm.so: cannot open"),
        ("import os; os.kill(os.getpid(), 11)", "it ended with status -11"),
        ("import sys; sys.exit(0)", "it ended with status 0"),
    ],
)
def test_a_package_that_does_not_load_is_cannot_tell(run: Run, tmp_path: Path, text: str, reason: str) -> None:
    tmp_path.joinpath("llm_datadist.py").write_text(text)
    done = run("verify", "--package", env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 2
    assert reason in done.stdout


def test_a_package_without_codes_is_cannot_tell(run: Run, tmp_path: Path) -> None:
    tmp_path.joinpath("llm_datadist.py").write_text(
        "from enum import IntEnum\nLLMStatusCode = IntEnum('LLMStatusCode', {})"
    )
    done = run("verify", "--package", env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 2
    assert "no code is found in it" in done.stdout


def test_a_package_that_is_not_installed_is_cannot_tell(run: Run) -> None:
    done = run("verify", "--package")
    assert done.returncode == 2
    assert "No module named 'llm_datadist'" in done.stdout


# The compiler.


@needs_compiler
@pytest.mark.parametrize(
    "body",
    [
        "inline constexpr Status A = 1U; static constexpr Status B = 2U;",
        'inline namespace v1 { constexpr Status A = 1U; } extern "C++" { constexpr Status B = 2U; }',
        "namespace { constexpr Status A = 1U; } constexpr auto B = Status{2U};",
        "template <int N> constexpr Status C = 3U; constexpr Status A = 1U, B = C<0> - 1U;",
        "template <int N> constexpr auto C = 3U; template <> constexpr auto C<4> = 5U; constexpr auto A = 1U, B = 2U;",
        "struct S { static constexpr Status C = 3U; }; const Status E = 5U; constexpr Status A = 1U, B = 2U;",
        "enum : Status { D = 4U }; constexpr Status A = 1U, B = 2U, F[] = {6U}; constexpr int G = 7;",
        "constexpr Status f(Status x) { constexpr Status y = 1U; return x + y; } constexpr Status A = f(0U), B = f(A);",
    ],
)
def test_the_compiler_lists_what_a_qualified_name_reaches(tmp_path: Path, body: str) -> None:
    assert as_compiled(Path(written(tmp_path, body))) == {"A": 1, "B": 2}


@needs_compiler
@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ("} namespace next { constexpr unsigned B = 2U; } namespace llm_datadist { using namespace next;", {"B": 2}),
        ("inline namespace v { constexpr Status B = 2U; } constexpr Status B = 3U;", {}),
        ("}\n#define A 5\nnamespace llm_datadist {", None),
    ],
)
def test_the_compiler_knows_what_a_name_means(tmp_path: Path, body: str, codes: dict[str, int] | None) -> None:
    expected = {} if codes is None else {"A": 1, **codes}
    assert as_compiled(Path(written(tmp_path, f"constexpr Status A = 1U; {body}"))) == expected


@needs_compiler
def test_narrowing_is_an_error_as_in_any_build(tmp_path: Path) -> None:
    (item,) = read_exact(written(tmp_path, "constexpr Status A{-1};")).undecided
    assert "narrowing" in item.reason


@needs_compiler
def test_debug_information_that_cannot_be_read_is_cannot_tell(tmp_path: Path) -> None:
    reading = read_exact(written(tmp_path, "constexpr Status A = 1U; thread_local int depth = 0;"))
    assert ({c.name for c in reading.constants} == {"A"}) is not bool(reading.undecided)


@needs_compiler
def test_what_the_compiler_rejects_is_told_with_its_line(tmp_path: Path) -> None:
    path = written(tmp_path, "constexpr Status A = 1U;\nconstexpr Status B = nothing;")
    reading = read_exact(path)
    (item,) = reading.undecided
    assert (reading.constants, item.line) == ((), 5)
    assert item.reason.startswith("the compiler rejects it: 'nothing' was not declared")


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("no-such-compiler --flag", "there is no C++ compiler 'no-such-compiler'"),
        (" ", "there is no C++ compiler ' '"),
        ("g++ 'unclosed", "there is no C++ compiler"),
        ("false", "the compiler failed"),
        ("true", "cannot be read"),
    ],
)
def test_without_a_compiler_it_cannot_tell(run: Run, command: str, reason: str) -> None:
    done = run("verify", "--header", str(HEADER), "--exact", env={"CXX": command})
    assert done.returncode == 2
    assert reason in done.stdout


@pytest.mark.skipif(shutil.which("clang++") is None, reason="needs clang++")
def test_a_compiler_that_does_not_list_names_cannot_tell(run: Run) -> None:
    done = run("verify", "--header", str(HEADER), "--exact", env={"CXX": "clang++"})
    assert done.returncode == 2
    assert "added names cannot be told: use g++" in done.stdout


# Mutants.


def test_exactly_the_mutation_is_reported() -> None:
    count = 1200
    wrong = []
    chance = random.Random(20250101)
    for _ in range(count):
        text, expected = mutants.mutant(dict(_native.__constants__), chance)
        source = mutants.source(text)
        verdict = parity.verify([source])
        if told(verdict) != expected or verdict.undecided:
            wrong.append((text, told(verdict), expected))
    print(f"{count} mutants, {len(wrong)} wrong")
    assert not wrong


@needs_compiler
def test_the_compiler_reports_exactly_the_mutation(tmp_path: Path) -> None:
    chance = random.Random(20250102)
    for number in range(12):
        text, expected = mutants.mutant(dict(_native.__constants__), chance)
        path = tmp_path / f"{number}.h"
        path.write_bytes(text)
        assert told(verdict_of(str(path), exact=True)) == expected


# The lock.


def test_a_lock_shows_everything_that_moved(run: Run, tmp_path: Path) -> None:
    old = toolkits.make(tmp_path / "old", toolkits.OLD, [])
    new = toolkits.make(tmp_path / "new", toolkits.NEW, [])
    header = new / "include" / "llm_datadist" / "llm_datadist.h"
    text = header.read_text()
    for was, now in [
        ("LLM_LINK_BUSY = 0x5010B01BU", "LLM_LINK_BUSY = 0x5010B02BU"),
        ('"llm.EnableSetRole";', '"llm.EnableRole";\nconstexpr const char OPTION_NEW[] = "llm.New";'),
        ("timeout_in_millis = 1000);", "timeout_in_millis = 3000);"),
    ]:
        assert was in text
        text = text.replace(was, now)
    header.write_text(text)

    lock = str(tmp_path / "codes.lock")
    assert run("verify", "--cann", str(old), "--lock", lock, "--update").returncode == 0
    assert run("verify", "--cann", str(old), "--lock", lock).returncode == 0
    done = run("verify", "--cann", str(new), "--lock", lock, "--json")
    document = json.loads(done.stdout)
    assert done.returncode == 1
    pair = [f"lock:{lock}", f"cann:{new}"]
    assert [
        (d["kind"], d["name"], d["old"], d["new"], d["severity"])
        for d in document["differences"]
        if d["between"] == pair
    ] == [("changed", "LLM_LINK_BUSY", 0x5010B01B, 0x5010B02B, "error")]
    assert [(d["kind"], d["name"], d["old"], d["new"], d["severity"]) for d in document["drift"]] == [
        ("include", f'"external/ge_common/{toolkits.OLD}"', "included", None, "warning"),
        ("include", f'"external/ge_common/{toolkits.NEW}"', None, "included", "warning"),
        ("option", "OPTION_ENABLE_SET_ROLE", "llm.EnableSetRole", "llm.EnableRole", "warning"),
        ("option", "OPTION_NEW", None, "llm.New", "warning"),
        ("default", "LinkLlmClusters(timeout_in_millis)", "1000", "3000", "warning"),
    ]


def test_the_lock_is_stable_and_made_for_review(run: Run, tmp_path: Path) -> None:
    root = toolkits.make(tmp_path, toolkits.OLD, [])
    lock = tmp_path / "codes.lock"
    for _ in range(2):
        run("verify", "--cann", str(root), "--lock", str(lock), "--update")
        document = json.loads(lock.read_text())
        assert list(document) == ["schema", "codes", "includes", "options", "defaults"]
        assert document["codes"]["LLM_LINK_FAILED"] == "0x5010B009"
        assert len(document["codes"]) == 18
        assert document["includes"] == [
            '"external/ge_common/ge_api_error_codes.h"',
            "<map>",
            "<memory>",
            "<string>",
            "<vector>",
        ]
        assert document["options"] == {
            "OPTION_ENABLE_SET_ROLE": "llm.EnableSetRole",
            "OPTION_LISTEN_IP_INFO": "llm.ListenIpInfo",
        }
        assert document["defaults"] == {
            "LinkLlmClusters(timeout_in_millis)": "1000",
            "UnlinkLlmClusters(force_flag)": "false",
            "UnlinkLlmClusters(timeout_in_millis)": "1000",
        }


def test_what_moves_beside_the_codes_is_a_warning(run: Run, tmp_path: Path) -> None:
    lock = str(tmp_path / "codes.lock")
    run("verify", "--cann", str(toolkits.make(tmp_path / "old", toolkits.OLD, [])), "--lock", lock, "--update")
    done = run(
        "verify", "--cann", str(toolkits.make(tmp_path / "new", toolkits.NEW, [])), "--lock", lock, "--format", "github"
    )
    assert done.returncode == 0
    assert [line.partition(" ")[0] for line in done.stdout.splitlines()] == ["::warning", "::warning"]


BAD_LOCKS = [
    None,
    "",
    "{}",
    "[]",
    "[" * 100_000,
    '{"schema": 2}',
    '{"schema": true, "codes": {}, "includes": [], "options": {}, "defaults": {}}',
    '{"schema": 1, "codes": {}, "includes": "abc", "options": {}, "defaults": {}}',
    '{"schema": 1, "codes": {}, "includes": [], "options": {"A": null}, "defaults": {}}',
    '{"schema": 1, "codes": {"A": "-5"}, "includes": [], "options": {}, "defaults": {}}',
    '{"schema": 1, "codes": {"A": "0x1FFFFFFFFF"}, "includes": [], "options": {}, "defaults": {}}',
    '{"schema": 1, "codes": {}, "includes": [], "options": {}, "defaults": {}}',
]


@pytest.mark.parametrize("text", BAD_LOCKS, ids=range(len(BAD_LOCKS)))
def test_a_bad_lock_is_undecided_with_one_clear_sentence(run: Run, tmp_path: Path, text: str | None) -> None:
    lock = tmp_path / "codes.lock"
    if text is not None:
        lock.write_text(text)
    done = run("verify", "--header", str(HEADER), "--lock", str(lock), "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, document["differences"]) == (2, [])
    (item,) = document["undecided"]
    assert item["source"] == f"lock:{lock}"
    assert "expected" in item["reason"] or "cannot read" in item["reason"]


def test_a_bad_lock_hides_no_certain_difference(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path, with_codes(LLM_TIMEOUT="constexpr Status LLM_TIMEOUT = 5U;"))
    assert run("verify", path, "--lock", str(tmp_path / "missing")).returncode == 1


def test_no_lock_is_made_of_a_header_that_is_not_read_completely(run: Run, tmp_path: Path) -> None:
    lock = tmp_path / "codes.lock"
    path = written(tmp_path, with_codes(LLM_TIMEOUT="constexpr Status LLM_TIMEOUT = ge::T;"))
    done = run("verify", "--header", path, "--lock", str(lock), "--update")
    assert done.returncode == 2
    assert "no lock can be made" in done.stderr
    assert not lock.exists()
