"""The second, independent reader of a header: the compiler's own list of variables, taken from its debug information.

The header is compiled, and nothing is run. Only g++ lists constants that nothing uses, so an empty answer of another
compiler means that it cannot tell.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from elftools.dwarf.die import DIE
    from elftools.elf.elffile import ELFFile

NAMESPACE = "llm_datadist"
FLAGS = ["-std=c++17", "-g", "-fno-eliminate-unused-debug-symbols", "-x", "c++", "-c"]


def compiler() -> list[str] | None:
    """The command of the C++ compiler, from $CXX or g++, or None where there is none."""
    command = shlex.split(os.environ.get("CXX") or "g++")
    return command if shutil.which(command[0]) else None


def constants(header: Path, include_dirs: Sequence[Path] = ()) -> dict[str, int] | None:
    """Names and values of the constants for which `llm_datadist::NAME` is a 32-bit unsigned constexpr variable.

    None where the compiler rejects the header.
    """
    from elftools.elf.elffile import ELFFile

    command = compiler()
    assert command is not None, "there is no C++ compiler"
    with tempfile.TemporaryDirectory() as folder:
        unit, binary = Path(folder, "unit.cpp"), Path(folder, "unit.o")
        unit.write_text(f'#include "{header.resolve()}"\n', encoding="utf-8")
        folders = [f"-I{include}" for include in include_dirs]
        done = subprocess.run(
            [*command, *FLAGS, *folders, str(unit), "-o", str(binary)], capture_output=True, check=False
        )
        if done.returncode != 0:
            return None
        with binary.open("rb") as file:
            elf = ELFFile(file)
            return dict(_codes(elf))


def _codes(elf: ELFFile) -> Iterator[tuple[str, int]]:
    for unit in elf.get_dwarf_info().iter_CUs():
        top = unit.get_top_DIE()
        # A variable that is declared and defined apart has two entries; each may hold what the other lacks.
        parts: dict[int, list[DIE]] = {}
        for die in _all(top):
            if "DW_AT_specification" in die.attributes:
                parts.setdefault(_declaration(die).offset, []).append(die)
        for namespace in top.iter_children():
            if namespace.tag == "DW_TAG_namespace" and _name(namespace) == NAMESPACE:
                for variable in _variables(namespace):
                    entries = [variable, *parts.get(variable.offset, ())]
                    constexpr = any("DW_AT_const_expr" in entry.attributes for entry in entries)
                    if constexpr and _is_unsigned32(variable):
                        yield _name(variable), _value(elf, entries)


def _all(die: DIE) -> Iterator[DIE]:
    for child in die.iter_children():
        yield child
        yield from _all(child)


def _variables(namespace: DIE) -> Iterator[DIE]:
    """The variables that a qualified name reaches; the unnamed namespaces' come first, for the others hide them."""
    children = sorted(namespace.iter_children(), key=lambda die: bool(_name(die)) or die.tag != "DW_TAG_namespace")
    for child in children:
        if child.tag == "DW_TAG_namespace" and ("DW_AT_export_symbols" in child.attributes or not _name(child)):
            yield from _variables(child)
        elif child.tag == "DW_TAG_imported_declaration":
            target = _declaration(child.get_DIE_from_attribute("DW_AT_import"))
            if target.tag == "DW_TAG_variable":
                yield target
        elif child.tag == "DW_TAG_variable":
            yield child


def _declaration(die: DIE) -> DIE:
    return die.get_DIE_from_attribute("DW_AT_specification") if "DW_AT_specification" in die.attributes else die


def _name(die: DIE) -> str:
    name = die.attributes.get("DW_AT_name")
    return name.value.decode() if name else ""


def _is_unsigned32(die: DIE) -> bool:
    while die.tag in ("DW_TAG_variable", "DW_TAG_const_type", "DW_TAG_typedef"):
        if "DW_AT_type" not in die.attributes:
            return False
        die = die.get_DIE_from_attribute("DW_AT_type")
    return die.tag == "DW_TAG_base_type" and _name(die) == "unsigned int"


def _value(elf: ELFFile, entries: Sequence[DIE]) -> int:
    for entry in entries:
        constant = entry.attributes.get("DW_AT_const_value")
        if constant is not None:
            value = constant.value
            return int.from_bytes(value, "little") if isinstance(value, bytes) else int(value) & 0xFFFFFFFF
    locations = [entry.attributes["DW_AT_location"] for entry in entries if "DW_AT_location" in entry.attributes]
    return _stored(elf, locations[0].offset + 2)  # behind the length and the operation of the expression


def _stored(elf: ELFFile, position: int) -> int:
    """The four bytes that a variable is initialised with: its address is filled in by a relocation of .debug_info."""
    from elftools.elf.relocation import RelocationSection
    from elftools.elf.sections import SymbolTableSection

    relocations = elf.get_section_by_name(".rela.debug_info")
    assert isinstance(relocations, RelocationSection)
    for relocation in relocations.iter_relocations():
        if relocation["r_offset"] == position:
            symbols = elf.get_section(relocations["sh_link"])
            assert isinstance(symbols, SymbolTableSection)
            symbol = symbols.get_symbol(relocation["r_info_sym"])
            start = symbol["st_value"] + relocation["r_addend"]
            return int.from_bytes(elf.get_section(symbol["st_shndx"]).data()[start : start + 4], "little")
    raise AssertionError("no relocation for the address of a variable")
