"""A header as the C++ compiler sees it: names and values from the debug information of one compilation.

This reader runs nothing of the header, and shares nothing with the text reader but the form of its answer. Only g++
lists constants that nothing uses; a constant of the compiled unit's own tells whether this compiler does.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

from .header import NAMESPACE, Constant, Reading, Undecided, file_bytes
from .stand_in import write_stand_ins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from elftools.dwarf.die import DIE
    from elftools.elf.elffile import ELFFile

_FLAGS = ("-std=c++17", "-g", "-fno-eliminate-unused-debug-symbols", "-x", "c++", "-c")
# Where the header has none of this, every constant that is listed is what a qualified name means.
_DOUBTFUL = re.compile(rb"template|(?:inline|using)\b[^;{}=]*namespace|namespace\s*\{|#\s*define|include\s*\"|\\\r?\n")
_TIMEOUT = 300  # seconds; a header that keeps a compiler busy for longer is not one to wait for

# The unit's own constant, in a namespace whose name the standard reserves for implementations.
_PROBE = "__llm_datadist_status_probe"


class _CannotTellError(Exception):
    """Why the compiler gave no answer, and the line of the header where it says so."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.line = line


def read_exact(path: str | os.PathLike[str], include_dirs: Sequence[str] = ()) -> Reading:
    """Read a header through the C++ compiler (``$CXX``, else ``c++``), as C++17.

    ``include_dirs`` are searched for its includes; stand-ins for the graph engine's headers come after everything else.
    Where the compiler rejects the header, cannot be started or cannot list names, the answer has no constants and says
    why in ``undecided``.

    Raises:
        HeaderError: the file cannot be read, or is empty.
    """
    name = os.fspath(path)
    data = file_bytes(name)
    constants: tuple[Constant, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    try:
        constants = tuple(_compile(name, include_dirs))
    except _CannotTellError as error:
        undecided = (Undecided(name, error.line, str(error)),)
    return Reading(name, hashlib.sha256(data).hexdigest(), constants, undecided, (name,))


def compiler() -> list[str]:
    """The compiler's command, as words: ``$CXX``, else ``c++``; no word at all where ``$CXX`` is no command."""
    try:
        return shlex.split(os.environ.get("CXX") or "c++")
    except ValueError:
        return []


def _compile(path: str, include_dirs: Sequence[str]) -> list[Constant]:
    command = compiler()
    if not command or shutil.which(command[0]) is None:
        name = command[0] if command else os.environ.get("CXX", "")
        raise _CannotTellError(f"there is no C++ compiler {name!r}: install g++, or name one in CXX")
    with tempfile.TemporaryDirectory() as folder:
        probe, unit, binary = (Path(folder, name) for name in ("probe.h", "unit.cpp", "unit.o"))
        write_stand_ins(path, Path(folder, "stand-in"))
        # Behind the probe's tokens no precompiled header is taken, which might be older than the header.
        probe.write_text(f"namespace {_PROBE} {{ constexpr unsigned int probe = 1U; }}\n", encoding="ascii")
        unit.touch()
        command += [*_FLAGS, "-include", str(probe), "-include", str(Path(path).absolute())]
        command += [word for include in include_dirs for word in ("-I", str(Path(include).absolute()))]
        command += ["-idirafter", f"{folder}/stand-in", str(unit)]
        status, messages = _start([*command, "-o", str(binary)], folder)
        if status != 0:
            raise _rejection(messages, path)
        constants = [Constant(name, value, path, line) for name, value, line in _listed(binary, command[0])]
        if not _DOUBTFUL.search(file_bytes(path)):
            return constants
        # Debug information lists an instance of a variable template like a variable, a name that is ambiguous or by now
        # a macro, and what an unnamed namespace hides. The compiler knows which names mean a variable.
        unit.write_text("".join(f"using T = decltype(::{NAMESPACE}::{c.name});\n" for c in constants), encoding="utf-8")
        _, messages = _start([*command, "-fsyntax-only"], folder)
        place = rf"^{re.escape(str(unit))}:(\d+):\d+: (?:error|note: in expansion)"
        refused = {int(line) for line in re.findall(place, messages, re.MULTILINE)}
        return [constant for number, constant in enumerate(constants, 1) if number not in refused]


def _listed(binary: Path, command: str) -> list[tuple[str, int, int]]:
    """What the compiled unit's debug information lists of the namespace, if it lists what nothing uses."""
    from elftools.elf.elffile import ELFFile

    try:
        with binary.open("rb") as file:
            if file.read(4) != b"\x7fELF":
                raise _CannotTellError(f"{command} does not write ELF files, in which names are looked for: use g++")
            elf = ELFFile(file)
            dies = [die for unit in elf.get_dwarf_info().iter_CUs() for die in unit.get_top_DIE().iter_children()]
            if not any(_codes(elf, dies, _PROBE)):
                raise _CannotTellError(
                    f"{command} does not list constants that nothing uses, so added names cannot be told: use g++"
                )
            return list(_codes(elf, dies, NAMESPACE))
    except _CannotTellError:
        raise
    except Exception as error:  # pyelftools raises many kinds for what it does not expect
        raise _CannotTellError(f"what {command} wrote cannot be read: {error or type(error).__name__}") from error


def _start(command: list[str], folder: str) -> tuple[int, str]:
    """Exit status and messages. These go through a file: a pipe would also wait for what the compiler left running."""
    with Path(folder, "messages").open("w+b") as messages:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=messages,
                env={**os.environ, "LC_ALL": "C"},
            )
        except OSError as error:
            raise _CannotTellError(f"the compiler {command[0]} cannot be started: {error.strerror}") from error
        # A timeout of the waiting itself would look again and again instead of being woken.
        timer = threading.Timer(_TIMEOUT, process.kill)
        timer.start()
        try:
            import elftools.elf.elffile  # noqa: F401 - it loads while the compiler works

            status = process.wait()
        finally:
            timer.cancel()
            process.kill()  # where the import failed; else it has ended
        if status < 0:
            raise _CannotTellError(
                f"the compiler was ended by signal {-status} (after {_TIMEOUT} seconds it is killed)"
            )
        messages.seek(0)
        return status, messages.read().decode("utf-8", "replace")


