"""The command: ``explain``, ``list``, and what holds for every command."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import subprocess
import sys

import pytest

from llm_datadist_status import Status, __version__, header_info

from .codes import CODES
from .conftest import ROOT, Run, environment


def test_explain_prints_what_it_is_and_what_to_do(run: Run) -> None:
    done = run("explain", "1343270921")
    assert done.returncode == 0
    assert done.stdout.startswith("LLM_LINK_FAILED  0x5010B009  1343270921\n")
    assert "Recoverable  yes" in done.stdout
    assert "reach each other over the network" in done.stdout
    assert done.stdout.rstrip("\n") == Status.LLM_LINK_FAILED.explain()
    assert done.stderr == ""


def test_explain_json_has_the_documented_keys(run: Run) -> None:
    (item,) = json.loads(run("explain", "--json", "--api", "pull_blocks", "5010b001").stdout)
    assert item == {
        "input": "5010b001",
        "known": True,
        "name": "LLM_WAIT_PROC_TIMEOUT",
        "value": 1343270913,
        "hex": "0x5010B001",
        "signed": 1343270913,
        "description": {lang: Status.LLM_WAIT_PROC_TIMEOUT.description(lang) for lang in ("en", "zh")},
        "recoverable": True,
        "solution": {lang: Status.LLM_WAIT_PROC_TIMEOUT.solution(lang) for lang in ("en", "zh")},
        "advice": {
            "action": "RELINK",
            "api": "pull_blocks",
            "recoverable": True,
            "steps": {
                "en": ["The link is beyond recovery: set it up again."],
                "zh": ["链路已无法恢复，只能重新建立。"],
            },
            "source": "CANN commercial edition 9.0.0, LLM-DataDist C++ API, page 'Error Codes'",
            "conflict": {
                "en": "The current Python page does not list this code.",
                "zh": "当前的Python接口文档未列出该错误码。",
            },
        },
        "aliases": ["LLM_WAIT_PROCESS_TIMEOUT", "kLLMWaitProcessTimeOut"],
        "fields": {"runtime": 1, "type": 1, "level": 0, "sysid": 8, "modid": 11, "value": 1},
    }


def test_explain_of_several_codes_keeps_their_order(run: Run) -> None:
    done = run("explain", "LLM_TIMEOUT", "0x5010B01BU", "kUnlinkFailed")
    assert [line.split()[0] for line in done.stdout.splitlines() if line.startswith("LLM")] == [
        "LLM_TIMEOUT",
        "LLM_LINK_BUSY",
        "LLM_UNLINK_FAILED",
    ]


@pytest.mark.parametrize("args", [("-1",), ("--", "-1"), ("--json", "-1"), ("-1", "--lang", "en")])
def test_explain_takes_minus_one_for_a_value_and_tells_both_readings(run: Run, args: tuple[str, ...]) -> None:
    done = run("explain", *args)
    assert done.returncode == 0
    assert "LLM_FAILED" in done.stdout
    assert "LLM_UNKNOWN_ERROR" in done.stdout


def test_explain_reads_a_pasted_line(run: Run) -> None:
    line = (
        "ERROR] GE(7,d):2026-01-15-04:11:52.090.310 [cache_manager.cc:16]9 Take: ErrorNo: 1343270926(none) [GE][MODULE]"
    )
    (item,) = json.loads(run("explain", "--json", line).stdout)
    assert (item["name"], item["input"]) == ("LLM_DEVICE_OUT_OF_MEMORY", line)


def test_explain_gives_each_report_of_a_line_and_the_names_where_it_reports_none(run: Run) -> None:
    def names(line: str) -> list[str]:
        return [item["name"] for item in json.loads(run("explain", "--json", line).stdout)]

    assert names("each=[<LLMStatusCode.LLM_SUCCESS: 0>, <LLMStatusCode.LLM_LINK_FAILED: 1343270921>]") == [
        "LLM_SUCCESS",
        "LLM_LINK_FAILED",
    ]
    assert names("Check failed: ret == LLM_SUCCESS SetRole failed, ret = 1343270937") == ["LLM_FEATURE_NOT_ENABLED"]
    assert names("if code != LLMStatusCode.LLM_SUCCESS:") == ["LLM_SUCCESS"]
    assert names("[pull_cache] failed, error code is\nLLMStatusCode.LLM_TIMEOUT, step 3.") == ["LLM_TIMEOUT"]


def test_explain_of_a_text_of_several_lines_is_that_of_its_lines(run: Run) -> None:
    done = run("explain", "--json", "LLM_TIMEOUT\nno code here\nLLM_LINK_BUSY\n")
    assert [item["name"] for item in json.loads(done.stdout)] == ["LLM_TIMEOUT", "LLM_LINK_BUSY"]


def test_empty_standard_input_is_remarked(run: Run) -> None:
    done = run("explain", "-")
    assert (done.returncode, done.stdout) == (0, "")
    assert "standard input is empty" in done.stderr


def test_a_byte_order_mark_before_standard_input_is_passed_over(run: Run) -> None:
    assert run("explain", "-", stdin="\N{BYTE ORDER MARK}LLM_TIMEOUT\n").returncode == 0


def test_explain_reads_standard_input_and_skips_blank_lines(run: Run) -> None:
    done = run("explain", "--json", "-", stdin="LLM_EXIST_LINK\n\n   \nret = -1")
    assert [item["name"] for item in json.loads(done.stdout)] == ["LLM_EXIST_LINK", "LLM_FAILED"]


def test_explain_of_a_value_without_a_name_decodes_it_and_exits_with_1(run: Run) -> None:
    done = run("explain", "0x5010B0FF", "LLM_TIMEOUT")
    assert done.returncode == 1
    assert "0x5010B0FF  1343271167" in done.stdout
    assert "value 255" in done.stdout
    assert "LLM_TIMEOUT" in done.stdout


def test_explain_of_what_is_no_status_says_so_and_goes_on_and_exits_with_2(run: Run) -> None:
    done = run("explain", "--json", "LLM_LINK_FAIL", "103900", "LLM_TIMEOUT")
    assert done.returncode == 2
    assert [item["name"] for item in json.loads(done.stdout)] == [None, "LLM_TIMEOUT"]
    assert done.stderr.count("\n") == 1
    assert "'LLM_LINK_FAIL' is not a status code: did you mean LLM_LINK_FAILED" in done.stderr


def test_a_remark_about_standard_input_names_the_line(run: Run) -> None:
    done = run("explain", "-", stdin="LLM_TIMEOUT\nno code in here\n")
    assert done.returncode == 2
    assert "standard input, line 2: 'no code in here' is not a status code" in done.stderr


def test_explain_survives_bytes_that_are_no_text() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "llm_datadist_status", "explain", "--json", b"\xff ret=1343270921", "-"],
        input=b"\xb0\xa1 ret=1343270922 \x00\n\xff\xfe\n",
        capture_output=True,
        env=environment(),
        check=False,
    )
    assert done.returncode == 2
    assert [item["name"] for item in json.loads(done.stdout)] == ["LLM_LINK_FAILED", "LLM_UNLINK_FAILED"]
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("explain",), "CODE"),
        (("explain", "0", "--api", "PullKvBlok"), "did you mean PullKvBlocks"),
        (("explain", "0", "--api", "-1"), "unknown call '-1'"),
        (("explain", "0", "--lang", "-1"), "'-1' is not one of"),
        (("explain", "0", "--docs", "java"), "'java' is not one of"),
        (("explain", "0", "--lang", "fr"), "'fr' is not one of"),
        (("explain", "0", "--jsn"), "--jsn"),
        (("list", "--recoverable", "maybe"), "'maybe' is not one of"),
        (("list", "--json", "--csv"), "exclude each other"),
        (("list", "--api", "PullKvBlok"), "did you mean PullKvBlocks"),
        (("explane", "0"), "explane"),
    ],
)
def test_usage_errors_exit_with_2_and_say_what_is_wrong(run: Run, args: tuple[str, ...], said: str) -> None:
    done = run(*args)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("args", "env"),
    [
        (("--lang", "zh", "explain", "0"), {}),
        (("explain", "0", "--lang", "zh"), {}),
        (("--lang", "en", "explain", "0", "--lang", "zh"), {}),
        (("explain", "0"), {"LLM_DATADIST_STATUS_LANG": "zh", "LANG": "en_US.UTF-8"}),
        (("explain", "0"), {"LANG": "zh_CN.UTF-8"}),
        (("explain", "0"), {"LC_ALL": "zh_CN.UTF-8", "LANG": "en_US.UTF-8"}),
    ],
)
def test_chinese_by_option_variable_or_locale(run: Run, args: tuple[str, ...], env: dict[str, str]) -> None:
    assert "调用成功" in run(*args, env=env).stdout


@pytest.mark.parametrize(
    ("args", "env"),
    [
        (("explain", "0"), {}),
        (("explain", "0"), {"LANG": "de_DE.UTF-8"}),
        (("explain", "0"), {"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}),
        (("explain", "0", "--lang", "en"), {"LLM_DATADIST_STATUS_LANG": "zh"}),
        (("explain", "0"), {"LLM_DATADIST_STATUS_LANG": "en", "LANG": "zh_CN.UTF-8"}),
    ],
)
def test_english_otherwise(run: Run, args: tuple[str, ...], env: dict[str, str]) -> None:
    assert "The call succeeded." in run(*args, env=env).stdout


def test_a_language_variable_that_names_none_is_a_usage_error(run: Run) -> None:
    done = run("explain", "0", env={"LLM_DATADIST_STATUS_LANG": "fr"})
    assert done.returncode == 2
    assert "LLM_DATADIST_STATUS_LANG" in done.stderr


def test_an_option_overrides_a_language_variable_that_names_none(run: Run) -> None:
    assert run("explain", "0", "--lang", "en", env={"LLM_DATADIST_STATUS_LANG": "fr"}).returncode == 0


def test_remarks_are_in_the_chosen_language(run: Run) -> None:
    assert "标准输入第1行：'链路'不是错误码" in run("explain", "--lang", "zh", "-", stdin="链路\n").stderr
    assert "没有符合条件的错误码" in run("list", "--lang", "zh", "--search", "无此文字").stderr


def test_a_narrow_encoding_is_no_traceback(run: Run) -> None:
    done = run("explain", "--lang", "zh", "0", env={"PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1"})
    assert done.returncode == 0
    assert "\\u8c03" in done.stdout


def test_list_shows_every_code_on_one_line_each(run: Run) -> None:
    heading, *lines = run("list").stdout.splitlines()
    assert not any(line.endswith(" ") for line in lines)
    assert heading.split() == ["Name", "Hexadecimal", "Decimal", "Recoverable", "Action", "Meaning"]
    assert [line.split()[0] for line in lines] == list(CODES)


def test_columns_line_up_with_chinese_text(run: Run) -> None:
    def cells(text: str) -> int:
        return sum(1 if char.isascii() else 2 for char in text)

    heading, *lines = run("list", "--lang", "zh").stdout.splitlines()
    column = cells(heading[: heading.index("建议操作")])
    for line in lines:
        action = Status[line.split()[0]].advise().action.name
        assert cells(line[: line.index(f" {action}（")]) + 1 == column


@pytest.mark.parametrize(
    ("args", "names"),
    [
        (("--recoverable", "no"), ["LLM_FAILED", "LLM_TIMEOUT"]),
        (("--recoverable", "n/a"), ["LLM_SUCCESS"]),
        (("--search", "kLLMTimeout"), ["LLM_TIMEOUT"]),
        (("--search", "prompt_unlink"), ["LLM_NOTIFY_PROMPT_UNLINK_FAILED"]),
        (("--search", "重复建链"), ["LLM_ALREADY_LINK"]),
        (("--search", "MEMORY POOL"), ["LLM_OUT_OF_MEMORY"]),
        (("--search", "0x5010b01a"), ["LLM_TIMEOUT"]),
        (("--search", "1343270921"), ["LLM_LINK_FAILED"]),
        (("--search", "timeout", "--recoverable", "no"), ["LLM_TIMEOUT"]),
        (("--search", "no such text"), []),
        (("--search", "role", "--api", "SetRole"), ["LLM_EXIST_LINK", "LLM_FEATURE_NOT_ENABLED"]),
        (("--search", "role", "--api", "pull_blocks"), []),
    ],
)
def test_list_narrows_down(run: Run, args: tuple[str, ...], names: list[str]) -> None:
    done = run("list", "--json", *args)
    assert [item["name"] for item in json.loads(done.stdout)] == names
    assert done.returncode == 0
    assert ("no code fits" in done.stderr) is (names == [])


def test_list_shows_the_action_after_the_call(run: Run) -> None:
    def actions(*args: str) -> dict[str, str]:
        return {row["Name"]: row["Action"] for row in csv.DictReader(io.StringIO(run("list", "--csv", *args).stdout))}

    assert actions("--api", "link_clusters")["LLM_ALREADY_LINK"] == "NONE (nothing to do)"
    assert actions()["LLM_ALREADY_LINK"] == "CHECK_LINK (check the state of the link)"
    listed = json.loads(run("list", "--json", "--api", "pull_blocks", "--search", "WAIT_PROC").stdout)
    assert [(item["advice"]["action"], item["advice"]["api"]) for item in listed] == [("RELINK", "pull_blocks")]


@pytest.mark.parametrize(("lang", "said"), [("en", "Finalize reports no status"), ("zh", "Finalize不返回错误码")])
def test_list_says_that_a_call_reports_nothing(run: Run, lang: str, said: str) -> None:
    done = run("list", "--api", "Finalize", "--json", "--lang", lang)
    assert (done.returncode, json.loads(done.stdout)) == (0, [])
    assert said in done.stderr


def test_list_json_is_explain_json_without_input(run: Run) -> None:
    listed = json.loads(run("list", "--json").stdout)
    explained = json.loads(run("explain", "--json", *CODES).stdout)
    for item in explained:
        del item["input"]
    assert listed == explained


def test_list_csv_is_csv(run: Run) -> None:
    rows = list(csv.DictReader(io.StringIO(run("list", "--csv").stdout)))
    assert [(row["Name"], int(row["Decimal"]), int(row["Hexadecimal"], 16)) for row in rows] == [
        (name, value, value) for name, (value, _, _) in CODES.items()
    ]


def test_list_markdown_is_the_table_of_the_readme(run: Run) -> None:
    for lang, readme in (("en", "README.md"), ("zh", "README.zh-CN.md")):
        assert run("list", "--markdown", "--lang", lang).stdout in (ROOT / readme).read_text(encoding="utf-8")


def test_version_says_which_header(run: Run) -> None:
    done = run("--version")
    assert done.stdout == f"llm-datadist-status {__version__} (header: bundled, sha256 {header_info().sha256})\n"


@pytest.mark.parametrize("command", ["explain", "list"])
def test_the_help_of_every_command_has_an_example(run: Run, command: str) -> None:
    done = run(command, "--help")
    assert done.returncode == 0
    assert f"  llm-datadist-status {command}" in done.stdout
    assert "Exit status:" in done.stdout


@pytest.mark.parametrize("args", ["list --json", "explain - --json", "explain -"])
def test_a_closed_pipe_is_no_error(args: str) -> None:
    script = (
        f"set -o pipefail; yes LLM_TIMEOUT | head -n 5000 | {sys.executable} -m llm_datadist_status {args} | head -n 1"
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, env=environment(), check=False)
    assert done.stderr == b""
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.parametrize(
    ("redirection", "status"),
    [
        ("explain 0 >&-", 0),
        ("explain foo 2>&-", 2),
        ("explain - <&-", 2),
        ("explain 0 >/dev/full", 2),
        ("list --json >/dev/full", 2),
    ],
)
def test_streams_that_are_closed_or_full_are_no_traceback(redirection: str, status: int) -> None:
    script = f"{sys.executable} -m llm_datadist_status {redirection}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, env=environment(), encoding="utf-8", check=False)
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    assert ("cannot be written: No space left" in done.stderr) is ("full" in redirection)


def on_terminal(*args: str, **env: str) -> str:
    """What the command writes to a terminal 100 columns wide unless ``COLUMNS`` says otherwise."""
    main, terminal = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, "-m", "llm_datadist_status", *args],
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        env=environment(**{"COLUMNS": "100", "TERM": "xterm-256color", **env}),
    )
    os.close(terminal)
    written = b""
    while True:
        try:
            piece = os.read(main, 1 << 16)
        except OSError:
            break
        if not piece:
            break
        written += piece
    os.close(main)
    assert done.wait(timeout=60) == 0
    return written.decode()


def test_colour_on_a_terminal_only() -> None:
    assert "\x1b[" in on_terminal("explain", "LLM_TIMEOUT")
    assert "\x1b[" not in on_terminal("explain", "LLM_TIMEOUT", NO_COLOR="1")
    assert "\x1b[" not in on_terminal("list", NO_COLOR="1")


def test_no_colour_on_a_terminal_that_has_none() -> None:
    assert "\x1b[" not in on_terminal("explain", "LLM_TIMEOUT", TERM="dumb")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_list_loses_nothing_on_a_narrow_terminal(lang: str) -> None:
    shown = on_terminal("list", "--lang", lang, COLUMNS="80", NO_COLOR="1")
    assert "\N{HORIZONTAL ELLIPSIS}" not in shown
    for name, (value, _, action) in CODES.items():
        assert name in shown
        assert str(value) in shown
        assert action[:4] in shown


def test_colour_off_a_terminal_only_where_it_is_forced(run: Run) -> None:
    assert "\x1b[" not in run("explain", "LLM_TIMEOUT").stdout + run("list").stdout
    assert "\x1b[" in run("explain", "LLM_TIMEOUT", env={"FORCE_COLOR": "1"}).stdout
    assert "\x1b[" not in run("explain", "LLM_TIMEOUT", env={"FORCE_COLOR": "1", "NO_COLOR": "1"}).stdout


def test_text_folds_to_the_width_of_the_terminal() -> None:
    lines = on_terminal("explain", "LLM_LINK_FAILED", NO_COLOR="", FORCE_COLOR="1").splitlines()
    assert any("over the network." in line for line in lines)
    assert not any("If the second" in line and "over the network." in line for line in lines)


@pytest.mark.parametrize("missing", [["click"], ["rich"], ["click", "rich", "markdown_it"]])
def test_without_its_libraries_the_command_names_the_wheels(missing: list[str]) -> None:
    script = (
        "import sys, importlib.abc\n"
        "class Absent(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.partition('.')[0] in {missing}: raise ModuleNotFoundError(name=name)\n"
        "sys.meta_path.insert(0, Absent())\n"
        "import importlib.util as util; found = util.find_spec\n"
        f"util.find_spec = lambda name: None if name in {missing} else found(name)\n"
        "sys.argv = ['llm-datadist-status', 'list']\n"
        "from llm_datadist_status.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, encoding="utf-8", env=environment(), check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    for wheel in missing:
        assert wheel.replace("markdown_it", "markdown-it-py") in done.stderr
