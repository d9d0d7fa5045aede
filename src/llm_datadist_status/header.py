"""Read the status codes of a C++ header as the compiler would, and refuse aloud what cannot be decided.

The header goes through the stages of a C++17 compiler, each no larger than the job needs: bytes to tokens; conditions,
macros and includes; declarations; values. What nobody writes in a header of status codes is refused, not followed.
CMake runs this file by path before the package exists, so it imports nothing from it.
"""

# Importing pathlib takes longer than importing this module.
# ruff: noqa: PTH113, PTH118, PTH119, PTH120, PTH123

from __future__ import annotations

import os
import re
import sys
from bisect import bisect_left

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


class Facts(_Record):
    """What else of a header users depend on.

    Attributes:
        includes: each active `#include` of the header itself, as spelled, in order.
        options: the texts of the namespace's string constants `OPTION_...`, escapes as written.
        defaults: per call, the default arguments of its parameters, as written.
    """

    __slots__ = ("defaults", "includes", "options")

    def __init__(self, includes: tuple[str, ...], options: dict[str, str], defaults: dict[str, dict[str, str]]) -> None:
        self.includes, self.options, self.defaults = includes, options, defaults


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
    """An active #error, or a static_assert that fails: with these assumptions there is no compiled header."""


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


def _unended_raw(token: str) -> bool:
    opening = re.match(r'(?:u8|[uUL])?R"', token)
    match = _TOKEN.match(token) if opening else None
    return match is not None and match["mark"] is None


class _Source:
    """One file as tokens. Offsets count from `base`, so that one number tells the place in any of the files."""

    def __init__(self, path: str, data: bytes, base: int) -> None:
        text = data.decode("latin-1")  # the compiler too reads bytes; every byte is one character here
        text = text[3:] if data.startswith(b"\xef\xbb\xbf") else text
        # Compilers disagree about a lone carriage return: it ends the line here, and then it is no good token.
        text = text.replace("\r\n", "\n").replace("\r", "\n\r")
        pieces = _SPLICE.split(text)
        self.path, self.base, self.text = path, base, "".join(pieces)
        splices, end = list[int](), 0
        for piece in pieces[:-1]:
            end += len(piece)
            splices.append(end - 1)
        self.breaks = sorted([m.start() for m in re.finditer("\n", self.text)] + splices)
        found = [(m[1], m.start(1)) for m in _TOKEN.finditer(self.text)]
        self.tokens = [token for token, _ in found if token]
        self.offsets = [base + offset for token, offset in found if token]
        self.directives = [
            (i, self._line_end(i)) for i, token in enumerate(self.tokens) if token == "#" and self._starts_line(i)
        ]
        last = self.tokens[-1] if self.tokens else ""
        # A comment or raw string that does not end runs to the end of the file, even from a directive.
        self.unfinished = last.startswith("/*") or _unended_raw(last)
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

    def _starts_line(self, index: int) -> bool:
        """Whether a token is the first of its line, where a comment counts as one space however long it is."""
        if index == 0:
            return True
        behind = self.offsets[index - 1] + len(self.tokens[index - 1])
        gap = self.text[behind - self.base : self.offsets[index] - self.base]
        return "\n" in (_COMMENT.sub(" ", gap) if "/*" in gap else gap)

    def _line_end(self, index: int) -> int:
        """The index behind the last token on the line of a token."""
        index += 1
        while index < len(self.tokens) and not self._starts_line(index):
            index += 1
        return index


class _Library:
    """The files of one reading, each read and split once, however often it is included."""

    def __init__(self, include_dirs: Sequence[str]) -> None:
        self.include_dirs = [os.fspath(folder) for folder in include_dirs]
        self.sources: dict[str, _Source] = {}
        self.size = 0
        self.located: _Source | None = None  # the file of the place that was looked up last

    def add(self, path: str, data: bytes) -> _Source:
        source = self.sources[path] = _Source(path, data, self.size)
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
        source = self.located
        if source is None or not source.base <= place <= source.base + len(source.text):
            source = self.located = next(file for file in reversed(self.sources.values()) if file.base <= place)
        return source.path, source.line(place)

    def undecided(self, place: int, reason: str) -> Undecided:
        return Undecided(*self.locate(place), reason)


# ---------------------------------------------------------------------------------------------------------------------
# What the header's text does not say: the compiler's own macros


class _Assumptions:
    """Conditions that only the compiler can decide, each assumed false and then true, to compare all outcomes."""

    def __init__(self) -> None:
        self.known: dict[str, tuple[bool, int]] = {}  # in the order in which they were asked, with the place

    def ask(self, condition: str, place: int) -> bool:
        return self.known.setdefault(condition, (False, place))[0]

    def advance(self) -> tuple[str, int] | None:
        """Go on to the next combination; the condition that is true now, or None after the last combination."""
        while self.known:
            condition, (answer, place) = self.known.popitem()
            if not answer:
                self.known[condition] = (True, place)
                return condition, place
        return None


# ---------------------------------------------------------------------------------------------------------------------
# Tokens to the tokens that are left after conditions, macros and includes


class _Macro:
    __slots__ = ("body", "params", "variadic")

    def __init__(self, params: list[str] | None, body: list[str], variadic: bool = False) -> None:
        self.params, self.body, self.variadic = params, body, variadic


class _Conditional:
    """An open #if: whether its present group is read, whether one was, and whether its #else came."""

    __slots__ = ("active", "closing", "place", "taken")

    def __init__(self, place: int, active: bool, taken: bool) -> None:
        self.place, self.active, self.taken, self.closing = place, active, taken, False


# The macros of <cstdint> that a code may well be written with.
_STDINT = {"UINT32_MAX": _Macro(None, ["4294967295U"]), "UINT32_C": _Macro(["x"], ["x", "##", "U"])}
_RESERVED = re.compile(r"_[A-Z_]|\w*__", re.ASCII)
# The macros of standard headers, which are not read: whether one is there depends on what those include.
_STANDARD_MACRO = re.compile(
    r"U?INT(?:(?:_LEAST|_FAST)?(?:8|16|32|64)|PTR|MAX)_(?:MIN|MAX|C)\Z|(?:SIZE|PTRDIFF|SIG_ATOMIC|WCHAR|WINT)_(?:MIN|MAX)\Z"
    r"|(?:[SU]?CHAR|U?SHRT|U?INT|U?LONG|U?LLONG)_(?:MIN|MAX)\Z|(?:CHAR_BIT|NULL|EOF|offsetof|assert|errno)\Z",
    re.ASCII,
)
_INCLUDE = re.compile(r'#\s*include\s*(<[^>\n]*>|"[^"\n]*")', re.ASCII)
_PAINT = "\0"  # in front of a macro's name that must not be expanded again
_STRINGISED = f'"{_PAINT}"'  # stands for any text that a macro makes of its argument
_MAX_FILES = 2000
_MAX_DEPTH = 60
_MAX_EXPANSION = 200_000


def _is_name(token: str) -> bool:
    return token.isidentifier() and token.isascii()


