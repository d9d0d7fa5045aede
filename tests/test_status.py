"""The compiled module, ``Status`` and ``UnknownStatus``."""

from __future__ import annotations

import copy
import hashlib
import pickle
import sys
from enum import IntEnum
from pathlib import Path
from typing import Any

import pytest
from elftools.elf.elffile import ELFFile

from llm_datadist_status import Status, UnknownStatus, _native, header_info, parse

from .codes import CODES
from .conftest import ROOT

HEADER = ROOT / "cpp" / "include" / "llm_datadist" / "llm_datadist.h"


def test_the_module_has_every_constant_of_the_header_under_its_own_name() -> None:
    assert {name: getattr(_native, name) for name in CODES} == {name: value for name, (value, _, _) in CODES.items()}


def test_the_modules_table_keeps_the_headers_order() -> None:
    assert _native.__constants__ == tuple((name, value) for name, (value, _, _) in CODES.items())


def test_the_values_of_the_bundled_header_are_distinct() -> None:
    values = [value for _, value in _native.__constants__]
    assert len(set(values)) == len(values) == 18


def test_header_info_says_which_header_it_was() -> None:
    info = header_info()
    assert (info.origin, info.path) == ("bundled", "bundled")
    assert info.sha256 == hashlib.sha256(HEADER.read_bytes()).hexdigest()
    assert info.names == tuple(CODES)


def test_members_are_exactly_the_modules_constants() -> None:
    assert issubclass(Status, IntEnum)
    assert [(status.name, int(status)) for status in Status] == list(_native.__constants__)


def test_a_value_and_a_name_give_the_member() -> None:
    assert Status(0x5010B009) is Status["LLM_LINK_FAILED"] is Status.LLM_LINK_FAILED


def test_what_is_no_member_is_refused() -> None:
    with pytest.raises(ValueError, match="not a valid Status"):
        Status(0x5010B0FF)
    with pytest.raises(KeyError):
        Status["LLM_LINK"]


def test_how_a_member_prints() -> None:
    status = Status.LLM_LINK_FAILED
    assert repr(status) == "<Status.LLM_LINK_FAILED: 0x5010B009>"
    assert str(status) == f"{status}" == "%s" % status == "LLM_LINK_FAILED"  # noqa: UP031
    assert f"{status:#x}" == "0x5010b009"
    assert f"{status:d}" == "1343270921"
    assert f"{status:>16}" == " LLM_LINK_FAILED"
    assert status.hex == "0x5010B009"


@pytest.mark.parametrize("name", CODES)
def test_documented_recoverability(name: str) -> None:
    status = Status[name]
    assert status.recoverable is CODES[name][1]
    assert status.ok is (name == "LLM_SUCCESS")


def test_members_behave_as_ints() -> None:
    status = Status.LLM_TIMEOUT
    assert status == 0x5010B01A
    assert hash(status) == hash(0x5010B01A)
    assert status > 0x5010B019
    assert not Status.LLM_SUCCESS


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_members_pickle_and_copy(protocol: int) -> None:
    status = Status.LLM_LINK_BUSY
    assert pickle.loads(pickle.dumps(status, protocol)) is status
    assert copy.copy(status) is copy.deepcopy(status) is status


def test_texts_come_in_two_languages_and_no_third() -> None:
    assert Status.LLM_TIMEOUT.description() == Status.LLM_TIMEOUT.description("en") != ""
    assert "Prompt" in Status.LLM_NOTIFY_PROMPT_UNLINK_FAILED.solution("zh")
    for text in (Status.LLM_TIMEOUT.description, Status.LLM_TIMEOUT.solution, Status.LLM_TIMEOUT.explain):
        with pytest.raises(ValueError, match="expected 'en' or 'zh'"):
            text("fr")


def test_fields_take_the_layout_apart() -> None:
    assert Status.LLM_LINK_FAILED.fields == {
        "runtime": 1,
        "type": 1,
        "level": 0,
        "sysid": 8,
        "modid": 11,
        "value": 9,
    }


@pytest.mark.parametrize("value", [0, 0xFFFFFFFF, 103900])
def test_fields_are_none_where_the_layout_does_not_apply(value: int) -> None:
    assert parse(value).fields is None


def test_an_unknown_value_keeps_its_number() -> None:
    status = UnknownStatus(0x5010B0FF)
    assert (int(status), status.hex, status.ok, status.recoverable) == (0x5010B0FF, "0x5010B0FF", False, None)
    assert (repr(status), str(status), f"{status:d}") == ("<UnknownStatus: 0x5010B0FF>", "0x5010B0FF", "1343271167")
    assert status.fields is not None
    assert status.fields["value"] == 0xFF
    assert status.description("en") != status.description("zh")
    assert status.advise().action.name == "COLLECT_LOGS"
    assert "0x5010B0FF" in status.explain()


def test_an_unknown_value_is_the_same_number_signed_and_unsigned() -> None:
    assert UnknownStatus(-2) == UnknownStatus(4294967294) == 4294967294


@pytest.mark.parametrize("value", [0x5010B009, -1, 0, 1 << 32, -(1 << 31) - 1])
def test_no_unknown_status_is_made_of_a_member_or_of_more_than_32_bits(value: int) -> None:
    with pytest.raises(ValueError, match=r"so it is not unknown|expected 32 bits"):
        UnknownStatus(value)


def test_an_unknown_value_pickles_and_copies() -> None:
    status = UnknownStatus(5)
    for again in (pickle.loads(pickle.dumps(status)), copy.deepcopy(status)):
        assert type(again) is UnknownStatus
        assert again == 5


def test_an_unknown_value_that_has_a_name_where_it_is_unpickled_gets_it() -> None:
    pickled = pickle.dumps(UnknownStatus(5), protocol=0).replace(b"I5\n", b"I%d\n" % 0x5010B009)
    assert pickle.loads(pickled) is Status.LLM_LINK_FAILED


linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads an ELF file")


@linux
def test_the_module_shows_no_symbol_but_its_own_entry() -> None:
    with Path(_native.__file__).open("rb") as file:
        symbols: Any = ELFFile(file).get_section_by_name(".dynsym")
        defined = {symbol.name for symbol in symbols.iter_symbols() if symbol["st_shndx"] != "SHN_UNDEF"}
    assert defined == {"PyInit__native"}


@linux
def test_importing_the_module_loads_no_library_of_cpp() -> None:
    with Path(_native.__file__).open("rb") as file:
        dynamic: Any = ELFFile(file).get_section_by_name(".dynamic")
        needed = {tag.needed for tag in dynamic.iter_tags() if tag.entry.d_tag == "DT_NEEDED"}
    if any(name.startswith("libstdc++") for name in needed):
        pytest.skip("the toolchain that built the module has no static libstdc++")
    assert not any(name.startswith(("libgcc", "libc++")) for name in needed)


def test_the_module_works_in_interpreters_with_a_gil_of_their_own() -> None:
    interpreters = pytest.importorskip("_interpreters", reason="Python 3.13 or newer has it")
    script = "import llm_datadist_status as p; assert p.parse(0x5010B009).name == 'LLM_LINK_FAILED'"
    for _ in range(2):
        interpreter = interpreters.create("isolated")
        try:
            assert interpreters.exec(interpreter, script) is None
        finally:
            interpreters.destroy(interpreter)
