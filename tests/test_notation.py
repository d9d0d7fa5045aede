"""``parse``: every form and spelling of a status, and nothing else."""

from __future__ import annotations

import pickle
from enum import Enum, IntEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_datadist_status import Status, UnknownStatus, advise, parse
from llm_datadist_status.notation import SPELLINGS, NotAStatusError

from .codes import CODES
from .official import GENERATIONS

MEMBERS = st.sampled_from(list(Status))
NUMBERS = st.integers(0, 0xFFFFFFFF) | MEMBERS.map(int)
SPACE = st.sampled_from(["", " ", "\t", "\r\n", "\u3000"])
LABELS = st.sampled_from(
    ["", "ErrorNo: ", "ret = ", "ret=", "ret:", "k_ret = ", "_ret: ", "status: ", "error code: ", "returned: "]
)


def forms_of_a_number(value: int) -> list[str]:
    forms = [f"{value}", f"{value}u", f"{value}U", f"0x{value:x}", f"0X{value:08X}", f"0x{value:X}U", f"0x{value:08x}u"]
    bare = f"{value:08x}"
    if not bare.isdigit():
        forms += [bare, bare.upper()]
    if value >> 31:
        forms.append(str(value - (1 << 32)))
    return forms


def forms_of_a_name(status: Status) -> list[str]:
    name = status.name
    return [
        name,
        name.lower(),
        name.title(),
        f"LLMStatusCode.{name}",
        f"Status.{name}",
        f"llm_datadist.LLMStatusCode.{name}",
        f"llm_datadist_status.Status.{name}",
        f"<LLMStatusCode.{name}: {int(status)}>",
        f"<Status.{name}: {status.hex}>",
        f"llm_datadist::{name}",
        f"::llm_datadist::{name}",
        f"ge::{name}",
        f"LLMstatuscode.{name.replace('_', ' ', 1)}",
        *(spelling for spelling, of in SPELLINGS.items() if of == name),
    ]


@given(value=NUMBERS, label=LABELS, before=SPACE, after=SPACE, data=st.data())
def test_every_form_of_a_number_reads_as_that_number(
    value: int, label: str, before: str, after: str, data: st.DataObject
) -> None:
    text = before + label + data.draw(st.sampled_from(forms_of_a_number(value))) + after
    assert parse(text) == value


@given(status=MEMBERS, label=LABELS, before=SPACE, after=SPACE, data=st.data())
def test_every_spelling_of_a_name_reads_as_its_member(
    status: Status, label: str, before: str, after: str, data: st.DataObject
) -> None:
    text = before + label + data.draw(st.sampled_from(forms_of_a_name(status))) + after
    assert parse(text) is status


@given(st.text() | st.text("0123456789abcdefABCDEFxXuU-_:=[]<>. LMStatuCodekr", max_size=24))
def test_no_text_makes_it_crash_or_lie(text: str) -> None:
    try:
        status = parse(text)
    except ValueError:
        return
    assert isinstance(status, (Status, UnknownStatus))
    assert parse(repr(status)) == parse(str(status)) == parse(int(status)) == status


@given(st.integers())
def test_an_int_is_a_member_an_unknown_value_or_refused(value: int) -> None:
    if -(1 << 31) <= value < 1 << 32:
        status = parse(value)
        assert status == value % (1 << 32)
        assert isinstance(status, Status) is (value % (1 << 32) in [code for code, _, _ in CODES.values()])
    else:
        with pytest.raises(ValueError, match="32 bits"):
            parse(value)


@pytest.mark.parametrize("name", CODES)
def test_each_member_by_its_name_and_value(name: str) -> None:
    assert parse(name) is parse(CODES[name][0]) is Status[name]


def test_the_official_misspelling_and_the_right_one() -> None:
    assert parse("kLinKFailed") is parse("kLinkFailed") is Status.LLM_LINK_FAILED


def test_minus_one_is_llm_failed() -> None:
    assert parse(-1) is parse("-1") is parse("ret = -1") is Status.LLM_FAILED


@pytest.mark.parametrize(
    "text",
    [
        "ErrorNo: 1343270921(the peer (slot 3) did not take the link)",
        "ErrorNo: 1343270921()",
        "error code[1343270921]",
        "error code [ 0x5010B009 ]",
        "error code[1343270921](a description)",
        "status: llm_datadist::LLM_LINK_FAILED",
        "returned: LLMStatusCode.LLM_LINK_FAILED",
    ],
)
def test_a_label_may_stand_before_and_a_description_after(text: str) -> None:
    assert parse(text) is Status.LLM_LINK_FAILED


