"""The statuses on one line of a log: which tokens are one, in which form, and whether the line reports it."""

from __future__ import annotations

import re
from bisect import bisect_left

from ..calls import KINDS
from ..notation import BY_NAME, LABEL
from ..status import BY_VALUE, Status, UnknownStatus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

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
    | (?:(?P<enum>LLMStatusCode\.) | (?P<qualified>(?:::)?(?:llm_datadist|ge)::))? (?P<name>%(names)s) %(end)s
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
_ANY_SINGLE = b"|".join(sorted(SINGLE))
_CALL = re.compile(
    _START
    + rb"(?:(?:%s)%s" % (b"|".join(sorted({name.encode() for name in KINDS} - SINGLE)), _END)
    + rb"|(?:{0})\(|LLMDataDist\.(?:{0}){1})|\[(?:{0})\]|::(?:{0}){1}".replace(b"{0}", _ANY_SINGLE).replace(
        b"{1}", _END
    )
)
# It starts with the dot, which is found fast, and looks back for the name.
_FILE = re.compile(rb"\.(?<=[0-9A-Za-z_].)(?P<suffix>[a-z]{1,8}):[0-9]{1,9}\]")
_STEM = re.compile(rb"[0-9A-Za-z_]{1,64}$")
_SIGN = re.compile(rb"LLMStatusCode\.|error code")

# A line of source, behind what a container's runtime or a logger put before it.
_PREFIX = re.compile(
    rb"(?:\S+ std(?:out|err) [FP] |\{\"log\":\")?(?:\([^()]{1,80} pid=[0-9]+\) ?)?"
    rb"(?:.{0,160}?[0-9A-Za-z_]\.[a-z]+:[0-9]+\])?"
)
_SOURCE = re.compile(
    rb"""\s*(?:
      \#|//|/\*
    | (?:\}\s*)?(?:if|elif|else[ ]if|while|for|switch)\b.*[:{)]\s*$
    | (?:return|case)\b (?:.*[;:]\s*$ | \s+[\w.:]+\s*$)
    | raise\s+[\w.]+(?:\(|\s+from\b) | throw\s+[\w:]+[({]
    | (?:from\s+[\w.]+\s+)?import\s | using\s[\w:\s]+; | def\s+\w+\(
    | (?:inline\s+|static\s+)*(?:constexpr|const)\s
    | [A-Z]+_[A-Z]+\(
    | \{?\s*(?:LLMStatusCode\.|llm_datadist::|ge::)?LLM_[A-Z_]+\s*[:,]\s*["']
    )""",
    re.VERBOSE,
)
# What stands directly before or behind a code that is compared, expected or defined.
_COMPARED_BEFORE = re.compile(rb"[=!]=[ \t]{0,8}$")
_COMPARED_AFTER = re.compile(rb"[ \t]{0,64}[=!]=")
_NAMED_BEFORE = re.compile(rb"\bis not\s{1,8}$|\bexpect(?:s|ed):?\s{1,8}$|\bLLM_[A-Z_]+\s{0,8}=\s{0,8}$")
_NAMED_ENDS = (b"is not", b"expect", b"expects", b"expected", b"expect:", b"expects:", b"expected:", b"=")
_DEFINED_AFTER = re.compile(rb"[ \t]{0,64}=[ \t]{0,64}[0-9]")
# What introduces a list of codes, which are named, while the results of a call are reported.
_CODES = rb"""(?:
    \b(?i:retryable|retriable|ignorable|ignored|tolerable|tolerated|recoverable|transient|permanent)
  | \b[A-Z_]*(?:RETR[YI]|IGNOR|TOLER|FATAL|TRANSIENT)[A-Z_]*
  | (?<!status[ ])(?<!error[ ])(?<!return[ ])(?<!result[ ])\b(?!(?i:ret|result|status|error))\w*(?i:codes)
)"""
_LIST_BEFORE = re.compile(
    _CODES + rb"\s{0,4}(?:[:=]|are)\s{0,4}(?:(?:frozenset|set|tuple|list)\(\s{0,4})?$", re.VERBOSE
)
_ROW_BEFORE = re.compile(
    rb"(?:\b(?:codes[ ]to|(?:retry|retries|retrying|ignore|ignoring|tolerate)(?:[ ]only)?[ ]on)\b[ ]?\w*:? | %s:)"
    rb"\s+(?:[\w.:]+,?\s+(?:and[ ]|or[ ])?){0,20}$" % _CODES,
    re.VERBOSE,
)
_WORD = re.compile(rb"[0-9A-Za-z_]+")
# What such an introduction holds, in small letters: looking for that first costs little.
_HINTS = (b"codes", b"retr", b"ignor", b"toler", b"recover", b"transient", b"permanent", b"fatal")
_NEAR = 200  # bytes before a token or a list in which its introduction is looked for


