"""Text from logs made visible: nothing in it controls a terminal, hides, or turns around what stands beside it."""

from __future__ import annotations

import os
import re
import unicodedata

# What a GBK log in Chinese is made of; other pairs of bytes that happen to be GBK are left as bytes.
_CHINESE = re.compile(r"[\t -~\u4e00-\u9fff\u3000-\u303f\uff00-\uffef\u2014\u2018-\u201d\u2026\xb7]*")
_PLAIN = re.compile(r"[\t -~]*")


def visible(text: bytes | str) -> str:
    r"""``text`` as UTF-8, or as GBK where it is Chinese in it; other bytes become ``\xNN``.

    Control characters but the tab become their pictures, and what formats or has no form is named: ``<U+202E>``.
    """
    if isinstance(text, str):
        text = os.fsencode(text) if _encodable(text) else text.encode("utf-8", "backslashreplace")
    decoded = _decoded(text)
    return decoded if _PLAIN.fullmatch(decoded) else "".join(map(_shown, decoded))


def _encodable(text: str) -> bool:
    return not any(0xD800 <= ord(char) < 0xDC80 or 0xDCFF < ord(char) < 0xE000 for char in text)


def _decoded(text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError:
        pass
    try:
        chinese = text.decode("gbk")
    except UnicodeDecodeError:
        chinese = ""
    if chinese and _CHINESE.fullmatch(chinese):
        return chinese
    return text.decode("utf-8", "backslashreplace")


def _shown(char: str) -> str:
    if char == "\t":
        return char
    if char < " ":
        return chr(0x2400 + ord(char))
    if char == "\x7f":
        return "\u2421"
    # Control, format, surrogate, private, unassigned; separators of lines and paragraphs.
    if unicodedata.category(char)[0] == "C" or unicodedata.category(char) in ("Zl", "Zp"):
        return f"\u27e8U+{ord(char):04X}\u27e9"
    return char
