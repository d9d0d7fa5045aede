from collections.abc import Sequence
from typing import Final

from typing_extensions import Buffer

BEFORE: Final[int]  # bytes before and after a token in which its signs are looked for
AFTER: Final[int]
AHEAD: Final[int]  # bytes behind a token that must be there, unless its line ends before
BATCH: Final[int]  # the most candidates that one call gives
SEARCHES: Final[tuple[str, ...]]  # the implementations that this machine can run, the fastest first

class Tables:
    def __init__(
        self,
        *,
        names: Sequence[bytes],
        weak: Sequence[bytes],
        values: Sequence[int],
        common: Sequence[int],
        signs: Sequence[bytes],
        search: str = "",
    ) -> None: ...

class Scanner:
    def __init__(self, tables: Tables, start: int = 0) -> None: ...
    def scan(
        self, buffer: Buffer, begin: int, end: int, base: int, final: bool
    ) -> tuple[int, list[tuple[int, int, int]]]: ...
    @property
    def newlines(self) -> int: ...
    @property
    def line_start(self) -> int: ...
