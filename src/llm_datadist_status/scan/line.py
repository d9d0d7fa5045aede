"""The statuses on one line of a log: which tokens are one, in which form, and whether the line reports it."""

from __future__ import annotations

import re

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

# Signs are looked for this far around a token, so that a line of any length takes bounded work.
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
      (?P<repr> <(?:LLMStatusCode|Status)\. (?P<member>\w+) :[ ] (?P<number>-?[0-9]+|0x[0-9A-F]+) >)
    | (?:(?P<enum>LLMStatusCode\.) | (?P<qualified>(?:::)?(?:llm_datadist|ge)::))? (?P<name>%(names)s) %(end)s
    | (?:(?P<label>%(label)s)\s*)? (?P<value>
        (?P<hex>0[xX][0-9A-Fa-f]+[uU]?) | (?P<signed>-[0-9]+)
        | (?P<bare>(?=[0-9]*[a-f])[0-9a-f]{8}) | (?P<decimal>[0-9]+)
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
_ESCAPES = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]|\\[nrt\"]")

_WORDS = sorted(name.encode() for name in KINDS)
_SINGLE = b"init|link|unlink|finalize|Initialize|Finalize|synchronize"
_CALL = re.compile(
    _START
    + rb"(?:%s)(?![0-9A-Za-z_])" % b"|".join(word for word in _WORDS if word not in _SINGLE.split(b"|"))
    + rb"|\[(?:%s)\]|LLMDataDist\.(?:%s)(?![0-9A-Za-z_])|(?<![0-9A-Za-z_.])(?:%s)\(|::(?:%s)(?![0-9A-Za-z_])"
    % ((_SINGLE,) * 4)
)
_FILE = re.compile(rb"([0-9A-Za-z_]+\.[a-z]+):[0-9]+\]")
_SIGN = re.compile(rb"LLMStatusCode\.|error code")

# What stands before a token on a line that quotes source, or that lists codes: the code is named there, not reported.
_QUOTED_BEFORE = re.compile(
    rb"[=!]=\s*$|\bis not\s+$|\bexpect(?:s|ed)?:?\s+$|\bconstexpr\s|#\s*define\s|\braise\s+\w+\(|\bthrow\s+\w+[({]"
    rb"|(?:^|[\]:]\s+)(?:return|case)\s+$"
    rb"|\b(?:if|elif|while|not|and|or|assert)\b[^\[({]*\bin\s*[\[({][^\])}]*$"
    rb"|\b(?:if|elif|while|assert)\b.*\bis\s+$"
    rb"|\b(?:[A-Z][A-Z0-9]*_[A-Z0-9_]+\s*=|(?i:(?:retry|retri|ignor|allow|toler|transient|fatal|known|permanent|recoverable)\w*)"
    rb"[^\[({]{0,40}[:=])\s*(?:\w+\()?[\[({][^\])}]*$"
)
_COMPARED = re.compile(rb"ret\s*[=!]=\s*$")
_QUOTED_AFTER = re.compile(rb"\s*[=!]=")


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
    plain = _ESCAPES.sub(lambda escape: b" " * len(escape[0]), line)
    for token in _TOKEN.finditer(plain):
        around = _Surroundings(plain, token)
        found = _number(token, around) if token["value"] else _name(token, around)
        if found is not None:
            status, form, group = found
            yield Occurrence(token.start(group), token.end(), status, form, "mention" if around.quoted else "report")


class _Surroundings:
    """The line around a token, asked only where the token needs it."""

    def __init__(self, line: bytes, token: re.Match[bytes]) -> None:
        self._line = line
        self._start = token.start()
        self._end = token.end()

    @property
    def _before(self) -> bytes:
        return self._line[max(0, self._start - _BEFORE) : self._start]

    @property
    def _window(self) -> bytes:
        return self._line[max(0, self._start - _BEFORE) : self._end + _AFTER]

    @property
    def compared(self) -> bool:
        return _COMPARED.search(self._before) is not None

    @property
    def whole(self) -> bool:
        return _NUMBER_END.match(self._line, self._end) is not None

    @property
    def quoted(self) -> bool:
        return _QUOTED_BEFORE.search(self._before) is not None or _QUOTED_AFTER.match(self._line, self._end) is not None

    @property
    def names_call(self) -> bool:
        return _CALL.search(self._window) is not None

    @property
    def names_file(self) -> bool:
        return any(match[1] in FILES for match in _FILE.finditer(self._window))

    @property
    def from_file(self) -> bool:
        """Whether the log entry comes from a file of LLM-DataDist; one pasted line can hold several entries."""
        files = _FILE.findall(self._before)
        return bool(files) and files[-1] in FILES

    @property
    def any_sign(self) -> bool:
        return _SIGN.search(self._window) is not None or self.names_call or self.names_file


def _name(token: re.Match[bytes], around: _Surroundings) -> tuple[Status | UnknownStatus, str, str] | None:
    if token["repr"]:
        status = BY_NAME.get(token["member"].decode())
        agrees = status is not None and BY_VALUE.get(int(token["number"], 0)) is status
        return (status, "repr", "repr") if status is not None and agrees else None
    status = BY_NAME[token["name"].decode()]
    if token["enum"]:
        return status, "enum", "enum"
    if token["qualified"]:
        return status, "name", "qualified"
    sure = token["name"] not in _WEAK or around.any_sign or around.compared
    return (status, "name", "name") if sure else None


def _number(token: re.Match[bytes], around: _Surroundings) -> tuple[Status | UnknownStatus, str, str] | None:
    if not around.whole or len(token["value"]) > 20:
        return None
    label = (token["label"] or b"").rstrip(b":=[").rstrip()
    returned = label.endswith(b"ret")
    form = "hex" if token["hex"] else "signed" if token["signed"] else "bare-hex" if token["bare"] else "decimal"
    if not (returned if form in ("signed", "bare-hex") else label or form == "hex"):
        return None
    value = int(token["value"].rstrip(b"uU"), 16 if form in ("hex", "bare-hex") else 10)
    logged = label == b"ErrorNo" and form == "decimal" and around.from_file
    status = BY_VALUE.get(value)
    if status is None:
        return (UnknownStatus(value), form, "value") if logged and value < 1 << 32 else None
    if int(status) in _COMMON and not (logged and int(status)):
        # A label is not enough. The file is sign enough for 0 and -1, since neither of them is logged as a limit.
        by_file = returned and (int(status) == 0 or form == "signed") and around.names_file
        if not by_file and not ((returned or (label and form == "hex")) and around.names_call):
            return None
    return status, form, "value"
