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

# Signs are looked for this far around a token, so that a token of a line of any length takes bounded work.
_BEFORE, _AFTER = 4096, 1024

# Names that other software uses too: alone they say nothing.
_WEAK = frozenset(
    b"LLM_SUCCESS LLM_FAILED LLM_TIMEOUT LLM_OUT_OF_MEMORY kSuccess kFailed kParamInvalid kDeviceOutOfMemory".split()
)

# The values of LLM_SUCCESS and LLM_FAILED stand everywhere in logs.
_COMMON = tuple(int(Status[name]) for name in ("LLM_SUCCESS", "LLM_FAILED") if name in Status.__members__)

_START, _END = rb"(?<![0-9A-Za-z_])", rb"(?![0-9A-Za-z_])"
_TOKEN = re.compile(
    rb"""%(start)s (?:
      (?P<repr> <(?:LLMStatusCode|Status)\. (?P<member>\w+) :[ ] (?P<number>-?[0-9]+|0x[0-9A-Fa-f]+) >)
    | (?:(?P<enum>LLMStatusCode\.) | (?P<qualified>(?:::)?(?:llm_datadist|ge)::))? (?P<name>%(names)s) %(end)s
    | (?:(?P<label>%(label)s)\s*)? (?P<value>
        (?P<hex>0[xX][0-9A-Fa-f]+[uU]?) | (?P<signed>-[0-9]+)
        | (?P<bare>(?=[0-9]*[a-f])[0-9a-f]{8}) | (?P<decimal>[0-9]+[uU]?)
      )
    )"""
    % {
        b"start": _START,
        b"end": _END,
        b"names": b"|".join(name.encode() for name in sorted(BY_NAME, key=len, reverse=True)),
        b"label": LABEL.replace(" ", r"\ ").encode(),
    },
    re.VERBOSE,
)
# A number ends where no word, fraction or group of a UUID goes on.
_NUMBER_END = re.compile(_END + rb"(?!\.[0-9]|-[0-9A-Fa-f]{4})")

# A terminal's colours and the escapes of JSON end in letters; they are no part of the word that follows.
_ESCAPES = re.compile(rb"(?:\x1b|\\u001b)\[[0-9;]*[A-Za-z]|\\u[0-9a-f]{4}|\\[nrt\"]")

_SINGLE = b"init|link|unlink|finalize|Initialize|Finalize|synchronize"
_CALL = re.compile(
    _START
    + rb"(?:(?:%s)%s" % (b"|".join(sorted({name.encode() for name in KINDS} - set(_SINGLE.split(b"|")))), _END)
    + rb"|(?:%s)\(|LLMDataDist\.(?:%s)%s)|\[(?:%s)\]|::(?:%s)%s" % (_SINGLE, _SINGLE, _END, _SINGLE, _SINGLE, _END)
)
_FILE = re.compile(rb"([0-9A-Za-z_]+\.[a-z]+):[0-9]+\]")
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
_COMPARED_BEFORE = re.compile(rb"[=!]=\s{0,8}$")
_COMPARED_AFTER = re.compile(rb"\s*[=!]=")
_NAMED_BEFORE = re.compile(rb"\bis not\s{1,8}$|\bexpect(?:s|ed):?\s{1,8}$|\bLLM_[A-Z_]+\s{0,8}=\s{0,8}$")
_DEFINED_AFTER = re.compile(rb"\s*=\s*[0-9]")
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
_NEAR = 200  # bytes before a token or a list in which its introduction is looked for


class Occurrence:
    """A status on a line: ``start`` and ``end`` in bytes, ``status``, ``form`` and ``role``.

    ``form`` is one of name, enum, repr, decimal, hex, bare-hex, signed; ``role`` is "report" or "mention".
    """

    __slots__ = ("end", "form", "role", "start", "status")

    def __init__(self, start: int, end: int, status: Status | UnknownStatus, form: str, role: str) -> None:
        self.start = start
        self.end = end
        self.status = status
        self.form = form
        self.role = role


def occurrences(line: bytes) -> Iterator[Occurrence]:
    """The statuses on ``line`` (without its end), from left to right."""
    around = _Line(_ESCAPES.sub(lambda escape: b" " * len(escape[0]), line))
    for token in _TOKEN.finditer(around.text):
        found = _number(token, around) if token["value"] else _name(token, around)
        if found is not None:
            status, form, group = found
            role = "mention" if around.quotes(token, form) else "report"
            yield Occurrence(token.start(group), token.end(), status, form, role)