class _Preprocessor:
    def __init__(self, library: _Library, assumptions: _Assumptions) -> None:
        self.library, self.assumptions = library, assumptions
        self.macros: dict[str, _Macro] = {"__cplusplus": _Macro(None, ["201703L"])}
        self.tokens: list[str] = []
        self.places: list[int] = []
        self.includes: list[str] = []  # of the header itself
        self.absent: list[tuple[int, int, str]] = []  # position among the tokens, place, spelling
        self.included = False  # whether anything was, and with it perhaps the macros of standard headers
        self.once: set[str] = set()
        self.guards: set[str] = set()
        self.opened = self.depth = self.expanded = 0

    def read(self, source: _Source) -> None:
        """Append what is left of one file, includes in place."""
        self.opened += 1
        self.depth += 1
        if self.depth > _MAX_DEPTH or self.opened > _MAX_FILES:
            raise _BrokenError(f"the includes of {os.path.basename(source.path)} do not end", source.base)
        if source.unfinished:
            raise _BrokenError("a comment or raw string does not end", source.offsets[-1])
        self._find_guard(source)
        open_ifs: list[_Conditional] = []
        index = 0
        for start, end in source.directives:
            active = not open_ifs or open_ifs[-1].active
            if active:
                self._text(source, index, start)
            word, *rest = source.tokens[start + 1 : end] or [""]
            if word in ("if", "ifdef", "ifndef", "elif", "else", "endif", "elifdef", "elifndef"):
                self._conditional(open_ifs, word, rest, source.offsets[start])
            elif active:
                self._directive(source, start, word, rest)
            index = end
        if open_ifs:
            raise _BrokenError("this condition has no #endif", open_ifs[-1].place)
        self._text(source, index, len(source.tokens))
        self.depth -= 1

    def _find_guard(self, source: _Source) -> None:
        """The macro of an include guard, which holds the whole file, is undefined at first even if reserved."""
        lines = [(start, source.tokens[start + 1 : end]) for start, end in source.directives[:3]]
        first = int(lines[:1] == [(0, ["pragma", "once"])])
        lines, ends = lines[first : first + 2], [0, *(end for _, end in source.directives)]
        if len(lines) < 2 or [start for start, _ in lines] != ends[first : first + 2]:
            return
        opening, define = lines[0][1], lines[1][1]
        # A body is let pass in what is spelled like a guard; another reserved name may be one that compilers define.
        bare = len(define) == 2 or (
            len(define) == 3 and define[2].isdigit() and define[1].upper().rstrip("_")[-2:] == "_H"
        )
        name = define[1] if bare and define[0] == "define" else ""
        forms = (["ifndef", name], ["if", "!", "defined", name], ["if", "!", "defined", "(", name, ")"])
        if name and opening in forms and self._holds_all(source, first):
            self.guards.add(name)

    def _holds_all(self, source: _Source, opening: int) -> bool:
        """Whether the condition of a directive goes to the end of its file, with no other group."""
        depth = 0
        for start, end in source.directives[opening:]:
            word = source.tokens[start + 1] if end > start + 1 else ""
            depth += (word in ("if", "ifdef", "ifndef")) - (word == "endif")
            if depth == 0 or (depth == 1 and word in ("else", "elif")):
                return word == "endif" and end == len(source.tokens)
        return False

    # Directives

    def _conditional(self, open_ifs: list[_Conditional], word: str, rest: list[str], place: int) -> None:
        if word in ("if", "ifdef", "ifndef"):
            outer = not open_ifs or open_ifs[-1].active
            met = outer and self._condition(word, rest, place)
            open_ifs.append(_Conditional(place, met, met or not outer))
        elif word in ("elifdef", "elifndef"):
            raise _BrokenError(f"#{word} is no directive of C++17", place)
        elif not open_ifs or (word != "endif" and open_ifs[-1].closing):
            raise _BrokenError(f"#{word} has no #if", place)
        elif word == "endif":
            open_ifs.pop()
        else:
            group = open_ifs[-1]
            group.closing = word == "else"
            group.active = not group.taken and (group.closing or self._condition("if", rest, place))
            group.taken = group.taken or group.active

    def _directive(self, source: _Source, start: int, word: str, rest: list[str]) -> None:
        place = source.offsets[start]
        if word == "define":
            called = len(rest) > 1 and source.offsets[start + 2] + len(rest[0]) == source.offsets[start + 3]
            self._define(rest, called and rest[1] == "(", place)
        elif word == "undef":
            if len(rest) != 1:
                raise _BrokenError("#undef takes one name", place)
            self.macros.pop(rest[0], None)
        elif word in ("include", "include_next", "import"):
            self._include(source, place)
        elif word == "error":
            raise _StoppedByError("an #error stands in a part that is compiled", place)
        elif word == "pragma":
            if rest[:1] == ["once"]:
                self.once.add(os.path.realpath(source.path))
            elif rest[:1] in (["push_macro"], ["pop_macro"]):
                raise _BrokenError(f"#pragma {rest[0]} is not followed; define the macro plainly", place)
        elif word not in ("", "warning", "line") and not word.isdigit():
            raise _BrokenError(f"#{word} is no directive", place)

    def _define(self, rest: list[str], called: bool, place: int) -> None:
        if not rest or not _is_name(rest[0]) or rest[0] == "defined":
            raise _BrokenError("#define without a name", place)
        name, params, body, variadic = rest[0], None, rest[1:], False
        if called:
            close = body.index(")") if ")" in body else 0
            listed, body = body[1:close], body[close + 1 :]
            variadic = listed[-1:] == ["..."]
            params = [*listed[:-1:2], "__VA_ARGS__"] if variadic else listed[::2]
            commas = [","] * (len(params) - 1)
            if not close or listed[1::2] != commas or not all(map(_is_name, params)):
                raise _BrokenError(f"the parameters of the macro {name} cannot be read", place)
        self.macros[name] = _Macro(params, body, variadic)

    def _include(self, source: _Source, place: int) -> None:
        written = _INCLUDE.match(source.text, place - source.base)
        if written is None:
            raise _BrokenError("this #include does not name a file plainly", place)
        spelled = os.fsdecode(written[1].encode("latin-1"))
        path = self.library.find(spelled, source.path)
        self.included = True
        if self.depth == 1:
            self.includes.append(spelled)
        if spelled in ("<cstdint>", "<stdint.h>"):
            self.macros.update(_STDINT)
        if path is None:
            self.absent.append((len(self.tokens), place, spelled))
        elif os.path.realpath(path) not in self.once:
            try:
                found = self.library.load(path)
            except OSError as error:
                raise _BrokenError(f"the included {spelled} cannot be read: {error.strerror}", place) from None
            self.read(found)

    def _condition(self, word: str, rest: list[str], place: int) -> bool:
        if word != "if":
            if len(rest) != 1 or not _is_name(rest[0]):
                raise _BrokenError(f"#{word} takes one name", place)
            return self._defined(rest[0], place) == (word == "ifdef")
        line, words = list[str](), iter(rest)
        for token in words:
            if token == "defined":
                bracket = (name := next(words, "")) == "("
                name = next(words, "") if bracket else name
                if not _is_name(name) or (bracket and next(words, "") != ")"):
                    raise _BrokenError("defined takes one name", place)
                token = str(int(self._defined(name, place)))  # noqa: PLW2901
            line.append(token)
        line = [token.lstrip(_PAINT) for token in self._expand(line, place)]
        try:
            return _Condition(line, [place], self._foreign).answer()
        except _UnknownError as reason:
            if not any(map(self._foreign, line)):
                raise _BrokenError(f"this condition cannot be evaluated: {reason}", place) from None
            return self.assumptions.ask(" ".join(line), place)

    def _defined(self, name: str, place: int) -> bool:
        if name in self.macros or name in self.guards or not self._foreign(name):
            return name in self.macros
        return self.assumptions.ask(f"defined({name})", place)

    def _foreign(self, name: str) -> bool:
        """Whether the compiler, or a standard header, may define this macro."""
        return bool(_RESERVED.match(name) or (self.included and _STANDARD_MACRO.match(name)))

    # Text and macros

    def _text(self, source: _Source, start: int, end: int) -> None:
        tokens = source.tokens[start:end]
        if self.macros.keys().isdisjoint(tokens):
            self.tokens += tokens
            self.places += source.offsets[start:end]
            return
        index = 0
        while index < len(tokens):
            token, place = tokens[index], source.offsets[start + index]
            if token in self.macros:
                found, index = self._invoke(tokens, index, place, frozenset())
                self.tokens += [token.lstrip(_PAINT) for token in found]
                self.places += [place] * len(found)
                token = found[-1] if found else ""
            else:
                self.tokens.append(token)
                self.places.append(place)
                index += 1
        if self._takes_arguments(token):
            raise _BrokenError(f"a directive stands behind the macro {token}, which takes arguments", place)

    def _takes_arguments(self, token: str) -> bool:
        return token in self.macros and self.macros[token].params is not None

    def _expand(self, tokens: list[str], place: int, hidden: frozenset[str] = frozenset()) -> list[str]:
        """Replace every macro in a line, except those that are being replaced already."""
        out, index = list[str](), 0
        while index < len(tokens):
            if tokens[index] in self.macros:
                found, index = self._invoke(tokens, index, place, hidden)
                out += found
            else:
                out.append(tokens[index])
                index += 1
        return out

    def _invoke(self, tokens: list[str], index: int, place: int, hidden: frozenset[str]) -> tuple[list[str], int]:
        """What a macro's name and its arguments are replaced with, and the index behind them."""
        name, following = tokens[index], tokens[index + 1 : index + 2]
        index += 1
        if name in hidden:
            return [_PAINT + name], index
        macro, arguments = self.macros[name], dict[str, list[str]]()
        if macro.params is not None:
            if following != ["("]:
                return [name], index
            arguments, index = self._arguments(name, macro.params, tokens, index, place)
        out = self._expand(self._substitute(macro, arguments, place, hidden), place, hidden | {name})
        if out and self._takes_arguments(out[-1]) and tokens[index : index + 1] == ["("]:
            raise _BrokenError(f"the macro {name} ends in the name of another one that takes arguments", place)
        return out, index

    def _arguments(
        self, name: str, params: list[str], tokens: list[str], index: int, place: int
    ) -> tuple[dict[str, list[str]], int]:
        """The argument for each parameter, and the index behind the closing bracket."""
        found, depth, variadic = [list[str]()], 1, self.macros[name].variadic
        while depth:
            index += 1
            token = tokens[index] if index < len(tokens) else ""
            depth += (token == "(") - (token == ")")
            if not depth or not token:
                break
            if token == "," and depth == 1 and not (variadic and len(found) == len(params)):
                found.append([])
            else:
                found[-1].append(token)
        self._count(sum(map(len, found)), name, place)
        if not params and found == [[]]:
            found = []
        if depth or len(found) != len(params):
            raise _BrokenError(f"the arguments of the macro {name} cannot be matched with its parameters", place)
        return dict(zip(params, found, strict=True)), index + 1

    def _substitute(
        self, macro: _Macro, arguments: dict[str, list[str]], place: int, hidden: frozenset[str]
    ) -> list[str]:
        """The body with the arguments in place, joined where ## says so."""
        body, out = macro.body, list[str]()
        for index, token in enumerate(body):
            before, after = body[index - 1] if index else "", body[index + 1 : index + 2]
            if token == "#" and macro.params is not None:
                out.append(_STRINGISED)
            if (token == "#" or before == "#") and macro.params is not None:
                continue
            if token == "##" and 0 < index < len(body) - 1:
                continue
            piece = arguments.get(token, [token])
            if before == "##":
                if not (piece and out):
                    raise _BrokenError("## has nothing to join", place)
                joined = out.pop() + piece[0]
                whole = _TOKEN.match(joined)
                if whole is None or whole[1] != joined or not _GOOD.match(joined):
                    raise _BrokenError(f"## makes {joined!a}, which is no token", place)
                piece = [joined, *piece[1:]]
            elif token in arguments and after != ["##"]:
                piece = self._expand(piece, place, hidden)
            out += piece
        self._count(1 + len(out), body[0] if body else "", place)
        return out

    def _count(self, tokens: int, name: str, place: int) -> None:
        self.expanded += tokens
        if self.expanded > _MAX_EXPANSION:
            raise _BrokenError(f"the macros at {name} grow too large", place)


