"""The page of a report in a browser: it opens cleanly, filters, jumps, fits a narrow screen, and needs no network."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest

from .conftest import environment

webdriver = pytest.importorskip("selenium.webdriver")
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.support.select import Select  # noqa: E402

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
CHROMEDRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    not (CHROMIUM and CHROMEDRIVER), reason="chromium and chromedriver are not on this machine"
)

Driver = Any  # selenium's own types leave much open
Open = Callable[..., Driver]

_NATIVE = b"[ERROR] GE(41,decode):2026-07-14-%s [%s][HIXL] 9 %s: ErrorNo: %d %s\n"
_WORKER = b"(Worker_TP0 pid=73) ERROR 07-14 %s [connector.py:171] %s LLMStatusCode.%s\n"
_HOSTILE = (
    b"\xff\x1b[31m\x00</script><script>document.title = 'owned'</script>"
    b"<img src=x onerror=\"document.title='owned'\"> \xe9\x93\xbe\xe8\xb7\xaf"
)
LOGS = {
    "decode-0.log": (
        _NATIVE % (b"09:02:14.100.000", b"link_mgr.cc:7", b"Link", 1343270921, b"peer <b>gone</b>")
        + _NATIVE % (b"09:02:14.101.000", b"llm_datadist_v2.cc:9", b"LinkLlmClusters", 4294967295, b"")
        + _NATIVE % (b"09:40:00.000.000", b"data_cache_engine.cc:3", b"PullKvBlocks", 1343270938, _HOSTILE)
    ),
    "prefill-0.log": (
        _WORKER % (b"09:02:15", b"[link] failed, error code is", b"LLM_LINK_FAILED")
        + _WORKER % (b"10:20:00", b"pull " + b"x" * 3000, b"LLM_KV_CACHE_NOT_EXIST")
    ),
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("logs")
    for name, data in LOGS.items():
        folder.joinpath(name).write_bytes(data)
    urls = {}
    for lang in ("en", "zh"):
        page = folder / f"{lang}.html"
        subprocess.run(
            [sys.executable, "-m", "llm_datadist_status", "--lang", lang, "scan", *LOGS, "--html", page.name],
            cwd=folder,
            env=environment(),
            stdout=subprocess.DEVNULL,
            check=True,
        )
        urls[lang] = page.as_uri()
    return urls


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"):
        options.add_argument(argument)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(CHROMEDRIVER))
    yield driver
    driver.quit()


@pytest.fixture
def opened(browser: Driver, pages: dict[str, str]) -> Open:
    """Opens the page in a language, at an anchor, in a window of a width, light or dark, with nothing said before."""

    def opened(lang: str = "en", anchor: str = "", width: int = 1200, scheme: str = "light") -> Driver:
        browser.get("about:blank")
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
        )
        browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        )
        for kind in ("browser", "performance"):
            browser.get_log(kind)
        browser.get(pages[lang] + anchor)
        return browser

    return opened


def shown(page: Driver) -> list[str]:
    return [element.get_attribute("id") for element in page.find_elements(By.CSS_SELECTOR, ".incident:not([hidden])")]


def in_view(page: Driver, anchor: str) -> bool:
    script = "const at = document.getElementById(arguments[0]).getBoundingClientRect(); return [at.top, at.bottom]"
    top, bottom = page.execute_script(script, anchor)
    return bool(top < page.execute_script("return innerHeight") and bottom > 0)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_it_opens_without_an_error_and_without_the_network(opened: Open, lang: str) -> None:
    page = opened(lang)
    assert page.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    urls = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
    assert [url for url in urls if not url.startswith("data:")] == [page.current_url]


def test_nothing_from_a_log_runs(opened: Open) -> None:
    page = opened()
    assert page.title == "LLM-DataDist status report"
    assert page.find_elements(By.CSS_SELECTOR, "img, pre b, pre script") == []
    assert "peer <b>gone</b>" in page.find_element(By.ID, "incident-3").text
    assert "\\xff␛[31m␀</script><script>document.title" in page.find_element(By.ID, "incident-4").text


def test_the_policy_of_the_page_stops_a_script_that_is_not_its_own(opened: Open) -> None:
    page = opened()
    page.execute_script(
        "const added = document.createElement('script'); added.textContent = 'document.title = \"owned\"';"
        "document.body.append(added)"
    )
    assert page.title == "LLM-DataDist status report"


def test_it_filters_by_status(opened: Open) -> None:
    page = opened()
    assert len(shown(page)) == 4
    Select(page.find_element(By.ID, "by-status")).select_by_visible_text("LLM_TIMEOUT")
    (incident,) = shown(page)
    assert "LLM_TIMEOUT" in page.find_element(By.ID, incident).text
    assert page.find_element(By.ID, "shown").text == "1 of 4 incidents shown"


def test_it_filters_by_file_and_text_and_shows_all_again(opened: Open) -> None:
    page = opened()
    Select(page.find_element(By.ID, "by-file")).select_by_visible_text("prefill-0.log")
    assert len(shown(page)) == 2
    page.find_element(By.ID, "by-text").send_keys("kv_CACHE")
    assert len(shown(page)) == 1
    page.find_element(By.CSS_SELECTOR, "button[type=reset]").click()
    assert page.execute_async_script("setTimeout(arguments[0], 0)") is None
    assert len(shown(page)) == 4


def test_it_jumps_from_a_count_to_the_incidents(opened: Open) -> None:
    page = opened()
    page.find_element(By.LINK_TEXT, "LLM_LINK_FAILED").click()
    assert len(shown(page)) == 2
    assert in_view(page, shown(page)[0])


def test_it_jumps_from_the_timeline_to_an_incident(opened: Open) -> None:
    page = opened()
    mark = page.find_element(By.CSS_SELECTOR, "svg a[*|href='#incident-3']")
    mark.find_element(By.TAG_NAME, "path").click()
    assert page.current_url.endswith("#incident-3")
    assert in_view(page, "incident-3")
    assert page.switch_to.active_element.get_attribute("id") == "incident-3"


def test_a_link_to_an_incident_shows_it_whatever_was_filtered(opened: Open) -> None:
    page = opened()
    page.find_element(By.ID, "by-text").send_keys("no such text")
    assert shown(page) == []
    page.execute_script("location.hash = 'incident-2'; return new Promise(done => setTimeout(done, 50))")
    assert "incident-2" in shown(page)
    assert in_view(page, "incident-2")


def test_a_link_to_a_cause_opens_it(opened: Open) -> None:
    page = opened(anchor="#cause-3")
    assert page.find_element(By.ID, "cause-3").get_attribute("open") is not None
    assert in_view(page, "cause-3")


def test_it_shows_chinese(opened: Open) -> None:
    page = opened("zh")
    assert page.find_element(By.TAG_NAME, "h1").text == "LLM-DataDist错误码报告"
    assert [heading.text for heading in page.find_elements(By.TAG_NAME, "h2")] == [
        *("根因", "时间线", "次数统计", "故障", "文件"),
    ]
    assert page.find_element(By.TAG_NAME, "html").get_attribute("lang") == "zh-CN"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_it_fits_a_narrow_screen(opened: Open, lang: str) -> None:
    page = opened(lang, width=380)
    assert page.execute_script("return innerWidth") == 380
    assert page.execute_script("return document.documentElement.scrollWidth") <= 380


CONTRAST = """
const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const rgb = (colour) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
  return [...canvas.getImageData(0, 0, 1, 1).data]; };
