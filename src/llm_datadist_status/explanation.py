"""Everything that is known of one status, as one object with many renderings: plain text, a table, JSON."""

from __future__ import annotations

from .advice import advise
from .catalog import ACTIONS, NO_PAGE
from .notation import aliases
from .status import UnknownStatus, unknown_language

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .status import Status

LANGUAGES = ("en", "zh")

_LABELS: Mapping[str, tuple[str, ...]] = {
    "en": ("Meaning", "Recoverable", "Action", "What to do", "Other page", "Spellings", "Bit fields", "Source"),
    "zh": ("含义", "是否可恢复", "建议操作", "处理步骤", "文档差异", "其他写法", "位域", "来源"),
}
_RECOVERABLE: Mapping[str, Mapping[bool | None, str]] = {
    "en": {True: "yes", False: "no", None: "not applicable"},
    "zh": {True: "是", False: "否", None: "不适用"},
}
_NAMELESS = {"en": "unknown", "zh": "未知"}
# What field values stand for, as far as the codes of LLM-DataDist use them.
_MEANINGS: Mapping[tuple[str, int], Mapping[str, str]] = {
    ("runtime", 1): {"en": "host", "zh": "Host侧"},
    ("type", 1): {"en": "error", "zh": "错误"},
    ("level", 0): {"en": "common", "zh": "通用"},
    ("sysid", 8): {"en": "graph engine", "zh": "图引擎"},
    ("modid", 11): {"en": "LLM engine", "zh": "LLM引擎"},
}
# -1 has a second reading, which must not go unsaid.
_MINUS_ONE = {
    "en": "-1 has two readings: returned by a native call, it is LLM_FAILED as a signed 32-bit number; in the official"
    " Python enum it can also be LLM_UNKNOWN_ERROR, which stands for a code that the enum does not list.",
    "zh": "-1有两种含义：如果由C++接口返回，则是LLM_FAILED的有符号32位写法；在官方Python枚举中，"
    "-1还可能是LLM_UNKNOWN_ERROR，表示枚举未收录的错误码。",
}


class Explanation:
    """The explanation of ``status`` after the call ``api`` by the page ``docs`` (both as in ``advise``).

    ``given`` is what the user gave, where that was text; a plain -1 is explained in both its readings.
    """

    def __init__(
        self, status: Status | UnknownStatus, *, given: str | None = None, api: str | None = None, docs: str = "cpp"
    ) -> None:
        self.status = status
        self.given = given
        self.advice = advise(status, api, docs)

    @property
    def known(self) -> bool:
        """Whether the header has a name for the value."""
        return not isinstance(self.status, UnknownStatus)

    @property
    def name(self) -> str | None:
        """The header's name, or None."""
        return None if isinstance(self.status, UnknownStatus) else self.status.name

    def description(self, lang: str) -> str:
        """What the code means; for -1 with its other reading."""
        text = self.status.description(lang)
        if (self.given or "").strip() == "-1":
            text += (" " if lang == "en" else "") + _MINUS_ONE[lang]
        return text

    def rows(self, lang: str) -> list[tuple[str, list[str]]]:
        """Label and lines of each part, for text and tables alike; ValueError for an unknown ``lang``."""
        if lang not in LANGUAGES:
            raise unknown_language(lang)
        advice, fields = self.advice, self.status.fields or {}
        steps = advice.steps(lang)
        conflict = advice.conflict(lang)
        parts = (
            [self.description(lang)],
            [recoverability(self.status, advice.recoverable, lang)],
            [action_words(advice.action.name, lang)],
            [f"{number}. {step}" for number, step in enumerate(steps, 1)] if len(steps) > 1 else list(steps),
            [conflict] if conflict else [],
            [_listed(aliases(self.status), lang)] if aliases(self.status) else [],
            [_listed([_field(name, value, lang) for name, value in fields.items()], lang)] if fields else [],
            [advice.page(lang)],
        )
        return [(label, lines) for label, lines in zip(_LABELS[lang], parts, strict=True) if lines]

    def title(self, lang: str) -> str:
        """Name and value in its forms, on one line."""
        signed = f"  {_signed(self.status)}" if _signed(self.status) < 0 else ""
        return f"{self.name or _NAMELESS[lang]}  {self.status.hex}  {int(self.status)}{signed}"

    def to_text(self, lang: str = "en") -> str:
        """The explanation as plain text of several lines, in ``lang`` ("en" or "zh"; ValueError for another)."""
        rows = self.rows(lang)
        width = max(cells(label) for label in _LABELS[lang]) + 2
        lines = [self.title(lang)]
        for label, texts in rows:
            lines.append("  " + label + " " * (width - cells(label)) + texts[0])
            lines.extend("  " + " " * width + text for text in texts[1:])
        return "\n".join(lines)

    def to_dict(self) -> dict[str, object]:
        """The explanation as JSON's types; the key ``input`` is there only where there was one."""
        status, advice = self.status, self.advice
        both = {lang: advice.conflict(lang) for lang in LANGUAGES}
        return {
            **({} if self.given is None else {"input": self.given}),
            "known": self.known,
            "name": self.name,
            "value": int(status),
            "hex": status.hex,
            "signed": _signed(status),
            "description": {lang: self.description(lang) for lang in LANGUAGES},
            "recoverable": status.recoverable,
            "solution": {lang: status.solution(lang) for lang in LANGUAGES},
            "advice": {
                "action": advice.action.name,
                "api": advice.api,
                "recoverable": advice.recoverable,
                "steps": {lang: list(advice.steps(lang)) for lang in LANGUAGES},
                "source": advice.source,
                "conflict": both if advice.conflict() else None,
            },
            "aliases": list(aliases(status)),
            "fields": status.fields,
        }


def action_words(action: str, lang: str) -> str:
    """The name of an action and what it is in words."""
    return _bracketed(action, ACTIONS[action][lang], lang)


def recoverability(status: Status | UnknownStatus, recoverable: bool | None, lang: str) -> str:
    """The word for ``recoverable``; of a code that nobody has described, nobody knows."""
    undescribed = status.advise().source == NO_PAGE["en"]
    return _NAMELESS[lang] if undescribed else _RECOVERABLE[lang][recoverable]


def _signed(status: Status | UnknownStatus) -> int:
    value = int(status)
    return value - (1 << 32) if value >> 31 else value


def _field(name: str, value: int, lang: str) -> str:
    meaning = _MEANINGS.get((name, value))
    return _bracketed(f"{name} {value}", meaning[lang], lang) if meaning else f"{name} {value}"


def _bracketed(text: str, note: str, lang: str) -> str:
    return f"{text}（{note}）" if lang == "zh" else f"{text} ({note})"


def _listed(texts: Iterable[str], lang: str) -> str:
    return ("、" if lang == "zh" else ", ").join(texts)


def cells(text: str) -> int:
    """Columns of a terminal; the labels hold nothing but ASCII and ideographs, which take two."""
    return sum(1 if char.isascii() else 2 for char in text)
