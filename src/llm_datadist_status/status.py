"""``Status``, the constants of the header as an enum, and ``UnknownStatus``, a 32-bit value that is none of them.

Loads ``enum`` and the compiled module alone; for that it does without ``__future__`` and quotes annotations.
"""

from enum import IntEnum
from types import SimpleNamespace

from . import _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Literal, SupportsIndex

    from typing_extensions import Self

    from .advice import Advice
    from .catalog import Entry

# The layout of a code: field, lowest bit, width. It says something only where sysid names the graph engine.
_LAYOUT = (("runtime", 30, 2), ("type", 28, 2), ("level", 25, 3), ("sysid", 17, 8), ("modid", 12, 5), ("value", 0, 12))
_GRAPH_ENGINE = 8

_INT_FORMATS = "bcdoxXneEfFgG%,_+"  # the last character of a format that only a number has


class _FromCatalog:
    """Loads the catalogue for all members when the first one is asked, and is then out of the way.

    It defines no ``__set__``, so what the members then hold themselves is found before it.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, member: object, owner: type) -> object:
        if member is None:
            return self
        from .catalog import ENTRIES, UNCATALOGUED

        entries = {Status[name]: entry for name, entry in ENTRIES.items() if name in Status.__members__}
        for status in Status:
            entry = entries.get(status, UNCATALOGUED)
            vars(status).update(
                _entry=entry, recoverable=entry.recoverable, description=_description(entry.description)
            )
        return vars(member)[self._name]


def _description(texts: "Mapping[str, str]") -> "Callable[[str], str]":
    """A member's own ``description``: looking a method up on an enum's member costs more than the rest of the call."""

    def description(lang: str = "en") -> str:
        try:
            return texts[lang]
        except KeyError:
            raise unknown_language(lang) from None

    description.__doc__ = _Explained.description.__doc__
    return description


class _Explained:
    """What a member of ``Status`` and an ``UnknownStatus`` have in common beside being an int."""

    __slots__ = ()

    if TYPE_CHECKING:
        hex: str  # the value as 0x and eight upper-case digits
        ok: bool  # True for LLM_SUCCESS alone
        recoverable: bool | None  # as documented (catalog.py); None where the notion does not apply
        _entry: Entry

        def __index__(self) -> int: ...
    else:
        recoverable = _FromCatalog()
        _entry = _FromCatalog()

    @property
    def fields(self) -> dict[str, int] | None:
        """The bit fields ``runtime type level sysid modid value``, or None where the layout does not apply."""
        value = self.__index__()
        fields = {name: value >> low & (1 << width) - 1 for name, low, width in _LAYOUT}
        return fields if fields["sysid"] == _GRAPH_ENGINE else None

    def description(self, lang: str = "en") -> str:
        """What the code means, in ``lang`` ("en" or "zh"; ValueError for another); from the pages in catalog.py."""
        return _description(self._entry.description)(lang)

    def solution(self, lang: str = "en") -> str:
        """What to do about the code, in ``lang`` ("en" or "zh"; ValueError for another), as one paragraph."""
        return (" " if lang == "en" else "").join(self.advise().steps(lang))

    def explain(self, lang: str = "en", api: str | None = None) -> str:
        """The whole explanation as plain text of several lines; ``api`` as in ``advise``."""
        from .explanation import Explanation

        return Explanation(self, api=api).to_text(lang)  # type: ignore[arg-type]

    def advise(self, api: str | None = None, docs: str = "cpp") -> "Advice":
        """What to do after the call ``api`` reported this code: ``advice.advise`` with this status."""
        from .advice import advise

        return advise(self, api, docs)

    def __format__(self, format_spec: str) -> str:
        # Said here because int, IntEnum and their versions disagree: a number's format gives the number, else the name.
        if format_spec and format_spec[-1] in _INT_FORMATS:
            return format(self.__index__(), format_spec)
        return format(str(self), format_spec)


class _Member(_Explained, IntEnum):
    def __repr__(self) -> str:
        return f"<Status.{self._name_}: {self.hex}>"

    def __str__(self) -> str:
        return self._name_

    __format__ = _Explained.__format__

    def __reduce_ex__(self, protocol: object) -> "tuple[Callable[[int], Status | UnknownStatus], tuple[int]]":
        # By value, so that a header that lacks the name where it is unpickled makes it an UnknownStatus.
        return from_value, (int(self),)


if TYPE_CHECKING:

    class Status(_Member):
        """The constants of the header that ``_native`` was compiled from; names that share a value are aliases."""

        # Generated by tests/generate.py: members.
        LLM_SUCCESS = _native.LLM_SUCCESS
        LLM_FAILED = _native.LLM_FAILED
        LLM_WAIT_PROC_TIMEOUT = _native.LLM_WAIT_PROC_TIMEOUT
        LLM_KV_CACHE_NOT_EXIST = _native.LLM_KV_CACHE_NOT_EXIST
        LLM_PARAM_INVALID = _native.LLM_PARAM_INVALID
        LLM_NOT_YET_LINK = _native.LLM_NOT_YET_LINK
        LLM_ALREADY_LINK = _native.LLM_ALREADY_LINK
        LLM_LINK_FAILED = _native.LLM_LINK_FAILED
        LLM_UNLINK_FAILED = _native.LLM_UNLINK_FAILED
        LLM_NOTIFY_PROMPT_UNLINK_FAILED = _native.LLM_NOTIFY_PROMPT_UNLINK_FAILED
        LLM_CLUSTER_NUM_EXCEED_LIMIT = _native.LLM_CLUSTER_NUM_EXCEED_LIMIT
        LLM_PROCESSING_LINK = _native.LLM_PROCESSING_LINK
        LLM_DEVICE_OUT_OF_MEMORY = _native.LLM_DEVICE_OUT_OF_MEMORY
        LLM_EXIST_LINK = _native.LLM_EXIST_LINK
        LLM_FEATURE_NOT_ENABLED = _native.LLM_FEATURE_NOT_ENABLED
        LLM_TIMEOUT = _native.LLM_TIMEOUT
        LLM_LINK_BUSY = _native.LLM_LINK_BUSY
        LLM_OUT_OF_MEMORY = _native.LLM_OUT_OF_MEMORY
        # End of what is generated.
else:
    Status = _Member("Status", _native.__constants__, module=__name__, qualname="Status")
    Status.__doc__ = (
        "The constants of the header that ``_native`` was compiled from; names that share a value are aliases."
    )
    _success = Status.__members__.get("LLM_SUCCESS")
    for _status in Status:
        vars(_status).update(hex=f"0x{int(_status):08X}", ok=_status is _success)

# What int(value) may be for each member: its value, and the same 32 bits read as a signed number.
BY_VALUE: "Mapping[int, Status]" = {
    **{status._value_: status for status in Status},
    **{status._value_ - (1 << 32): status for status in Status if status._value_ >> 31},
}


class UnknownStatus(_Explained, int):
    """A 32-bit value that is no member of ``Status``; it keeps its number.

    ``UnknownStatus(value)`` takes an int from -2147483648 (read as signed 32-bit) to 4294967295. ValueError for one
    beyond, and for the value of a member; TypeError for what is no int.
    """

    __slots__ = ()

    ok: "Literal[False]" = False
    recoverable: None = None

    def __new__(cls, value: int) -> "Self":
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"a status is an int, not {type(value).__name__}")
        if not -(1 << 31) <= value < 1 << 32:
            shown = str(value) if value.bit_length() < 100 else f"an int of {value.bit_length()} bits"
            raise ValueError(
                f"{shown} is not a status code: expected 32 bits, from -2147483648 to 4294967295 (0xFFFFFFFF)"
            )
        if value in BY_VALUE:
            raise ValueError(f"{value} is {BY_VALUE[value]}, so it is not unknown")
        return super().__new__(cls, value % (1 << 32))

    @property
    def hex(self) -> str:  # type: ignore[override]
        """The value as ``0x`` and eight upper-case digits."""
        return f"0x{int(self):08X}"

    @property
    def _entry(self) -> "Entry":  # type: ignore[override]
        from .catalog import UNKNOWN

        return UNKNOWN

    def __repr__(self) -> str:
        return f"<UnknownStatus: {self.hex}>"

    def __str__(self) -> str:
        return self.hex

    def __reduce_ex__(self, protocol: "SupportsIndex") -> tuple[object, tuple[int]]:
        # Where it is unpickled, the header may have a name for it.
        return from_value, (int(self),)


def from_value(value: int) -> Status | UnknownStatus:
    """The member with this 32-bit value (also as a signed number), else an ``UnknownStatus``; ValueError beyond."""
    status = BY_VALUE.get(value)
    return UnknownStatus(value) if status is None else status


class HeaderInfo(SimpleNamespace):
    """Which header the module was compiled from; see ``header_info``."""

    origin: str
    sha256: str
    path: str
    names: tuple[str, ...]


def header_info() -> HeaderInfo:
    """Which header ``_native`` was compiled from.

    ``origin`` is "bundled" (this project's own header) or "cann" (another include tree, given at build time);
    ``sha256`` is that of the header's bytes; ``path`` is as given at build time, "bundled" for the bundled one;
    ``names`` are the names of its constants in its order.
    """
    origin, sha256, path = _native.__header__
    names = tuple(name for name, _ in _native.__constants__)
    return HeaderInfo(origin=origin, sha256=sha256, path=path, names=names)


def unknown_language(lang: str) -> ValueError:
    return ValueError(f"unknown language {lang!r}: expected 'en' or 'zh'")
