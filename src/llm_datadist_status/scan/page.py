"""A report as one page of HTML that needs nothing else: no network, no other file. Needs jinja2 and matplotlib.

What comes from logs reaches the page as escaped text alone, never as an attribute, style or script; and the page allows
no script but its own.
"""

from __future__ import annotations

import io
import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from ..explanation import action_words
from ..notation import parse
from . import plot
from .causes import causes, readable
from .report import OTHER_FILES, OTHER_VALUES
from .sources import STDIN
from .texts import TEXTS, scanned, several
from .visible import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO, Any

    from .causes import Cause
    from .report import Incident, Place, Report


def write_page(report: Report, file: IO[bytes], lang: str) -> None:
    """Write the page in ``lang`` ("en" or "zh"); the same report gives the same page."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(visible=visible, number="{:,}".format, several=several)
    script = _own("page.js")
    page = _Page(report, lang)
    stream = environment.from_string(_own("page.html")).stream(
        lang={"en": "en", "zh": "zh-CN"}[lang],
        texts=TEXTS[lang],
        style=Markup(_own("page.css") + _colours()),
        script=Markup(script),
        script_hash=b64encode(sha256(script.encode()).digest()).decode(),
        report=report,
        scanned=scanned(report, lang),
        page=page,
        timeline=Markup(page.timeline()),
    )
    stream.enable_buffering(256)
    for text in stream:
        file.write(text.encode("utf-8", "backslashreplace"))


def _own(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _colours() -> str:
    return "".join(f".cause-{place}{{--cause:{colour}}}\n" for place, colour in enumerate(plot.COLOURS))


class _Cause:
    """A cause with what the template asks for."""

    def __init__(self, number: int, cause: Cause, lang: str, rank: int) -> None:
        explanation = cause.explanation
        self.number = number
        self.name = explanation.name
        self.hex = explanation.status.hex
        self.rank = rank
        self.meaning = explanation.description(lang)
        self.action = action_words(explanation.advice.action.name, lang)
        self.steps = explanation.advice.steps(lang)
        self.rows, self.details = cause.rows(lang)
        self.incidents, self.calls, self.times, self.wrappers = (
            cause.incidents,
            cause.calls,
            cause.times,
            cause.wrappers,
        )


class _Page:
    """What the template asks for."""

    def __init__(self, report: Report, lang: str) -> None:
        self._report = report
        self._lang = lang
        self._ranks = plot.ranks(report)
        self.incidents = list(enumerate(report.sorted_incidents(), 1))
        self.causes = [
            _Cause(number, cause, lang, self.rank(cause.explanation.name))
            for number, cause in enumerate(causes(incident for _, incident in self.incidents), 1)
        ]
        self._cause_of = {number: cause for cause in self.causes for number, _ in cause.incidents}
        names = {self.title(incident): None for _, incident in self.incidents}
        self.titles = {title: number for number, title in enumerate(sorted(names))}
        paths = {path: None for _, incident in self.incidents for path in incident.files}
        self.paths = {path: number for number, path in enumerate(sorted(paths))}
        self.more = report.more_incidents.total()

    def rank(self, name: str | None) -> int:
        """Which colour a cause has."""
        return self._ranks.get(name or OTHER_VALUES, len(plot.COLOURS) - 1)

    def cause(self, number: int) -> _Cause:
        """The cause of an incident, by the incident's number."""
        return self._cause_of[number]

    def title(self, incident: Incident) -> str:
        return str(incident.cause["name"] or incident.cause["hex"])

    def file_numbers(self, incident: Incident) -> str:
        """What the filter of files goes by: numbers, since nothing of a log stands in an attribute."""
        return " ".join(str(self.paths[path]) for path in incident.files)

    def path(self, path: str) -> str:
        return TEXTS[self._lang]["stdin"] if path == STDIN else visible(path)

    def place(self, path: str, line: int) -> str:
        return f"{self.path(path)}:{line}" if path else str(line)

    def time(self, time: str | None) -> str:
        return "\u2013" if time is None else readable(time)

    def quotes(self, incident: Incident) -> Iterator[dict[str, str]]:
        """The lines of an incident, each in three pieces: before the token, the token, and what follows."""
        texts, path = TEXTS[self._lang], None
        for quote in incident.lines:
            more = texts["cut_after" if quote.ends else "cut_at_least"]
            yield {
                "path": "" if quote.path == path else self.path(quote.path),
                "line": texts["line"].format(quote.line),
                "cut_before": texts["cut_before"].format(f"{quote.before:,}") if quote.before else "",
                "before": visible(quote.text[: quote.start]),
                "token": visible(quote.text[quote.start : quote.end]),
                "after": visible(quote.text[quote.end :]),
                "cut_after": more.format(f"{quote.after:,}") if quote.after or not quote.ends else "",
            }
            path = quote.path

    def counts(self) -> Iterator[dict[str, Any]]:
        """The rows of the table of counts: causes before what was met as a wrapper alone, the most frequent first."""
        incidents: dict[str, int] = dict(self._report.more_incidents)
        first: dict[str, int] = {}
        for number, incident in self.incidents:
            title = self.title(incident)
            incidents[title] = incidents.get(title, 0) + 1
            first.setdefault(title, number)
        for name, count in sorted(self._report.counts.most_common(), key=lambda row: not incidents.get(row[0])):
            places = self._report.places[name]
            yield {
                "name": TEXTS[self._lang]["values"] if name == OTHER_VALUES else name,
                "meaning": "" if name == OTHER_VALUES else parse(name).description(self._lang),
                "count": count,
                "incidents": incidents.get(name, 0),
                "first": places[0],
                "last": places[1],
                "jump": first.get(name),
                "title": self.titles.get(name),
                "rank": self.rank(name) if name in self._ranks else None,
            }

    def seen(self, place: Place) -> tuple[str, str]:
        return self.time(place.time), self.place(place.path, place.line)

    def lanes(self) -> list[dict[str, Any]]:
        """The timeline in words: by file, how many incidents of which cause, and the first."""
        rows: dict[tuple[str, str], dict[str, Any]] = {}
        for timeline in (self._report.timeline, self._report.yearless):
            for (path, name), counts in timeline.incidents.items():
                shown = TEXTS[self._lang]["values"] if name == OTHER_VALUES else name
                row = rows.setdefault((path, name), {"path": path, "name": shown, "count": 0, "jump": None})
                row["count"] += counts.total()
        for number, incident in self.incidents:
            found = rows.get((incident.cause["path"], incident.cause["name"] or OTHER_VALUES))
            if found is not None and found["jump"] is None:
                found["jump"] = number
                found["first"] = self.time(incident.first)
        return [rows[key] for key in sorted(rows)]

    def lane(self, path: str) -> str:
        return TEXTS[self._lang]["others"] if path == OTHER_FILES else self.path(path)

    def timeline(self) -> str:
        """The drawing, in the page's colours, its marks linked to the first incident of each."""
        report = self._report
        if not (report.timeline.incidents or report.yearless.incidents):
            return ""
        links: dict[tuple[int, int, int], str] = {}
        marks = plot.Marks(report)
        for number, incident in reversed(self.incidents):
            if incident.moment is not None:
                second = marks.second(incident.moment, report.timeline_of(incident.moment))
                spot = (marks.lane(incident.cause["path"]), self.rank(incident.cause["name"]), second)
                links[spot] = f"#incident-{number}"
        drawing = io.BytesIO()
        plot.draw(report, drawing, "svg", self._lang, links)
        text = drawing.getvalue().decode()
        text = text[text.index("<svg") :].replace(plot.INK, "var(--ink)").replace(plot.LINE, "var(--line)")
        # The links of some versions of matplotlib open windows. The table beside it says the same, so that nobody who
        # goes from link to link has to pass through every mark.
        text = re.sub(r'<a (xlink:href="#incident-\d+")(?: target="_blank")?>', r'<a \1 tabindex="-1">', text)
        return text.replace("<svg ", '<svg aria-hidden="true" focusable="false" ', 1)
