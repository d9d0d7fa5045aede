"""Read the status codes of a C++ header as the compiler would, and refuse aloud what cannot be decided.

The header goes through the stages of a C++17 compiler, each no larger than the job needs: bytes to logical lines,
tokens, conditions and macros and includes, declarations, values. CMake runs this file by path before the package
exists, so it imports nothing from it.
"""

# Importing pathlib takes longer than importing this module.
# ruff: noqa: PTH113, PTH118, PTH119, PTH120, PTH123

from __future__ import annotations

import os
import re
import sys
from bisect import bisect_left, bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn

NAMESPACE = "llm_datadist"


class _Record:
    """What the small immutable-by-habit classes share; dataclasses would double the time of importing this module."""

    __slots__: tuple[str, ...] = ()

    def _key(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self.__slots__)})"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


class Constant(_Record):
    """A code: `value` is None where it could not be evaluated, and then `reason` says why."""

    __slots__ = ("file", "line", "name", "reason", "value")

    def __init__(self, name: str, value: int | None, file: str, line: int, reason: str = "") -> None:
        self.name, self.value, self.file, self.line, self.reason = name, value, file, line, reason


class Undecided(_Record):
    """Something that may hold a code, or take one away, and cannot be decided from the text."""

    __slots__ = ("file", "line", "reason")

    def __init__(self, file: str, line: int | None, reason: str) -> None:
        self.file, self.line, self.reason = file, line, reason


class Reading(_Record):
    """The codes in header order, what stayed undecided, and every file that was read, the header first."""

    __slots__ = ("constants", "files", "path", "sha256", "undecided")

    def __init__(
        self,
        path: str,
        sha256: str,
        constants: tuple[Constant, ...],
        undecided: tuple[Undecided, ...],
        files: tuple[str, ...],
    ) -> None:
        self.path, self.sha256, self.constants, self.undecided, self.files = path, sha256, constants, undecided, files


class HeaderError(Exception):
    """The header cannot be read at all."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path, self.reason = path, reason

    def __str__(self) -> str:
        return f"cannot read the header {self.path}: {self.reason}"


class _BrokenError(Exception):
    """No compiler would take this, or this reader cannot follow it, so that nothing read so far is certain."""

    def __init__(self, reason: str, place: int) -> None:
        super().__init__(reason)
        self.reason, self.place = reason, place


class _StoppedByError(_BrokenError):
    """An active #error: with these assumptions there is no compiled header."""


class _UnknownError(Exception):
    """The value of an expression cannot be found here; the constant exists all the same."""


# ---------------------------------------------------------------------------------------------------------------------
# Bytes to tokens

_SPLICE = re.compile(r"\\[ \t\f\v]*\n")
_COMMENT = re.compile(r"/\*[^*]*\*+(?:[^/*][^*]*\*+)*/|//[^\n]*")
# Every alternative ends in something that always matches, so that no input makes it scan the same text twice.
_TOKEN = re.compile(
    r"""
    (?:[ \t\n\f\v]+|//[^\n]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)*
    (
      [A-KM-QSTV-Z_a-tv-z]\w*
    | (?:u8|[uUL])?R"(?P<mark>[^()\\\s"]{0,16})\([^)]*(?:\)(?!(?P=mark)")[^)]*)*\)(?P=mark)"(?:[A-Za-z_]\w*)?
    | (?:u8|[uUL])?R"[\s\S]*
    | (?:u8|[uUL])?(?:"[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\\\n]*(?:\\.[^'\\\n]*)*')(?:[A-Za-z_]\w*)?
    | (?:u8|[uUL])?["'][^\n]*
    | [A-Za-z_]\w*
    | \.?\d(?:[eEpP][+-]|'?\w|\.)*
    | /\*[\s\S]*
    | <%|%>|%:|:>|<:(?!:(?![:>]))
    | ::|\#\#|\.\.\.|->\*?|\+\+|--|&&|\|\||<<=?|>>=?|[-+*/%&|^=!<>]=
    | [\s\S]
    | \Z
    )""",
    re.VERBOSE | re.ASCII,
)
_RAW_STRING = re.compile(r'(?:u8|[uUL])?R"([^(]*)\(')
_GOOD = re.compile(
    r"""[A-Za-z_]\w*\Z|\.?\d|(?:u8|[uUL])?(?:R"[\s\S]*"|"[^\n]*"|'[^\n]+')\w*\Z"""
    r"""|(?!//|/\*|[<%]%|%[>:]|<:|:>)[-+*/%&|^=!<>~?:;,.()\[\]{}]""",
    re.ASCII,
)
_BAD_QUOTE = '"'


class _Source:
    """One file as tokens. Offsets count from `base`, so that one number tells the place in any of the files."""

    def __init__(self, path: str, data: bytes, base: int) -> None:
        text = data.decode("latin-1")  # the compiler too reads bytes; every byte is one character here
        text = text[3:] if data.startswith(b"\xef\xbb\xbf") else text
        # Compilers disagree about a lone carriage return: it ends the line here, and then it is no good token.
        text = text.replace("\r\n", "\n").replace("\r", "\n\r")
        self.path, self.base, splices = path, base, []
        if "\\" in text:
            pieces = _SPLICE.split(text)
            text = "".join(pieces)
            end = 0
            for piece in pieces[:-1]:
                end += len(piece)
                splices.append(end - 1)
        self.text = text
        self.breaks = sorted([m.start() for m in re.finditer("\n", text)] + splices)
        found = [(m[1], m.start(1)) for m in _TOKEN.finditer(text)]
        self.tokens = [token for token, _ in found if token]
        self.offsets = [base + offset for token, offset in found if token]
        self.directives = [
            (i, self.line_end(i)) for i, token in enumerate(self.tokens) if token == "#" and self.starts_line(i)
        ]
        if splices and 'R"' in text:
            self._check_raw_strings(splices)

    def _check_raw_strings(self, splices: list[int]) -> None:
        """A raw string keeps its continuation lines, which can only matter where one lies in its opening or its end."""
        for index, (token, offset) in enumerate(zip(self.tokens, self.offsets, strict=True)):
            opening = _RAW_STRING.match(token) if '"' in token else None
            if opening is not None:
                start = offset - self.base
                end = start + len(token)
                for low, high in ((start, start + opening.end() - 1), (end - len(opening[1]) - 2, end - 1)):
                    if bisect_left(splices, low) != bisect_left(splices, high):
                        self.tokens[index] = _BAD_QUOTE

    def line(self, place: int) -> int:
        return 1 + bisect_left(self.breaks, place - self.base)

    def starts_line(self, index: int) -> bool:
        """Whether a token is the first of its line, where a comment counts as one space however long it is."""
        if index == 0:
            return True
        gap = self.text[
            self.offsets[index - 1] - self.base + len(self.tokens[index - 1]) : self.offsets[index] - self.base
        ]
        return "\n" in (_COMMENT.sub(" ", gap) if "/*" in gap else gap)

    def line_end(self, index: int) -> int:
        """The index behind the last token on the line of a token."""
        index += 1
        while index < len(self.tokens) and not self.starts_line(index):
            index += 1
        return index


class _Library:
    """The files of one reading, each read and split once, however often it is included."""

    def __init__(self, include_dirs: Sequence[str]) -> None:
        self.include_dirs = [os.fspath(folder) for folder in include_dirs]
        self.sources: dict[str, _Source] = {}
        self.bases: list[int] = []
        self.in_order: list[_Source] = []
        self.size = 0

    def add(self, path: str, data: bytes) -> _Source:
        source = self.sources[path] = _Source(path, data, self.size)
        self.bases.append(self.size)
        self.in_order.append(source)
        self.size += 2 * len(data) + 2
        return source

    def load(self, path: str) -> _Source:
        if path not in self.sources:
            with open(path, "rb") as file:
                return self.add(path, file.read())
        return self.sources[path]

    def find(self, spelled: str, beside: str) -> str | None:
        """The file that an include means: beside the including file for the quoted form, then in the folders."""
        folders = [os.path.dirname(beside)] if spelled[0] == '"' else []
        paths = (os.path.join(folder, spelled[1:-1]) for folder in [*folders, *self.include_dirs])
        return next((path for path in paths if "\0" not in path and os.path.isfile(path)), None)

    def locate(self, place: int) -> tuple[str, int]:
        source = self.in_order[bisect_right(self.bases, place) - 1]
        return source.path, source.line(place)

    def undecided(self, place: int, reason: str) -> Undecided:
        return Undecided(*self.locate(place), reason)


# ---------------------------------------------------------------------------------------------------------------------
# What the header's text does not say: the compiler's own macros


class _Assumptions:
    """Conditions that only the compiler can decide, each assumed false and then true, to compare all outcomes."""

    def __init__(self) -> None:
        self.trail: list[tuple[str, bool, int]] = []
        self.known: dict[str, bool] = {}

    def ask(self, condition: str, place: int) -> bool:
        if condition not in self.known:
            self.known[condition] = False
            self.trail.append((condition, False, place))
        return self.known[condition]

    def advance(self) -> bool:
        """Go on to the next combination; False after the last one."""
        while self.trail and self.trail[-1][1]:
            self.trail.pop()
        if not self.trail:
            return False
        condition, _, place = self.trail[-1]
        self.trail[-1] = (condition, True, place)
        self.known = {condition: answer for condition, answer, _ in self.trail}
        return True


# ---------------------------------------------------------------------------------------------------------------------
# Tokens to the tokens that are left after conditions, macros and includes


class _Macro:
    __slots__ = ("body", "params", "variadic")

    def __init__(self, params: list[str] | None, body: list[str], variadic: bool = False) -> None:
        self.params, self.body, self.variadic = params, body, variadic


# The macros of <cstdint> that a code may well be written with.
_STDINT = {"UINT32_MAX": _Macro(None, ["4294967295U"]), "UINT32_C": _Macro(["x"], ["x", "##", "U"])}
_Spelled = tuple[str, "frozenset[str]"]  # a token, and the macros that it must not be expanded by again
_RESERVED = re.compile(r"_[A-Z_]|\w*__", re.ASCII)
_NO_MACROS: frozenset[str] = frozenset()
_MAX_FILES = 2000
_MAX_DEPTH = 60
_MAX_EXPANSION = 200_000


