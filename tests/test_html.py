"""The report as a page and as a drawing, without a browser: what is in them, and that nothing in a log breaks them."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llm_datadist_status import Report
from llm_datadist_status.scan import report as report_module
from llm_datadist_status.scan.logs import Scan
from llm_datadist_status.scan.page import write_page
from llm_datadist_status.scan.plot import draw
from llm_datadist_status.scan.visible import visible

from .conftest import Run, environment

LINK_FAILED, TIMEOUT, FAILED = 1343270921, 1343270938, 4294967295


def line(value: int = LINK_FAILED, *, time: str = "09:02:14", pid: int = 7, rest: bytes = b"") -> bytes:
    head = f"[ERROR] GE({pid},x):2026-07-14-{time}.000.000 [link_mgr.cc:7][HIXL] 7 Link: ErrorNo: {value} "
    return head.encode() + rest + b"\n"


def scanned(logs: bytes | dict[str, bytes]) -> Report:
    scan = Scan(quote=True)
    for path, data in (logs if isinstance(logs, dict) else {"worker.log": logs}).items():
        pieces = iter([data])

        def read(view: memoryview, pieces: Iterator[bytes] = pieces) -> int:
            piece = next(pieces, b"")
            view[: len(piece)] = piece
            return len(piece)

        scan.stream(read, path)
    return scan.finish()


def page(logs: bytes | dict[str, bytes] | Report, lang: str = "en") -> str:
    file = io.BytesIO()
    write_page(logs if isinstance(logs, Report) else scanned(logs), file, lang)
    return file.getvalue().decode()


def drawing(report: Report, form: str = "svg", lang: str = "en") -> bytes:
    file = io.BytesIO()
    draw(report, file, form, lang)
    return file.getvalue()


class Parsed(HTMLParser):
    """The elements of a page with their attributes, its text, and the content of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.scripts: list[str] = []
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            self.scripts.append(data)
            self._inside = ""
        elif self._inside != "style":
            self.text += data

    def all(self, attribute: str) -> list[str]:
        return [attrs[attribute] or "" for _, attrs in self.elements if attribute in attrs]


HOSTILE = [
    b"<script>alert(1)</script>",
    b"</script></style></pre><img src=x onerror=alert(1)>",
    b'"\'` onmouseover=alert(1) x="',
    b"<!-- --> ]]> &lt;script&gt; &#60;b&#62; {{ 7 * 7 }} {% raw %} ${x}",
    b"\x1b[31mred\x1b]0;title\x07 \x00 \x08 \x7f \x9b",
    "\u202egnp.exe\u2066 \u200b\ufeff\u2028\x85".encode(),
    b"\xff\xfe\xc3\x28 \xed\xa0\x80 \xf0\x9f",
    "链路建立失败".encode("gbk"),
]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_line_is_text_and_never_an_element_or_an_attribute(hostile: bytes) -> None:
    assert Parsed(page(line(rest=hostile))).elements == Parsed(page(line(rest=b"harmless"))).elements


@settings(max_examples=30, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(HOSTILE), st.binary(max_size=40)), max_size=4).map(b" ".join))
def test_whatever_a_line_holds_the_page_has_the_same_elements_and_shows_no_control_character(hostile: bytes) -> None:
    text = page(line(rest=hostile.replace(b"\n", b" ").replace(b"13432709", b"")))
    assert Parsed(text).elements == Parsed(page(line())).elements
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]", text)


@pytest.mark.parametrize("hostile", [*HOSTILE, b"$x^2$ \\frac{1}{2}", b"a\nb"])
def test_so_is_a_path_on_the_page_and_in_the_drawing(hostile: bytes) -> None:
    path = hostile.decode("utf-8", "surrogateescape")
    report = scanned({path: line()})
    expected = Parsed(page({"worker.log": line()}))
    assert [e for e in Parsed(page(report)).elements if e[0] == "script"] == [("script", {})]
    assert [(tag, set(attrs)) for tag, attrs in Parsed(page(report)).elements] == [
        (tag, set(attrs)) for tag, attrs in expected.elements
    ]
    labels = [element.text for element in ET.fromstring(drawing(report)).iter() if element.tag.endswith("}text")]
    assert visible(path) in labels


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b"plain\ttext", "plain\ttext"),
        (b"\x00\x1b[31m\r\x7f", "␀␛[31m␍␡"),
        (b"bad \xff byte", r"bad \xff byte"),
        ("链路".encode(), "链路"),
        ("链路失败，重试。".encode("gbk"), "链路失败，重试。"),
        (b"caf\xe9 na\xefve", r"caf\xe9 na\xefve"),
        ("a\u202eb\u200b".encode(), "a⟨U+202E⟩b⟨U+200B⟩"),
        ("\x85\u2028\ue000".encode(), "⟨U+0085⟩⟨U+2028⟩⟨U+E000⟩"),
        ("path\udcff", r"path\xff"),
        ("lone\ud800", r"lone\ud800"),
    ],
)
def test_what_cannot_be_seen_is_shown(raw: bytes | str, shown: str) -> None:
    assert visible(raw) == shown