# ---------------------------------------------------------------------------------------------------------------------
# Types and values


class _Type:
    """A type as far as it matters: integers with their width; the others are `_OTHER`, or unknown with width -1."""

    __slots__ = ("bits", "high", "low", "name", "signed")

    def __init__(self, name: str, bits: int = 0, signed: bool = False) -> None:
        self.name, self.bits, self.signed = name, bits, signed
        self.low = -(1 << (bits - 1)) if signed else 0
        self.high = self.low + (1 << max(bits, 0)) - 1

    @property
    def unknown(self) -> bool:
        return self.bits < 0

    @property
    def lone(self) -> bool:
        """Whether it is but a word that nobody declares: it may come from another file, or be any macro."""
        return self.unknown and self.name.isidentifier()


_Value = tuple[_Type, int]

# Sizes are those of 64-bit Linux, the one system that the native library is built for; long long is as good as long.
_INTEGERS = {(bits, signed): _Type(f"{'' if signed else 'u'}int{bits}", bits, signed)
             for bits in (8, 16, 32, 64) for signed in (True, False)}  # fmt: skip
_INT, _UINT, _LONG, _ULONG = (_INTEGERS[key] for key in ((32, True), (32, False), (64, True), (64, False)))
_BOOL, _OTHER = _Type("bool", 1), _Type("no integer type")  # char has a sign on some machines: it counts as no integer
_AUTO = _Type("auto ", -1)  # no name
_NO_INTEGERS = ("void", "char", "float", "double", "double long", "wchar_t", "char16_t", "char32_t", "__int128",
                "__int128 unsigned")  # fmt: skip
_BUILTIN = {"bool": _BOOL, "char signed": _INTEGERS[8, True], "char unsigned": _INTEGERS[8, False]}
_BUILTIN |= dict.fromkeys(_NO_INTEGERS, _OTHER)
_BUILTIN |= {
    " ".join(sorted(f"{size} {sign} {word}".split())): _INTEGERS[bits, sign != "unsigned"]
    for size, bits in (("", 32), ("short", 16), ("long", 64), ("long long", 64))
    for sign in ("", "signed", "unsigned")
    for word in ("", "int")
}
_TYPE_WORDS = {word for words in _BUILTIN for word in words.split()}
_STANDARD = {f"{'' if signed else 'u'}int{bits}_t": type_ for (bits, signed), type_ in _INTEGERS.items()}
_STANDARD |= {"size_t": _ULONG, "uintptr_t": _ULONG, "ptrdiff_t": _LONG, "intptr_t": _LONG, "nullptr_t": _OTHER}
# The types of namespace std that are no integer; whatever else stands there is unknown.
_STANDARD_TYPES = (
    " string wstring u16string u32string string_view wstring_view vector array map multimap"
    " unordered_map unordered_multimap set multiset unordered_set unordered_multiset list"
    " forward_list deque queue priority_queue stack pair tuple optional variant any monostate"
    " function reference_wrapper unique_ptr shared_ptr weak_ptr bitset complex initializer_list byte"
    " integral_constant true_type false_type numeric_limits hash less greater equal_to ratio atomic"
    " thread mutex recursive_mutex shared_mutex condition_variable once_flag lock_guard unique_lock"
    " scoped_lock future promise exception exception_ptr runtime_error logic_error error_code"
    " error_category error_condition errc type_index ostream istream iostream ofstream ifstream"
    " fstream stringstream ostringstream istringstream "
)
_CHRONO_TYPES = (
    " nanoseconds microseconds milliseconds seconds minutes hours duration time_point system_clock"
    " steady_clock high_resolution_clock "
)
# What the toolkit's graph-engine headers call their types, where those headers are not there to be read.
_GRAPH_ENGINE = {"Status": _UINT, "AscendString": _OTHER, "DataType": _OTHER}


def _convert(value: int, type_: _Type) -> int:
    if type_ is _BOOL:
        return int(value != 0)
    if type_.bits <= 0:
        raise _UnknownError(f"{type_.name} is not a type that is evaluated here")
    if type_.low <= value <= type_.high:
        return value
    value &= (1 << type_.bits) - 1
    return value - (1 << type_.bits) if type_.signed and value >> (type_.bits - 1) else value


def _promoted(type_: _Type) -> _Type:
    return type_ if type_.bits >= 32 else _INT


def _common(left: _Type, right: _Type) -> _Type:
    """The type that arithmetic on two types is done in."""
    left, right = _promoted(left), _promoted(right)
    if left.bits == right.bits:
        return right if left.signed else left
    return left if left.bits > right.bits else right


_NUMBER = re.compile(
    r"(0[xX][\da-fA-F]+|0[bB][01]+|0[0-7]*|[1-9]\d*)((?:[uU](?:ll?|LL?)?|(?:ll?|LL?)[uU]?)?)\Z", re.ASCII
)
_MAX_DIGITS = 400  # more is never a value, and takes Python long


def _number(token: str) -> _Value:
    match = _NUMBER.match(token.replace("'", "")) if len(token) < _MAX_DIGITS else None
    if match is None:
        raise _UnknownError(f"{token[:40]} is no integer")
    digits, suffix = match[1], match[2].lower()
    value = int(digits, 8 if digits[0] == "0" and digits.isdigit() else 0)
    for type_ in (_LONG, _ULONG) if "l" in suffix else (_INT, _UINT, _LONG, _ULONG):
        allowed = "u" not in suffix if type_.signed else "u" in suffix or digits[0] == "0"
        if allowed and value <= type_.high:
            return type_, value
    raise _UnknownError(f"{token} is too large for any type")


_LEVELS = ["||", "&&", "|", "^", "&", "== !=", "< > <= >=", "<< >>", "+ -", "* / %"]
_LEVEL = {operator: level for level, operators in enumerate(_LEVELS, 1) for operator in operators.split()}
_COMPARE = {"==": int.__eq__, "!=": int.__ne__, "<": int.__lt__, ">": int.__gt__, "<=": int.__le__, ">=": int.__ge__}
_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": int.__add__, "-": int.__sub__, "*": int.__mul__, "&": int.__and__, "|": int.__or__, "^": int.__xor__,
    "<<": int.__lshift__, ">>": int.__rshift__,
    "/": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "%": lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1),
}  # fmt: skip