class Occurrence:
    """A status on a line: ``start`` and ``end`` in bytes, ``status``, ``form``, ``role``, and the ``label`` before it.

    ``form`` is one of name, enum, repr, decimal, hex, bare-hex, signed; ``role`` is "report" or "mention".
    """

    __slots__ = ("end", "form", "label", "role", "start", "status")

    def __init__(
        self, start: int, end: int, status: Status | UnknownStatus, form: str, role: str, label: bytes = b""
    ) -> None:
        self.start = start
        self.end = end
        self.status = status
        self.form = form
        self.role = role
        self.label = label


def occurrences(line: bytes) -> Iterator[Occurrence]:
    """The statuses on ``line`` (without its end), from left to right."""
    around = Line(line)
    for token in _TOKEN.finditer(around.text):
        found = around.read(token)
        if found is not None:
            yield found


class Line:
    """A line, or what of a long one is in memory, with the signs on it: each is looked for once, where a token asks."""

    def __init__(self, line: bytes, *, whole: bool = True, ends: bool = True, quote: bool = False) -> None:
        self.text = line
        self.ends = ends  # whether it goes to the line's end
        self.beyond = 0  # bytes that are known to follow
        if b"\\" in line or b"\x1b" in line:
            self.text = _ESCAPES.sub(lambda escape: b" " * len(escape[0]), line)
        self.raw = line if quote else self.text  # as it stands in the log, for quoting
        self._found: dict[re.Pattern[bytes], _Found] = {}
        self._is_source: bool | None = None if whole and len(line) <= BEFORE else False

    def near(self, start: int, end: int) -> tuple[int, Line]:
        """Of a long line the part that says all about the token from ``start`` to ``end``, and where that begins."""
        low, high = max(0, start - BEFORE), end + AFTER + _SIGN_LENGTH
        if low == 0 and high >= len(self.text):
            return 0, self
        part = Line(self.text[low:high], whole=False, ends=self.ends)
        part.raw = self.raw[low:high]
        part.beyond = self.beyond + max(0, len(self.raw) - high)
        return low, part

    def at(self, start: int) -> Occurrence | None:
        """The status whose token, with its label, starts at ``start``."""
        token = _TOKEN.match(self.text, start)
        return None if token is None else self.read(token)

    def read(self, token: re.Match[bytes]) -> Occurrence | None:
        """The status that a token is, unless it is something else there."""
        found = _name(token, self) if token["name"] or token["repr"] else _number(token, self)
        if found is None:
            return None
        status, form, group = found
        role = "mention" if self._quotes(token, form) else "report"
        label = (token["label"] or b"").rstrip(b":=[").rstrip()
        return Occurrence(token.start(group), token.end(), status, form, role, label)

    def call_near(self, start: int, end: int) -> str | None:
        """The call of LLM-DataDist that is named last before a token, else first behind it."""
        before = [call for _, call in self._between(_CALL, start - BEFORE, start)]
        named = before[-1:] or [call for _, call in self._between(_CALL, end, end + AFTER)][:1]
        return _WORD.findall(named[0])[-1].decode() if named else None

    def _between(self, pattern: re.Pattern[bytes], first: int, last: int) -> list[tuple[int, bytes]]:
        """What ``pattern`` finds that starts in [first, last)."""
        places = self._search(pattern, first, last)
        return places[bisect_left(places, (first,)) : bisect_left(places, (last,))]

    def _search(self, pattern: re.Pattern[bytes], first: int, last: int) -> list[tuple[int, bytes]]:
        """All that ``pattern`` has found so far, after having looked in [first, last)."""
        found = self._found.get(pattern)
        if found is None:
            found = self._found[pattern] = _Found()
        if found.searched < last:
            begin = max(found.searched, first, 0)
            for match in pattern.finditer(self.text, begin, last + _SIGN_LENGTH):
                if match.start() >= last:
                    break
                found.places.append((match.start(), match[0]))
            found.searched = last
        return found.places

    # Tokens ask from left to right, so what was found last is what is nearest.

    def _is_near(self, pattern: re.Pattern[bytes], token: re.Match[bytes]) -> bool:
        first = token.start() - BEFORE
        places = self._search(pattern, first, token.end() + AFTER)
        return bool(places) and places[-1][0] >= first

    def names_call(self, token: re.Match[bytes]) -> bool:
        return self._is_near(_CALL, token)

    def names_file(self, token: re.Match[bytes]) -> bool:
        first = token.start() - BEFORE
        for place, name in reversed(self._search(_FILE, first, token.end() + AFTER)):
            if place < first:
                break
            if self._is_own(place, name):
                return True
        return False

    def _is_own(self, dot: int, rest: bytes) -> bool:
        """Whether the name of a file whose suffix begins at ``dot`` is one of ``FILES``."""
        stem = _STEM.search(self.text[max(0, dot - 64) : dot])
        return stem is not None and stem[0] + rest.partition(b":")[0] in FILES

    def is_from_file(self, token: re.Match[bytes]) -> bool:
        """Whether the log entry comes from a file of LLM-DataDist; one pasted line can hold several entries."""
        start = token.start()
        places = self._search(_FILE, start - BEFORE, start)
        before = bisect_left(places, (start,)) - 1
        return before >= 0 and places[before][0] >= start - BEFORE and self._is_own(*places[before])

    def has_sign(self, token: re.Match[bytes]) -> bool:
        return self._is_near(_SIGN, token) or self.names_call(token) or self.names_file(token)

    def compares(self, token: re.Match[bytes]) -> bool:
        before = self.text[max(0, token.start() - 10) : token.start()]
        return _COMPARED_BEFORE.search(before) is not None or _COMPARED_AFTER.match(self.text, token.end()) is not None

    def _quotes(self, token: re.Match[bytes], form: str) -> bool:
        """Whether the line names the code without reporting it: a line of source, a comparison, a list of codes."""
        if token["label"]:
            return False  # what a label says is a value that was there, wherever it stands
        if self._is_source is None:
            prefix = _PREFIX.match(self.text)
            self._is_source = _SOURCE.match(self.text, prefix.end() if prefix else 0) is not None
        if self._is_source or self.compares(token):
            return True
        before = self.text[max(0, token.start() - _NEAR) : token.start()]
        if before.rstrip().endswith(_NAMED_ENDS) and _NAMED_BEFORE.search(before):
            return True
        named = form in ("name", "enum")
        if named and _DEFINED_AFTER.match(self.text, token.end()):
            return True
        if named and _hints(before) and _ROW_BEFORE.search(before):
            return True
        return self._in_list_of_codes(token.start())

    def _in_list_of_codes(self, start: int) -> bool:
        floor = max(0, start - BEFORE)
        rfind = self.text.rfind
        opened = max(rfind(b"[", floor, start), rfind(b"(", floor, start), rfind(b"{", floor, start))
        if opened < 0 or max(rfind(b"]", opened, start), rfind(b")", opened, start), rfind(b"}", opened, start)) >= 0:
            return False
        before = self.text[max(0, opened - _NEAR) : opened]
        return _hints(before) and _LIST_BEFORE.search(before) is not None