class _Preprocessor:
    def __init__(self, library: _Library, assumptions: _Assumptions) -> None:
        self.library, self.assumptions = library, assumptions
        self.macros: dict[str, _Macro] = {"__cplusplus": _Macro(None, ["201703L"])}
        self.tokens: list[str] = []
        self.places: list[int] = []
        self.absent: list[tuple[int, int, str]] = []  # position among the tokens, place, spelling
        self.once: set[str] = set()
        self.opened = self.depth = self.expanded = 0
        self.guard = ""

    def read(self, source: _Source) -> None:
        """Append what is left of one file, includes in place."""
        self.opened += 1
        self.depth += 1
        if self.depth > _MAX_DEPTH or self.opened > _MAX_FILES:
            raise _BrokenError(f"the includes of {os.path.basename(source.path)} do not end", source.base)
        guard, self.guard = self.guard, self._guard_of(source)
        conditions: list[list[bool]] = []  # per open #if: this group is read, a group was already read, #else was seen
        opened_at: list[int] = []
        index = 0
        for start, end in source.directives:
            active = not conditions or conditions[-1][0]
            if active:
                self._text(source, index, start)
            self._directive(source, start, end, active, conditions, opened_at)
            index = end
        if not conditions:
            self._text(source, index, len(source.tokens))
        if conditions:
            raise _BrokenError("this condition has no #endif", opened_at[-1])
        self.guard = guard
        self.depth -= 1

    def _guard_of(self, source: _Source) -> str:
        """The macro of an include guard, which is undefined at first even where its name is reserved."""
        tokens = source.tokens[:12]
        if tokens[:3] == ["#", "pragma", "once"]:
            tokens = tokens[3:]
        if tokens[:2] == ["#", "ifndef"] and tokens[3:5] == ["#", "define"] and tokens[2:3] == tokens[5:6]:
            return tokens[2]
        return ""

    # Directives

    def _directive(
        self, source: _Source, start: int, end: int, active: bool, conditions: list[list[bool]], opened_at: list[int]
    ) -> None:
        place = source.offsets[start]
        line = source.tokens[start + 1 : end]
        word, rest = (line[0], line[1:]) if line else ("", [])
        if word in ("if", "ifdef", "ifndef"):
            met = active and self._condition(word, rest, place)
            conditions.append([met, met or not active, False])
            opened_at.append(place)
        elif word in ("elif", "else", "endif"):
            if not conditions or (word != "endif" and conditions[-1][2]):
                raise _BrokenError(f"#{word} has no #if", place)
            group = conditions[-1]
            if word == "endif":
                conditions.pop()
                opened_at.pop()
            elif word == "else":
                group[:] = [not group[1], True, True]
            else:
                group[0] = not group[1] and self._condition("if", rest, place)
                group[1] = group[1] or group[0]
        elif word in ("elifdef", "elifndef"):
            raise _BrokenError(f"#{word} is no directive of C++17", place)
        elif active:
            self._plain_directive(source, word, rest, place)

    def _plain_directive(self, source: _Source, word: str, rest: list[str], place: int) -> None:
        if word == "define":
            self._define(source, rest, place)
        elif word == "undef":
            if len(rest) != 1:
                raise _BrokenError("#undef takes one name", place)
            self.macros.pop(rest[0], None)
        elif word in ("include", "include_next", "import"):
            self._include(source, word, place)
        elif word == "error":
            raise _StoppedByError("an #error stands in a part that is compiled", place)
        elif word == "pragma":
            if rest[:1] == ["once"]:
                self.once.add(os.path.realpath(source.path))
            elif rest[:1] in (["push_macro"], ["pop_macro"]):
                raise _BrokenError(f"#pragma {rest[0]} is not followed; define the macro plainly", place)
        elif word not in ("", "warning", "line", "ident", "sccs") and not word.isdigit():
            raise _BrokenError(f"#{word} is no directive", place)

    def _define(self, source: _Source, rest: list[str], place: int) -> None:
        if not rest or not rest[0].isidentifier() or rest[0] == "defined":
            raise _BrokenError("#define without a name", place)
        name, body, params, variadic = rest[0], rest[1:], None, False
        at = bisect_left(source.offsets, place) + 2
        if body[:1] == ["("] and source.offsets[at] + len(name) == source.offsets[at + 1]:
            if ")" not in body:
                raise _BrokenError(f"the parameters of the macro {name} do not end", place)
            close = body.index(")")
            listed, body = body[1:close], body[close + 1 :]
            variadic = listed[-1:] == ["..."]
            if variadic:
                listed[-1:] = ["__VA_ARGS__"] if len(listed) == 1 or listed[-2] == "," else []
            params = listed[::2]
            if listed[1::2] != [","] * max(0, len(params) - 1) or not all(map(str.isidentifier, params)):
                raise _BrokenError(f"the parameters of the macro {name} cannot be read", place)
        self.macros[name] = _Macro(params, body, variadic)

    def _include(self, source: _Source, word: str, place: int) -> None:
        written = re.compile(r'#\s*\w+\s*(<[^>\n]*>|"[^"\n]*")', re.ASCII).match(source.text, place - source.base)
        if written is None or word != "include":
            raise _BrokenError(f"this #{word} does not name a file plainly", place)
        path = self.library.find(written[1], source.path)
        if written[1] in ("<cstdint>", "<stdint.h>"):
            self.macros.update(_STDINT)
        if path is None:
            self.absent.append((len(self.tokens), place, written[1]))
        elif os.path.realpath(path) not in self.once:
            try:
                found = self.library.load(path)
            except OSError as error:
                raise _BrokenError(f"the included {written[1]} cannot be read: {error.strerror}", place) from None
            self.read(found)

    def _condition(self, word: str, rest: list[str], place: int) -> bool:
        if word != "if":
            if len(rest) != 1 or not rest[0].isidentifier():
                raise _BrokenError(f"#{word} takes one name", place)
            return self.defined(rest[0], place) == (word == "ifdef")
        line: list[str] = []
        index = 0
        while index < len(rest):
            bracket = rest[index + 1 : index + 2] == ["("]
            if rest[index] == "defined":
                name = rest[index + 1 + bracket : index + 2 + bracket]
                if not name or not name[0].isidentifier() or (bracket and rest[index + 3 : index + 4] != [")"]):
                    raise _BrokenError("defined takes one name", place)
                line.append(_DEFINED + name[0])
                index += 4 if bracket else 2
            else:
                line.append(rest[index])
                index += 1
        try:
            return _Condition(self._expand_all(line, place), place, self).answer()
        except _UnknownError as reason:
            if not any(_RESERVED.match(token) for token in line):
                raise _BrokenError(f"this condition cannot be evaluated: {reason}", place) from None
            return self.assumptions.ask(" ".join(rest), place)

    def defined(self, name: str, place: int) -> bool:
        if name in self.macros:
            return True
        if name == self.guard or not _RESERVED.match(name):
            return False
        return self.assumptions.ask(f"defined({name})", place)

    # Text and macros

    def _text(self, source: _Source, start: int, end: int) -> None:
        tokens = source.tokens[start:end]
        if self.macros.keys().isdisjoint(tokens):
            self.tokens += tokens
            self.places += source.offsets[start:end]
            return
        index = start
        while index < end:
            token, place = source.tokens[index], source.offsets[index]
            index += 1
            if token not in self.macros:
                self.tokens.append(token)
                self.places.append(place)
                continue
            following = _Following(source.tokens, index, end)
            expanded = self._expand([(token, _NO_MACROS)], place, following)
            index = following.index
            self.tokens += expanded
            self.places += [place] * len(expanded)

    def _expand_all(self, tokens: list[str], place: int) -> list[str]:
        if self.macros.keys().isdisjoint(tokens):
            return tokens
        return self._expand([(token, _NO_MACROS) for token in tokens], place, None)

    def _expand(self, tokens: list[_Spelled], place: int, following: _Following | None) -> list[str]:
        return [token for token, _ in self._expand_spelled(tokens, place, following)]

    def _expand_spelled(self, tokens: list[_Spelled], place: int, following: _Following | None) -> list[_Spelled]:
        """Expand until nothing is left to; `following` gives more tokens to a macro whose arguments go on there."""
        waiting, done = tokens[::-1], []
        while waiting:
            token, hidden = waiting.pop()
            macro = self.macros.get(token)
            if macro is None or token in hidden:
                done.append((token, hidden))
                continue
            self.expanded += 1 + len(macro.body)
            if self.expanded > _MAX_EXPANSION:
                raise _BrokenError(f"the macro {token} grows too large", place)
            if macro.params is None:
                waiting += self._replace(macro, {}, hidden | {token}, place)[::-1]
                continue
            if not waiting and following is not None:
                if following.index == following.end and following.index < len(following.tokens):
                    raise _BrokenError(f"a directive stands behind the macro {token}, which takes arguments", place)
                following.move(waiting)
            if not waiting or waiting[-1][0] != "(":
                done.append((token, hidden))
                continue
            arguments = self._arguments(token, macro, waiting, place, following)
            waiting += self._replace(macro, arguments, hidden | {token}, place)[::-1]
        return done

    def _arguments(
        self, name: str, macro: _Macro, waiting: list[_Spelled], place: int, following: _Following | None
    ) -> dict[str, list[_Spelled]]:
        params = macro.params or []
        found: list[list[_Spelled]] = [[]]
        depth = 0
        while True:
            if not waiting and (following is None or not following.move(waiting)):
                raise _BrokenError(f"the arguments of the macro {name} do not end", place)
            spelled = waiting.pop()
            token = spelled[0]
            depth += (token == "(") - (token == ")")
            if depth == 0:
                break
            if token == "," and depth == 1 and not (macro.variadic and len(found) == len(params)):
                found.append([])
            elif token != "(" or depth > 1:
                found[-1].append(spelled)
        if not params and found == [[]]:
            return {}
        if macro.variadic and len(found) == len(params) - 1:
            found.append([])
        if len(found) != len(params) or (macro.variadic and not found[-1] and "##" in macro.body):
            raise _BrokenError(f"the arguments of the macro {name} cannot be matched with its parameters", place)
        return dict(zip(params, found, strict=True))

    def _replace(
        self, macro: _Macro, arguments: dict[str, list[_Spelled]], hidden: frozenset[str], place: int
    ) -> list[_Spelled]:
        body, index, left = macro.body, 0, False  # left: whether the operand before ## holds anything
        out: list[_Spelled] = []
        while index < len(body):
            glued = body[index] == "##" and index > 0
            index += glued
            token = body[index] if index < len(body) else "##"
            index += 1
            if token == "#" and macro.params is not None and body[index : index + 1]:
                piece: list[_Spelled] = [('""', _NO_MACROS)]  # what a string says is of no interest here
                index += 1
            elif token in arguments:
                piece = arguments[token]
                if not glued and body[index : index + 1] != ["##"]:
                    piece = self._expand_spelled(piece, place, None)
            else:
                piece = [(token, _NO_MACROS)]
            if glued and left and piece:
                joined = out.pop()[0] + piece[0][0]
                whole = _TOKEN.match(joined)
                if whole is None or whole[1] != joined or not _GOOD.match(joined):
                    raise _BrokenError(f"## makes {joined}, which is no token", place)
                piece = [(joined, _NO_MACROS), *piece[1:]]
            left = bool(piece) or (glued and left)
            out += [(token, hidden | before) for token, before in piece]
        return out