class _Expression:
    """A cursor on tokens that evaluates what it meets; names and types are the business of the classes below."""

    def __init__(self, tokens: list[str], places: list[int]) -> None:
        self.tokens, self.places = [*tokens, ""], places
        self.at = 0

    def place(self) -> int:
        return self.places[min(self.at, len(self.places) - 1)]

    def broken(self, reason: str) -> NoReturn:
        raise _BrokenError(reason, self.place())

    def here(self) -> str:
        return self.tokens[self.at][:40] or "the end of the file"

    def take(self, token: str) -> bool:
        """Go over this token if it stands here."""
        found = self.tokens[self.at] == token
        self.at += found
        return found

    def expect(self, token: str) -> None:
        if not self.take(token):
            self.broken(f"{token} is missing before {self.here()}")

    def binary(self, lowest: int = 1) -> _Value:
        left = self.unary()
        while True:
            operator = self.tokens[self.at]
            level = _LEVEL.get(operator, 0)
            if level < lowest:
                return left
            self.at += 1
            left = self.operate(operator, left, self.binary(level + 1))

    def operate(self, operator: str, left: _Value, right: _Value) -> _Value:
        (left_type, a), (right_type, b) = left, right
        if operator in ("&&", "||"):
            return _BOOL, int(bool(a and b) if operator == "&&" else bool(a or b))
        if operator in ("<<", ">>"):
            type_ = _promoted(left_type)
            if not 0 <= b < type_.bits:
                raise _UnknownError("the shift is out of range")
        else:
            type_ = _common(left_type, right_type)
            a, b = _convert(a, type_), _convert(b, type_)
        if operator in _COMPARE:
            return _BOOL, int(_COMPARE[operator](a, b))
        if operator in ("/", "%") and b == 0:
            raise _UnknownError("it divides by zero")
        result = _ARITHMETIC[operator](a, b)
        # A shift to the left may run into the bit of the sign, and no further.
        return self.result(result, type_, _INTEGERS[type_.bits, type_.signed and operator != "<<"])

    def result(self, value: int, type_: _Type, limits: _Type) -> _Value:
        if type_.signed and not limits.low <= value <= limits.high:
            raise _UnknownError("the result overflows")
        return type_, _convert(value, type_)

    def unary(self) -> _Value:
        operator = self.tokens[self.at]
        if operator not in ("+", "-", "~", "!"):
            return self.primary()
        self.at += 1
        type_, value = self.unary()
        if operator == "!":
            return _BOOL, int(not value)
        type_ = _promoted(type_)
        return self.result({"+": value, "-": -value, "~": ~value}[operator], type_, type_)

    def primary(self) -> _Value:
        token = self.tokens[self.at]
        if token == "(":
            self.at += 1
            found = self.binary()
            if not self.take(")"):
                raise _UnknownError(f"{self.here()} is not evaluated here")
            return found
        self.at += 1
        if token[:1].isdigit():
            return _number(token)
        if token in ("true", "false"):
            return _BOOL, int(token == "true")
        self.at -= 1
        raise _UnknownError(f"{self.here()} is not evaluated here")


class _Condition(_Expression):
    """The expression of an #if: all numbers are of the widest type, and a name that is no macro is 0."""

    def __init__(self, tokens: list[str], places: list[int], foreign: Callable[[str], bool]) -> None:
        super().__init__(tokens, places)
        self.foreign = foreign

    def answer(self) -> bool:
        value = self.binary()[1]
        if self.tokens[self.at]:
            raise _UnknownError(f"{self.here()} is in the way")
        return value != 0

    def primary(self) -> _Value:
        token = self.tokens[self.at]
        if _is_name(token) and token not in ("true", "false"):
            if self.foreign(token):
                raise _UnknownError(f"{token} is the compiler's own")
            self.at += 1
            return _LONG, 0
        type_, value = super().primary()
        return (_LONG if type_.signed or type_.bits < 32 else _ULONG), value


# ---------------------------------------------------------------------------------------------------------------------
# Declarations


class _Entity:
    """A declared name: a "type", "variable", "function" or "namespace". Only a constexpr variable can be a code."""

    __slots__ = ("constexpr", "kind", "name", "place", "reason", "type", "value")

    def __init__(self, kind: str, name: str, type_: _Type, place: int) -> None:
        self.kind, self.name, self.type, self.place = kind, name, type_, place
        self.value: int | None = None
        self.reason = ""  # why a constant has no value
        self.constexpr = False


class _Scope(_Entity):
    """A namespace. Its inline and unnamed namespaces share its members: `within` tells in which of them it lies."""

    __slots__ = ("members", "parent", "within")

    def __init__(self, name: str, parent: _Scope | None, within: tuple[str, ...] = ()) -> None:
        super().__init__("namespace", name, _OTHER, 0)
        self.parent, self.within = parent, within
        self.members: dict[str, _Entity] = {}


_QUALIFIERS = {"const", "volatile"}
_FLAGS = {"const", "volatile", "constexpr", "static", "inline", "extern", "thread_local", "typedef", "__extension__"}
_STATEMENTS = {"if", "while", "for", "switch", "do", "else", "return", "try", "catch", "throw", "case", "goto",
               "sizeof", "alignof", "typeid", "new", "delete", "not", "static_assert", "static_cast"}  # fmt: skip
_CLASSES = {"class", "struct", "union"}
_ATTRIBUTES = {"__attribute__", "__attribute", "__declspec", "alignas"}
_CHANGES_TYPE = {"mode", "__mode__", "vector_size", "__vector_size__"}
_SPECIFIERS = {"constexpr", "static", "inline"}
_STARTERS = _SPECIFIERS | {"namespace", "using", "typedef", "template", "extern", "static_assert"}
_KEYWORDS = _FLAGS | _CLASSES | _ATTRIBUTES | _TYPE_WORDS | _STARTERS | {
    "alignof", "and", "asm", "auto", "bitand", "bitor", "case", "catch", "compl", "const_cast", "decltype", "default",
    "delete", "do", "dynamic_cast", "else", "enum", "explicit", "false", "for", "friend", "goto", "if", "mutable",
    "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "register", "reinterpret_cast", "return", "sizeof",
    "static_cast", "switch", "this", "throw", "true", "try", "typeid", "typename", "virtual", "volatile", "while",
    "xor",
}  # fmt: skip
_MAX_NESTING = 200  # as compilers have such a limit for brackets
_STANDARD_INCLUDE = re.compile(r"<(?:\w+|std\w+\.h)>", re.ASCII)
_CONSTANT_LIKE = re.compile(r"(?!DT_)(?:[A-Z][A-Z0-9_]*|k[A-Z]\w*)\Z", re.ASCII)
_PLAIN_NUMBER = re.compile(r"(0[xX][\da-fA-F]{1,8}|[1-9]\d{0,8}|0)[uU]?\Z", re.ASCII)
_NO_INTEGER = re.compile(r""".*"\Z|nullptr\Z|.*'\Z|(?!0[xX])[\d.']+(?:\.|[eEfF])""", re.ASCII | re.DOTALL)