def test_a_long_line_is_cut_and_says_by_how_much() -> None:
    data = b"x" * 5000 + b" " + line(rest=b"y" * 3000)
    text = Parsed(page(data)).text
    (before, after) = (
        int(number.replace(",", "")) for number in re.findall(r"([\d,]+) (?:bytes before|more bytes)", text)
    )
    assert before + after + 400 == len(data) - 1
    assert str(LINK_FAILED) in text


def test_of_a_line_without_end_it_says_that_there_is_more() -> None:
    assert "at least 3" in Parsed(page(line(rest=b"y" * 200_000)[:-1])).text


def test_a_cut_splits_no_character() -> None:
    data = "接".encode() * 300 + b" " + line(rest="收".encode() * 300)
    assert r"\x" not in Parsed(page(data)).text


def test_an_incident_shows_its_lines_with_the_cause_among_them_and_what_to_do() -> None:
    data = b"".join(line(FAILED, time=f"09:02:1{n}", rest=b"outer %d" % n) for n in range(6))
    data += line(TIMEOUT, time="09:02:16", rest=b"PullKvBlocks inner")
    report = scanned(data)
    (incident,) = report.incidents
    assert [quote.line for quote in incident.lines] == [1, 2, 3, 7]
    text = Parsed(page(report)).text
    assert "PullKvBlocks inner" in text
    assert "6 wrapper lines" in text
    assert "COLLECT_LOGS" in text
    assert "from PullKvBlocks" in text


def test_what_to_do_depends_on_the_call_that_the_line_names() -> None:
    pull = line(1343270913, time="09:00:00", rest=b"PullKvBlocks failed")
    link = line(1343270913, time="10:00:00", rest=b"LinkLlmClusters failed")
    parsed = Parsed(page(pull + link))
    assert {"RELINK", "RETRY_LONGER"} <= set(re.findall(r"[A-Z]+_?[A-Z]+", parsed.text))
    assert [i for i in parsed.all("id") if re.fullmatch(r"cause-\d", i)] == ["cause-1", "cause-2"]


def test_causes_that_are_answered_alike_are_one() -> None:
    link = line(time="09:00:00", rest=b"link_clusters") + line(time="10:00:00", rest=b"LinkLlmClusters")
    assert "from LinkLlmClusters, link_clusters" in Parsed(page(link)).text


@pytest.mark.parametrize(("lang", "tag", "word"), [("en", "en", "What to do"), ("zh", "zh-CN", "处理步骤")])
def test_the_page_is_in_the_chosen_language(lang: str, tag: str, word: str) -> None:
    parsed = Parsed(page(line(), lang))
    assert ("html", {"lang": tag, "id": "top"}) in parsed.elements
    assert word in parsed.text


def test_no_english_word_is_left_on_the_chinese_page() -> None:
    text = Parsed(page(line(1343270944, rest=b"") + line(), "zh")).text
    shown = re.sub(r"\[ERROR\].*|<.*?>|[\w/]+\.(?:log|cc)|(?:LLM|CHECK|COLLECT)_[A-Z_]+|0x[0-9A-F]+", "", text)
    assert set(re.findall(r"[A-Za-z]{3,}", shown)) <= {
        *("LLM", "DataDist", "LinkLlmClusters", "kLinKFailed", "CANN", "API", "Host", "runtime", "type", "level"),
        *("sysid", "modid", "value", "Status", "Device"),
    }


def test_the_same_report_gives_the_same_page() -> None:
    logs = {"a.log": line(), "b.log": line(TIMEOUT, time="10:00:00")}
    assert page(logs) == page(logs)