def _hints(before: bytes) -> bool:
    folded = before.lower()
    return any(hint in folded for hint in _HINTS)


class _Found:
    """Where one kind of sign was found, and how far it was looked for."""

    __slots__ = ("places", "searched")

    def __init__(self) -> None:
        self.places: list[tuple[int, bytes]] = []
        self.searched = 0


def _name(token: re.Match[bytes], around: Line) -> tuple[Status | UnknownStatus, str, str] | None:
    if token["repr"]:
        status = BY_NAME[token["member"].decode()]
        number = token["number"]
        agrees = BY_VALUE.get(int(number, 16 if number.startswith(b"0x") else 10)) is status
        return (status, "repr", "repr") if agrees else None
    status = BY_NAME[token["name"].decode()]
    if token["enum"]:
        return status, "enum", "enum"
    if token["qualified"]:
        return status, "name", "qualified"
    # A weak name with a number behind it is a variable of other software.
    sure = token["name"] not in WEAK or (
        (around.compares(token) or around.has_sign(token)) and not _DEFINED_AFTER.match(around.text, token.end())
    )
    return (status, "name", "name") if sure else None


def _number(token: re.Match[bytes], around: Line) -> tuple[Status | UnknownStatus, str, str] | None:
    group = "plain" if token["plain"] else "value"
    text = token[group]
    if len(text) > 20 or not _NUMBER_END.match(around.text, token.end()):
        return None
    label = (token["label"] or b"").rstrip(b":=[").rstrip()
    returned = label.endswith(b"ret")
    form = (
        "hex"
        if token["plain"] or token["hex"]
        else "signed"
        if token["signed"]
        else "bare-hex"
        if token["bare"]
        else "decimal"
    )
    if form in ("signed", "bare-hex") and not returned:
        return None
    value = int(text.rstrip(b"uU"), 16 if form in ("hex", "bare-hex") else 10)
    status = BY_VALUE.get(value)
    if status is not None and int(status) not in COMMON:
        return status, form, group
    logged = label == b"ErrorNo" and form == "decimal" and around.is_from_file(token)
    if status is None:
        return (UnknownStatus(value), form, group) if logged and value < 1 << 32 else None
    # Both are everywhere, so that a label is not enough, in whatever form. A file of LLM-DataDist is sign enough for 0
    # and -1, since neither is a limit that its lines would state; 4294967295 could be one.
    counts = (
        (logged and int(status))
        or (returned and (int(status) == 0 or form == "signed") and around.names_file(token))
        or ((returned or (label and form == "hex")) and around.names_call(token))
    )
    return (status, form, group) if counts else None