class _Following:
    """The tokens of a file behind a macro, up to the next directive."""

    def __init__(self, tokens: list[str], index: int, end: int) -> None:
        self.tokens, self.index, self.end = tokens, index, end

    def move(self, waiting: list[_Spelled]) -> bool:
        if self.index == self.end:
            return False
        waiting.append((self.tokens[self.index], _NO_MACROS))
        self.index += 1
        return True


# ---------------------------------------------------------------------------------------------------------------------
# Types and values


class _Type:
    """A type as far as it matters: integers with their width, everything else is `_OTHER` or cannot be known."""

    __slots__ = ("base", "bits", "name", "rank", "scoped", "signed")

    def __init__(
        self,
        name: str,
        bits: int = 0,
        signed: bool = False,
        rank: int = 0,
        base: _Type | None = None,
        scoped: bool = False,
    ) -> None:
        self.name, self.bits, self.signed, self.rank, self.base, self.scoped = name, bits, signed, rank, base, scoped

    @property
    def unknown(self) -> bool:
        return self.bits < 0


_Value = tuple[_Type, int]

# Sizes are those of 64-bit Linux, the one system that the native library is built for.
_BOOL, _CHAR = _Type("bool", 1), _Type("char", 8, True, 1)
_SCHAR, _UCHAR = _Type("signed char", 8, True, 1), _Type("unsigned char", 8, False, 1)
_SHORT, _USHORT = _Type("short", 16, True, 2), _Type("unsigned short", 16, False, 2)
_INT, _UINT = _Type("int", 32, True, 3), _Type("unsigned int", 32, False, 3)
_LONG, _ULONG = _Type("long", 64, True, 4), _Type("unsigned long", 64, False, 4)
_LLONG, _ULLONG = _Type("long long", 64, True, 5), _Type("unsigned long long", 64, False, 5)
_CHAR16, _CHAR32 = _Type("char16_t", 16, False, 2), _Type("char32_t", 32, False, 3)
_OTHER = _Type("no integer type")

_WIDTHS = {8: (_SCHAR, _UCHAR), 16: (_SHORT, _USHORT), 32: (_INT, _UINT), 64: (_LONG, _ULONG)}
_STANDARD = {
    **{f"{'u' * unsigned}int{form}{bits}_t": _WIDTHS[bits][unsigned]
       for bits in _WIDTHS for unsigned in (0, 1) for form in ("", "_least")},
    **{f"{'u' * unsigned}int{form}_t": _WIDTHS[64][unsigned] for unsigned in (0, 1) for form in ("max", "ptr")},
    "size_t": _ULONG, "ptrdiff_t": _LONG, "ssize_t": _LONG, "nullptr_t": _OTHER, "max_align_t": _OTHER,
}  # fmt: skip
# What the toolkit's graph-engine headers call their types, where those headers are not there to be read.
_GRAPH_ENGINE = {"Status": _UINT, "AscendString": _OTHER, "DataType": _OTHER}
_TYPE_WORDS = {
    "void", "bool", "char", "wchar_t", "char16_t", "char32_t", "short", "int", "long", "signed", "unsigned", "float",
    "double", "__int128",
}  # fmt: skip
_FIXED_WORDS = {"bool": _BOOL, "char16_t": _CHAR16, "char32_t": _CHAR32}


def _unknown_type(name: str) -> _Type:
    return _Type(name, -1)


def _builtin(words: list[str]) -> _Type | None:  # noqa: PLR0911 (one return per family of types)
    """The type that words such as `long unsigned int` make, or None if they make none."""
    unsigned = "unsigned" in words
    core = sorted(word for word in words if word not in ("signed", "unsigned"))
    signs = len(words) - len(core)
    if signs > 1 or (signs and any(word not in ("char", "short", "int", "long", "__int128") for word in core)):
        return None
    if core == ["char"]:
        return (_UCHAR if unsigned else _SCHAR) if signs else _CHAR
    if len(core) == 1 and core[0] in ("void", "float", "double", "wchar_t", "__int128"):
        return _OTHER
    if len(core) == 1 and core[0] in _FIXED_WORDS:
        return _FIXED_WORDS[core[0]]
    if core == ["double", "long"]:
        return _OTHER
    if core.count("int") <= 1:
        core = [word for word in core if word != "int"]
        pairs = {"": (_INT, _UINT), "short": (_SHORT, _USHORT), "long": (_LONG, _ULONG), "long long": (_LLONG, _ULLONG)}
        pair = pairs.get(" ".join(core))
        return pair[unsigned] if pair else None
    return None


def _fits(value: int, type_: _Type) -> bool:
    low = -(1 << (type_.bits - 1)) if type_.signed else 0
    return low <= value < low + (1 << type_.bits)


def _convert(value: int, type_: _Type) -> int:
    if type_ is _BOOL:
        return int(value != 0)
    if type_.bits <= 0:
        raise _UnknownError(f"{type_.name} is not a type that is evaluated here")
    if type_ is _CHAR and not 0 <= value < 128:
        raise _UnknownError("whether char has a sign depends on the machine")
    value &= (1 << type_.bits) - 1
    return value - (1 << type_.bits) if type_.signed and value >> (type_.bits - 1) else value


def _promoted(type_: _Type) -> _Type:
    if type_.bits <= 0 or type_.scoped:
        raise _UnknownError(f"{type_.name} does not take part in arithmetic here")
    type_ = type_.base or type_
    return (_UINT if type_ is _CHAR32 else _INT) if type_.rank < 3 or type_ is _CHAR32 else type_


def _common(left: _Type, right: _Type) -> _Type:
    """The type that arithmetic on two types is done in."""
    left, right = _promoted(left), _promoted(right)
    if left.signed == right.signed:
        return left if left.rank >= right.rank else right
    signed, unsigned = (left, right) if left.signed else (right, left)
    if unsigned.rank >= signed.rank:
        return unsigned
    if signed.bits > unsigned.bits:
        return signed
    return {_LONG: _ULONG, _LLONG: _ULLONG}.get(signed, _UINT)


_NUMBER = re.compile(
    r"(?:0[xX](?P<hex>[\da-fA-F]+)|0[bB](?P<bin>[01]+)|(?P<oct>0[0-7]*)|(?P<dec>[1-9]\d*))(?P<suffix>[a-zA-Z]*)\Z",
    re.ASCII,
)
_MAX_DIGITS = 400  # more is never a value, and takes Python long
_BASES = {"hex": 16, "bin": 2, "oct": 8, "dec": 10}
_SUFFIXES = {"": (_INT, False), "u": (_INT, True), "l": (_LONG, False), "ul": (_LONG, True), "lu": (_LONG, True),
             "ll": (_LLONG, False), "ull": (_LLONG, True), "llu": (_LLONG, True)}  # fmt: skip


def _literal(token: str, place: int) -> _Value:
    match = _NUMBER.match(token.replace("'", "")) if len(token) < _MAX_DIGITS else None
    if match is None:
        if re.match(r"(?:0[xX][\da-fA-F.]*[pP]|[\d.]+(?:[eE]|\.|[fF]\Z)|\d+\.|\.\d)", token) or "_" in token:
            raise _UnknownError(f"{token} is no integer")
        raise _BrokenError(f"{token} is not a number that a compiler takes", place)
    if "lL" in match["suffix"] or "Ll" in match["suffix"] or match["suffix"].lower() not in _SUFFIXES:
        raise _BrokenError(f"{token} has a suffix that a compiler does not take", place)
    form = match.lastgroup and next(name for name in _BASES if match[name] is not None)
    value = int(match[form], _BASES[form]) if form else 0
    first, unsigned = _SUFFIXES[match["suffix"].lower()]
    for signed_type, unsigned_type in ((_INT, _UINT), (_LONG, _ULONG), (_LLONG, _ULLONG)):
        if signed_type.rank >= first.rank:
            if not unsigned and _fits(value, signed_type):
                return signed_type, value
            if (unsigned or form != "dec") and _fits(value, unsigned_type):
                return unsigned_type, value
    raise _BrokenError(f"{token} is too large for any type", place)


_ESCAPES = dict(zip("ntvbrfa\\?'\"", "\n\t\v\b\r\f\a\\?'\"", strict=True))
_CHARACTER = re.compile(r"(u8|[uU])?'(?:([ -&(-\[\]-~])|\\(?:([ntvbrfa\\?'\"])|x([\da-fA-F]{1,8})|([0-7]{1,3})))'\Z")


def _character(token: str) -> _Value:
    match = _CHARACTER.match(token)
    if match is None:
        raise _UnknownError(f"the character {token} is not evaluated here")
    prefix, plain, escape, hexadecimal, octal = match.groups()
    value = ord(plain or _ESCAPES.get(escape, "\0"))
    value = int(hexadecimal, 16) if hexadecimal else int(octal, 8) if octal else value
    if value > 127:
        raise _UnknownError(f"the value of {token} depends on the machine")
    return {"u": _CHAR16, "U": _CHAR32}.get(prefix, _CHAR), value


_LEVELS = [
    ["||"],
    ["&&"],
    ["|"],
    ["^"],
    ["&"],
    ["==", "!="],
    ["<", ">", "<=", ">="],
    ["<<", ">>"],
    ["+", "-"],
    ["*", "/", "%"],
]
_LEVEL = {operator: level for level, operators in enumerate(_LEVELS, 1) for operator in operators}
_WORDS = {"or": "||", "and": "&&", "bitor": "|", "xor": "^", "bitand": "&", "not_eq": "!=", "not": "!", "compl": "~"}
_MAX_NESTING = 40
_DEFINED = "\0defined "