def test_the_page_runs_its_own_script_alone_and_loads_nothing() -> None:
    text = page(line())
    parsed = Parsed(text)
    (script,) = parsed.scripts
    (policy,) = (attrs["content"] or "" for _, attrs in parsed.elements if "http-equiv" in attrs)
    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" in policy
    assert all(link.startswith(("#", "data:")) for name in ("href", "xlink:href", "src") for link in parsed.all(name))
    assert not re.search(r"@import|url\((?!#)", text)


def test_every_link_leads_somewhere_and_no_anchor_is_there_twice() -> None:
    parsed = Parsed(page({"a.log": line() + line(TIMEOUT, time="10:00:00"), "b.log": line(time="11:00:00")}))
    anchors = parsed.all("id")
    assert len(anchors) == len(set(anchors))
    targets = {link[1:] for name in ("href", "xlink:href") for link in parsed.all(name) if link[0] == "#"}
    assert targets <= set(anchors)
    assert {"incident-1", "incident-2", "incident-3"} <= targets


def test_a_mark_of_the_timeline_links_to_its_first_incident() -> None:
    parsed = Parsed(page({"a.log": line() + line(time="10:00:00"), "b.log": line(TIMEOUT, time="09:30:00")}))
    assert {"#incident-1", "#incident-2", "#incident-3"} <= set(parsed.all("xlink:href"))


def test_the_timeline_takes_the_colours_of_the_page() -> None:
    timeline = re.findall(r"<svg.*?</svg>", page(line()), re.DOTALL)[0]
    assert "var(--ink)" in timeline
    assert not re.search(r"#(?:fff(?:fff)?|000(?:000)?)\b", timeline)


def test_times_without_a_year_are_drawn_beside_those_with_one() -> None:
    worker = (
        b"(Worker_TP0 pid=9) ERROR 07-14 09:03:00 [c.py:1] [link] failed, error code is LLMStatusCode.LLM_LINK_FAILED\n"
    )
    texts = [e.text for e in ET.fromstring(drawing(scanned({"a.log": line(), "b.log": worker}))).iter() if e.text]
    assert "2026-07-14" in " ".join(texts)
    assert not any(text.startswith("2000") for text in texts)


def test_a_drawing_of_many_files_has_few_lanes_and_says_how_many_it_leaves_out() -> None:
    report = scanned({f"worker-{n:03}.log": line(pid=n, time=f"09:{n % 60:02}:00") for n in range(100)})
    labels = [e.text for e in ET.fromstring(drawing(report)).iter() if e.tag.endswith("}text")]
    assert sum("worker-" in (label or "") for label in labels) == 24
    assert "76 other files" in labels


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("data", [b"", b"nothing here\n", b"[link] ret = 0 LLMStatusCode.LLM_SUCCESS\n"])
def test_there_is_a_page_and_a_drawing_where_nothing_went_wrong(data: bytes, lang: str) -> None:
    report = scanned(data)
    assert "incident-1" not in page(report, lang)
    assert drawing(report, lang=lang).startswith(b"<?xml")


def test_incidents_beyond_those_kept_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_module, "_INCIDENTS", 2)
    parsed = Parsed(page(b"".join(line(time=f"09:{n:02}:00") for n in range(5))))
    assert "3 further incidents" in parsed.text
    assert "incident-3" not in parsed.all("id")


def test_no_line_is_kept_where_nobody_asked() -> None:
    scan = Scan()
    pieces = iter([line()])
    scan.stream(lambda view: _fill(view, next(pieces, b"")), "x.log")
    assert scan.finish().incidents[0].lines == []


def _fill(view: memoryview, piece: bytes) -> int:
    view[: len(piece)] = piece
    return len(piece)


# Merging: whatever parts the logs are read in, and in whatever order these are put together.


def facts(report: Report) -> dict[str, Any]:
    timelines = [report.timeline, report.yearless]
    return {
        **report.to_dict(),
        "lines": [[(q.path, q.line, q.text) for q in incident.lines] for incident in report.incidents],
        "timelines": [(t.width, t.counts, {row: dict(c) for row, c in t.incidents.items()}) for t in timelines],
    }


@st.composite
def three_reports(draw: st.DrawFn) -> list[Report]:
    reports = []
    for part in range(3):
        logs: dict[str, bytes] = {}
        for file in range(draw(st.integers(0, 4))):
            lines = []
            for _ in range(draw(st.integers(1, 6))):
                time = f"{draw(st.integers(0, 23)):02}:{draw(st.integers(0, 59)):02}:{draw(st.integers(0, 59)):02}"
                value = draw(st.sampled_from([LINK_FAILED, TIMEOUT, FAILED, 103900]))
                text = line(value, time=time)
                lines.append(
                    text if draw(st.booleans()) else text.replace(b"2026-07-14-", b"07-14 ").replace(b"GE(7,x):", b"")
                )
            logs[f"{draw(st.integers(0, 9))}-{part}-{file}.log"] = b"".join(lines)
        reports.append(scanned(logs))
    return reports


