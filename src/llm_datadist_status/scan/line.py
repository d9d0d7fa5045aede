"""The statuses on one line of a log: which tokens are one, in which form, and whether the line reports it."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache

from ..calls import KINDS
from ..notation import BY_NAME, LABEL
from ..status import BY_VALUE, Status, UnknownStatus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# The files of LLM-DataDist that log "ErrorNo:" lines.
FILES = frozenset(
    b"msg_handler_plugin.cc link_msg_handler.cc link_mgr.cc llm_link_manager.cc comm_link_manager.cc comm_entity.cc"
    b" hccl_transfer_engine.cc llm_datadist_v2.cc data_transfer_client.cc data_cache_engine.cc cache_manager.cc"
    b" cache_access_table.cc sync_flag.cc".split()
)

# Signs are looked for this far around a token, so that a token of a line of any length takes bounded work and memory. A
# line of source is no longer than the former.
BEFORE, AFTER = 4096, 1024
_SIGN_LENGTH = 100  # no sign is longer

# Names that other software uses too: alone they say nothing.
WEAK = frozenset(
    b"LLM_SUCCESS LLM_FAILED LLM_TIMEOUT LLM_OUT_OF_MEMORY kSuccess kFailed kParamInvalid kDeviceOutOfMemory".split()
)

# The values of LLM_SUCCESS and LLM_FAILED stand everywhere in logs.
COMMON = tuple(int(Status[name]) for name in ("LLM_SUCCESS", "LLM_FAILED") if name in Status.__members__)

_START, _END = rb"(?<![0-9A-Za-z_])", rb"(?![0-9A-Za-z_])"
_NAMES = b"|".join(name.encode() for name in sorted(BY_NAME, key=len, reverse=True))
# The lengths are bounded, since what decides must fit into the part of a line that is in memory.
_TOKEN = re.compile(
    rb"""%(start)s (?:
      (?P<repr> <(?:LLMStatusCode|Status)\. (?P<member>%(names)s) :[ ]
        (?P<number>-?[0-9]{1,20}|0x[0-9A-Fa-f]{1,20}) >)
    | (?:(?P<enum>LLMStatusCode\.) | (?P<qualified>(?:llm_datadist|ge)::))? (?P<name>%(names)s) %(end)s
    | (?P<label>%(label)s)[\ \t]{0,64} (?P<value>
        (?P<hex>0[xX][0-9A-Fa-f]+[uU]?) | (?P<signed>-[0-9]+)
        | (?P<bare>(?=[0-9]*[a-f])[0-9a-f]{8}) | (?P<decimal>[0-9]+[uU]?)
      )
    | (?P<plain>0[xX][0-9A-Fa-f]+[uU]?)
    )"""
    % {
        b"start": _START,
        b"end": _END,
        b"names": _NAMES,
        b"label": LABEL.replace(" ", r"\ ").replace(r"\s*", r"[\ \t]{0,64}").replace("_]*", "_]{0,255}").encode(),
    },
    re.VERBOSE,
)
# A number ends where no word, fraction or group of a UUID goes on.
_NUMBER_END = re.compile(_END + rb"(?!\.[0-9]|-[0-9A-Fa-f]{4})")

# A terminal's colours and the escapes of JSON end in letters; they are no part of the word that follows.
_ESCAPES = re.compile(rb"(?:\x1b|\\u001b)\[[0-9;]{0,32}[A-Za-z]|\\u[0-9a-f]{4}|\\[nrt\"]")

SINGLE = frozenset(b"init link unlink finalize Initialize Finalize synchronize".split())


def _words(words: list[bytes], inner: bytes = b"0-9A-Za-z_") -> bytes:
    """A pattern of ``words``, before which none of the characters ``inner`` stands.

    It starts with single characters, which are found fast, and looks back.
    """
    by_letter: dict[bytes, list[bytes]] = {}
    for word in words:
        by_letter.setdefault(word[:1], []).append(word[1:])
    return b"|".join(
        rb"%s(?<![%s]%s)(?:%s)" % (letter, inner, letter, b"|".join(rests)) for letter, rests in by_letter.items()
    )


def _calls() -> bytes:
    """A pattern of what names a call; a name that is a word of other software too counts only as a call or a member."""
    words = [name.encode() + _END for name in KINDS if name.encode() not in SINGLE]
    words += [form % name for name in sorted(SINGLE) for form in (rb"%s\(", rb"LLMDataDist\.%s" + _END)]
    single = b"|".join(sorted(SINGLE))
    return b"|".join([_words(words), rb"\[(?:%s)\]" % single, rb"::(?:%s)" % single + _END])


_CALL = _calls()
_OWN_FILE = _words([re.escape(name) + _END for name in sorted(FILES)], b"0-9A-Za-z_-")
# Of the line's entry. It starts with the dot, which is found fast, and looks back for the name.
_LOGGING_FILE = rb"\.(?<=[0-9A-Za-z_].)(?P<suffix>[a-z]{1,8}):[0-9]{1,9}\]"
_STEM = re.compile(rb"[0-9A-Za-z_-]{1,64}$")
_SIGN = rb"LLMStatusCode\.|error code"

# What a container's runtime or a logger put before a line of source; blanks stand for colours.
_PREFIX = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\S+ std(?:out|err) [FP] |(?P<json>\{\"log\": ?\"))?(?:\s{0,64}\([^()]{1,80} pid=[0-9]+\) ?)?"
)
_LOGGED_AT = re.compile(rb"\.(?<=[0-9A-Za-z_]\.)[a-z]+:[0-9]+\]")  # the end of a file's name, and the line
_LOGGED_WITHIN = 160
# A code that stands in a row of codes.
_CODE = (
    rb"(?:<(?:LLMStatusCode|Status)\.\w+:[ ]\w+> | (?:LLMStatusCode\.|(?:::)?(?:llm_datadist|ge)::)?(?:%s)%s"
    rb" | 0x[0-9A-Fa-f]+[uU]?)" % (_NAMES, _END)
)
# The longer patterns are compiled when they are first used, since most logs need none of them.
# A line of source with \0 in the place of the code. Its syntax tells it from prose, which may start with the same word.
_SOURCE = rb"""(?x)\s*(?:
      \#(?!\s*[0-9]) | // | /\*
    | (?:if|while|for)\s*\(.*\)\s*return\s+(?:::)?\0\s*;
    | (?:(?:if|elif|while|for|assert|return|and|or)\b(?:.*\b(?:and|or)\b)?|[\w.]+\s*=)\s*(?:not\s+)?
        [\w.()]+\s+(?:not\s+)?in\s*[(\[{][^)\]}\0]*\0
    | (?:if|elif|while)\b(?:.*\b(?:and|or)\b)?\s+[\w.()]+\s+is\s+\0\s*(?::|and\b|or\b)
    | return\s+(?:%(code)s\s*,\s*)*(?:::)?\0\s*(?:(?:,\s*%(code)s\s*)*[;:]?\s*$|if\s)
    | case\s+(?:::)?\0\s*:
    | raise\s+[\w.]+(?:\(|\s+from\b) | throw\s+[\w:]+[({]
    | from\s+[\w.]+\s+import\s | using\s+[:\0\w]+\s*[;=] | (?:async\s+)?def\s+\w+\(
    | (?:inline\s+|static\s+)*(?:constexpr|const)\s+(?:\w+(?:::\w+)*(?:<[^<>]*>)?[\s*&]+)+[\w\0]+(?:\[\w*\])?\s*[={]
    | [A-Z_]+_CODES\s*=\s*\w*[(\[{]
    | \{?\s*\0\s*[:,]\s*["']
    | (?P<open> (?:\}\s*)?(?:else\s+)?(?:if|while|for|switch)\s*\( | (?:if|elif|while|assert)\s+(?:not\s+)?[\w.]*\(
        | return\b\s*[\w.:]*\( | [A-Z]+_[A-Z_]+\( )
    )""" % {b"code": _CODE}
# What stands directly before or behind a code that is compared, expected or defined.
_COMPARED_AFTER = re.compile(rb"[ \t]{0,64}[=!]=")
_NAMED_BEFORE = rb"\bis not\s{1,8}$|\bexpect(?:s|ed):?\s{1,8}$|\bLLM_[A-Z_]+\s{0,8}=\s{0,8}$"
_NAMED_ENDS = (b"is not", b"expect", b"expects", b"expected", b"expect:", b"expects:", b"expected:", b"=")
_DEFINED_AFTER = re.compile(rb"[ \t]{0,64}=[ \t]{0,64}[0-9]")
# What introduces codes that are named, while the results of a call are reported: a word for what is done with them.
_DONE = (
    rb"(?:(?:un|non)?(?:retryable|retriable|recoverable)|ignorable|tolerable|retry|ignored?|tolerated?"
    rb"|(?:non)?fatal|transient|permanent|expected|allowed)"
)
_CODES = (
    rb"""(?i: (?<![0-9A-Za-z]) (?:
      %s[ _]?(?:(?:error|status|return|result)[ _]?)?(?:codes|statuses)
    | codes[ ]to[ ](?:retry|ignore|tolerate)
    | (?:retry|retries|retrying|ignore|ignoring|tolerate)(?:[ ]only)?[ _]on
    )["']?\s{0,4}(?:[:=]|are\b)?
    | (?<![0-9A-Za-z])(?:retryable|retriable|ignorable|tolerable)["']?\s{0,4}[:=] )"""
    % _DONE
)
_LIST_BEFORE = (
    rb"""(?x)(?:%s
    | (?<![0-9A-Za-z])(?i:recoverable|transient|permanent|ignored|tolerated)["']?\s{0,4}[:=]
    | \b[A-Z_]*(?:RETR[YI]|IGNOR|TOLER|FATAL|TRANSIENT)[A-Z_]*\s{0,4}=
    )\s{0,4}(?:(?:frozenset|set|tuple|list)\(\s{0,4})?$"""
    % _CODES
)
_ROW_BEFORE = rb"(?x)%s\s{0,4}(?:%s\s*(?:,\s*(?:and\b|or\b)?|\||/|and\b|or\b)\s*){0,20}(?:::)?$" % (_CODES, _CODE)
_WORD = re.compile(rb"[0-9A-Za-z_]+")
# What such an introduction holds, in small letters: looking for that first costs little.
_HINTS = (b"codes", b"statuses", b"retr", b"ignor", b"toler", b"recover", b"transient", b"permanent", b"fatal")
# Bytes before a token or a list in which its introduction is looked for, and before a token in a row of all codes.
_NEAR, _ROW = 200, 1024


class Token:
    """What a token says wherever it stands: ``status``, and ``form`` and ``text``, without the label before it.

    ``form`` is one of name, enum, repr, decimal, hex, bare-hex, signed. ``evidence`` is what must be known of its line
    for it to be a status; one of them is enough, and where there is none the token alone is.
    """

    __slots__ = ("evidence", "form", "is_common", "is_number", "is_success", "labelled", "logged", "status", "text")

    def __init__(
        self,
        status: Status | UnknownStatus,
        form: str,
        text: bytes,
        label: bytes | None = None,
        evidence: tuple[Callable[[Line, int, int], bool], ...] = (),
    ) -> None:
        self.status = status
        self.form = form
        self.text = text.decode("ascii")
        self.is_common = int(status) in COMMON
        self.is_success = status.ok
        self.is_number = form not in ("name", "enum", "repr")
        self.labelled = label is not None
        self.logged = label == b"ErrorNo" and form == "decimal"  # as the files of LLM-DataDist log it
        self.evidence = evidence


class Occurrence:
    """A status on a line: ``token``, and where it starts and ends, in bytes and without its label.

    ``role`` is "report" or "mention".
    """

    __slots__ = ("role", "start", "token")

    def __init__(self, token: Token, start: int, role: str) -> None:
        self.token = token
        self.start = start
        self.role = role

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.token.text)

    @property
    def status(self) -> Status | UnknownStatus:
        """The status."""
        return self.token.status

    @property
    def form(self) -> str:
        """How it is written."""
        return self.token.form

    @property
    def text(self) -> str:
        """What is written."""
        return self.token.text


def occurrences(line: bytes) -> Iterator[Occurrence]:
    """The statuses on ``line`` (without its end), from left to right."""
    around = Line(line)
    for match in _TOKEN.finditer(around.text):
        found = around.read(match)
        if found is not None:
            yield Occurrence(*found)


class Line:
    """A line, or what of a long one is in memory, with the signs on it: each is looked for once, where a token asks."""

    __slots__ = ("_body", "_found", "_may_list", "beyond", "ends", "raw", "text")

    def __init__(self, line: bytes, *, whole: bool = True, ends: bool = True, quote: bool = False) -> None:
        self.text = line
        self.ends = ends  # whether it goes to the line's end
        self.beyond = 0  # bytes that are known to follow
        if b"\\" in line or b"\x1b" in line:
            self.text = _ESCAPES.sub(lambda escape: b" " * len(escape[0]), line)
        self.raw = line if quote else self.text  # as it stands in the log, for quoting
        self._found: dict[bytes, _Found] = {}
        # Where a line of source would begin and end; in a part of a line there is none.
        self._body: tuple[int, int] | None = None if whole and len(line) <= BEFORE else (0, 0)
        self._may_list: bool | None = None  # whether it holds a hint, so that it may introduce codes

    def near(self, start: int, end: int) -> tuple[int, Line]:
        """Of a long line the part that says all about the token from ``start`` to ``end``, and where that begins."""
        low, high = max(0, start - BEFORE), end + AFTER + _SIGN_LENGTH
        if low == 0 and high >= len(self.text):
            return 0, self
        part = Line(self.text[low:high], whole=False, ends=self.ends)
        part.raw = self.raw[low:high]
        part.beyond = self.beyond + max(0, len(self.raw) - high)
        return low, part

    def at(self, start: int) -> tuple[Token, int, str] | None:
        """The status whose token, with its label, starts at ``start``; as ``read`` gives it."""
        match = _TOKEN.match(self.text, start)
        return None if match is None else self.read(match)

    def read(self, match: re.Match[bytes]) -> tuple[Token, int, str] | None:
        """The token, where it starts without its label and its role, unless it is something else than a status here."""
        token = _token(match[0])
        if token is None:
            return None
        end = match.end()
        start = end - len(token.text)
        if token.is_number and not _NUMBER_END.match(self.text, end):
            return None
        if token.evidence and not any(says(self, start, end) for says in token.evidence):
            return None
        role = "report" if token.labelled or not self._quotes(token, start, end) else "mention"
        return token, start, role

    def call_near(self, start: int, end: int) -> str | None:
        """The call of LLM-DataDist that is named last before a token, else first behind it."""
        before = [call for _, call in self._between(_CALL, start - BEFORE, start)]
        named = before[-1:] or [call for _, call in self._between(_CALL, end, end + AFTER)][:1]
        return _WORD.findall(named[0])[-1].decode() if named else None

    def _between(self, pattern: bytes, first: int, last: int) -> list[tuple[int, bytes]]:
        """What ``pattern`` finds that starts in [first, last)."""
        places = self._search(pattern, first, last)
        return places[bisect_left(places, (first,)) : bisect_left(places, (last,))]

    def _search(self, pattern: bytes, first: int, last: int) -> list[tuple[int, bytes]]:
        """All that ``pattern`` has found so far, after having looked in [first, last)."""
        found = self._found.get(pattern)
        if found is None:
            found = self._found[pattern] = _Found(pattern)
        if found.searched < last:
            begin = max(found.searched, first, 0)
            for match in found.finditer(self.text, begin, last + _SIGN_LENGTH):
                if match.start() >= last:
                    break
                found.places.append((match.start(), match[0]))
            found.searched = last
        return found.places

    # Tokens ask from left to right, so what was found last is what is nearest.

    def _is_near(self, pattern: bytes, start: int, end: int) -> bool:
        places = self._search(pattern, start - BEFORE, end + AFTER)
        return bool(places) and places[-1][0] >= start - BEFORE

    def names_call(self, start: int, end: int) -> bool:
        return self._is_near(_CALL, start, end)

    def names_file(self, start: int, end: int) -> bool:
        return self._is_near(_OWN_FILE, start, end)

    def _is_own(self, dot: int, rest: bytes) -> bool:
        """Whether the name of a file whose suffix begins at ``dot`` is one of ``FILES``."""
        stem = _STEM.search(self.text[max(0, dot - 64) : dot])
        return stem is not None and stem[0] + rest.partition(b":")[0] in FILES

    def is_from_file(self, start: int, _end: int) -> bool:
        """Whether the log entry comes from a file of LLM-DataDist; one pasted line can hold several entries."""
        places = self._search(_LOGGING_FILE, start - BEFORE, start)
        before = bisect_left(places, (start,)) - 1
        return before >= 0 and places[before][0] >= start - BEFORE and self._is_own(*places[before])

    def has_sign(self, start: int, end: int) -> bool:
        return self._is_near(_SIGN, start, end) or self.names_call(start, end) or self.names_file(start, end)

    def compares(self, start: int, end: int) -> bool:
        before = self.text[max(0, start - 10) : start].removesuffix(b"::").rstrip(b" \t")
        return before.endswith((b"==", b"!=")) or _COMPARED_AFTER.match(self.text, end) is not None

    def uses(self, start: int, end: int) -> bool:
        """Whether a name that other software uses too is meant: with a number behind it, it is a variable of that."""
        sure = self.compares(start, end) or self.has_sign(start, end)
        return sure and not _DEFINED_AFTER.match(self.text, end)

    def _quotes(self, token: Token, start: int, end: int) -> bool:
        """Whether the line names the code without reporting it: a line of source, a comparison, a list of codes.

        What a label says is a value that was there, wherever it stands: this is for the tokens without one.
        """
        if self.compares(start, end) or (token.form != "repr" and self._in_source(start, end)):
            return True
        before = self.text[max(0, start - _NEAR) : start]
        if before.rstrip().endswith(_NAMED_ENDS) and re.search(_NAMED_BEFORE, before):
            return True
        if token.form in ("name", "enum") and _DEFINED_AFTER.match(self.text, end):
            return True
        if self._may_list is None:
            self._may_list = _hints(self.text)
        if not self._may_list:
            return False
        before = self.text[max(0, start - _ROW) : start]
        if _hints(before) and re.search(_ROW_BEFORE, before):
            return True
        return self._in_list_of_codes(start)

    def _in_source(self, start: int, end: int) -> bool:
        if self._body is None:
            self._body = self._find_body()
        begin, stop = self._body
        if not begin <= start < stop:
            return False
        line = self.text[begin:start] + b"\0" + self.text[end:stop]
        source = re.match(_SOURCE, line)
        if source is None:
            return False
        return not source["open"] or _stays_open(line[source.end() : start - begin])

    def _find_body(self) -> tuple[int, int]:
        prefix = _PREFIX.match(self.text)
        begin = prefix.end() if prefix else 0
        stop = self.text.find(b'"', begin) if prefix and prefix["json"] else -1  # escaped ones are blanks
        logged = _LOGGED_AT.search(self.text, begin + 1)
        if logged and logged.start() <= begin + 1 + _LOGGED_WITHIN:
            begin = logged.end()
        return begin, len(self.text) if stop < 0 else stop

    def _in_list_of_codes(self, start: int) -> bool:
        floor = max(0, start - BEFORE)
        rfind = self.text.rfind
        opened = max(rfind(b"[", floor, start), rfind(b"(", floor, start), rfind(b"{", floor, start))
        if opened < 0 or max(rfind(b"]", opened, start), rfind(b")", opened, start), rfind(b"}", opened, start)) >= 0:
            return False
        before = self.text[max(0, opened - _NEAR) : opened]
        return _hints(before) and re.search(_LIST_BEFORE, before) is not None


def _hints(before: bytes) -> bool:
    folded = before.lower()
    return any(hint in folded for hint in _HINTS)


def _stays_open(text: bytes) -> bool:
    """Whether the bracket that was opened before ``text`` is not closed in it."""
    depth = 1
    for bracket in re.findall(rb"[()]", text):
        depth += 1 if bracket == b"(" else -1
        if depth == 0:
            return False
    return True


class _Found:
    """Where one kind of sign was found, and how far it was looked for."""

    __slots__ = ("finditer", "places", "searched")

    def __init__(self, pattern: bytes) -> None:
        self.finditer = re.compile(pattern).finditer  # compiled only once, which re remembers
        self.places: list[tuple[int, bytes]] = []
        self.searched = 0


@lru_cache(1024)  # logs repeat few tokens many times
def _token(text: bytes) -> Token | None:
    """The token ``text``, or None where it is no status on any line."""
    match = _TOKEN.fullmatch(text)
    if match is None:
        return None
    return _name(match) if match["name"] or match["repr"] else _number(match)


def _name(match: re.Match[bytes]) -> Token | None:
    if match["repr"]:
        status = BY_NAME[match["member"].decode()]
        number = match["number"]
        agrees = BY_VALUE.get(int(number, 16 if number.startswith(b"0x") else 10)) is status
        return Token(status, "repr", match["repr"]) if agrees else None
    status = BY_NAME[match["name"].decode()]
    if match["enum"]:
        return Token(status, "enum", match[0])
    alone = not match["qualified"] and match["name"] in WEAK
    return Token(status, "name", match[0], None, (Line.uses,) if alone else ())


def _number(match: re.Match[bytes]) -> Token | None:
    text = match["plain"] or match["value"]
    if len(text) > 20:
        return None
    label = match["label"].rstrip(b":=[").rstrip() if match["label"] else None
    returned = label is not None and label.endswith(b"ret")
    forms = (("hex", match["plain"] or match["hex"]), ("signed", match["signed"]), ("bare-hex", match["bare"]))
    form = next((form for form, written in forms if written), "decimal")
    if form in ("signed", "bare-hex") and not returned:
        return None
    value = int(text.rstrip(b"uU"), 16 if form in ("hex", "bare-hex") else 10)
    status = BY_VALUE.get(value)
    if status is not None and int(status) not in COMMON:
        return Token(status, form, text, label)
    logged = label == b"ErrorNo" and form == "decimal"
    if status is None:
        known = logged and value < 1 << 32
        return Token(UnknownStatus(value), form, text, label, (Line.is_from_file,)) if known else None
    # Both are everywhere, so that a label is not enough, in whatever form. A file of LLM-DataDist is sign enough for 0
    # and -1, since neither is a limit that its lines would state; 4294967295 could be one.
    rules = (
        (Line.is_from_file, logged and int(status)),
        (Line.names_file, returned and (int(status) == 0 or form == "signed")),
        (Line.names_call, returned or (label and form == "hex")),
    )
    evidence = tuple(says for says, holds in rules if holds)
    return Token(status, form, text, label, evidence) if evidence else None