class _Declarations(_Expression):
    """Reads namespace scope, jumping over the bodies of functions and classes by their brackets."""

    def __init__(self, preprocessor: _Preprocessor, library: _Library) -> None:
        super().__init__(preprocessor.tokens, preprocessor.places or [0])
        self.library, self.macros = library, preprocessor.macros
        self.scope = self.globals = _Scope("", None)
        self.ours = _Scope(NAMESPACE, self.globals)  # joins the globals when it is opened
        self.within: tuple[str, ...] = ()  # the inline and unnamed namespaces that are open in the scope
        self.open: list[tuple[_Scope, tuple[str, ...]]] = []
        self.undecided: list[Undecided] = []
        self.initialisers: dict[str, int] = {}  # of the namespace's variables: where they begin
        self.classes: list[int] = []  # where the bodies of the namespace's classes begin
        self.elsewhere = any(not _STANDARD_INCLUDE.match(spelled) for _, _, spelled in preprocessor.absent)
        bad = {token for token in set(preprocessor.tokens) if not _GOOD.match(token)}
        if bad:
            self.at = next(i for i, token in enumerate(self.tokens) if token in bad)
            shown = ascii(self.tokens[self.at][:20])
            self.broken(f"{shown} is no token, or a comment or string that does not end")
        self.close = self._brackets(preprocessor.absent)

    def _brackets(self, absent: list[tuple[int, int, str]]) -> dict[int, int]:
        """The closing bracket of each opening one; and no file may be missing between two of them."""
        pairs, close, opened = {")": "(", "]": "[", "}": "{"}, dict[int, int](), list[int]()
        missing = absent[::-1]
        for index, token in enumerate(self.tokens):
            if token in ("(", "[", "{", ")", "]", "}", ""):
                while missing and missing[-1][0] <= index:
                    at, place, spelled = missing.pop()
                    begins = self.tokens[at - 1 : at] in ([], [";"], ["}"], ["{"])
                    if not begins or not all(map(self._opens_other_scope, opened)):
                        self.note(place, f"{spelled} is not there, and it is included where it could hold codes")
                if token in pairs:
                    if not opened or self.tokens[opened[-1]] != pairs[token]:
                        raise _BrokenError(f"{token} closes nothing", self.places[index])
                    close[opened.pop()] = index
                elif token:
                    opened.append(index)
        if opened:
            raise _BrokenError(f"{self.tokens[opened[-1]]} is not closed", self.places[opened[-1]])
        return close

    def _opens_other_scope(self, index: int) -> bool:
        """Whether the bracket opens a linkage block, or a namespace that is not the one of the codes."""
        if self.tokens[index] != "{":
            return False
        if self.tokens[max(index - 2, 0)] == "extern":
            return self.tokens[index - 1].endswith('"')
        start = index
        while start and index - start < _MAX_NESTING and self.tokens[start - 1] != "namespace":
            start -= 1
            if self.tokens[start] != "::" and (not _is_name(self.tokens[start]) or self.tokens[start] == NAMESPACE):
                return False
        return self.tokens[start - 1 : start] == ["namespace"]

    def note(self, place: int, reason: str) -> None:
        self.undecided.append(self.library.undecided(place, reason))

    def read(self) -> None:
        while self.tokens[self.at]:
            if not self.plain_code():
                self.statement()

    def plain_code(self) -> bool:
        """Read `constexpr Status NAME = 0x...;`, the form of nearly all codes, as `declaration` would, only faster."""
        at, tokens, members = self.at, self.tokens, self.scope.members
        if tokens[at] != "constexpr" or tokens[at + 3 : at + 6 : 2] != ["=", ";"]:
            return False
        type_ = members.get(tokens[at + 1])
        if type_ is None or type_.kind != "type" or type_.type is not _UINT or not self.plain_value(at + 2):
            return False
        self.at += 1
        return True

    def plain_value(self, at: int) -> bool:
        """Read the `NAME = 0x...` of a code up to the comma or semicolon behind it, if that is what stands there."""
        tokens, members = self.tokens, self.scope.members
        if tokens[at + 1 : at + 4 : 2] not in (["=", ";"], ["=", ","]):
            return False
        name, literal = tokens[at], _PLAIN_NUMBER.match(tokens[at + 2])
        if literal is None or not name.isidentifier() or name in _KEYWORDS or name in members:
            return False
        code = members[name] = _Entity("variable", name, _UINT, self.places[at])
        code.value, code.constexpr = int(literal[1], 0), True
        self.at = at + 3
        return True

    def jump(self) -> None:
        """Go behind the bracket that closes the one here."""
        if self.at not in self.close:
            self.broken(f"a bracket is missing before {self.here()}")
        self.at = self.close[self.at] + 1

    def step(self) -> None:
        """Go over one token, or a pair of brackets, of something that must end in a semicolon."""
        if self.tokens[self.at] in ("", "}") or self.tokens[self.at] in _STARTERS:
            self.broken(f"a semicolon is missing before {self.here()}")
        self.at = self.close.get(self.at, self.at) + 1

    def skip_to(self, *ends: str) -> None:
        while self.tokens[self.at] not in ends:
            self.step()

    # Statements

    def statement(self) -> None:
        token, following = self.tokens[self.at], self.tokens[self.at + 1]
        if token == ";":
            self.at += 1
        elif token == "}":
            self.at += 1
            self.scope, self.within = self.open.pop()
        elif token == "namespace" or (token == "inline" and following == "namespace"):
            self.namespace()
        elif token == "using":
            self.using()
        elif token == "extern" and following.endswith('"'):
            self.at += 2
            if self.tokens[self.at] == "{":
                self.enter(self.scope, self.within)
        elif token == "template" or (token == "extern" and following == "template"):
            self.template()
        elif token == "static_assert":
            self.assertion()
        else:
            self.declaration()

    def assertion(self) -> None:
        """A static_assert; one that cannot be evaluated is passed over."""
        self.at += 1
        start = self.at
        self.jump()
        end = self.at - 1
        if end == start + 1:
            self.broken("this static_assert is empty")
        self.at = start + 1
        try:
            failed = self.binary()[1] == 0 and (self.at == end or self.tokens[self.at] == ",")
        except (_UnknownError, _BrokenError):
            failed = False
        if failed:
            raise _StoppedByError("this static_assert fails", self.places[start])
        self.at = end + 1
        self.expect(";")

    def enter(self, scope: _Scope, within: tuple[str, ...]) -> None:
        self.expect("{")
        if len(self.open) == _MAX_NESTING:
            self.broken("the namespaces are nested too deeply")
        self.open.append((self.scope, self.within))
        self.scope, self.within = scope, within

    def namespace(self) -> None:
        inline = self.take("inline")
        self.at += 1
        self.attributes()
        if self.tokens[self.at] == "{":
            self.enter(self.scope, (*self.within, ""))
            return
        names, _ = self.path(templates=False)
        self.attributes()
        if self.take("="):
            self.namespace_alias(names[0])
            return
        scope, within = self.scope, self.within
        for name in names:
            if inline:
                scope.members.setdefault(name, scope)
            scope, within = self.space(scope, name, within)
        if (inline and scope is not self.scope) or (scope is self.globals and NAMESPACE in names):
            self.broken(f"{'::'.join(names)} is inline; write it as a plain namespace")
        self.enter(scope, within)

    def space(self, parent: _Scope, name: str, within: tuple[str, ...]) -> tuple[_Scope, tuple[str, ...]]:
        """The namespace of that name, new or opened again, and what is open in it."""
        new = self.ours if parent is self.globals and name == NAMESPACE else _Scope(name, parent, within)
        scope = parent.members.setdefault(name, new)
        if scope is parent:
            return parent, (*within, name)
        if not isinstance(scope, _Scope) or scope.within != within or scope.parent is not parent:
            self.broken(f"{name} is declared as something else too, or in another inline or unnamed namespace")
        return scope, ()

    def namespace_alias(self, name: str) -> None:
        path, _ = self.path(templates=False)
        target = self.lookup(path)
        alias = target if isinstance(target, _Scope) else _Scope(name, None)
        if name == NAMESPACE and self.scope is self.globals:
            self.broken(f"{NAMESPACE} is an alias of another namespace; write the namespace itself")
        if self.scope.members.setdefault(name, alias) is not alias:
            self.broken(f"{name} is declared as something else too")
        self.expect(";")

    def using(self) -> None:
        self.at += 1
        if self.take("namespace"):
            self.using_directive()
        elif self.is_identifier() and (
            self.tokens[self.at + 1] in ("=", "[") or self.tokens[self.at + 1] in _ATTRIBUTES
        ):
            alias = _Entity("type", self.identifier(), _OTHER, self.place())
            self.attributes()
            self.expect("=")
            alias.type = self.aliased_type()
            self.declare(alias)
        else:
            self.using_declaration()
            while self.take(","):
                self.using_declaration()
        self.expect(";")

    def using_directive(self) -> None:
        """The names of another namespace become visible, which matters in the namespace of the codes."""
        place = self.place()
        path, _ = self.path(templates=False)
        target = self.lookup(path)
        if target is None and self.scope is self.ours and path[0] != "std":
            self.note(place, f"the namespace {'::'.join(path)} is not here, and its names become {NAMESPACE}'s own")
        elif isinstance(target, _Scope) and (self.scope is not self.globals or target.members.keys() & _STANDARD):
            self.broken(f"name what is used of {'::'.join(path)} one by one")

    def aliased_type(self) -> _Type:
        _, type_ = self.specifiers(_QUALIFIERS)
        if type_ is not None and self.tokens[self.at] == ";":
            return type_
        self.skip_to(";")
        return _OTHER

    def using_declaration(self) -> None:
        place = self.place()
        self.take("typename")
        path, _ = self.path(templates=True)
        target = self.lookup(path)
        known = self.known_type(path, False)
        if target is not None:
            self.declare(target)
        elif known is not None and (not known.unknown or ("std" in path[:2] and not path[-1].endswith("_t"))):
            self.declare(_Entity("type", path[-1], known, place))
        elif not self.elsewhere:
            self.broken(f"{'::'.join(path)} is declared nowhere")
        elif self.scope is self.ours and _CONSTANT_LIKE.match(path[-1]):
            # Files that are not here may hold anything. Their types and functions, and the DT_ values that the toolkit
            # takes from an enumeration, are no codes; what else is spelled like a constant could be one.
            self.note(place, f"{'::'.join(path)} comes from a file that is not here and could be a code")

    def template(self) -> None:
        self.take("extern")
        while self.take("template"):
            if self.tokens[self.at] == "<":
                self.skip_angles()
        if self.take("using"):
            name = self.identifier()
            self.declare(_Entity("type", name, _Type(f"{name}<...>", -1), self.place()))
            self.skip_to(";")
        else:
            self.declaration(template=True)

    # Names

    def is_identifier(self) -> bool:
        token = self.tokens[self.at]
        return token.isidentifier() and token not in _KEYWORDS

    def identifier(self) -> str:
        if not self.is_identifier():
            self.broken(f"a name is missing before {self.here()}")
        self.at += 1
        return self.tokens[self.at - 1]

    def path(self, templates: bool) -> tuple[list[str], bool]:
        """A qualified name, "" first if it starts at the root, and whether template arguments belong to it.

        An operator or a destructor ends it as `operator` or `~`.
        """
        parts, templated = [""] if self.take("::") else [], False
        while True:
            if self.tokens[self.at] in ("operator", "~"):
                return [*parts, self.tokens[self.at]], templated
            parts.append(self.identifier())
            if templates and self.tokens[self.at] == "<":
                self.skip_angles()
                templated = True
            if not self.take("::"):
                return parts, templated

    def skip_angles(self) -> None:
        depth = 0
        while True:
            token = self.tokens[self.at]
            depth += {"<": 1, ">": -1, ">>": -2}.get(token, 0)
            if token in ("", ";", "}") or depth < 0:
                self.broken(f"template arguments do not end before {self.here()}")
            self.at = self.close.get(self.at, self.at) + 1
            if depth == 0:
                return

    def lookup(self, path: list[str]) -> _Entity | None:
        """What a name means; None where it is not declared here, or declared where this reader does not look."""
        first, *others = path
        found: _Entity | None = None if first else self.globals
        scope: _Scope | None = self.scope
        while scope is not None and found is None:
            found = scope.members.get(first)
            scope = scope.parent
        for name in others:
            found = found.members.get(name) if isinstance(found, _Scope) else None
        return found

    def known_type(self, path: list[str], templated: bool) -> _Type | None:
        """The type of a name that files which are not read declare, as far as it is common knowledge."""
        names = path[1:] if path[0] == "" else path
        if len(names) == 1:
            return _STANDARD.get(names[0])
        if names[0] == "std":
            if len(names) == 2 and not templated and names[1] in _STANDARD:
                return _STANDARD[names[1]]
            chrono = len(names) > 2 and names[1] == "chrono" and f" {names[2]} " in _CHRONO_TYPES
            plain = chrono or (len(names) == 2 and f" {names[1]} " in _STANDARD_TYPES)
            return _OTHER if plain else _Type("::".join(names), -1)
        return _GRAPH_ENGINE.get(names[1]) if names[0] == "ge" and len(names) == 2 and self.elsewhere else None

    def declare(self, entity: _Entity) -> None:
        name = entity.name
        old = self.scope.members.setdefault(name, entity)
        same_type = old.type is entity.type or (old.type.unknown and entity.type.unknown)
        again = old.kind == "function" or (old.kind == "type" and same_type)  # what may be declared more than once
        if old is not entity and not (again and old.kind == entity.kind):
            raise _BrokenError(f"{name} is declared twice", entity.place)
        if name == "Status" and self.scope is self.ours and entity.kind == "type":
            if entity.type.unknown and self.elsewhere:
                entity.type = _UINT  # what it is an alias of is in another file; here it is the type of the codes
            elif entity.type is not _UINT:
                self.note(entity.place, f"{NAMESPACE}::Status is not the 32-bit unsigned type")

    # Specifiers

    def attributes(self) -> None:
        while True:
            start = self.at
            if self.tokens[start] in _ATTRIBUTES:
                self.at += 1
            elif self.tokens[start : start + 2] != ["[", "["]:
                return
            self.jump()
            if not _CHANGES_TYPE.isdisjoint(self.tokens[start : self.at]):
                self.broken("this attribute may change a type")

    def specifiers(self, allowed: set[str] = _FLAGS) -> tuple[set[str], _Type | None]:
        """Read the words in front of the declared names: the flags among them, and the type that the others make."""
        flags, words, type_ = set[str](), list[str](), None
        while True:
            token = self.tokens[self.at]
            if token in allowed:
                if token in flags:
                    self.broken(f"{token} stands there twice")
                flags.add(token)
                self.at += 1
            elif token in _ATTRIBUTES or self.tokens[self.at : self.at + 2] == ["[", "["]:
                self.attributes()
            elif token == "typename":
                self.at += 1
            elif token in _TYPE_WORDS and type_ is None:
                words.append(token)
                self.at += 1
            elif type_ is None and not words and (token in ("auto", "decltype", "::") or self.is_identifier()):
                type_ = self.other_type()
            else:
                break
        if words:
            type_ = _BUILTIN.get(" ".join(sorted(words)))
            if type_ is None:
                self.broken(f"{' '.join(words)} is no type")
        if "volatile" in flags and type_ is not None and not type_.lone:
            type_ = _OTHER  # no code has such a type
        return flags, type_

    def other_type(self) -> _Type:
        """A type that is no fundamental one."""
        if self.take("auto"):
            return _AUTO
        if self.take("decltype"):
            return self.declared_type()
        path, templated = self.path(templates=True)
        target = self.lookup(path)
        if target is not None and target.kind != "type":
            self.broken(f"{'::'.join(path)} is no type")
        known = target.type if target else self.known_type(path, templated)
        return known or _Type("::".join(path) + "<...>" * templated, -1)

    def declared_type(self) -> _Type:
        """The type of decltype(NAME); what else stands there stays unknown."""
        start, type_ = self.at, _Type("decltype(...)", -1)
        self.at += 1
        if self.is_identifier():
            target = self.lookup(self.path(templates=False)[0])
            if self.tokens[self.at] == ")" and target and target.kind == "variable":
                type_ = target.type
        self.at = start
        self.jump()
        return type_

    # Declarations

    def extent(self) -> tuple[int, set[str], int]:
        """Where the declaration here ends, its tokens outside brackets, and where parameters begin or 0.

        It ends at a semicolon or behind the body of a function. A word that begins declarations must not stand where
        none can begin: there a semicolon is missing, and the next declaration would go unseen.
        """
        start, words, parameters, members = self.at, set[str](), 0, False  # members: behind the : of a constructor
        while self.tokens[self.at] != ";":
            token, before = self.tokens[self.at], self.tokens[self.at - 1]
            begins = token in ("", "}") or (token in _STARTERS and self.at > start)
            if begins and (token not in _SPECIFIERS or parameters or "=" in words or before == "}"):
                self.broken(f"a semicolon is missing before {self.here()}")
            if token == "operator":
                self.at += 1 + 2 * (self.tokens[self.at + 1 : self.at + 3] == ["(", ")"])
                self.skip_to("(")
                parameters = parameters or self.at
            elif token in _ATTRIBUTES or token == "decltype":
                self.at += 1
            elif token == "(" and not parameters and "=" not in words:
                parameters = self.at
                if "{" in words:
                    self.broken("a semicolon is missing behind a class")
            members = members or (token == ":" and parameters > 0)
            body = token == "{" and parameters and not (members and (before == ">" or before.isidentifier()))
            words.add(token)
            self.at = self.close.get(self.at, self.at) + 1
            if body:
                break
        end, self.at = self.at + (self.tokens[self.at] == ";"), start
        return end, words, parameters

    def declaration(self, template: bool = False) -> None:
        """Read what may hold codes word by word; of classes, functions and templates take only the names."""
        if not (self.tokens[self.at].isidentifier() or self.tokens[self.at] in ("::", "[")):
            self.broken(f"{self.here()} cannot be read as a declaration")
        end, words, parameters = self.extent()
        is_class = not parameters and not words.isdisjoint(_CLASSES | {"enum"})
        if not template and ("constexpr" in words or not (is_class or parameters)):
            self.simple_declaration(end)
            return
        if parameters:
            self.function(parameters, words)
        elif is_class:
            while self.tokens[self.at] not in _CLASSES and self.tokens[self.at] != "enum":
                self.at = self.close.get(self.at, self.at) + 1
            self.enumeration() if self.tokens[self.at] == "enum" else self.class_head()
            if "typedef" in words:
                self.at = end - 2
                self.declare(_Entity("type", self.identifier(), _OTHER, self.place()))
        self.at = end

    def function(self, parameters: int, words: set[str]) -> None:
        """Declare the name of a function, of a pointer to one, or of an alias of such a type."""
        _, type_ = self.specifiers()
        if type_ is not None and type_.lone and self.at == parameters:
            self.broken(f"this cannot be told from a macro that is defined elsewhere: {type_.name}(...)")
        before, inside = self.tokens[parameters - 1], self.tokens[parameters : self.close[parameters]]
        if before in _STATEMENTS and "operator" not in words:
            self.broken(f"{before} stands where only declarations can")
        value = self.tokens[parameters + 1][:1].isdigit()
        if value or "constexpr" in inside or not (before == ">" or before.isidentifier() or "operator" in words):
            self.broken(f"these are no parameters of a function: {before}(...)")
        self.at = parameters + 2 if self.tokens[parameters + 1] in ("*", "&") else parameters - 1
        name, old = self.tokens[self.at], self.scope.members.get(self.tokens[self.at])
        if self.is_identifier() and self.tokens[self.at - 1] != "::" and (old is None or old.kind != "type"):
            self.declare(_Entity("type" if "typedef" in words else "function", name, _OTHER, self.place()))

    def class_head(self) -> None:
        self.at += 1
        self.attributes()
        name, place = "", self.place()
        while self.is_identifier() and self.tokens[self.at] != "final":  # macros stand before the name
            name, place = self.identifier(), self.place()
            self.attributes()
        self.take("final")
        if name and self.tokens[self.at] in ("{", ":", ";"):
            self.declare(_Entity("type", name, _OTHER, place))
        self.skip_to("{", ";")
        if self.tokens[self.at] == "{":
            ends = {"{", ";", "}", ":"}  # a word alone behind one of these may be a macro from elsewhere
            last = self.close[self.at] - 1
            if self.tokens[last] not in {*ends, ")"} and self.tokens[last - 1] not in ends:
                self.broken(f"a semicolon is missing behind the last member of {name or 'a class'}")
            if self.scope is self.ours:
                self.classes.append(self.at)

    def enumeration(self) -> None:
        self.at += 1
        scoped = self.tokens[self.at] in _CLASSES
        self.at += scoped
        self.attributes()
        place, path = self.place(), self.path(templates=True)[0] if self.is_identifier() else []
        self.attributes()
        if len(path) == 1 and self.tokens[self.at] in ("{", ":", ";"):
            self.declare(_Entity("type", path[0], _OTHER, place))
        self.skip_to("{", ";")
        if self.take("{"):
            while not self.take("}"):
                enumerator = _Entity("variable", self.identifier(), _OTHER, self.place())
                self.attributes()
                if self.tokens[self.at] == "=":
                    self.skip_value(",", "}", ";")
                if not scoped:
                    self.declare(enumerator)
                if self.tokens[self.at] != "}":
                    self.expect(",")

    def simple_declaration(self, end: int) -> None:
        """Variables, among them the codes, and functions that are constexpr; the words must all be understood."""
        flags, type_ = self.specifiers()
        if type_ is None:
            self.broken(f"{self.here()} cannot be read as a declaration")
        if type_.lone and flags.isdisjoint(("constexpr", "const", "extern")):  # a word from elsewhere may be any macro
            self.broken(f"{type_.name} in this declaration is not declared or defined here")
        first = type_.name.partition("::")[0] if type_.unknown and "::" in type_.name else ""
        foreign = _is_name(first) and first not in ("std", "ge") and self.lookup([first]) is None
        if foreign and flags.isdisjoint(("constexpr", "const", "extern", "typedef")):  # a macro in front of a ::
            self.broken(f"{first} in this declaration is not declared or defined here")
        codes = type_ is _UINT and "constexpr" in flags and "typedef" not in flags
        while True:
            if not (codes and self.plain_value(self.at)):
                self.declarator(flags, type_, end)
            if self.at == end or self.take(";"):
                return
            self.expect(",")

    def declarator(self, flags: set[str], type_: _Type, end: int) -> None:
        start = self.at
        while self.tokens[self.at] in ("*", "&", "&&") or (self.at > start and self.tokens[self.at] in _QUALIFIERS):
            self.at += 1
        own_type = type_ if self.at == start else _OTHER
        place = self.place()
        path, templated = self.path(templates=True)
        self.attributes()
        while self.tokens[self.at] == "[":
            own_type = _OTHER
            self.jump()
        self.attributes()
        if path[-1] == "operator" or (self.tokens[self.at] == "(" and self.at_parameters(flags, own_type)):
            if len(path) == 1 and path[0] != "operator":
                self.declare(_Entity("function", path[0], _OTHER, place))
            if self.tokens[end - 1] == ";":
                self.skip_to(",", ";")  # a code could follow in the list
                self.expect(";")
            self.at = end
        elif templated:
            self.broken(f"template<> is missing before {path[-1]}")
        elif "typedef" in flags:
            self.declare(_Entity("type", path[-1], own_type, place))
        elif len(path) > 1:
            owner = self.lookup(path[:-1])
            if "constexpr" in flags and (owner is None or owner.kind != "type"):
                raise _BrokenError(f"{'::'.join(path)} is defined outside its namespace; define it inside", place)
            self.skip_initializer()
        else:
            entity = _Entity("variable", path[0], own_type, place)
            entity.constexpr = "constexpr" in flags
            self.variable(entity, entity.constexpr or "const" in flags, type_ is _OTHER)

    def at_parameters(self, flags: set[str], type_: _Type) -> bool:
        """Whether the brackets here hold the parameters of a function rather than the value of a constant."""
        start, first = self.at, self.tokens[self.at + 1]
        if "constexpr" not in flags or type_ is _OTHER or first == ")":
            return True
        if first[:1].isdigit():
            return False
        self.at += 1
        is_type = self.at_type()
        if is_type:
            self.specifiers(_QUALIFIERS)
        if not is_type and self.is_value(start, type_):
            return False
        if not is_type or self.tokens[self.at] in ("(", "{"):
            self.broken("a function cannot be told from a constant here; write the constant with =")
        self.at = start
        return True

    def is_value(self, start: int, type_: _Type) -> bool:
        """Whether the brackets hold an expression that can be evaluated."""
        self.at = start
        try:
            self.bracketed(type_)
        except _UnknownError:
            return False
        finally:
            self.at = start
        return True

    def variable(self, entity: _Entity, constant: bool, all_other: bool) -> None:
        begins = self.tokens[self.at] in ("=", "{", "(")
        if (entity.constexpr and not begins) or not (begins or self.tokens[self.at] in (",", ";")):
            self.broken(f"a value for {entity.name} is missing before {self.here()}")
        self.declare(entity)
        if self.scope is self.ours:
            self.initialisers[entity.name] = self.at
        if entity.type is _OTHER:
            self.skip_initializer(all_other)
        elif begins:
            self.initialise(entity, constant)

    # Values

    def initialise(self, entity: _Entity, constant: bool) -> None:
        start = self.at
        try:
            type_, value = self.initializer(entity.type)
            if self.tokens[self.at] not in (",", ";"):
                raise _UnknownError(f"{self.here()} is not evaluated here")
            entity.type, entity.value = type_, value if constant else None
        except _UnknownError as reason:
            entity.reason, self.at = str(reason), start
            if entity.type is _AUTO and self.tokens[start + 2] in (",", ";"):
                entity.type = _OTHER if _NO_INTEGER.match(self.tokens[start + 1]) else _AUTO
            self.skip_initializer()

    def initializer(self, type_: _Type) -> _Value:
        assigned = self.take("=")
        listed = self.tokens[self.at] == "{"
        found = self.binary() if assigned and not listed else self.bracketed(type_)
        if type_ is not _AUTO:
            return type_, self.implicit(found, type_, listed)
        if listed and assigned:
            raise _UnknownError("the type of a list is not known here")
        return found

    def bracketed(self, type_: _Type) -> _Value:
        """The one value in the brackets here, or that of empty ones, as in `Status{}`."""
        end = self.close.get(self.at)
        if end is None or self.tokens[self.at] == "[":
            raise _UnknownError(f"{self.here()} is not evaluated here")
        self.at += 1
        found = self.binary() if self.at < end else (type_, 0)
        if self.at != end:
            raise _UnknownError(f"{self.here()} is not evaluated here")
        self.at += 1
        return found

    def implicit(self, found: _Value, type_: _Type, listed: bool) -> int:
        """The conversion of an initialiser, which may not lose anything where it stands in braces."""
        if listed and type_.bits > 0 and not type_.low <= found[1] <= type_.high:
            raise _UnknownError(f"{found[1]} does not fit into {type_.name}")
        return _convert(found[1], type_)

    def skip_value(self, *ends: str) -> None:
        """Go over an initialiser that is not evaluated, which must not be empty or two numbers side by side."""
        assigned = self.tokens[self.at] == "="
        if assigned and self.tokens[self.at + 1] in ends:
            self.broken("a value is missing behind =")
        while self.tokens[self.at] not in ends:
            pair = self.tokens[self.at : self.at + 2]
            numbers = [token[:1].isdigit() for token in pair]
            operands = any(numbers) and all(token[:1].isdigit() or _is_name(token) for token in pair)
            if operands and _KEYWORDS.isdisjoint(pair):
                self.broken(f"an operator is missing between {pair[0][:40]} and {pair[1][:40]}")
            self.step()

    def skip_initializer(self, all_other: bool = False) -> None:
        """Go to the end of a value that is not evaluated; a comma behind a < may be one of template arguments.

        Then the list ends unread where its type has no codes, but an array or a pointer may come before a code.
        """
        start = self.at
        self.skip_value(",", ";")
        if self.tokens[self.at] == "," and "<" in self.tokens[start : self.at]:
            if not all_other:
                self.broken("the end of this value cannot be told; give each constant its own declaration")
            self.skip_to(";")

    def at_type(self) -> bool:
        """Whether a type stands here; a name that nobody declares is none."""
        token = self.tokens[self.at]
        if token in _TYPE_WORDS or token in ("const", "typename", "decltype"):
            return True
        if token != "::" and not self.is_identifier():
            return False
        start = self.at
        path, _ = self.path(templates=False)
        self.at = start
        target = self.lookup(path)
        return target.kind == "type" if target else self.known_type(path, False) is not None

    def integer_type(self) -> _Type:
        _, type_ = self.specifiers(_QUALIFIERS)
        if type_ is None or type_.bits <= 0:
            raise _UnknownError(f"the type before {self.here()} is not one that is evaluated here")
        return type_

    def primary(self) -> _Value:
        token = self.tokens[self.at]
        if token == "static_cast":
            self.at += 1
            self.expect("<")
            type_ = self.integer_type()
            self.expect(">")
            found = type_, _convert(self.bracketed(type_)[1], type_)
        elif token == "(" and self.at_cast():
            self.at += 1
            type_ = self.integer_type()
            self.expect(")")
            return type_, _convert(self.unary()[1], type_)
        elif token != "(" and self.at_type():
            type_ = self.integer_type()
            listed = self.tokens[self.at] == "{"
            found = type_, self.implicit(self.bracketed(type_), type_, listed)
        elif token == "::" or self.is_identifier():
            found = self.named_value()
        else:
            found = super().primary()
        if self.tokens[self.at] in ("(", "[", "{", ".", "->", "++", "--"):
            raise _UnknownError(f"{self.here()} behind a value is not evaluated here")
        return found

    def at_cast(self) -> bool:
        """Whether the brackets here hold a type and nothing else."""
        start = self.at
        self.at += 1
        found = self.at_type()
        if found:
            self.specifiers(_QUALIFIERS)
            found = self.tokens[self.at] == ")"
        self.at = start
        return found

    def named_value(self) -> _Value:
        path, _ = self.path(templates=False)
        target = self.lookup(path)
        if target is None or target.kind != "variable":
            raise _UnknownError(f"{'::'.join(path)} is not a constant that is declared above")
        if target.value is None or target.type.bits <= 0:
            raise _UnknownError(target.reason or f"the value of {target.name} is not known here")
        return target.type, target.value

    # The result

    def codes(self) -> list[_Entity]:
        """The constants of the namespace in order; what may be one is noted."""
        codes = []
        for entity in self.ours.members.values():
            macro = self.macros.get(entity.name) if entity.constexpr else None
            if macro is not None and macro.params is None and macro.body != [entity.name]:
                if entity.type is _UINT or entity.type.unknown:
                    self.note(entity.place, f"{entity.name} is a macro at the end of the header, which hides the code")
            elif entity.constexpr and entity.type is _UINT:
                codes.append(entity)
            elif entity.constexpr and entity.type.unknown:
                self.note(entity.place, f"whether {entity.name} is a code depends on its type, which is not known here")
        return codes


