"""Changed copies of a header, each with the differences that must be found in it and no other."""

from __future__ import annotations

import random

from llm_datadist_status import parity
from llm_datadist_status.header import read_source

Differences = set[tuple[str, str, "int | str | None", "int | str | None"]]

_STYLES = [
    "constexpr Status {name} = 0x{value:08X}U;",
    "inline constexpr Status {name}{{0x{value:x}u}};",
    "static constexpr const std::uint32_t {name} = {value};",
    "constexpr Status {name} = 0{value:o}U;",
    "constexpr Status {name} = 0b{value:b};",
    "constexpr Status {name} = static_cast<Status>(0x{value:X}ULL);",
    "constexpr Status\n    {name} =  // 0x1U;\n    0x{value:X}U;",
    "/* constexpr Status {name} = 7U; */ constexpr Status {name} = {value}U;",
    "#if 0\nconstexpr Status {name} = 9U;\n#endif\nconstexpr Status {name} = 0x{value:X}U;",
    "}}\nnamespace llm_datadist {{\nconstexpr Status {name} = 0x{value:X}U;",
    "[[maybe_unused]] constexpr Status {name} = 0x{value:X}U | 0U;",
]


def mutant(codes: dict[str, int], chance: random.Random) -> tuple[bytes, Differences]:
    """A header with some of ``codes`` changed, and what a comparison with ``codes`` must tell."""
    old, new = codes, dict(codes)
    for _ in range(chance.choice([0, 1, 1, 2, 3])):
        chance.choice([_flip, _rename, _remove, _add, _swap, _second_name])(new, chance)
    lines = [chance.choice(_STYLES).format(name=name, value=value) for name, value in new.items()]
    chance.shuffle(lines)
    body = "\n".join(lines)
    text = f"#pragma once\n#include <cstdint>\nnamespace llm_datadist {{\nusing Status = std::uint32_t;\n{body}\n}}\n"
    data = text.replace("\n", chance.choice(["\n", "\r\n"])).encode()
    return chance.choice([b"", b"\xef\xbb\xbf"]) + data, expected(old, new)


def source(text: bytes) -> parity.Source:
    """The header in memory as a source."""
    reading = read_source(text, "mutant.h")
    return parity.Source("header:mutant.h", reading.constants, reading.undecided)


def expected(old: dict[str, int], new: dict[str, int]) -> Differences:
    """The differences by the words of the contract, found the slow and obvious way."""
    found: Differences = {
        ("changed", name, old[name], new[name]) for name in old if name in new and old[name] != new[name]
    }
    lost = {name: value for name, value in old.items() if name not in new}
    come = {name: value for name, value in new.items() if name not in old}
    for value in {*lost.values(), *come.values()}:
        losers = [name for name in lost if lost[name] == value]
        comers = [name for name in come if come[name] == value]
        if len(losers) == len(comers) == 1:
            found.add(("renamed", losers[0], losers[0], comers[0]))
        else:
            found |= {("missing", name, value, None) for name in losers}
            found |= {("added", name, None, value) for name in comers}
    return found


def _flip(codes: dict[str, int], chance: random.Random) -> None:
    codes[chance.choice(list(codes))] ^= 1 << chance.randrange(32)


def _rename(codes: dict[str, int], chance: random.Random) -> None:
    name = chance.choice(list(codes))
    codes[chance.choice([f"{name}_X", name.replace("LLM", "DD", 1), name[:-1]])] = codes.pop(name)


def _remove(codes: dict[str, int], chance: random.Random) -> None:
    del codes[chance.choice(list(codes))]


def _add(codes: dict[str, int], chance: random.Random) -> None:
    codes[f"LLM_NEW_{chance.randrange(1000)}"] = chance.randrange(1 << 32)


def _swap(codes: dict[str, int], chance: random.Random) -> None:
    first, second = chance.sample(list(codes), 2)
    codes[first], codes[second] = codes[second], codes[first]


def _second_name(codes: dict[str, int], chance: random.Random) -> None:
    codes[f"LLM_ALSO_{chance.randrange(1000)}"] = codes[chance.choice(list(codes))]