@settings(max_examples=60, deadline=None)
@given(three_reports())
def test_merging_is_associative_and_commutative(reports: list[Report]) -> None:
    a, b, c = reports
    with pytest.MonkeyPatch.context() as patch:  # small bounds, so that they are met
        patch.setattr(report_module, "_BUCKETS", 4)
        patch.setattr(report_module, "_ROWS", 3)
        patch.setattr(report_module, "_INCIDENTS", 6)
        expected = facts(a.merge(b).merge(c))
        assert facts(a.merge(b.merge(c))) == expected
        assert facts(c.merge(a).merge(b)) == expected
        assert facts(b.merge(a.merge(c))) == expected


def test_merged_counts_by_file_are_those_of_one_scan() -> None:
    logs = {f"{n}.log": line(pid=n, time=f"{n:02}:00:00") for n in range(9)}
    parts = [scanned({path: data}) for path, data in logs.items()]
    merged = parts[0]
    for part in parts[1:]:
        merged = merged.merge(part)
    assert merged.timeline.incidents == scanned(logs).timeline.incidents


# The command.


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "worker.log"
    path.write_bytes(line())
    return path


@pytest.mark.parametrize("form", [(), ("--json",), ("--jsonl",), ("--annotate",)])
def test_the_page_and_the_drawing_come_beside_what_is_printed(run: Run, log: Path, form: tuple[str, ...]) -> None:
    page, plot = log.with_name("report.html"), log.with_name("timeline.PNG")
    done = run("scan", str(log), *form, "--html", str(page), "--plot", str(plot))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run("scan", str(log), *form).stdout
    assert "incident-1" in page.read_text(encoding="utf-8")
    assert str(LINK_FAILED) in page.read_text(encoding="utf-8")
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in log.parent.iterdir()) == ["report.html", "timeline.PNG", "worker.log"]


def test_the_drawing_alone_needs_no_lines(run: Run, log: Path) -> None:
    plot = log.with_name("timeline.svg")
    assert run("--lang", "zh", "scan", str(log), "--plot", str(plot)).returncode == 0
    assert ET.fromstring(plot.read_bytes()).tag.endswith("svg")


@pytest.mark.parametrize(
    ("option", "name", "reason"),
    [
        ("--html", "missing/report.html", "it cannot be written: No such file or directory"),
        ("--html", ".", "it cannot be written: Is a directory"),
        ("--html", "worker.log", "this is one of the logs"),
        ("--plot", "timeline.pdf", "expected a name that ends in .svg or .png"),
        ("--plot", "missing/timeline.svg", "it cannot be written: No such file or directory"),
    ],
)
def test_what_cannot_be_written_is_said_before_the_scan(
    run: Run, log: Path, option: str, name: str, reason: str
) -> None:
    before = log.read_bytes()
    done = run("scan", str(log), option, str(log.parent / name))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{option} {log.parent / name}: {reason}." in done.stderr
    assert log.read_bytes() == before
    assert list(log.parent.iterdir()) == [log]