# ---------------------------------------------------------------------------------------------------------------------
# One header, under every assumption

_MAX_OUTCOMES = 64
_MAX_CHARACTERS = 20_000_000  # of source text over all outcomes, so that a large file cannot take minutes


class _Outcome:
    """What one set of assumptions gives, and the condition by which it differs from the outcome before it."""

    __slots__ = ("cause", "codes", "stopped", "undecided")

    def __init__(
        self, cause: tuple[str, int], codes: list[Constant], undecided: list[Undecided], stopped: bool = False
    ):
        self.cause, self.codes = cause, {code.name: code for code in codes}
        self.undecided, self.stopped = undecided, stopped


def _declarations(source: _Source, library: _Library, assumptions: _Assumptions) -> tuple[_Preprocessor, _Declarations]:
    try:
        preprocessor = _Preprocessor(library, assumptions)
        preprocessor.read(source)
        reader = _Declarations(preprocessor, library)
        reader.read()
    except RecursionError:
        raise _BrokenError("something is nested too deeply to be read", source.base) from None
    return preprocessor, reader


def _outcome(source: _Source, library: _Library, assumptions: _Assumptions, cause: tuple[str, int]) -> _Outcome:
    try:
        _, reader = _declarations(source, library, assumptions)
    except _BrokenError as problem:
        undecided = [library.undecided(problem.place, problem.reason)]
        return _Outcome(cause, [], undecided, isinstance(problem, _StoppedByError))
    codes = [Constant(e.name, e.value, *library.locate(e.place), e.reason) for e in reader.codes()]
    return _Outcome(cause, codes, reader.undecided)