class _Expression:
    """A cursor on tokens that evaluates what it meets; names and types are the business of the classes below."""

    def __init__(self, tokens: list[str], places: list[int]) -> None:
        self.tokens, self.places = [*tokens, ""], places
        self.at = 0
        self.nesting = 0
        self.dead = 0  # inside an operand that the compiler does not evaluate: 1 / 0 is fine there

    def place(self, index: int | None = None) -> int:
        index = self.at if index is None else index
        return self.places[min(index, len(self.places) - 1)]

    def broken(self, reason: str) -> NoReturn:
        raise _BrokenError(reason, self.place())

    def expect(self, token: str) -> None:
        if self.tokens[self.at] != token:
            self.broken(f"{token} is missing before {self._here()}")
        self.at += 1

    def _here(self) -> str:
        return self.tokens[self.at][:40] or "the end of the file"

    def ill_formed(self, reason: str) -> int:
        """What a compiler rejects when it evaluates it; where it does not, any number will do."""
        if not self.dead:
            self.broken(f"{reason}: no compiler takes this as a constant")
        return 0

    def conditional(self) -> _Value:
        type_, value = self.binary(1)
        if self.tokens[self.at] != "?":
            return type_, value
        self.at += 1
        yes = self.skipped(not value, self.conditional)
        self.expect(":")
        no = self.skipped(bool(value), self.conditional)
        type_ = yes[0] if yes[0] is no[0] else _common(yes[0], no[0])
        return type_, _convert(yes[1] if value else no[1], type_)

    def skipped(self, dead: bool, parse: Callable[[], _Value]) -> _Value:
        self.dead += dead
        result = parse()
        self.dead -= dead
        return result

    def binary(self, lowest: int) -> _Value:
        left = self.unary()
        while True:
            operator = _WORDS.get(self.tokens[self.at], self.tokens[self.at])
            level = _LEVEL.get(operator, 0)
            if level < lowest:
                return left
            self.at += 1
            skip = (operator == "&&" and not left[1]) or (operator == "||" and bool(left[1]))
            self.dead += skip
            right = self.binary(level + 1)
            self.dead -= skip
            left = self.operate(operator, left, right)

    def operate(self, operator: str, left: _Value, right: _Value) -> _Value:
        a, b = left[1], right[1]
        if operator in ("&&", "||"):
            _promoted(left[0]), _promoted(right[0])
            return _BOOL, int(bool(a and b) if operator == "&&" else bool(a or b))
        if operator in ("<<", ">>"):
            return self.shift(operator, left, right)
        if left[0] is right[0] and left[0].scoped and _LEVEL[operator] in (6, 7):
            type_ = left[0]
        else:
            type_ = _common(left[0], right[0])
        a, b = _convert(a, type_), _convert(b, type_)
        if operator in _COMPARE:
            return _BOOL, int(_COMPARE[operator](a, b))
        if operator in ("/", "%") and b == 0:
            return type_, self.ill_formed("division by zero")
        result = _ARITHMETIC[operator](a, b)
        if type_.signed and not _fits(result, type_):
            return type_, self.ill_formed("the result overflows")
        return type_, _convert(result, type_)

    def shift(self, operator: str, left: _Value, right: _Value) -> _Value:
        type_, amount = _promoted(left[0]), right[1]
        _promoted(right[0])
        if not 0 <= amount < type_.bits:
            return type_, self.ill_formed("the shift is out of range")
        if operator == ">>":
            return type_, left[1] >> amount
        if type_.signed and not 0 <= left[1] << amount < 1 << type_.bits:
            return type_, self.ill_formed("the shift overflows")
        return type_, _convert(left[1] << amount, type_)

    def unary(self) -> _Value:
        operator = _WORDS.get(self.tokens[self.at], self.tokens[self.at])
        if operator not in ("+", "-", "~", "!"):
            return self.primary()
        self.at += 1
        type_, value = self.nested(self.unary)
        if operator == "!":
            _promoted(type_)
            return _BOOL, int(not value)
        type_ = _promoted(type_)
        result = {"+": value, "-": -value, "~": ~value}[operator]
        if type_.signed and not _fits(result, type_):
            return type_, self.ill_formed("the result overflows")
        return type_, _convert(result, type_)

    def nested(self, parse: Callable[[], _Value]) -> _Value:
        self.nesting += 1
        if self.nesting > _MAX_NESTING:
            raise _UnknownError("the expression is nested too deeply")
        result = parse()
        self.nesting -= 1
        return result

    def primary(self) -> _Value:
        token = self.tokens[self.at]
        if token == "(":
            self.at += 1
            result = self.nested(self.conditional)
            if self.tokens[self.at] == ",":
                raise _UnknownError("the comma operator is not evaluated here")
            self.expect(")")
            return result
        if token[:1].isdigit() or (token[:1] == "." and token not in (".", "...")):
            self.at += 1
            return _literal(token, self.place(self.at - 1))
        if token in ("true", "false"):
            self.at += 1
            return _BOOL, int(token == "true")
        if token.endswith("'"):
            self.at += 1
            return _character(token)
        if token in ("", ";", ",", ":", ")", "]", "}") or (token in _LEVEL and token not in ("*", "&", "&&")):
            self.broken(f"a value is missing before {self._here()}")
        raise _UnknownError(f"{self._here()} is not evaluated here")


_COMPARE = {"==": int.__eq__, "!=": int.__ne__, "<": int.__lt__, ">": int.__gt__, "<=": int.__le__, ">=": int.__ge__}
_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": int.__add__, "-": int.__sub__, "*": int.__mul__, "&": int.__and__, "|": int.__or__, "^": int.__xor__,
    "/": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "%": lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1),
}  # fmt: skip


class _Condition(_Expression):
    """The expression of an #if: all numbers are of the widest type, and a name that is no macro is 0."""

    def __init__(self, tokens: list[str], place: int, preprocessor: _Preprocessor) -> None:
        super().__init__(tokens, [place])
        self.preprocessor = preprocessor

    def answer(self) -> bool:
        value = self.conditional()[1]
        if self.at != len(self.tokens) - 1:
            raise _UnknownError(f"{self._here()} is in the way")
        return value != 0

    def primary(self) -> _Value:
        token = self.tokens[self.at]
        if token.startswith(_DEFINED):
            self.at += 1
            known = 0 if self.dead else self.preprocessor.defined(token[len(_DEFINED) :], self.place())
            return _LLONG, int(known)
        if token.isidentifier() and token not in ("true", "false"):
            self.at += 1
            if _RESERVED.match(token) and not self.dead and self.preprocessor.defined(token, self.place()):
                raise _UnknownError(f"{token} is the compiler's own")
            return _LLONG, 0
        type_, value = super().primary()
        return (_LLONG if type_.signed or type_.rank < 3 else _ULLONG), value


# ---------------------------------------------------------------------------------------------------------------------
# Declarations


class _Scope:
    """A namespace, or an enumeration for the sake of its `Name::kValue`."""

    __slots__ = ("inlines", "members", "name", "parent", "spaces", "transparent", "uses")

    def __init__(self, name: str, parent: _Scope | None, transparent: bool = False) -> None:
        self.name, self.parent, self.transparent = name, parent, transparent
        self.members: dict[str, _Entity] = {}
        self.spaces: dict[str, _Scope] = {}
        self.inlines: list[_Scope] = []
        self.uses: list[_Scope] = []  # seen through using-directives, and the unnamed namespace

    def direct(self) -> list[_Scope]:
        """This namespace with its inline ones, whose members are its own."""
        found = [self]
        for scope in found:
            found += scope.inlines
        return found

    def find(self, name: str, space: bool = False) -> list[_Entity | _Scope]:
        """What `this::name`, or with `space` the `name` of `this::name::`, means: several things are an ambiguity."""
        layer, seen = self.direct(), set[int]()
        while layer:
            seen.update(map(id, layer))
            items = [(None if space else scope.members.get(name)) or scope.spaces.get(name) for scope in layer]
            found = {id(item): item for item in items if item is not None}
            if found:
                return list(found.values())
            layer = [s for scope in layer for used in scope.uses for s in used.direct() if id(s) not in seen]
        return []


class _Entity:
    """A declared name. Only a variable with a constexpr of its own can be a code."""

    __slots__ = ("constexpr", "defined", "kind", "name", "place", "reason", "type", "value")

    def __init__(self, kind: str, name: str, type_: _Type, place: int) -> None:
        self.kind, self.name, self.type, self.place = kind, name, type_, place
        self.value: int | None = None
        self.reason = f"{name} has no value that can be evaluated here"
        self.constexpr = False
        self.defined = True


class _Specifiers:
    __slots__ = ("body", "constructor", "flags", "odd", "type", "unresolved")

    def __init__(self) -> None:
        self.flags: set[str] = set()
        self.type: _Type | None = None
        self.odd = ""  # a word that only an unknown macro can explain
        self.constructor = self.unresolved = self.body = False


_AUTO = _unknown_type("auto")
_QUALIFIERS = {"const", "volatile"}
_FLAGS = _QUALIFIERS | {
    "constexpr", "static", "inline", "extern", "thread_local", "typedef", "mutable", "virtual", "explicit", "friend",
    "register",
}  # fmt: skip
_FLAGS |= {
    "__extension__", "__inline", "__inline__", "__forceinline", "__restrict", "__volatile__", "__const", "__thread",
}  # fmt: skip
_DECLTYPE = {"decltype", "__typeof", "__typeof__"}
_ATTRIBUTES = {"__attribute__", "__attribute", "__declspec", "alignas", "_Alignas"}
_CHANGES_TYPE = {"mode", "__mode__", "vector_size", "__vector_size__", "alias", "__alias__"}
_STARTERS = {"constexpr", "namespace", "using", "typedef", "template", "static", "extern", "static_assert", "inline"}
_KEYWORDS = _FLAGS | _ATTRIBUTES | _DECLTYPE | _TYPE_WORDS | _STARTERS | set(_WORDS) | {
    "class", "struct", "union", "enum", "operator", "sizeof", "new", "delete", "throw", "return", "if", "else", "for",
    "while", "do", "switch", "case", "default", "goto", "try", "catch", "static_cast", "reinterpret_cast",
    "const_cast", "dynamic_cast", "decltype", "noexcept", "true", "false", "nullptr", "this", "alignof", "typeid",
    "asm",
}  # fmt: skip
_STANDARD_INCLUDE = re.compile(r"<(?:\w+|std\w+\.h)>", re.ASCII)
_CONSTANT_LIKE = re.compile(r"(?!DT_)(?:[A-Z][A-Z0-9_]*|k[A-Z]\w*)\Z", re.ASCII)
_NO_INTEGER = re.compile(r""".*"\Z|nullptr\Z|(?!0[xX])[\d.']+(?:\.|[eEfF])""", re.ASCII | re.DOTALL)
_FUNCTION_WORDS = {"const", "volatile", "noexcept", "override", "final", "throw", "&", "&&", "mutable"}