@pytest.mark.parametrize(
    ("missing", "options", "told"),
    [
        (["jinja2"], ["--html", "x.html"], "--html cannot be written without jinja2"),
        (["jinja2", "matplotlib"], ["--html", "x.html"], "--html cannot be written without jinja2 and matplotlib"),
        (["matplotlib"], ["--plot", "x.svg"], "--plot cannot be written without matplotlib"),
    ],
)
def test_what_is_not_installed_is_said_before_the_scan(
    tmp_path: Path, missing: list[str], options: list[str], told: str
) -> None:
    script = (
        f"import sys; sys.modules.update(dict.fromkeys({missing}))\n"
        f"sys.argv = ['llm-datadist-status', 'scan', '/', *{options}]\n"
        "from llm_datadist_status.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        env=environment(),
        check=False,
    )
    assert done.returncode == 2
    assert f"{told}: install llm-datadist-status[report]." in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_older_page_stays_when_the_new_one_cannot_be_finished(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from llm_datadist_status.cli.drawings import Drawings
    from llm_datadist_status.scan import page as page_module

    def fail(*_: object) -> None:
        raise OSError("no space")

    monkeypatch.setattr(page_module, "write_page", fail)
    page = log.with_name("report.html")
    page.write_text("older")
    drawings = Drawings(str(page), None, [str(log)])
    with pytest.raises(OSError, match="no space"):
        drawings.write(scanned(line()), "en")
    drawings.close()
    assert page.read_text() == "older"
    assert sorted(path.name for path in log.parent.iterdir()) == ["report.html", "worker.log"]


def test_a_page_takes_the_place_of_an_older_one_and_keeps_its_mode(run: Run, log: Path) -> None:
    page = log.with_name("report.html")
    page.write_text("older")
    page.chmod(0o640)
    assert run("scan", str(log), "--html", str(page)).returncode == 0
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert page.stat().st_mode & 0o777 == 0o640


def test_a_full_disk_is_told(run: Run, log: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    done = run("scan", str(log), "--html", "/dev/full")
    assert done.returncode == 2
    assert "cannot be written: No space left on device" in done.stderr


def test_the_settings_of_matplotlib_do_not_matter(run: Run, log: Path) -> None:
    plain, other = log.with_name("plain.svg"), log.with_name("other.svg")
    settings = log.with_name("matplotlibrc")
    settings.write_text("axes.facecolor: red\nsvg.fonttype: path\n")
    run("scan", str(log), "--plot", str(plain))
    done = run("scan", str(log), "--plot", str(other), env={"MPLBACKEND": "none such", "MATPLOTLIBRC": str(settings)})
    assert done.returncode == 0, done.stderr
    assert other.read_bytes() == plain.read_bytes()


def modules_of(*args: str) -> set[str]:
    script = (
        f"import sys; sys.argv = ['llm-datadist-status', *{list(args)}]\n"
        "from llm_datadist_status.__main__ import main\n"
        "try: main()\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, encoding="utf-8", env=environment(), check=True
    )
    return {name.partition(".")[0] for name in done.stderr.split()}


def test_matplotlib_is_loaded_to_draw_and_for_nothing_else(log: Path) -> None:
    assert not {"matplotlib", "numpy", "jinja2"} & modules_of("scan", str(log))
    assert "jinja2" not in modules_of("scan", str(log), "--plot", str(log.with_name("x.svg")))


def dense() -> Iterator[bytes]:
    """Many files, each with many incidents of many causes at many times."""
    values = [
        *range(1343270913, 1343270915),
        1343270917,
        *range(1343270919, 1343270927),
        *range(1343270936, 1343270941),
    ]
    for pid in range(24):
        yield b"".join(
            line(value, pid=pid, time=f"{hour:02}:{minute:02}:{3 * place:02}", rest=b"<\xff\x1b\"'" * 60)
            for hour in range(24)
            for minute in range(0, 60, 6)
            for place, value in enumerate(values)
        )


def processes() -> Iterator[bytes]:
    """Long lines of many processes at the same time."""
    for part in range(4):
        yield b"".join(line(pid=part * 500 + n, rest=b"<\x1b[31m\x00\xff\"'" * 6000) for n in range(500))


def wide() -> Iterator[bytes]:
    """Very many files, with bursts of long lines."""
    for pid in range(400):
        yield b"".join(
            line(1343270913 + n % 2, pid=pid, time=f"{n % 24:02}:{n:02}:00", rest=b'<&"\x01\x02\xff' * 200) * 5
            for n in range(30)
        )


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is read as Linux tells it")
@pytest.mark.parametrize("logs", [dense, wide, processes])
def test_the_page_is_written_in_bounded_memory(tmp_path: Path, logs: Callable[[], Iterator[bytes]]) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    for number, data in enumerate(logs()):
        folder.joinpath(f"worker-{number:03}-{'x' * 100}.log").write_bytes(data)
    options = ["--html", str(tmp_path / "x.html"), "--plot", str(tmp_path / "x.png")]
    script = (
        f"import sys; sys.argv = ['llm-datadist-status', 'scan', {str(folder)!r}, *{options}]\n"
        "from llm_datadist_status.__main__ import main\n"
        "try: main()\n"
        "finally: print(*[l for l in open('/proc/self/status') if l.startswith('VmHWM')], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, encoding="utf-8", env=environment(), check=True
    )
    peak = int(re.findall(r"VmHWM:\s+(\d+) kB", done.stderr)[0])
    assert peak < 96 * 1024