def _merge(outcomes: list[_Outcome], library: _Library) -> tuple[list[Constant], list[Undecided]]:
    """What is the same whatever the compiler's own macros are; the rest is undecided."""
    # Where some assumptions run into an #error, every compiled header is one of the others.
    outcomes = [outcome for outcome in outcomes if not outcome.stopped] or outcomes[:1]
    undecided = list(dict.fromkeys(problem for outcome in outcomes for problem in outcome.undecided))
    if len(outcomes) == 1 or any(outcome.undecided and not outcome.codes for outcome in outcomes):
        return list(outcomes[0].codes.values()) if len(outcomes) == 1 else [], undecided
    constants = []
    for name in dict.fromkeys(name for outcome in outcomes for name in outcome.codes):
        found = [outcome.codes.get(name) for outcome in outcomes]
        values = [code and code.value for code in found]
        first = next(code for code in found if code is not None)
        if None not in found and len(set(values)) == 1:
            constants.append(first)
            continue
        # Two neighbours differ in the name, and so by the condition that was turned round between them.
        turned = next(i for i in range(1, len(found)) if (found[i], values[i]) != (found[i - 1], values[i - 1]))
        condition, place = outcomes[turned].cause
        reason = f"depends on {condition}, which only the compiler knows"
        if None not in found:
            constants.append(Constant(name, None, first.file, first.line, f"its value {reason}"))
        else:
            undecided.append(library.undecided(place, f"whether {name} exists {reason}"))
    return constants, undecided