class _Line:
    """A line with the signs on it, each kind found once and only where a token asks for it."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._found: dict[re.Pattern[bytes], list[tuple[int, bytes]]] = {}
        self._is_source: bool | None = None

    def _near(self, pattern: re.Pattern[bytes], token: re.Match[bytes], after: int = _AFTER) -> list[bytes]:
        """What ``pattern`` finds, as far around a token as signs are looked for."""
        if pattern not in self._found:
            self._found[pattern] = [
                (match.start(), match[match.lastindex or 0]) for match in pattern.finditer(self.text)
            ]
        found = self._found[pattern]
        first = bisect_left(found, (token.start() - _BEFORE,))
        last = bisect_left(found, (token.end() + after,))
        return [text for _, text in found[first:last]]

    def names_call(self, token: re.Match[bytes]) -> bool:
        return bool(self._near(_CALL, token))

    def names_file(self, token: re.Match[bytes]) -> bool:
        return not FILES.isdisjoint(self._near(_FILE, token))

    def is_from_file(self, token: re.Match[bytes]) -> bool:
        """Whether the log entry comes from a file of LLM-DataDist; one pasted line can hold several entries."""
        files = self._near(_FILE, token, after=0)
        return bool(files) and files[-1] in FILES

    def has_sign(self, token: re.Match[bytes]) -> bool:
        return bool(self._near(_SIGN, token)) or self.names_call(token) or self.names_file(token)

    def compares(self, token: re.Match[bytes]) -> bool:
        before = self.text[max(0, token.start() - _NEAR) : token.start()]
        return _COMPARED_BEFORE.search(before) is not None or _COMPARED_AFTER.match(self.text, token.end()) is not None

    def quotes(self, token: re.Match[bytes], form: str) -> bool:
        """Whether the line names the code without reporting it: a line of source, a comparison, a list of codes."""
        before = self.text[max(0, token.start() - _NEAR) : token.start()]
        if self._is_source is None:
            prefix = _PREFIX.match(self.text)
            self._is_source = _SOURCE.match(self.text, prefix.end() if prefix else 0) is not None
        if token["label"]:
            return False  # what a label says is a value that was there, wherever it stands
        if self._is_source or self.compares(token) or _NAMED_BEFORE.search(before):
            return True
        if form in ("name", "enum") and (_DEFINED_AFTER.match(self.text, token.end()) or _ROW_BEFORE.search(before)):
            return True
        return self._in_list_of_codes(token.start())

    def _in_list_of_codes(self, start: int) -> bool:
        floor = max(0, start - _BEFORE)
        opened = max(self.text.rfind(bracket, floor, start) for bracket in (b"[", b"(", b"{"))
        if opened < 0 or any(self.text.find(bracket, opened, start) >= 0 for bracket in (b"]", b")", b"}")):
            return False
        return _LIST_BEFORE.search(self.text[max(0, opened - _NEAR) : opened]) is not None


def _name(token: re.Match[bytes], around: _Line) -> tuple[Status | UnknownStatus, str, str] | None:
    if token["repr"]:
        status = BY_NAME.get(token["member"].decode())
        agrees = status is not None and BY_VALUE.get(int(token["number"], 0)) is status
        return (status, "repr", "repr") if status is not None and agrees else None
    status = BY_NAME[token["name"].decode()]
    if token["enum"]:
        return status, "enum", "enum"
    if token["qualified"]:
        return status, "name", "qualified"
    # A weak name with a number behind it is a variable of other software.
    sure = token["name"] not in _WEAK or (
        (around.compares(token) or around.has_sign(token)) and not _DEFINED_AFTER.match(around.text, token.end())
    )
    return (status, "name", "name") if sure else None


def _number(token: re.Match[bytes], around: _Line) -> tuple[Status | UnknownStatus, str, str] | None:
    if len(token["value"]) > 20 or not _NUMBER_END.match(around.text, token.end()):
        return None
    label = (token["label"] or b"").rstrip(b":=[").rstrip()
    returned = label.endswith(b"ret")
    form = "hex" if token["hex"] else "signed" if token["signed"] else "bare-hex" if token["bare"] else "decimal"
    if not (returned if form in ("signed", "bare-hex") else label or form == "hex"):
        return None
    value = int(token["value"].rstrip(b"uU"), 16 if form in ("hex", "bare-hex") else 10)
    status = BY_VALUE.get(value)
    if status is not None and int(status) not in _COMMON:
        return status, form, "value"
    logged = label == b"ErrorNo" and form == "decimal" and around.is_from_file(token)
    if status is None:
        return (UnknownStatus(value), form, "value") if logged and value < 1 << 32 else None
    # Both are everywhere, so that a label is not enough, in whatever form. A file of LLM-DataDist is sign enough for 0
    # and -1, since neither is a limit that its lines would state; 4294967295 could be one.
    by_file = returned and (int(status) == 0 or form == "signed") and around.names_file(token)
    by_call = (returned or (label and form == "hex")) and around.names_call(token)
    return (status, form, "value") if (logged and int(status)) or by_file or by_call else None