const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const behind = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor);
  if (c[3] === 255) return c.slice(0, 3); } return [255, 255, 255]; };
const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_and_marks_have_contrast(opened: Open, scheme: str) -> None:
    page = opened(scheme=scheme)
    script = CONTRAST + (
        "return [...document.querySelectorAll('h1,h2,p,a,dt,dd,th,td,pre,mark,summary,label,.facts,.cut,.where')]"
        ".filter((e) => e.textContent.trim() && !e.closest('svg'))"
        ".map((e) => [e.className || e.tagName, ratio(rgb(getComputedStyle(e).color).slice(0, 3), behind(e))])"
    )
    assert [found for found in page.execute_script(script) if found[1] < 4.5] == []
    script = CONTRAST + (
        "return [...document.querySelectorAll('.chip')].map("
        "(e) => ratio(rgb(getComputedStyle(e).backgroundColor).slice(0, 3), behind(e.parentElement)))"
    )
    assert min(page.execute_script(script)) >= 3


def test_it_can_be_read_by_machine_and_used_by_keyboard(opened: Open) -> None:
    page = opened()
    levels = [int(heading.tag_name[1]) for heading in page.find_elements(By.CSS_SELECTOR, "h1, h2, h3")]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    controls = page.find_elements(By.CSS_SELECTOR, "select, input, button")
    assert all(control.accessible_name for control in controls)
    regions = page.find_elements(By.CSS_SELECTOR, "[role=region]")
    assert all(region.accessible_name for region in regions if region.is_displayed())
    marks = page.find_elements(By.CSS_SELECTOR, "svg a")
    assert {mark.get_attribute("tabindex") for mark in marks} == {"-1"}


def test_it_prints_without_what_only_a_screen_can_use(opened: Open) -> None:
    page = opened()
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        hidden = page.find_elements(By.CSS_SELECTOR, "nav, form, footer, .links")
        assert not any(element.is_displayed() for element in hidden)
        assert page.find_element(By.CSS_SELECTOR, "#cause-1 dd").is_displayed()
        assert len(page.print_page()) > 1000
    finally:
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_it_reads_without_scripts(opened: Open, browser: Driver) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        page = opened()
        assert len(shown(page)) == 4
        assert not page.find_element(By.ID, "filter").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