def read_source(data: bytes, path: str, include_dirs: Sequence[str] = ()) -> Reading:
    """Read a header that is in memory; `path` names it in reports, and its includes are relative to it."""
    import hashlib

    library, assumptions = _Library(include_dirs), _Assumptions()
    source = library.add(path, data)
    outcomes = [_outcome(source, library, assumptions, ("", source.base))]
    while cause := assumptions.advance():
        if len(outcomes) == _MAX_OUTCOMES or len(outcomes) * library.size > _MAX_CHARACTERS:
            problem = library.undecided(cause[1], "too many conditions hang on the compiler's own macros")
            outcomes = [_Outcome(cause, [], [problem])]
            break
        outcomes.append(_outcome(source, library, assumptions, cause))
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
    return read_source(file_bytes(path), os.fspath(path), include_dirs)


def file_bytes(path: str | os.PathLike[str]) -> bytes:
    """What a header file holds; HeaderError where it cannot be read, or is empty."""
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            data = file.read()
    except (OSError, ValueError) as error:
        raise HeaderError(name, getattr(error, "strerror", None) or str(error)) from error
    if not data:
        raise HeaderError(name, "the file is empty")
    return data


# ---------------------------------------------------------------------------------------------------------------------
# What else users depend on

_CALLS = ("LinkLlmClusters", "UnlinkLlmClusters")


def read_facts(path: str | os.PathLike[str], include_dirs: Sequence[str] = ()) -> Facts:
    """Read the facts of a header; conditions that only the compiler can decide count as false.

    Args:
        path: the header.
        include_dirs: folders in which its includes are looked for, besides its own.

    Raises:
        HeaderError: the file cannot be read, or its text cannot be followed.
    """
    library = _Library(include_dirs)
    source = library.add(os.fspath(path), file_bytes(path))
    try:
        preprocessor, reader = _declarations(source, library, _Assumptions())
        return Facts(tuple(preprocessor.includes), _options(reader), _defaults(reader))
    except _BrokenError as problem:
        file, line = library.locate(problem.place)
        raise HeaderError(source.path, f"{file}:{line}: {problem.reason}") from None


def _options(reader: _Declarations) -> dict[str, str]:
    tokens, found = reader.tokens, dict[str, str]()
    for name, at in reader.initialisers.items():
        start = end = at + (tokens[at] == "=")
        start = end = start + (tokens[start] == "{")
        while tokens[end].endswith('"'):
            end += 1
        ends = ("}",) if tokens[start - 1] == "{" else (",", ";")
        if name.startswith("OPTION_") and end > start and tokens[end] in ends:
            pieces = tokens[start:end]
            if _STRINGISED in pieces or not all(piece.startswith('"') for piece in pieces):
                raise _BrokenError(f"the text of {name} is not written plainly", reader.places[at])
            found[name] = "".join(piece[1:-1] for piece in pieces)
    return found


def _defaults(reader: _Declarations) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for start in reader.classes:
        index = start + 1
        while index < reader.close[start]:
            call = reader.tokens[index]
            index = reader.close.get(index, index) + 1
            if call in _CALLS and reader.tokens[index] == "(":
                found.setdefault(call, {}).update(
                    _default_arguments(reader.tokens[index + 1 : reader.close[index] + 1])
                )
    return found


def _joined(tokens: list[str]) -> str:
    """Tokens as one text, with a space only where two words would run into one."""
    return re.sub(r"(?<=\w)\0(?=\w)", " ", "\0".join(tokens), flags=re.ASCII).replace("\0", "")


def _default_arguments(tokens: list[str]) -> dict[str, str]:
    """The default arguments among parameters; the tokens end in the closing bracket."""
    found, depth, parameter = dict[str, str](), 0, list[str]()
    for token in tokens:
        depth += {"(": 1, "[": 1, "{": 1, "<": 1, ")": -1, "]": -1, "}": -1, ">": -1, ">>": -2}.get(token, 0)
        if depth < 0 or (depth == 0 and token == ","):
            if "=" in parameter:
                at = parameter.index("=")
                found[parameter[at - 1]] = _joined(parameter[at + 1 :])
            parameter = []
        else:
            parameter.append(token)
    return found


# ---------------------------------------------------------------------------------------------------------------------
# The build's command


def _write(path: str, lines: list[str]) -> None:
    # A path may hold any bytes.
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
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
        "--text",
        metavar="OUT",
        help='write LLM_DATADIST_SHA256("...") and one LLM_DATADIST_READ(NAME, "0x...") per code',
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
        digest = f'LLM_DATADIST_SHA256("{reading.sha256}")'
        _write(args.text, [generated, digest, *(f'LLM_DATADIST_READ({name}, "{value}")' for name, value in shown)])
    if args.depfile:
        files = " ".join(_escaped(path) for path in reading.files)
        _write(args.depfile, [f"{_escaped(args.names)}: {files}"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