class _Declarations(_Expression):
    """Reads namespace scope, jumping over the bodies of functions and classes by their brackets."""

    def __init__(self, preprocessor: _Preprocessor, library: _Library) -> None:
        super().__init__(preprocessor.tokens, preprocessor.places or [0])
        self.library = library
        self.scope = self.globals = _Scope("", None)
        self.open: list[_Scope] = []
        self.variables: list[tuple[_Entity, _Scope]] = []
        self.undecided: list[Undecided] = []
        self.elsewhere = any(not _STANDARD_INCLUDE.match(spelled) for _, _, spelled in preprocessor.absent)
        self.retyped = False  # whether an attribute gave this declaration another type
        bad = {token for token in set(preprocessor.tokens) if not _GOOD.match(token)}
        if bad:
            index = next(i for i, token in enumerate(self.tokens) if token in bad)
            shown = ascii(self.tokens[index][:20])
            raise _BrokenError(f"{shown} is no token, or a comment or string that does not end", self.place(index))
        self.close = self._brackets(preprocessor.absent)

    def _brackets(self, absent: list[tuple[int, int, str]]) -> dict[int, int]:
        """The closing bracket of each opening one; and no file may be missing between two of them."""
        pairs, close, opened = {")": "(", "]": "[", "}": "{"}, {}, list[int]()
        missing = absent[::-1]
        for index, token in enumerate(self.tokens):
            if token in ("(", "[", "{", ")", "]", "}", ""):
                while missing and missing[-1][0] <= index:
                    at, place, spelled = missing.pop()
                    if opened or self.tokens[at - 1 : at] not in ([], [";"], ["}"]):
                        self.note(place, f"{spelled} is not there, and it is included where it could hold codes")
                if token in pairs:
                    if not opened or self.tokens[opened[-1]] != pairs[token]:
                        raise _BrokenError(f"{token} closes nothing", self.place(index))
                    close[opened.pop()] = index
                elif token:
                    opened.append(index)
        if opened:
            raise _BrokenError(f"{self.tokens[opened[-1]]} is not closed", self.place(opened[-1]))
        return close

    def note(self, place: int, reason: str) -> None:
        self.undecided.append(self.library.undecided(place, reason))

    def read(self) -> None:
        while self.tokens[self.at]:
            self.statement()

    def jump(self) -> None:
        """Go behind the bracket that closes the one here."""
        if self.at not in self.close:
            self.broken(f"a bracket is missing before {self._here()}")
        self.at = self.close[self.at] + 1

    def skip_to_semicolon(self) -> None:
        while self.tokens[self.at] != ";":
            self.step()

    def step(self) -> None:
        """Go over one token, or a pair of brackets, of something that must end in a semicolon."""
        token = self.tokens[self.at]
        if token in ("", "}") or (token in _STARTERS and self.tokens[self.at - 1] not in ("::", ".", "->")):
            self.broken(f"a semicolon is missing before {self._here()}")
        self.at = self.close.get(self.at, self.at) + 1

    # Statements

    def statement(self) -> None:
        token, following = self.tokens[self.at], self.tokens[self.at + 1] if self.tokens[self.at] else ""
        if token in (";", "__extension__"):
            self.at += 1
        elif token == "}":
            self.at += 1
            self.scope = self.open.pop()
        elif token == "namespace" or (token == "inline" and following == "namespace"):
            self.namespace()
        elif token == "using":
            self.using()
        elif token == "extern" and following.endswith('"'):
            self.at += 2
            if self.tokens[self.at] == "{":
                self.enter(self.scope)
        elif token == "template" or (token == "extern" and following == "template"):
            self.template()
        elif token in ("static_assert", "_Static_assert"):
            self.static_assert()
        elif token in ("asm", "__asm__", "__asm", "_Pragma", "__pragma"):
            self.at += 1 + (following in ("volatile", "__volatile__"))
            self.jump()
        else:
            self.declaration()

    def enter(self, scope: _Scope) -> None:
        self.expect("{")
        self.open.append(self.scope)
        self.scope = scope

    def namespace(self) -> None:
        inline = self.tokens[self.at] == "inline"
        self.at += 2 if inline else 1
        self.attributes()
        name, place = self.tokens[self.at], self.place()
        if name == "{":
            scope = self.space(self.scope, "", True)
            self.enter(scope)
            return
        scope = self.scope
        while True:
            name = self.identifier()
            if self.tokens[self.at] == "=":
                self.namespace_alias(name, place)
                return
            scope = self.space(scope, name, inline)
            self.attributes()
            if self.tokens[self.at] != "::":
                break
            self.at += 1
            inline = self.tokens[self.at] == "inline"
            self.at += inline
        self.enter(scope)

    def space(self, parent: _Scope, name: str, transparent: bool) -> _Scope:
        """The namespace of that name, new or opened again."""
        if name in parent.members:
            self.broken(f"{name} is declared as something else too")
        scope = parent.spaces.get(name)
        if scope is None:
            scope = parent.spaces[name] = _Scope(name, parent, transparent)
            if transparent:
                (parent.inlines if name else parent.uses).append(scope)
            if name == NAMESPACE and parent is not self.globals and self.visible_from(parent) is self.globals:
                self.note(self.place(), f"{NAMESPACE} stands in an inline or unnamed namespace; write it at file scope")
        return scope

    def visible_from(self, scope: _Scope) -> _Scope:
        while scope.transparent and scope.parent is not None:
            scope = scope.parent
        return scope

    def ours(self, scope: _Scope) -> bool:
        scope = self.visible_from(scope)
        return scope.name == NAMESPACE and scope.parent is self.globals

    def namespace_alias(self, name: str, place: int) -> None:
        self.at += 1
        path, _ = self.path(False)
        target = self.lookup(path)
        if name == NAMESPACE and self.scope is self.globals:
            raise _BrokenError(f"{NAMESPACE} is an alias of another namespace; write the namespace itself", place)
        if isinstance(target, _Scope):
            self.scope.spaces[name] = target
        self.expect(";")

    def using(self) -> None:
        self.at += 1
        place = self.place()
        if self.tokens[self.at] == "namespace":
            self.at += 1
            path, _ = self.path(False)
            target = self.lookup(path)
            if isinstance(target, _Scope):
                self.scope.uses.append(target)
            elif self.ours(self.scope) and path[0] != "std":
                self.note(place, f"the namespace {'::'.join(path)} is not here, and its names become {NAMESPACE}'s own")
            self.expect(";")
            return
        if self.is_identifier() and (self.tokens[self.at + 1] in ("=", "[") or self.tokens[self.at + 1] in _ATTRIBUTES):
            name = self.identifier()
            self.attributes()
            self.expect("=")
            self.declare(_Entity("alias", name, self.aliased_type(), place))
            self.expect(";")
            return
        while True:
            self.using_declaration()
            if self.tokens[self.at] != ",":
                break
            self.at += 1
        self.expect(";")

    def aliased_type(self) -> _Type:
        specifiers = self.specifiers(_QUALIFIERS)
        if specifiers.type is None:
            self.broken(f"no type stands before {self._here()}")
        if self.tokens[self.at] in ("*", "&", "&&", "(", "[") or self.tokens[self.at + 1 : self.at + 2] == ["::"]:
            self.skip_to_semicolon()
            return _OTHER
        return specifiers.type

    def using_declaration(self) -> None:
        place = self.place()
        self.at += self.tokens[self.at] == "typename"
        path, _ = self.path(True)
        target, name = self.lookup(path), path[-1]
        if isinstance(target, _Entity):
            if self.scope.members.get(name) is not target:
                self.declare(target, name)
                self.variables.append((target, self.scope))
            return
        known = self.known_type(path, False)
        if known is not None and not known.unknown:
            self.declare(_Entity("alias", name, known, place))
        elif not self.elsewhere:
            raise _BrokenError(f"{'::'.join(path)} is declared nowhere", place)
        elif self.ours(self.scope) and _CONSTANT_LIKE.match(name):
            # Files that are not here may hold anything. Their types and functions, and the DT_ values that the toolkit
            # takes from an enumeration, are no codes; what else is spelled like a constant could be one.
            self.note(place, f"{'::'.join(path)} comes from a file that is not here and could be a code")

    def template(self) -> None:
        self.at += self.tokens[self.at] == "extern"
        while self.tokens[self.at] == "template":
            self.at += 1
            if self.tokens[self.at] == "<":
                self.skip_angles()
        if self.tokens[self.at] == "using":
            self.at += 1
            self.declare(_Entity("template", self.tokens[self.at], _unknown_type(self.tokens[self.at]), self.place()))
            self.at += 1
            self.skip_to_semicolon()
        else:
            self.declaration(template=True)

    def static_assert(self) -> None:
        start = self.at
        self.at += 2
        try:
            if not self.fresh(self.conditional)[1]:
                self.broken("this static_assert fails")
        except _UnknownError:
            pass
        self.at = start + 1
        self.jump()
        self.expect(";")

    # Names

    def is_identifier(self) -> bool:
        token = self.tokens[self.at]
        return token.isidentifier() and token not in _KEYWORDS

    def identifier(self) -> str:
        if not self.is_identifier():
            self.broken(f"a name is missing before {self._here()}")
        self.at += 1
        return self.tokens[self.at - 1]

    def path(self, types: bool) -> tuple[list[str], bool]:
        """A qualified name, "" first if it starts at the root; in a type, template arguments belong to it."""
        parts, templated = [""] if self.tokens[self.at] == "::" else [], False
        self.at += bool(parts)
        while True:
            self.at += self.tokens[self.at] == "template"
            if self.tokens[self.at] == "~":
                self.at += 1
                parts.append("~" + self.identifier())
            elif self.tokens[self.at] == "operator":
                return [*parts, "operator"], templated
            else:
                parts.append(self.identifier())
            if types and self.tokens[self.at] == "<":
                self.skip_angles()
                templated = True
            if self.tokens[self.at] != "::" or self.tokens[self.at + 1] == "*":
                return parts, templated
            self.at += 1

    def skip_angles(self) -> None:
        depth = 0
        while True:
            token = self.tokens[self.at]
            depth += {"<": 1, ">": -1, ">>": -2}.get(token, 0)
            if token in ("", ";", "}") or depth < 0:
                self.broken(f"template arguments do not end before {self._here()}")
            self.at = self.close.get(self.at, self.at) + 1
            if depth == 0:
                return

    def lookup(self, path: list[str]) -> _Entity | _Scope | None:
        last = len(path) - 1
        found: list[_Entity | _Scope] = [self.globals] if path[0] == "" else []
        scope: _Scope | None = self.scope
        while scope is not None and not found:
            item = scope.members.get(path[0]) if last == 0 else None
            if item is not None:
                return item
            found = scope.find(path[0], space=last > 0) if scope.spaces or scope.uses or scope.inlines else []
            scope = scope.parent
        for index, name in enumerate(path[1:], 1):
            if len(found) != 1 or not isinstance(found[0], _Scope):
                return None
            found = found[0].find(name, space=index < last)
        if len(found) > 1:
            self.broken(f"{'::'.join(path)} is ambiguous")
        return found[0] if found else None

    def known_type(self, path: list[str], templated: bool) -> _Type | None:
        """The type of a name that files which are not read declare, as far as it is common knowledge."""
        path = path[1:] if path[0] == "" else path
        if len(path) == 1:
            return _STANDARD.get(path[0])
        if path[0] == "std":
            if len(path) == 2 and not templated and path[1] in _STANDARD:
                return _STANDARD[path[1]]
            plain = path[1] == "chrono" or (len(path) == 2 and not path[1].endswith("_t"))
            return _OTHER if plain else _unknown_type("::".join(path))
        return _GRAPH_ENGINE.get(path[1]) if path[0] == "ge" and len(path) == 2 and self.elsewhere else None

    def declare(self, entity: _Entity, name: str = "") -> None:
        name = name or entity.name
        old = self.scope.members.get(name)
        if old is None and name in self.scope.spaces and entity.kind not in ("class", "enum"):
            self.broken(f"{name} is the name of a namespace too")
        if old is not None and self._clash(old, entity):
            raise _BrokenError(f"{name} is declared twice", entity.place)
        if name == "Status" and self.ours(self.scope) and entity.kind in ("alias", "class", "enum"):
            if entity.type.unknown and self.elsewhere:
                entity.type = _UINT  # what it is an alias of is in another file; here it is the type of the codes
            elif entity.type is not _UINT:
                self.note(entity.place, f"{NAMESPACE}::Status is not the 32-bit unsigned type")
        if old is None or old.kind != "variable" or entity.kind == "variable":
            self.scope.members[name] = entity

    def _clash(self, old: _Entity, new: _Entity) -> bool:
        kinds = {old.kind, new.kind}
        if kinds == {"alias"}:
            return old.type is not new.type and not (old.type.unknown and new.type.unknown)
        if kinds == {"variable"}:
            return old is not new and ((old.defined and new.defined) or old.constexpr or new.constexpr)
        return "variable" in kinds and not kinds & {"class", "enum"}

    # Specifiers

    def attributes(self) -> None:
        while True:
            start = self.at
            if self.tokens[start] in _ATTRIBUTES:
                self.at += 1
                self.jump()
            elif self.tokens[start] == "[" and self.tokens[start + 1] == "[":
                self.jump()
            else:
                return
            self.retyped = self.retyped or not _CHANGES_TYPE.isdisjoint(self.tokens[start : self.at])

    def specifiers(self, allowed: set[str] = _FLAGS) -> _Specifiers:  # noqa: PLR0912 (one branch per kind of word)
        found, words = _Specifiers(), list[str]()
        tokens = self.tokens
        while True:
            token = tokens[self.at]
            if token in allowed:
                if token in found.flags:
                    self.broken(f"{token} stands there twice")
                found.flags.add(token)
                self.at += 1
            elif token in _TYPE_WORDS and (found.type is None or found.unresolved):
                if found.unresolved:
                    found.type, found.odd, found.unresolved = None, token, False
                words.append(token)
                self.at += 1
            elif token in _ATTRIBUTES or (token == "[" and tokens[self.at + 1] == "["):
                self.attributes()
            elif (
                token in ("class", "struct", "union", "enum") and not words and (found.type is None or found.unresolved)
            ):
                found.odd = token if found.unresolved else found.odd
                found.unresolved = False
                start = self.at
                found.type = self.enumeration() if token == "enum" else self.class_head()
                found.body = "{" in tokens[start : self.at]
            elif token in _DECLTYPE and found.type is None and not words:
                found.type = self.declared_type()
            elif token == "auto" and found.type is None and not words:
                found.type = _AUTO
                self.at += 1
            elif token == "typename":
                self.at += 1
            elif token == "::" or self.is_identifier():
                if found.type is None and not words:
                    self.named_type(found)
                elif not self.stray_word(found):
                    break
            else:
                break
        if words:
            found.type = _builtin(words)
            if found.type is None:
                self.broken(f"{' '.join(words)} is no type")
        return found

    def named_type(self, found: _Specifiers) -> None:
        path, templated = self.path(True)
        if (
            path[-1] == "operator"
            or path[-1].startswith("~")
            or (path[-1] in path[:-1] and self.tokens[self.at] == "(")
        ):
            found.constructor, found.type = True, _OTHER
            return
        target = self.lookup(path)
        if isinstance(target, _Entity) and target.kind in ("variable", "function"):
            self.broken(f"{'::'.join(path)} is no type")
        if isinstance(target, _Entity):
            found.type = target.type
            return
        found.type = self.known_type(path, templated)
        if found.type is None:
            found.unresolved = not templated and len(path) == 1
            found.type = _unknown_type("::".join(path))

    def stray_word(self, found: _Specifiers) -> bool:
        """Pass over a word that an unknown macro may explain: `EXPORT void Run();`, `void __stdcall Run();`."""
        start = self.at
        self.path(True)
        following = self.tokens[self.at]
        usual = self.is_identifier() or following in ("*", "&", "&&", "::", "class", "struct", "enum")
        usual = usual or following in _TYPE_WORDS or following in _FLAGS
        self.at = start
        if not usual or found.body:
            return False
        found.odd = self.tokens[start]
        if found.unresolved:
            found.unresolved = False
            self.named_type(found)
        else:
            self.path(True)
        return True

    def class_head(self) -> _Type:
        self.at += 1
        self.attributes()
        path: list[str] = []
        while (
            self.is_identifier()
            and self.tokens[self.at] != "final"
            and (not path or self.tokens[self.at + 1] in ("{", ":", "final", "::", "<"))
        ):
            place = self.place()
            path, templated = self.path(True)
            self.attributes()
        self.at += self.tokens[self.at] == "final"
        if len(path) == 1 and not templated and self.tokens[self.at] in ("{", ":", ";"):
            self.declare(_Entity("class", path[0], _OTHER, place))
        if self.tokens[self.at] == ":":
            while self.tokens[self.at] != "{":
                if self.tokens[self.at] in (";", "}", ""):
                    self.broken("a class has bases and no body")
                self.at = self.close.get(self.at, self.at) + 1
        if self.tokens[self.at] == "{":
            self.jump()
        return _OTHER

    def enumeration(self) -> _Type:
        self.at += 1
        scoped = self.tokens[self.at] in ("class", "struct")
        self.at += scoped
        self.attributes()
        place = self.place()
        path = self.path(True)[0] if self.is_identifier() else [""]
        self.attributes()
        base: _Type | None = _INT if scoped else None
        if self.tokens[self.at] == ":":
            self.at += 1
            base = self.specifiers(_QUALIFIERS).type
        type_ = _Type(path[-1], -1, scoped=scoped, base=base)
        if len(path) > 1 or (self.tokens[self.at] not in ("{", ";")):
            if self.tokens[self.at] == "{":
                self.jump()
            return _OTHER
        if base is not None:
            type_.bits, type_.signed, type_.rank = base.bits, base.signed, base.rank
        if path[0]:
            self.declare(_Entity("enum", path[0], type_, place))
        if self.tokens[self.at] == "{":
            self.enumerators(type_, scoped)
        return type_

    def enumerators(self, type_: _Type, scoped: bool) -> None:
        outer, end = self.scope, self.close[self.at]
        inner = _Scope(type_.name, outer)
        listed: list[_Entity] = []
        self.at += 1
        value: int | None = -1
        self.scope = inner
        while self.at < end:
            entity = _Entity("variable", "", type_.base or _INT, self.place())
            entity.name = self.identifier()
            self.attributes()
            value = value + 1 if value is not None else None
            if self.tokens[self.at] == "=":
                self.at += 1
                start = self.at
                try:
                    value = self.fresh(self.conditional)[1]
                    if self.tokens[self.at] not in (",", "}"):
                        raise _UnknownError("what follows is in the way")
                except _UnknownError:
                    value, self.at = None, start
                    while self.at < end and self.tokens[self.at] != ",":
                        self.at = self.close.get(self.at, self.at) + 1
            entity.value = value
            self.declare(entity)
            listed.append(entity)
            if self.at < end:
                self.expect(",")
        self.scope, self.at = outer, end + 1
        values = [entity.value for entity in listed]
        if type_.base is None and None not in values:
            fitting = (t for t in (_INT, _UINT, _LONG, _ULONG) if all(v is not None and _fits(v, t) for v in values))
            type_.base = next(fitting, None)
            if type_.base is not None:
                type_.bits, type_.signed, type_.rank = type_.base.bits, type_.base.signed, type_.base.rank
        for entity in listed:
            entity.type = type_
            if entity.value is not None and (type_.bits <= 0 or not _fits(entity.value, type_)):
                entity.value = None
            if not scoped:
                self.declare(entity)
        if type_.name:
            outer.spaces.setdefault(type_.name, inner)

    def declared_type(self) -> _Type:
        """The type of decltype(...)."""
        self.at += 1
        start, end = self.at, self.close.get(self.at, self.at)
        self.at += 1
        type_ = _unknown_type("decltype(...)")
        try:
            if self.tokens[self.at] != "(":  # decltype((x)) is a reference
                result = self.fresh(lambda: self.skipped(True, self.conditional))[0]
                type_ = result if self.at == end else type_
        except _UnknownError:
            pass
        self.at = start
        self.jump()
        return type_

    # Declarations with declarators

    def declaration(self, template: bool = False) -> None:
        start = self.at
        self.retyped = False
        specifiers = self.specifiers()
        if self.at == start:
            self.broken(f"{self._here()} cannot be read as a declaration")
        if specifiers.type is None:
            self.broken(f"no type stands before {self._here()}")
        if self.tokens[self.at] == ";":
            if specifiers.unresolved:
                self.broken("this declares nothing, or a macro that is defined elsewhere makes it declare something")
            self.at += 1
            return
        while not self.declarator(specifiers, template):
            if self.tokens[self.at] == ";":
                self.at += 1
                return
            self.expect(",")

    def declarator(self, specifiers: _Specifiers, template: bool) -> bool:
        """Read one declarator; True if it was a function with its body, behind which no semicolon is needed."""
        plain = True
        while self.tokens[self.at] in ("*", "&", "&&") or (not plain and self.tokens[self.at] in _FLAGS):
            plain = False
            self.at += 1
        if self.tokens[self.at] == "operator" or (specifiers.constructor and self.tokens[self.at] in ("operator", "(")):
            return self.function_without_name()
        if self.tokens[self.at] == "(":
            return self.parenthesised(specifiers, template)
        place = self.place()
        path, templated = self.path(True)
        if path[-1] == "operator":
            return self.function_without_name()
        self.attributes()
        if self.tokens[self.at] in ("asm", "__asm__"):
            self.at += 1
            self.jump()
        while self.tokens[self.at] == "[" and self.tokens[self.at + 1] != "[":
            plain = False
            self.jump()
        self.attributes()
        type_ = specifiers.type if plain and specifiers.type is not None else _OTHER
        constexpr = "constexpr" in specifiers.flags
        if self.tokens[self.at] == "(" and not (
            constexpr and not template and type_ is not _OTHER and not self.parameters()
        ):
            if len(path) == 1 and not templated:
                self.declare(_Entity("template" if template else "function", path[0], _OTHER, place))
            return self.function_tail()
        self.variable(specifiers, type_, path, templated or template, place)
        return False

    def function_without_name(self) -> bool:
        """An operator, a constructor, a deduction guide: what matters is where it ends."""
        if self.tokens[self.at] == "operator":
            self.at += 1
            while self.tokens[self.at] != "(":
                if self.tokens[self.at] in ("", ";", "{", "}"):
                    self.broken("an operator has no parameters")
                self.at = self.close.get(self.at, self.at) + 1
            if self.tokens[self.at - 1] == "operator":
                self.jump()
        return self.function_tail()

    def parenthesised(self, specifiers: _Specifiers, template: bool) -> bool:
        inside = self.tokens[self.at + 1]
        behind = self.tokens[self.close[self.at] + 1]
        if template or behind == "->":
            return self.function_tail()
        pointer = inside in ("*", "&", "&&") or "::" in self.tokens[self.at + 1 : self.close[self.at] - 1]
        if specifiers.unresolved or not pointer:
            self.broken(f"this cannot be told from a macro that is defined elsewhere: {self.tokens[self.at - 1]}(...)")
        if "typedef" in specifiers.flags and self.tokens[self.at + 2].isidentifier():
            self.declare(_Entity("alias", self.tokens[self.at + 2], _OTHER, self.place()))
        self.skip_initializer(inside)
        return False

    def function_tail(self) -> bool:  # noqa: PLR0912 (one branch per kind of word)
        if self.tokens[self.at] != "(":
            self.broken(f"parameters are missing before {self._here()}")
        self.jump()
        returns = False
        while True:
            token = self.tokens[self.at]
            if token in (";", ","):
                return False
            if token == "{":
                self.jump()
                return True
            if token == ":":
                self.member_initialisers()
            elif token == "=":
                if self.tokens[self.at + 1] not in ("default", "delete", "0"):
                    self.broken(f"a function cannot be followed by = {self.tokens[self.at + 1]}")
                self.at += 2
            elif token == "->":
                returns = True
                self.at += 1
            elif token == "<" and returns:
                self.skip_angles()
            elif token in _ATTRIBUTES or token in ("(", "["):
                self.at += token in _ATTRIBUTES
                self.jump()
            elif token in _FUNCTION_WORDS or (returns and token not in _STARTERS and token not in ("", "}")):
                self.at += 1
            elif self.is_identifier() and self.tokens[self.at + 1] in (";", "{", "(") and self.lookup([token]) is None:
                self.at += 1  # a macro that is defined elsewhere, such as an annotation for a thread checker
            else:
                self.broken(f"a semicolon or a body is missing before {self._here()}")

    def member_initialisers(self) -> None:
        self.at += 1
        while self.tokens[self.at] != "{":
            self.path(True)
            self.jump()
            self.at += self.tokens[self.at] == "..."
            if self.tokens[self.at] != ",":
                break
            self.at += 1

    def parameters(self) -> bool:
        """Whether the brackets here hold the parameters of a function rather than the value of a constant."""
        start = self.at
        first = self.tokens[start + 1]
        if first in (")", "...", "[") or (first in _QUALIFIERS):
            return True
        self.at += 1
        try:
            if not self.at_type():
                if self.is_identifier() and self.lookup(self.path(False)[0]) is None:
                    self.broken("a function cannot be told from a constant here; write the constant with =")
                return False
            self.specifiers(_QUALIFIERS)
            if self.tokens[self.at] == "(":
                self.broken("a function cannot be told from a constant here; write the constant with =")
            return self.tokens[self.at] != "{"
        finally:
            self.at = start

    def variable(self, specifiers: _Specifiers, type_: _Type, path: list[str], template: bool, place: int) -> None:
        flags, name = specifiers.flags, path[-1]
        type_ = _unknown_type(f"the type of {name}") if self.retyped else type_
        if flags & {"friend", "mutable", "virtual", "explicit"} or {"static", "extern"} <= flags:
            raise _BrokenError(f"the words before {name} do not go together", place)
        if "typedef" in flags:
            self.declare(_Entity("alias", name, type_, place))
            return
        # A word from elsewhere may be a macro that makes this a code; an unknown type alone, of a constant, cannot.
        if specifiers.odd or (specifiers.unresolved and flags.isdisjoint(("constexpr", "const", "extern"))):
            raise _BrokenError(f"{specifiers.odd or name} in this declaration is not declared or defined here", place)
        constexpr = "constexpr" in flags
        if len(path) > 1:
            if constexpr and isinstance(self.lookup(path[:-1]), _Scope):
                raise _BrokenError(f"{'::'.join(path)} is defined outside its namespace; define it inside", place)
            self.skip_initializer(name)
            return
        entity = _Entity("template" if template else "variable", name, type_, place)
        entity.constexpr = constexpr and not template
        begins = self.tokens[self.at] in ("=", "{", "(")
        behind = self.tokens[self.at + 1] if begins else self.tokens[self.at]
        if (behind in (";", ",", "}", "") and self.tokens[self.at] != "{") if begins else behind not in (";", ","):
            self.broken(f"a value for {name} is missing before {behind[:40]}")
        entity.defined = begins or "extern" not in flags
        self.declare(entity)
        if template or type_ is _OTHER:
            # Behind an array or a pointer the list may go on with a code; behind any other type it cannot.
            self.skip_to_semicolon() if specifiers.type is _OTHER else self.skip_initializer(name)
            return
        self.variables.append((entity, self.scope))
        if constexpr and not begins:
            self.broken(f"the constant {name} has no value")
        if constexpr and type_ is _UINT and "volatile" in flags:
            raise _BrokenError(f"{name} is volatile, which no code is", place)
        if begins:
            self.initialise(entity, constexpr or "const" in flags)

    # Values

    def fresh(self, parse: Callable[[], _Value]) -> _Value:
        """Evaluate from the beginning, whatever an evaluation that was given up left behind."""
        self.nesting = self.dead = 0
        return parse()

    def initialise(self, entity: _Entity, constant: bool) -> None:
        start = self.at
        try:
            type_, value = self.fresh(lambda: self.initializer(entity.type))
            if self.tokens[self.at] not in (",", ";"):
                if self.tokens[self.at] in ("}", "") or re.match(r"\w", self.tokens[self.at]):
                    self.broken(f"a semicolon is missing before {self._here()}")
                raise _UnknownError(f"{self._here()} is not evaluated here")
            entity.type = type_
            if constant:
                entity.value = value
        except _UnknownError as reason:
            entity.reason, self.at = str(reason), start
            if (
                entity.type is _AUTO
                and self.tokens[start + 2] in (",", ";")
                and _NO_INTEGER.match(self.tokens[start + 1])
            ):
                entity.type = _OTHER
            self.skip_initializer(entity.name)

    def initializer(self, type_: _Type) -> _Value:
        assigned = self.tokens[self.at] == "="
        self.at += assigned
        opening = self.tokens[self.at]
        listed = opening == "{"
        if not listed and (assigned or opening != "("):
            found = self.conditional()
        else:
            end = self.close[self.at]
            self.at += 1
            found = (type_, 0) if listed and self.at == end else self.conditional()
            self.at += listed and self.tokens[self.at] == ","
            if self.at != end:
                raise _UnknownError(f"{self._here()} is not evaluated here")
            self.at += 1
        if type_ is _AUTO:
            if listed and assigned:
                raise _UnknownError("a list")
            return found
        return type_, self.implicit(found, type_, listed)

    def implicit(self, found: _Value, type_: _Type, listed: bool) -> int:
        if found[0].scoped and found[0] is not type_:
            self.ill_formed(f"{found[0].name} is not converted without a cast")
        if listed and type_.bits > 0 and not _fits(found[1], type_):
            if self.dead:
                raise _UnknownError("a list in an operand that is not evaluated")
            self.ill_formed(f"{found[1]} does not fit into {type_.name}")
        return _convert(found[1], type_)

    def skip_initializer(self, name: str) -> None:
        """Go to the end of a value that could not be evaluated, whose commas may be those of template arguments."""
        while self.tokens[self.at] not in (",", ";"):
            if (
                self.tokens[self.at] == "<"
                and self.tokens[self.at - 1].isidentifier()
                and not self._is_variable(self.tokens[self.at - 1])
            ):
                start = self.at
                self.skip_angles()
                if "=" in self.tokens[start : self.at]:
                    self.broken(
                        f"the end of the value of {name} cannot be told; give each constant its own declaration"
                    )
            else:
                self.step()

    def _is_variable(self, name: str) -> bool:
        target = self.lookup([name])
        return isinstance(target, _Entity) and target.kind == "variable"

    def at_type(self) -> bool:
        """Whether a type stands here; a name that nobody declares is none."""
        token = self.tokens[self.at]
        if (
            token in _TYPE_WORDS
            or token in _QUALIFIERS
            or token in _DECLTYPE
            or token in ("typename", "class", "struct", "enum")
        ):
            return True
        if token != "::" and not self.is_identifier():
            return False
        start = self.at
        path, _ = self.path(False)
        self.at = start
        target = self.lookup(path)
        if isinstance(target, _Entity):
            return target.kind not in ("variable", "function")
        return target is None and self.known_type(path, False) is not None

    def cast_type(self, end: str) -> _Type:
        specifiers = self.specifiers(_QUALIFIERS)
        if self.tokens[self.at] != end or specifiers.type is None or specifiers.type.bits <= 0:
            raise _UnknownError(f"the type before {self._here()} is not one that is evaluated here")
        self.at += 1
        return specifiers.type

    def primary(self) -> _Value:
        token = self.tokens[self.at]
        if token == "(":
            start = self.at
            self.at += 1
            if self.at_type():
                self.specifiers(_QUALIFIERS)
                if self.tokens[self.at] not in ("(", "{"):  # not (Type(1) + 2)
                    self.at = start + 1
                    type_ = self.cast_type(")")
                    return type_, _convert(self.nested(self.unary)[1], type_)
            self.at = start
            result = super().primary()
        elif token == "static_cast":
            self.at += 1
            self.expect("<")
            type_ = self.cast_type(">")
            if self.tokens[self.at] != "(":
                self.broken("static_cast needs brackets")
            result = type_, _convert(super().primary()[1], type_)
        elif token == "sizeof":
            result = _ULONG, self.size_of()
        elif token in _TYPE_WORDS or token == "::" or self.is_identifier():
            result = self.named_value()
        else:
            result = super().primary()
        if self.tokens[self.at] in ("(", "[", "{", ".", "->", "++", "--"):
            raise _UnknownError(f"{self._here()} behind a value is not evaluated here")
        return result

    def size_of(self) -> int:
        self.at += 1
        if self.tokens[self.at] == "(":
            self.at += 1
            if self.at_type():
                return max(1, self.cast_type(")").bits // 8)
            self.at -= 1
        return max(1, self.skipped(True, lambda: self.nested(self.unary))[0].bits // 8)

    def named_value(self) -> _Value:
        if self.at_type():
            at, word = self.at, self.tokens[self.at] in _TYPE_WORDS
            if word:
                type_ = _builtin([self.tokens[at]])
                self.at += 1
            else:
                path, _ = self.path(False)
                target = self.lookup(path)
                type_ = target.type if isinstance(target, _Entity) else self.known_type(path, False)
            if type_ is None or type_.bits <= 0 or self.tokens[self.at] not in ("(", "{"):
                raise _UnknownError(f"{self.tokens[at]} is not evaluated here")
            listed = self.tokens[self.at] == "{"
            end = self.close[self.at]
            self.at += 1
            found = (type_, 0) if self.at == end else self.nested(self.conditional)
            if self.at != end:
                raise _UnknownError(f"{self._here()} is not evaluated here")
            self.at += 1
            return type_, self.implicit(found, type_, True) if listed else _convert(found[1], type_)
        path, _ = self.path(False)
        target = self.lookup(path)
        if not isinstance(target, _Entity) or target.kind != "variable":
            raise _UnknownError(f"{'::'.join(path)} is not a constant that is declared above")
        if target.value is None or target.type.bits <= 0:
            raise _UnknownError(target.reason)
        return target.type, target.value

    # The result

    def codes(self) -> list[_Entity]:
        """The constants of the namespace in order, and a note on each that may be one."""
        space = self.globals.spaces.get(NAMESPACE)
        if space is None:
            return []
        reached = space.direct()
        for scope in reached:
            reached += [used for used in scope.uses if used.transparent and used not in reached]
        foreign = [used for scope in reached for used in scope.uses if used not in reached]
        own, found = {id(scope) for scope in reached}, dict[str, _Entity]()
        others = {id(s) for used in foreign for s in used.direct()}
        for entity, scope in self.variables:
            if not entity.constexpr or not (entity.type is _UINT or entity.type.unknown) or entity.name in found:
                continue
            if id(scope) in own:
                meant = space.find(entity.name) if len(reached) > 1 else [entity]
                if len(meant) > 1:
                    self.note(entity.place, f"{NAMESPACE}::{entity.name} is ambiguous")
                elif meant[0] is not entity:
                    pass  # the namespace's own constant hides one of its unnamed namespace
                elif entity.type.unknown:
                    self.note(
                        entity.place, f"whether {entity.name} is a code depends on its type, which is not known here"
                    )
                else:
                    found[entity.name] = entity
            elif id(scope) in others and not any(entity.name in s.members for s in reached):
                self.note(entity.place, f"{entity.name} becomes a name of {NAMESPACE} by a using-directive only")
        return list(found.values())


# ---------------------------------------------------------------------------------------------------------------------
# One header, under every assumption

_MAX_OUTCOMES = 64
_MAX_CHARACTERS = 20_000_000  # of source text over all outcomes, so that a large file cannot take minutes


class _Outcome:
    """What one set of assumptions gives."""

    __slots__ = ("assumed", "codes", "stopped", "undecided")

    def __init__(
        self, codes: list[Constant], undecided: list[Undecided], assumed: list[tuple[str, bool, int]], stopped: bool
    ):
        self.codes = {code.name: code for code in codes}
        self.undecided, self.assumed, self.stopped = undecided, assumed, stopped


def _outcome(source: _Source, library: _Library, assumptions: _Assumptions) -> _Outcome:
    try:
        preprocessor = _Preprocessor(library, assumptions)
        preprocessor.read(source)
        reader = _Declarations(preprocessor, library)
        reader.read()
        codes = [
            Constant(e.name, e.value, *library.locate(e.place), e.reason if e.value is None else "")
            for e in reader.codes()
        ]
        return _Outcome(codes, reader.undecided, list(assumptions.trail), False)
    except _BrokenError as problem:
        stopped, undecided = isinstance(problem, _StoppedByError), library.undecided(problem.place, problem.reason)
    except RecursionError:
        stopped, undecided = False, library.undecided(source.base, "something is nested too deeply to be read")
    return _Outcome([], [undecided], list(assumptions.trail), stopped)


def _merge(outcomes: list[_Outcome], library: _Library) -> tuple[list[Constant], list[Undecided]]:
    """What is the same whatever the compiler's own macros are; the rest is undecided."""
    # Where some assumptions run into an #error, every compiled header is one of the others.
    outcomes = [outcome for outcome in outcomes if not outcome.stopped] or outcomes
    undecided = list(dict.fromkeys(problem for outcome in outcomes for problem in outcome.undecided))
    broken = any(outcome.undecided and not outcome.codes for outcome in outcomes)
    if len(outcomes) == 1:
        return list(outcomes[0].codes.values()), undecided
    names = list(dict.fromkeys(name for outcome in outcomes for name in outcome.codes))
    constants = []
    for name in names if not broken else []:
        found = [outcome.codes.get(name) for outcome in outcomes]
        values = {code and code.value for code in found}
        first = next(code for code in found if code is not None)
        if None not in found and len(values) == 1:
            constants.append(first)
            continue
        condition, place = _cause(outcomes, name)
        reason = f"depends on {condition}, which only the compiler knows"
        if None not in found:
            constants.append(Constant(name, None, first.file, first.line, f"its value {reason}"))
        else:
            undecided.append(library.undecided(place, f"whether {name} exists {reason}"))
    return constants, undecided


def _cause(outcomes: list[_Outcome], name: str) -> tuple[str, int]:
    """The first condition that two outcomes with another result for a name answer in two ways."""
    first = outcomes[0]
    for other in outcomes[1:]:
        if first.codes.get(name) != other.codes.get(name):
            answers = {condition: answer for condition, answer, _ in first.assumed}
            for condition, answer, place in other.assumed:
                if answers.get(condition, answer) != answer:
                    return condition, place
    return first.assumed[0][0], first.assumed[0][2]


def read_source(data: bytes, path: str, include_dirs: Sequence[str] = ()) -> Reading:
    """Read a header that is in memory; `path` names it in reports, and its includes are relative to it."""
    import hashlib

    library, assumptions = _Library(include_dirs), _Assumptions()
    source = library.add(path, data)
    outcomes = [_outcome(source, library, assumptions)]
    while assumptions.advance():
        if len(outcomes) == _MAX_OUTCOMES or len(outcomes) * library.size > _MAX_CHARACTERS:
            problem = library.undecided(
                assumptions.trail[-1][2], "too many conditions hang on the compiler's own macros"
            )
            outcomes = [_Outcome([], [problem], [], False)]
            break
        outcomes.append(_outcome(source, library, assumptions))
    constants, undecided = _merge(outcomes, library)
    digest = hashlib.sha256(data).hexdigest()
    return Reading(path, digest, tuple(constants), tuple(undecided), tuple(library.sources))


def read_header(path: str | os.PathLike[str], include_dirs: Sequence[str] = ()) -> Reading:
    """Read a header file.

    Args:
        path: the header.
        include_dirs: folders in which its includes are looked for, besides its own.

    Raises:
        HeaderError: there is no such file, or it cannot be read, or it is empty.
    """
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            data = file.read()
    except (OSError, ValueError) as error:
        raise HeaderError(name, getattr(error, "strerror", None) or str(error)) from error
    if not data:
        raise HeaderError(name, "the file is empty")
    return read_source(data, name, include_dirs)


# ---------------------------------------------------------------------------------------------------------------------
# The build's command


def _write(path: str, lines: list[str]) -> None:
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(line + "\n" for line in lines)


def _escaped(path: str) -> str:
    return re.sub(r"([ #\\])", r"\\\1", path).replace("$", "$$")


def _problems(reading: Reading) -> list[str]:
    found = [f"{u.file}:{u.line}: error: {u.reason}" for u in reading.undecided]
    return found or ([] if reading.constants else [f"{reading.path}:1: error: no status code is declared here"])


def main(argv: Sequence[str] | None = None) -> int:
    """Write what the build needs from a header; 2 if something in it cannot be decided, and then nothing is written."""
    import argparse

    parser = argparse.ArgumentParser(
        prog="header.py", description="Write the list of the status codes that a header declares."
    )
    parser.add_argument("header", help="the C++ header")
    parser.add_argument("--names", metavar="OUT", required=True, help="write one LLM_DATADIST_CONSTANT(NAME) per code")
    parser.add_argument(
        "--text", metavar="OUT", help='write one LLM_DATADIST_READ(NAME, "0x...") per code as read in the text'
    )
    parser.add_argument("--depfile", metavar="OUT", help="write the files that were read as a make rule")
    parser.add_argument("--include-dir", metavar="DIR", action="append", default=[], help="look for includes here too")
    args = parser.parse_args(argv)
    try:
        reading = read_header(args.header, args.include_dir)
        problems = _problems(reading)
    except HeaderError as error:
        problems = [f"{error.path}:1: error: {error}"]
    if problems:
        print(*problems, sep="\n", file=sys.stderr)
        print(
            "Write each code as `constexpr Status NAME = VALUE;`, or report the header if it is the toolkit's own.",
            file=sys.stderr,
        )
        return 2
    generated = f"// Generated from {os.path.basename(reading.path)}; do not edit."
    _write(args.names, [generated, *(f"LLM_DATADIST_CONSTANT({code.name})" for code in reading.constants)])
    if args.text:
        shown = [(code.name, "" if code.value is None else f"0x{code.value:08X}") for code in reading.constants]
        _write(args.text, [generated, *(f'LLM_DATADIST_READ({name}, "{value}")' for name, value in shown)])
    if args.depfile:
        files = " ".join(_escaped(path) for path in reading.files)
        _write(args.depfile, [f"{_escaped(args.names)}: {files}"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