def _rejection(stderr: str, path: str) -> _CannotTellError:
    """The compiler's first error, with its line where it is in the header itself."""
    message = re.search(r"^(?:(.+?):(?:(\d+)(?::\d+)?:)? )?(?:fatal )?error: (.*)", stderr, re.MULTILINE)
    if message is None:
        return _CannotTellError(f"the compiler failed: {(stderr.strip().splitlines() or ['it said nothing'])[-1]}")
    file, line, reason = message.groups()
    if file == str(Path(path).absolute()) and line:
        return _CannotTellError(f"the compiler rejects it: {reason}", int(line))
    place = ":".join(part for part in (file, line) if part)
    return _CannotTellError(f"the compiler rejects it: {place + ': ' if place else ''}{reason}")


# From debug information to names and values.


def _codes(elf: ELFFile, dies: Sequence[DIE], namespace: str) -> Iterator[tuple[str, int, int]]:
    """Name, value and line of the constants for which ``namespace::NAME`` is a 32-bit unsigned constexpr variable.

    ``dies`` are the entries on the top level.
    """
    # A variable that is declared and defined apart has two entries; each may hold what the other lacks.
    parts: dict[int, list[DIE]] = {}
    for die in dies:
        if "DW_AT_specification" in die.attributes:
            parts.setdefault(_declaration(die).offset, []).append(die)
    for space in dies:
        if space.tag == "DW_TAG_namespace" and _name(space) == namespace:
            for variable in _variables(space):
                entries = [variable, *parts.get(variable.offset, ())]
                if _is_code(variable, entries):
                    yield _name(variable), _value(elf, entries), variable.attributes["DW_AT_decl_line"].value


def _variables(namespace: DIE, seen: frozenset[int] = frozenset()) -> Iterator[DIE]:
    """The variables that a qualified name reaches, each name once: unnamed namespaces' first, those of others last."""
    taken = set()
    for variable in [*_own(namespace), *_used(namespace, seen | {namespace.offset})]:
        if _name(variable) not in taken:
            taken.add(_name(variable))
            yield variable


def _own(namespace: DIE) -> Iterator[DIE]:
    children = sorted(namespace.iter_children(), key=lambda die: bool(_name(die)) or die.tag != "DW_TAG_namespace")
    for child in children:
        if child.tag == "DW_TAG_namespace" and ("DW_AT_export_symbols" in child.attributes or not _name(child)):
            yield from _own(child)
        elif child.tag == "DW_TAG_imported_declaration":
            target = _declaration(child.get_DIE_from_attribute("DW_AT_import"))
            if target.tag == "DW_TAG_variable":
                yield target
        elif child.tag == "DW_TAG_variable":
            yield child


def _used(namespace: DIE, seen: frozenset[int]) -> Iterator[DIE]:
    """What a using-directive adds."""
    for child in namespace.iter_children():
        if child.tag == "DW_TAG_imported_module":
            space = child.get_DIE_from_attribute("DW_AT_import")
            if space.offset not in seen:
                yield from _variables(space, seen)


def _declaration(die: DIE) -> DIE:
    return die.get_DIE_from_attribute("DW_AT_specification") if "DW_AT_specification" in die.attributes else die


def _name(die: DIE) -> str:
    name = die.attributes.get("DW_AT_name")
    return name.value.decode() if name else ""


def _is_code(variable: DIE, entries: Sequence[DIE]) -> bool:
    constexpr = any("DW_AT_const_expr" in entry.attributes for entry in entries)
    die = variable
    while die.tag in ("DW_TAG_variable", "DW_TAG_const_type", "DW_TAG_typedef") and "DW_AT_type" in die.attributes:
        die = die.get_DIE_from_attribute("DW_AT_type")
    return constexpr and die.tag == "DW_TAG_base_type" and _name(die) == "unsigned int"


def _value(elf: ELFFile, entries: Sequence[DIE]) -> int:
    for entry in entries:
        constant = entry.attributes.get("DW_AT_const_value")
        if constant is not None:
            value = constant.value
            return int.from_bytes(value, "little") if isinstance(value, bytes) else int(value) & 0xFFFFFFFF
    locations = [entry.attributes["DW_AT_location"] for entry in entries if "DW_AT_location" in entry.attributes]
    return _stored(elf, locations[0].offset + 2)  # behind the length and the operation of the expression


def _stored(elf: ELFFile, position: int) -> int:
    """The four bytes that a variable is initialised with: a relocation of .debug_info says where they lie."""
    relocations: Any = elf.get_section_by_name(".rela.debug_info")
    for relocation in relocations.iter_relocations():
        if relocation["r_offset"] == position:
            symbols: Any = elf.get_section(relocations["sh_link"])
            symbol = symbols.get_symbol(relocation["r_info_sym"])
            start = symbol["st_value"] + relocation["r_addend"]
            return int.from_bytes(elf.get_section(symbol["st_shndx"]).data()[start : start + 4], "little")
    raise _CannotTellError("the compiler's debug information gives no value for a constant")