@pytest.mark.parametrize(
    "text",
    [
        "port = 5",
        "secret = 1343270921",
        "ErrorNo 1343270921",
        "ErrorNo:",
        "ErrorNo: (1343270921)",
        "ErrorNo: 1343270921)",
        "ErrorNo: 1343270921(open",
        "error code[1343270921] again",
        "LLM_\N{LATIN SMALL LETTER LONG S}UCCESS",
        "LLM_LIN\N{KELVIN SIGN}_FAILED",
        "error code[1343270921",
        "ret == 5",
        "pull failed, ret = 1343270921",
        "1343270921 was returned",
        "LLM_LINK_FAILED again",
        "1 343 270 921",
        "+5",
        "--1",
        "-0x1",
        "-1u",
        "5010b009u",
        "1343270921L",
        "0b101",
        "1e9",
        "1343270921.0",
        "\N{ARABIC-INDIC DIGIT FIVE}",
        "kLINKFAILED",
        "KLINKFAILED",
        "LLMStatusCode.LINK_FAILED",
        "OtherCode.LLM_LINK_FAILED",
        "other::LLM_LINK_FAILED",
        "<LLMStatusCode.LLM_LINK_FAILED: 1343270922>",
        "<LLMStatusCode.LLM_LINK_FAILED>",
        "<LLMStatusCode.LLM_LINK_FAILED: 1343270921",
        "9" * 5000,
        "0x" + "F" * 5000,
    ],
)
def test_what_is_no_status_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a status code"):
        parse(text)


@pytest.mark.parametrize("value", [1 << 32, -(1 << 31) - 1, pytest.param(10**5000, id="huge")])
def test_an_int_of_more_than_32_bits_is_refused(value: int) -> None:
    for read in (parse, UnknownStatus, advise):
        with pytest.raises(ValueError, match=r"is not a status code: expected 32 bits"):
            read(value)


def test_leading_zeros_do_not_count() -> None:
    assert parse("0" * 5000) is parse("0x" + "0" * 5000) is Status.LLM_SUCCESS
    assert parse("0x" + "0" * 5000 + "5010b009") is Status.LLM_LINK_FAILED


@pytest.mark.parametrize("value", [None, True, 0.0, 1343270921.0, b"LLM_FAILED", [], object(), Status])
def test_what_is_neither_int_nor_str_is_a_type_error(value: object) -> None:
    with pytest.raises(TypeError, match="int or a str"):
        parse(value)


def test_an_error_names_what_was_given_and_what_is_near() -> None:
    with pytest.raises(ValueError, match=r"^'LLM_LINK_FAIL' is not a status code: did you mean LLM_LINK_FAILED"):
        parse("LLM_LINK_FAIL")
    with pytest.raises(ValueError, match=r"expected a number .* or a name"):
        parse("nothing")


def test_a_long_input_is_not_repeated_whole() -> None:
    with pytest.raises(ValueError, match="is not a status code") as caught:
        parse("x" * 100_000)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "text", ["LLM_UNKNOWN_ERROR", "LLMStatusCode.LLM_UNKNOWN_ERROR", "<LLMStatusCode.LLM_UNKNOWN_ERROR: -1>"]
)
def test_the_official_unknown_error_is_explained_in_both_readings(text: str) -> None:
    with pytest.raises(ValueError, match=r"official Python enum's -1.*LLM_FAILED"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("LLM_LINK_FAIL", "是否指LLM_LINK_FAILED"),
        ("链路", "'链路'不是错误码：应为数值"),
        ("0x100000000", "应为32位数值"),
        ("LLM_UNKNOWN_ERROR", "官方Python枚举"),
        ("<LLMStatusCode.LLM_FAILED: 5>", "LLM_FAILED的值是0xFFFFFFFF，不是0x00000005"),
    ],
)
def test_an_error_can_be_told_in_chinese(text: str, said: str) -> None:
    with pytest.raises(NotAStatusError) as caught:
        parse(text)
    assert said in caught.value.in_language("zh")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize("official", GENERATIONS)
def test_a_member_of_the_official_enum_is_read_by_its_name(official: Any) -> None:
    assert advise(official["LLM_LINK_FAILED"]).status is Status.LLM_LINK_FAILED
    assert advise(official["LLM_WAIT_PROCESS_TIMEOUT"]).status is Status.LLM_WAIT_PROC_TIMEOUT
    with pytest.raises(ValueError, match="official Python enum's -1"):
        advise(official["LLM_UNKNOWN_ERROR"])
    assert advise(official["LLM_NEW"]).status == UnknownStatus(5)


class OwnEnum(IntEnum):
    LLM_LINK_FAILED = 1343270921
    LLM_FAILED = 7


class OwnPlainEnum(Enum):
    LLM_LINK_FAILED = 1343270921
    LLM_FAILED = 7


def test_another_enum_counts_by_its_number() -> None:
    assert parse(OwnEnum.LLM_LINK_FAILED) is parse(OwnPlainEnum.LLM_LINK_FAILED) is Status.LLM_LINK_FAILED
    assert parse(OwnEnum.LLM_FAILED) == UnknownStatus(7)
    with pytest.raises(TypeError):
        parse(OwnPlainEnum.LLM_FAILED)
