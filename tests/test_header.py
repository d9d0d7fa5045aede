"""The strict reader: what it decides equals what the compiler says, and what it cannot decide it refuses."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llm_datadist_status import header

from .compiler import as_compiled, needs_compiler

PLAIN = """\
#pragma once
#include <cstdint>
namespace llm_datadist {
using Status = std::uint32_t;
constexpr Status LLM_SUCCESS = 0x0U;
constexpr Status LLM_FAILED = 0xFFFFFFFFU;  // a remark
#if 0
constexpr Status LLM_OLD = 0x5010B0FFU;
#endif
constexpr Status LLM_LINK_FAILED = 0x5010B009U, LLM_TIMEOUT{0x5010'B01AU};
constexpr const char kText[] = R"(constexpr Status LLM_TEXT = 1;)";
}  // namespace llm_datadist
"""


def within(body: str) -> str:
    """A header whose namespace holds these lines."""
    return (
        "#include <cstddef>\n#include <cstdint>\n"
        f"namespace llm_datadist {{\nusing Status = std::uint32_t;\n{body}\n}}\n"
    )


def read(text: str | bytes, path: str = "header.h") -> header.Reading:
    return header.read_source(text if isinstance(text, bytes) else text.encode(), path)


def values(text: str | bytes) -> dict[str, int | None]:
    """Names and values of a header in which everything must be decided."""
    reading = read(text)
    assert reading.undecided == ()
    assert [constant.reason for constant in reading.constants if constant.value is None] == []
    return {constant.name: constant.value for constant in reading.constants}


def refusal(text: str | bytes) -> header.Undecided:
    reading = read(text)
    assert reading.undecided, reading
    return reading.undecided[0]


# What a reading holds


def test_names_and_values_come_in_header_order_with_their_lines() -> None:
    reading = read(PLAIN)
    assert [(code.name, code.value, code.line) for code in reading.constants] == [
        ("LLM_SUCCESS", 0, 5),
        ("LLM_FAILED", 0xFFFFFFFF, 6),
        ("LLM_LINK_FAILED", 0x5010B009, 10),
        ("LLM_TIMEOUT", 0x5010B01A, 10),
    ]
    assert reading.undecided == ()


def test_a_reading_names_its_file_and_the_digest_of_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "h.h"
    path.write_bytes(b"namespace llm_datadist {}")
    reading = header.read_header(path)
    assert (reading.path, reading.files, reading.constants) == (str(path), (str(path),), ())
    assert reading.sha256 == hashlib.sha256(b"namespace llm_datadist {}").hexdigest()


def test_a_value_that_cannot_be_evaluated_keeps_its_name_and_says_why() -> None:
    (code,) = read(within("constexpr Status A = ge::FAILED;")).constants
    assert (code.name, code.value, code.line) == ("A", None, 5)
    assert "ge::FAILED" in code.reason


def test_an_empty_text_is_a_reading_without_codes() -> None:
    assert read(b"").constants == ()


@pytest.mark.parametrize("kind", ["missing", "folder", "empty"])
def test_what_is_no_file_is_an_error_that_names_it(tmp_path: Path, kind: str) -> None:
    path = tmp_path / kind
    if kind == "folder":
        path.mkdir()
    elif kind == "empty":
        path.touch()
    with pytest.raises(header.HeaderError, match=kind) as caught:
        header.read_header(path)
    assert caught.value.path == str(path)


# Bytes


def test_a_byte_order_mark_and_windows_line_ends_change_nothing() -> None:
    assert values(b"\xef\xbb\xbf" + PLAIN.replace("\n", "\r\n").encode()) == values(PLAIN)


def test_a_backslash_at_the_end_of_a_comment_takes_the_next_line_with_it() -> None:
    assert values(within("// C:\\\nconstexpr Status A = 1;\nconstexpr Status B = 2;")) == {"B": 2}


def test_the_second_byte_of_a_gbk_character_is_a_backslash_too() -> None:
    text = within("// @\nconstexpr Status A = 1;\nconstexpr Status B = 2;").encode().replace(b"@", "誠".encode("gbk"))
    assert values(text) == {"B": 2}


def test_a_backslash_with_blanks_behind_it_joins_lines_as_well() -> None:
    assert values(within("constexpr Status LLM_\\  \nA = 0x5\\\n0;")) == {"LLM_A": 0x50}


def test_lines_are_counted_as_in_the_file_where_they_are_joined() -> None:
    assert read(within("/* \\\n */ constexpr \\\n Status \\\n A = 1;")).constants[0].line == 8


def test_a_lone_carriage_return_is_refused() -> None:
    assert refusal(within("// a\rconstexpr Status A = 1;")).line is not None


@pytest.mark.parametrize(
    "rest", ["/* never closed", 'const char *a = "', 'const char *a = R"x( )";', "#if 1", "{", "\0", "é", "#error no"]
)
def test_what_no_compiler_takes_makes_nothing_certain(rest: str) -> None:
    reading = read(within("constexpr Status A = 1;\n" + rest))
    assert reading.constants == ()
    assert reading.undecided


@pytest.mark.parametrize(
    "line", ["#endif /*@", "#define X 1 /*@", "#pragma x /*@", "#include <a> /*@", '#define X R"(@']
)
@pytest.mark.parametrize("group", ["#if 1", "#if 0"])
def test_a_comment_or_string_that_a_directive_leaves_open_is_refused(group: str, line: str) -> None:
    text = f"{group}\n" + within("constexpr Status A = 1;") + ("" if "endif" in line else "#endif\n")
    assert "does not end" in refusal(text + line.replace("@", " open\n")).reason


# Conditions and macros


@pytest.mark.parametrize(
    ("condition", "met"),
    [
        ("0", False),
        ("LLM_LEVEL >= 2", False),
        ("!defined(LLM_X) && !defined LLM_Y", True),
        ("__cplusplus == 201703L", True),
        ("-1 > 0u", True),
        ("(1 << 40) / 3 % 7 ^ 1", True),
        ("true && !false", True),
    ],
)
def test_a_condition_is_evaluated_as_the_preprocessor_does(condition: str, met: bool) -> None:
    assert values(within(f"#if {condition}\nconstexpr Status A = 1;\n#endif")) == ({"A": 1} if met else {})


def test_groups_that_are_not_read_may_hold_prose() -> None:
    body = "#if 0\nIt isn't \"code }\n#ifdef X\n#else\n#endif\n#elif 1\nconstexpr Status A = 1;\n#else\n#error\n#endif"
    assert values(within(body)) == {"A": 1}


def test_a_code_that_depends_on_the_compiler_is_undecided_at_its_condition() -> None:
    problem = refusal(within("#ifdef __GNUC__\nconstexpr Status A = 1;\n#endif\nconstexpr Status B = 2;"))
    assert problem.line == 5
    assert "A" in problem.reason
    assert "__GNUC__" in problem.reason


def test_a_value_that_depends_on_the_compiler_is_unknown_and_the_name_is_not() -> None:
    reading = read(within("#ifdef _WIN32\n#define V 1\n#else\n#define V 2\n#endif\nconstexpr Status A = V;"))
    assert [(code.name, code.value) for code in reading.constants] == [("A", None)]
    assert reading.undecided == ()


@pytest.mark.parametrize(
    "top",
    [
        "#ifdef _WIN32\n#define API __declspec(dllexport)\n#else\n#define API __attribute__((visibility(1)))\n#endif",
        "#ifdef __GNUC__\n#define API __attribute__((unused))\n#endif\n#ifndef API\n#define API\n#endif",
        "#if __GNUC__ < 5\n#error too old\n#endif\n#define API",
        "#if __GNUC__ < 5\nstatic_assert(false);\n#endif\n#define API",
        "#if defined(__has_include) && __has_include(<string>)\n#include <string>\n#endif\n#define API",
    ],
)
def test_a_condition_on_the_compiler_does_no_harm_where_no_code_depends_on_it(top: str) -> None:
    assert values(top + "\n" + within("class API X { API X(); };\nAPI Status Run();\nconstexpr Status A = 1;")) == {
        "A": 1
    }


def test_an_include_guard_may_have_a_reserved_name() -> None:
    for opening in ("#ifndef __LLM_H__", "#if !defined(__LLM_H__)", "#pragma once\n#if !defined __LLM_H__"):
        text = f"// a\n{opening}\n#define __LLM_H__\n" + within("constexpr Status A = 1;") + "#endif  // b\n"
        assert values(text) == {"A": 1}


@pytest.mark.parametrize(
    "text",
    [
        "#ifndef __X\n#define __X\n@#else\n#endif",
        "#ifndef __X\n#define __X 0\n@#endif",
        "#ifndef __X\n#define __X(a) 0\n@#endif",
        "#ifndef __X\n#define __X\n@#endif\nint a;",
        "int a;\n#ifndef __X\n#define __X\n@#endif",
        "#ifndef __X\n#define __Y\n@#endif",
    ],
)
def test_a_reserved_name_that_does_not_guard_the_whole_file_is_the_compilers(text: str) -> None:
    assert "defined(__X)" in refusal(text.replace("@", within("constexpr Status A = 1;"))).reason


def test_a_default_for_a_macro_of_the_compiler_is_no_include_guard() -> None:
    text = "#ifndef __has_cpp_attribute\n#define __has_cpp_attribute(x) 0\n#endif\n"
    text += within(
        "#if __has_cpp_attribute(nodiscard)\n#define V 1\n#else\n#define V 2\n#endif\nconstexpr Status A = V;"
    )
    assert [code.value for code in read(text).constants] == [None]


@pytest.mark.parametrize("line", ["ifdef INT32_MAX", "if defined(SIZE_MAX)", "if INT64_C(5) > 1", "ifndef UINT8_C"])
def test_a_condition_on_a_macro_of_a_standard_header_is_undecided(line: str) -> None:
    assert "which only the compiler knows" in refusal(within(f"#{line}\nconstexpr Status A = 1;\n#endif")).reason


def test_a_macro_that_no_standard_header_has_is_undefined() -> None:
    assert values(within("#ifndef INT31_MAX\nconstexpr Status A = 1;\n#endif")) == {"A": 1}


def test_a_code_whose_name_is_a_macro_at_the_end_is_undecided() -> None:
    assert refusal(within("constexpr Status LLM_A = 1;\n#define LLM_A 5")).line == 5
    for line in ("#define LLM_A(x) 5", "#define LLM_A LLM_A", "#define LLM_A 5\n#undef LLM_A"):
        assert values(within(f"constexpr Status LLM_A = 1;\n{line}")) == {"LLM_A": 1}


@pytest.mark.parametrize(
    "body",
    [
        "#define A LLM_A\nconstexpr Status A = 7;",
        "#define CODE(n, v) constexpr Status LLM_##n = (v)\nCODE(A, 7);",
        "#define LIST(X) X(LLM_A, 7)\n#define X(n, v) constexpr Status n = v;\nLIST(X)",
        "#define V(...) __VA_ARGS__\nV(constexpr Status LLM_A = 7;)",
        "#define ID(x) x\nconstexpr Status LLM_A = ID(ID(3)) + ID\n(4);",
        "#define BASE 5\n#undef BASE\n#define BASE 7\nconstexpr Status LLM_A = BASE;",
        "#define LLM_A LLM_A\nconstexpr Status LLM_A = 7;",
        "#define TEXT(x) #x\nconst char *t = TEXT(constexpr Status B = 1;); constexpr Status LLM_A = 7;",
    ],
)
def test_macros_of_the_header_are_expanded(body: str) -> None:
    assert values(within(body)) == {"LLM_A": 7}


@pytest.mark.parametrize("line", ["DEFINE_CODE(A, 1);", "API constexpr Status A = 1;", "constexpr Status API A = 1;"])
def test_a_macro_from_elsewhere_that_could_make_a_code_is_refused(line: str) -> None:
    assert refusal(within(line)).line == 5


# Includes


def test_a_missing_include_is_passed_over_at_file_scope_only() -> None:
    assert values('#include "absent.h"\n' + within("constexpr Status A = 1;")) == {"A": 1}
    assert "absent.inc" in refusal(within('constexpr Status A = 1;\n#include "absent.inc"')).reason


def test_an_include_whose_name_is_no_text_reaches_the_list_of_dependencies(tmp_path: Path) -> None:
    name = "状态.h".encode("gbk")
    Path(os.fsdecode(bytes(tmp_path) + b"/" + name)).write_text("constexpr Status A = 1;\n")
    (tmp_path / "h.h").write_bytes(within('#include "@"').encode().replace(b"@", name))
    arguments = [str(tmp_path / "h.h"), "--names", str(tmp_path / "n"), "--depfile", str(tmp_path / "d")]
    assert header.main(arguments) == 0
    assert name in (tmp_path / "d").read_bytes()


@pytest.mark.parametrize("opening", ['extern "C" {', "namespace a {", "namespace {", 'extern "C" { namespace a::b { }'])
def test_a_missing_include_in_another_scope_is_passed_over(opening: str) -> None:
    text = f'{opening}\n#include "absent.h"\nint f();\n}}\n' + within("constexpr Status A = 1;")
    assert values(text) == {"A": 1}


@pytest.mark.parametrize("opening", ['extern "C" {', "namespace a {", "struct X {", "inline void f() {"])
def test_a_missing_include_is_undecided_wherever_it_lies_in_the_namespace(opening: str) -> None:
    assert refusal(within(f'{opening}\n#include "absent.inc"\n}};')).line == 6


def test_a_missing_include_within_a_class_or_function_is_undecided() -> None:
    for opening in ("struct X {", "inline void f() {", "namespace a { struct X {"):
        assert refusal(f'{opening}\n#include "absent.inc"\n}};\n' + "}" * (opening.count("{") - 1)).line == 2


def test_an_include_that_is_there_is_read_in_place(tmp_path: Path) -> None:
    top, part = tmp_path / "top.h", tmp_path / "part.inc"
    top.write_text(within('constexpr Status A = 1;\n#include "part.inc"\nconstexpr Status C = 3;'))
    part.write_text("constexpr Status B = 2;\n")
    reading = header.read_header(top)
    assert [(code.name, code.file, code.line) for code in reading.constants] == [
        ("A", str(top), 5), ("B", str(part), 1), ("C", str(top), 7),
    ]  # fmt: skip
    assert reading.files == (str(top), str(part))


def test_folders_are_searched_for_includes(tmp_path: Path) -> None:
    (tmp_path / "types.h").write_text("namespace ge { using Status = unsigned; constexpr Status BASE = 4; }")
    text = "#include <types.h>\nnamespace llm_datadist { using Status = ge::Status; constexpr Status A = ge::BASE; }"
    (code,) = header.read_source(text.encode(), "h.h", [str(tmp_path)]).constants
    assert code.value == 4


def test_an_include_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "self.h"
    path.write_text('#include "self.h"\n')
    assert "do not end" in header.read_header(path).undecided[0].reason


@pytest.mark.parametrize("guard", ["#pragma once\n@", "#ifndef G\n#define G\n@#endif\n"])
def test_a_guarded_file_is_read_once(tmp_path: Path, guard: str) -> None:
    path = tmp_path / "self.h"
    path.write_text(guard.replace("@", '#include "self.h"\n' + within("constexpr Status A = 1;")))
    assert [code.name for code in header.read_header(path).constants] == ["A"]


def test_an_include_may_have_any_bytes_for_its_name(tmp_path: Path) -> None:
    (tmp_path / "状态.h").write_text("constexpr Status A = 1;\n")
    path = tmp_path / "h.h"
    path.write_text(within('#include "状态.h"'), encoding="utf-8")
    reading = header.read_header(path)
    assert (reading.undecided, [code.name for code in reading.constants]) == ((), ["A"])
    assert header.read_facts(path).includes == ("<cstddef>", "<cstdint>", '"状态.h"')
    assert "没有.h" in refusal(within('#include "没有.h"')).reason


# The toolkit's header


def test_the_toolkit_types_are_known_without_its_headers() -> None:
    text = """
    #include "external/ge_common/ge_api_error_codes.h"
    namespace llm_datadist {
    using Status = ge::Status; using ge::AscendString; using ge::DT_FLOAT16;
    constexpr const char OPTION_A[] = "llm.A"; extern const char *const OPTION_B;
    struct Config { int a = 1; std::map<AscendString, AscendString> options{{"a", "b"}}; ge::DataType type; };
    enum class Role : int32_t { kPrompt = 1, kDecoder };
    class ASCEND_FUNC_VISIBILITY Engine : public Base<int> {
     public:
      explicit Engine(uint64_t id) : id_{id} {}
      virtual ~Engine() = default;
      Status Link(const std::vector<Config> &configs, std::vector<Status> &rets, int32_t timeout = 1000);
     private:
      class Impl; std::unique_ptr<Impl> impl_; uint64_t id_;
    };
    ASCEND_FUNC_VISIBILITY Status Check(const Engine &engine) noexcept;
    inline bool operator==(const Config &a, const Config &b) { return a.a == b.a; }
    template <typename T> inline T Pick(T a, T b) { return a < b ? a : b; }
    constexpr Status LLM_SUCCESS = 0U;
    }"""
    assert values(text) == {"LLM_SUCCESS": 0}


def test_a_using_declaration_of_what_could_be_a_code_is_refused() -> None:
    assert "ge::LLM_OTHER" in refusal('#include "absent.h"\n' + within("using ge::LLM_OTHER;")).reason


def test_status_counts_as_the_type_of_the_codes_whatever_it_is_an_alias_of() -> None:
    text = "namespace llm_datadist { using Status = vendor::Result; constexpr Status A = 1; }"
    assert values('#include "vendor/result.h"\n' + text) == {"A": 1}
    assert refusal(text).line == 1  # nothing could declare that type


def test_a_status_of_another_width_is_refused() -> None:
    assert refusal("namespace llm_datadist { using Status = unsigned long; constexpr Status A = 1; }").line == 1


@pytest.mark.parametrize(
    "text",
    [
        "namespace llm_datadist = vendor;",
        "namespace { namespace llm_datadist { constexpr unsigned A = 1; } }",
        "namespace v { constexpr unsigned A = 1; } namespace llm_datadist { using namespace v; }",
        "namespace llm_datadist { extern const unsigned A; } constexpr unsigned llm_datadist::A = 1;",
    ],
)
def test_roundabout_ways_into_the_namespace_are_refused(text: str) -> None:
    assert refusal(text).line == 1


def test_a_specialisation_of_a_variable_template_is_no_code() -> None:
    template = "template <int N> constexpr Status A = N; template <> constexpr Status A<3> = 1;"
    assert values(within(template + " constexpr Status B = 2;")) == {"B": 2}


@pytest.mark.parametrize(
    "literal", ["0", "7u", "0x5010B009U", "4294967295", "1'000", "017", "0b11", "0x1L", "0x1ffffffff"]
)
def test_a_plain_code_is_read_as_any_other(literal: str) -> None:
    assert values(within(f"constexpr Status A = {literal};")) == values(
        within(f"static constexpr Status A = {literal};")
    )


def test_a_plain_code_whose_name_is_taken_is_refused_as_any_other() -> None:
    assert "twice" in refusal(within("constexpr Status A = 1;\nconstexpr Status A = 1;")).reason


def test_other_namespaces_hold_no_codes() -> None:
    text = "namespace llm_datadist_v2 { constexpr unsigned A = 1; }\n"
    text += "namespace v { namespace llm_datadist { constexpr unsigned B = 1; } }\n"
    assert (
        values(text + "constexpr unsigned C = 1; namespace llm_datadist { namespace n { constexpr unsigned D = 1; } }")
        == {}
    )


# Against the compiler

# Inside the namespace: the reader must decide each of these, and as the compiler does.
DECIDED = [
    "constexpr Status A = 1;",
    "constexpr Status A = 1, B = 2, C{3}, D = {4}, E(5);",
    "Status constexpr A = 1;",
    "std::uint32_t const constexpr A = 1;",
    "constexpr unsigned A = 1;",
    "constexpr unsigned int A = 1;",
    "constexpr int unsigned A = 1;",
    "unsigned constexpr int A = 1;",
    "constexpr unsigned long A = 1;",
    "constexpr long unsigned int A = 1;",
    "constexpr unsigned short A = 1;",
    "constexpr signed A = 1;",
    "constexpr char32_t A = U'x';",
    "extern constexpr Status A = 1;",
    "static inline constexpr Status A = 1;",
    'extern "C" constexpr Status A = 1;',
    'extern "C" { constexpr Status A = 1; }',
    'extern "C++" { namespace n { constexpr Status B = 1; } constexpr Status A = 1; }',
    "inline namespace v { inline namespace w { constexpr Status A = 1; } }",
    "namespace { constexpr Status A = 1; }",
    "namespace { namespace { constexpr Status A = 1; } } constexpr Status B = A;",
    "namespace v { constexpr Status A = 1; } namespace w = v; constexpr Status B = w::A + v::A;",
    "namespace v { constexpr Status A = 1; } using v::A;",
    "namespace a::b { constexpr Status A = 1; } constexpr Status B = a::b::A;",
    "const Status A = 1; constexpr Status B = A + 1;",
    "static const Status A = 1;",
    "Status A = 1;",
    "constexpr Status A = -1;",
    "constexpr Status A = 0x100000001;",
    "constexpr Status A = 1 << 31;",
    "constexpr Status A = -8 >> 1;",
    "constexpr Status A = 1ull << 33 >> 2;",
    "constexpr Status A = 0u - 1u;",
    "constexpr Status A = -7 / 2;",
    "constexpr Status A = -7 % 3;",
    "constexpr Status A = (-7 < 2u) + 5;",
    "constexpr Status A = -1L < 1U;",
    "constexpr Status A = 07'7, B = 0b1'0, C = 1'000u, D = 0XfFu;",
    "constexpr Status A = (Status)-1;",
    "constexpr Status A = (1) - 2;",
    "constexpr Status B = 5; constexpr Status A = (B) - 2;",
    "constexpr Status A = Status(7) + Status{8} + Status() + Status{};",
    "constexpr Status A{};",
    "constexpr Status A = {};",
    "constexpr Status A = static_cast<std::uint8_t>(0x1FF);",
    "constexpr Status A = (std::int8_t)0xFF;",
    "constexpr Status A = static_cast<bool>(5) + bool(0);",
    "constexpr Status A = unsigned(5);",
    "constexpr Status A = !5 + ~0;",
    "constexpr Status A = 1 | 2 ^ 3 & 4 == 5 << 6 + 7 * 8 % 9;",
    "constexpr auto A = 1u;",
    "constexpr auto A = 1;",
    "constexpr auto A = Status{1}, B = Status{2};",
    "constexpr auto A{1u};",
    'constexpr auto A = "x";',
    "constexpr auto A = 1.5;",
    "constexpr auto A = nullptr;",
    "constexpr auto A = std::uint16_t{1} + 1u;",
    "constexpr const auto &A = 1u;",
    "constexpr Status A = 1; constexpr decltype(A) B = 2;",
    "constexpr Status A = 1; constexpr const Status &B = A; constexpr const Status *C = &A;",
    "constexpr Status A[2] = {1, 2};",
    "constexpr Status A[] = {1, 2}, B = 3;",
    "constexpr const Status *A = nullptr, B = 3;",
    "constexpr Status F(); constexpr Status A = 1;",
    "struct X {} x; constexpr Status A = 1;",
    "enum class E; constexpr Status C = 1;",
    "using U = Status; typedef U V, *P; constexpr V A = 1; constexpr P B = nullptr;",
    "typedef struct { int a; } T; constexpr T A = {1}; constexpr Status B = 2;",
    "typedef Status (*F)(Status); constexpr F A = nullptr; constexpr Status B = 2;",
    "typedef Status T[3]; constexpr T A = {1, 2, 3}; constexpr Status B = 2;",
    "using F = Status(int); using G = Status (*)(int); using H = Status[2]; constexpr G A = nullptr;",
    "using F = Status *; using G = const Status; constexpr G A = 1; constexpr F B = nullptr;",
    "using R = const Status &; constexpr Status A = 1; constexpr R B = A;",
    "namespace v { constexpr Status A = 2; } using v::A; using v::A;",
    '[[maybe_unused]] constexpr Status A [[deprecated("x")]] = 1, B [[maybe_unused]] {2};',
    "constexpr Status A __attribute__((unused)) = 1;",
    "constexpr Status __attribute__((unused)) A = 1;",
    "alignas(8) constexpr Status A = 1; alignas(Status) constexpr Status B = 1;",
    "thread_local constexpr Status A = 1;",
    "constexpr Status A = std::size_t{3};",
    "constexpr Status A = 1; } namespace llm_datadist { constexpr Status B = 2;",
    "Status f(Status a = 1) { constexpr Status X = 1; return X; } constexpr Status A = 1;",
    (
        "struct S { S(int a) : x{a}, y(a) {} int x{1}; int y; ~S(); operator bool() const;"
        " S operator+(S o) const { return o; } }; constexpr Status A = 1;"
    ),
    (
        "struct S { S(); int x; };"
        " inline S::S() : x{1} {} inline bool operator==(const S &, const S &) { return true; } constexpr Status A = 1;"
    ),
    "struct B {}; struct S final : public B { void g() const; }; inline void S::g() const {} constexpr Status A = 1;",
    (
        "template <typename T, typename U = int> T f(T a, U b) { return a;"
        " } template <> inline int f<int, int>(int a, int) { return a; } constexpr Status A = 1;"
    ),
    (
        "template <class T> struct S { template <class U> S(U); T t; };"
        " template <class T> S(T) -> S<T>; constexpr Status A = 1;"
    ),
    "auto f() -> Status; inline auto g(int a) -> decltype(a) { return a; } constexpr Status A = 1;",
    'inline int operator"" _x(unsigned long long a) { return int(a); } constexpr Status A = 1;',
    'static_assert(sizeof(Status) == 4, "x"); static_assert(true); constexpr Status A = 1;',
    "constexpr bool A = true; constexpr Status B = A; constexpr Status C{A};",
    "constexpr std::int64_t A = 1LL << 40; constexpr Status B = A >> 20, C = A;",
    "constexpr std::uint64_t A = -1; constexpr Status B = A % 1000;",
    "constexpr std::int16_t A = 40000; constexpr Status B = A;",
    "constexpr std::int16_t A = -3; constexpr std::uint64_t B = A; constexpr Status C = B >> 60;",
    "constexpr long A = 5; constexpr Status B{A};",
    (
        "namespace n { constexpr Status A = 1; } constexpr Status A = n::A + 1;"
        " namespace n { constexpr Status B = A + ::llm_datadist::A; } constexpr Status C = n::B;"
    ),
    "constexpr bool A = 1 < 2, B = (3 > 2); constexpr Status C = A + B;",
    "constexpr Status A = 0x80000000 - 1, B = -2147483648, C = -0x80000000;",
    "constexpr Status A = 4294967296, B = 18446744073709551615u;",
    "constexpr Status A = +5, B = - - 5, C = -(-5), D = !!7;",
    "constexpr Status A = UINT32_MAX, B = UINT32_C(7);",
    "constexpr Status const A = 5;",
    "class Q; Q *q(); const Q &r(Q &&a, Q b[3], int (*c)(int)); constexpr Status A = 1;",
    "extern int arr[]; extern int (*fp)(int); int (*const gp)(int) = nullptr; constexpr Status A = 1;",
    "union U { int a; float b; }; static union { int z; }; constexpr Status A = 1;",
    'asm(""); ; ; constexpr Status A = 1;;',
    "using namespace std; constexpr uint32_t A = 1; constexpr size_t B = 2;",
    "using std::uint32_t; using std::size_t; constexpr uint32_t A = 1;",
    "using uint32_t = int; constexpr uint32_t A = 1; constexpr ::uint32_t B = 2;",
    "namespace std { constexpr Status A = 1; } constexpr Status B = std::A;",
    "inline namespace v { constexpr Status A = 1; } namespace v { constexpr Status B = 2; } constexpr Status C = v::B;",
    "inline bool operator==(int *a, struct X b) = delete; constexpr Status A = 1;",
    "struct S { int a; bool operator()(int) const; S &operator=(int); }; constexpr Status A = 1;",
    "struct S { bool operator()() const; }; inline bool S::operator()() const { return 1; } constexpr Status A = 1;",
    "inline constexpr Status A = 1; inline Status B = 2; inline const Status C = 3;",
    "constexpr Status A = std::uint32_t{5}, B = ::std::uint32_t(6), C = (::std::uint32_t)7;",
    "constexpr Status a = 1, _b = 2, c1 = 3, LLM_ = 4;",
    "constexpr Status A = 1; using B = decltype(A); constexpr B C = 2;",
    "constexpr Status A = 1; constexpr Status &&B = 2;",
    "constexpr Status A = (((((((((((((((((((((((((((1)))))))))))))))))))))))))));",
    "constexpr Status A = 5 == 5 == 1;",
    "constexpr unsigned char A = 200; constexpr Status B = A << 24;",
    "constexpr volatile Status A = 1; constexpr Status B = 2;",
    "constexpr Status A = 0x10u, *B = nullptr, C = 010, D = A, E = 4294967295, F[1] = {1}, G = 7;",
    "Status volatile constexpr A = 1, *volatile B = nullptr; constexpr Status C = 2;",
    "constexpr Status A(1), B((2)), C(-1), D(static_cast<Status>(5)), E(A);",
    'static_assert(1 + 1 == 2); static_assert(sizeof(int) > 1, "x"); constexpr Status A = 1;',
    'constexpr Status A = 1; static_assert(A == 1, "x"); static_assert(static_cast<bool>(A));',
    "struct P { int a; }; struct Q { private: }; struct R {}; struct T { void f() {} }; constexpr Status A = 1;",
    "enum K { kA [[maybe_unused]] = 1 + 2, kB, }; enum class L {}; constexpr Status A = 1;",
    "struct S { void operator delete(void *); }; inline void S::operator delete(void *) {} constexpr Status A = 1;",
    "struct S { struct T { int a; }; static T b; }; constexpr Status A = 1;",
]

# Inside the namespace: ill-formed, or beyond the reader. It must say so, and what it does say must be true.
REFUSED = [
    "namespace v { constexpr Status A = 1; } using namespace v; constexpr Status B = A;",
    "extern const Status A; constexpr Status A = 1;",
    "constexpr Status A{-1};",
    "constexpr Status A = {0x100000000};",
    "constexpr Status A = 2147483647 + 1;",
    "constexpr Status A = 1 / 0;",
    "constexpr Status A = 1 << 32;",
    "constexpr Status A = 3 << 31;",
    "constexpr Status A = -1 << 1;",
    "constexpr Status A = 1u << 33;",
    "constexpr Status A = 'ab';",
    r"constexpr Status A = '\xff';",
    "constexpr Status A = u8'a' + u'b' + U'c' + L'd';",
    "constexpr Status A = 08;",
    "constexpr Status A = 0x;",
    "constexpr Status A = 1uu;",
    "constexpr Status A = 1lL;",
    "constexpr Status A = 0x5E+1;",
    "constexpr Status A = 1e3;",
    "constexpr Status A = 1.5;",
    "constexpr Status A = static_cast<Status>(1.5);",
    "constexpr Status A = (Status)1.5f;",
    "constexpr Status A = {{1}};",
    "constexpr Status A;",
    "constexpr Status A = (1, 2);",
    "constexpr Status A = sizeof(char[7]);",
    "constexpr Status A = alignof(int);",
    "constexpr auto A = [] { return 1; };",
    "constexpr Status A = 1; constexpr decltype((A)) B = A;",
    "constexpr decltype(auto) A = 1u;",
    "constexpr Status F(Status a) { return a; } constexpr Status A = F(1);",
    "constexpr Status A(Status(1));",
    "constexpr Status B = 1; constexpr Status A(Status(B));",
    "constexpr Status (A) = 1;",
    "constexpr Status A = A;",
    "constexpr Status A = B; constexpr Status B = 1;",
    "template <class T> constexpr Status A = sizeof(T); constexpr Status B = A<int>;",
    "template <class T> T f(T a) constexpr Status A = 1;",
    "template <class T> struct X {} constexpr Status A = 1;",
    "template <class T> T x = 1 constexpr Status A = 1;",
    "void f(constexpr Status A = 1;);",
    "__attribute__((unused)) FOO(A, 1);",
    "unsigned constexpr std::uint32_t A = 1;",
    "constexpr Status A<3> = 1;",
    'struct X {} \n extern "C" { constexpr Status A = 1; }',
    'int x extern "C" { constexpr Status A = 1; }',
    "namespace v { constexpr Status A = 1; } namespace v = w; constexpr Status B = v::A;",
    "inline namespace v { constexpr Status A = 1; } namespace v { constexpr Status A = 2; }",
    "namespace { namespace n { constexpr Status A = 1; } } namespace n { constexpr Status B = A; }",
    "template <class T> using Id = T; constexpr Id<Status> A = 1;",
    "template <class T> struct X { static constexpr Status V = 4; }; constexpr Status A = X<int>::V;",
    "struct X { static constexpr Status V = 4; Status f() { return 1; } int m{3}; }; constexpr Status A = X::V;",
    "enum class E { A = 3 }; constexpr Status C = E::A;",
    "constexpr Status A = 1; constexpr Status A = 1;",
    "constexpr Status A = 1; constexpr int A = 1;",
    "constexpr Status A = 1; void A();",
    "constexpr Status A = 1; namespace A {}",
    "constexpr Status A = 1; inline namespace v { constexpr Status A = 2; }",
    "constexpr Status A __attribute__((mode(DI))) = 1;",
    "constexpr Status A = [] { return 3u; }();",
    "constexpr Status A = 1 constexpr Status B = 2;",
    "constexpr Status A = 1 }",
    "constexpr float A = 1.5; constexpr Status B = A > 1;",
    "constexpr Status A = ::llm_datadist::f; constexpr Status B = 1;",
    "constexpr Foo A = 1;",
    "constexpr ns::Foo A = 1;",
    "FOO(A, 1);",
    "FOO constexpr Status A = 1;",
    "constexpr Status FOO A = 1;",
    "constexpr Status A = FOO(1);",
    "constexpr Status A = 9223372036854775808;",
    "constexpr Status A = nullptr;",
    'constexpr Status A = "x";',
    "constexpr Status A = 5,;",
    "constexpr Status , A = 5;",
    "constexpr Status A = ;",
    "constexpr Status A == 5;",
    "constexpr constexpr Status A = 5;",
    "static extern constexpr Status A = 5;",
    "constexpr Status int A = 5;",
    "constexpr Status Status A = 5;",
    "struct S {} Status f(); constexpr Status A = 1;",
    "int x constexpr Status A = 1;",
    "constexpr Status A = 5 > 3, B = 1 >> 0, C = (1 < 2, 3);",
    "constexpr Status A = reinterpret_cast<Status>(1u);",
    "constexpr Status A = const_cast<const Status &>(1);",
    "friend constexpr Status A = 1;",
    "mutable constexpr Status A = 1;",
    "constexpr Status A = 1'; // '",
    "constexpr Status A = 1; #define B 2",
    "export constexpr Status A = 1;",
    r"constexpr Status A \u0061 = 1;",
    "constexpr Status A = 1 <=> 2;",
    "constexpr signed unsigned A = 1;",
    "constexpr unsigned short A = 65535; constexpr Status B = A * A;",
    "constexpr wchar_t A = L'a'; constexpr Status B = A;",
    "constexpr uint_least32_t A = 1;",
    "constexpr std::uint_least32_t A = 1;",
    "namespace v { constexpr int A = 1; } using namespace v; constexpr Status B = A;",
    "namespace a::inline b { constexpr Status A = 1; } constexpr Status B = a::A;",
    "constexpr Status A = true ? 1 : 1 / 0;",
    "constexpr auto A = true ? 1 : 1u;",
    "constexpr Status A = true || 1 / 0;",
    "constexpr Status A = 'a';",
    r"constexpr Status A = '\n' + '\x41' + '\101' + '\0';",
    "constexpr Status A = not 5 or 0, B = compl 0, C = 6 bitand 3, D = 4 xor 1, E = 1 not_eq 2;",
    "constexpr Status A = 1 ? 2 ? 3 : 4 : 5;",
    "constexpr Status A = 0 ? 1 : 0 ? 2 : 3;",
    "constexpr Status A = sizeof(Status) + sizeof(int) + sizeof(long) + sizeof 1ull;",
    "constexpr auto A = sizeof(int);",
    "constexpr decltype(0u) A = 2; constexpr decltype(0) B = 3;",
    "constexpr Status F(int); constexpr Status G(Status), H(const Status &), I(unsigned x, int);",
    "constexpr Status A(Status{1});",
    "struct X { int a; } constexpr Y{1}; constexpr Status A = 1;",
    "struct A; constexpr Status A = 1;",
    "enum { A, B = 5, C }; constexpr Status D = A + B + C;",
    "enum E : std::uint8_t { A = 255 }; constexpr Status B = A + 1;",
    "enum E { A = -1 }; constexpr Status B = A;",
    "enum E { A = 0xFFFFFFFF }; constexpr Status B = A + 1;",
    "enum E { A = 1, B = A << 3, }; constexpr Status C = B, D = E::A;",
    "enum class E { A = 3 }; constexpr Status C = static_cast<Status>(E::A);",
    "enum class E : Status { A = 3 }; constexpr E C = E::A; constexpr Status D = (Status)E::A;",
    "enum class E : Status { A = 3 }; constexpr Status C = E::A == E::A;",
    "enum E : Status { A }; constexpr auto B = A; constexpr decltype(A) C = A;",
    "enum class E : Status; enum class E : Status { A = 1 }; constexpr Status C{Status(E::A)};",
    "constexpr Status A = 1; struct A {};",
    "namespace { constexpr Status A = 2; } constexpr Status A = 1;",
    "constexpr char A = 'x'; constexpr Status B = A;",
    "constexpr Status A = (Status{3} < 4) ? Status(5) : 6;",
    "constexpr struct S { int x; } A{1}; constexpr Status B = 2;",
    "constexpr Status A = 1u + 'a' * true - false;",
    "constexpr Status A = true ? (unsigned char)1 : 'b';",
    "constexpr char16_t A = u'x'; constexpr auto B = A + 0u; constexpr auto C = U'x' + 0;",
    "constxpr ::llm_datadist::Status A = 1;",
    "static constxpr ::llm_datadist::Status A = 1;",
    "constxpr ::llm_datadist::Status A(1);",
    "constexpr std::uint32 A = 1;",
    "constexpr std::chrono::millisecond A = 1;",
    "using std::uint32; constexpr uint32 A = 1;",
    "static_assert(1 + 1 == 3);",
    "static_assert();",
    "constexpr Status A = 1, A = 2;",
    "constexpr Status A = 1, if = 2;",
    'constexpr Status A = 1; static_assert(A == 2, "A");',
    "if (x) {}",
    "while (1) {}",
    "int x = ;",
    "constexpr int k = 3 4;",
    "constexpr float k = 3 x;",
    "enum Kind { kA; kB };",
    "enum Kind { kA kB };",
    "enum Kind { kA = };",
    "enum Kind { kA = 1; kB };",
    "struct P { int a };",
    "class P { public: int a[2] };",
]


@pytest.mark.parametrize("body", DECIDED)
def test_the_reader_decides(body: str) -> None:
    values(within(body))


@needs_compiler
@pytest.mark.parametrize("body", DECIDED)
def test_what_is_decided_equals_what_the_compiler_says(body: str, tmp_path: Path) -> None:
    path = tmp_path / "h.h"
    path.write_text(within(body))
    assert values(within(body)) == as_compiled(path)


@pytest.mark.parametrize("body", REFUSED)
def test_the_reader_refuses(body: str) -> None:
    reading = read(within(body))
    assert reading.undecided or None in [code.value for code in reading.constants]


@needs_compiler
def test_random_expressions_have_the_value_that_the_compiler_gives_them(tmp_path: Path) -> None:
    chance = random.Random(20250131)

    def expression(depth: int) -> str:
        if depth == 0:
            return chance.choice(["1", "2u", "7L", "0xFFu", "3ull", "true", "0x7fffffff", "4294967295", "B", "S"])
        left, right = expression(depth - 1), expression(chance.randrange(depth))
        operator = chance.choice(["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "==", "&&", "||"])
        return chance.choice(["{0} {1} {2}", "({0} {1} {2})", "-({0}) {1} {2}", "Status({0}) {1} {2}"]).format(
            left, operator, right
        )

    lines = ["constexpr Status B = 5; constexpr short S = -3;"]
    while len(lines) < 400:
        line = f"constexpr Status LLM_{len(lines)} = {expression(chance.randrange(1, 4))};"
        if read(within("\n".join([lines[0], line]))).constants[-1].value is not None:  # most of the others overflow
            lines.append(line)
    path = tmp_path / "h.h"
    path.write_text(within("\n".join(lines)))
    assert values(path.read_text()) == as_compiled(path)


# Whatever the input


@given(st.binary(max_size=300))
def test_no_bytes_make_it_raise(data: bytes) -> None:
    header.read_source(data, "h.h")


WORDS = 'constexpr Status namespace llm_datadist { } ( ) [ ] < > ; , = :: # /* */ // " \' R"( enum class #if'
PIECES = [*PLAIN.split(" "), *WORDS.split(), "\n", "\\\n"]


@settings(max_examples=400)
@given(st.lists(st.sampled_from(PIECES), max_size=60))
def test_no_tokens_make_it_raise(pieces: list[str]) -> None:
    header.read_source(" ".join(pieces).encode(), "h.h")


@settings(max_examples=400)
@given(st.data())
def test_no_mutation_of_a_header_makes_it_raise(data: st.DataObject) -> None:
    text = bytearray(PLAIN.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        text[start : start + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=4))
    header.read_source(bytes(text[: data.draw(st.integers(0, len(text)))]), "h.h")


@pytest.mark.parametrize(
    "text", ["(" * 5000 + "1" + ")" * 5000, "-" + " -" * 5000 + "1", "1 ? " * 5000 + "1" + " : 1" * 5000]
)
def test_deep_nesting_is_refused(text: str) -> None:
    reading = read(within(f"constexpr Status A = {text};"))
    assert reading.undecided or reading.constants[0].value is None


# Facts

TOOLKIT = """\
#include <map>
#include "external/ge_common/ge_api_error_codes.h"
#ifdef _WIN32
#include <never>
#endif
namespace llm_datadist {
constexpr const char OPTION_A[] = "llm.A";
constexpr const char *OPTION_B = "llm." "B\\n", *OPTION_C{"llm.C"};
constexpr const char *OPTION_NONE[] = {"a", "b"}, kOther[] = "x";
extern const char *const OPTION_ELSEWHERE;
class API LlmDataDist {
 public:
  Status LinkLlmClusters(const std::map<int, int> &clusters, std::vector<Status> &rets, int32_t timeout = 1000);
  Status UnlinkLlmClusters(int a, int timeout = 500 * 2, std::map<int, int> m = std::map<int, int>{}, bool b = false);
  Status Both() { return LinkLlmClusters(1, 2, other = 3); }
};
}
namespace other { class LlmDataDist { void LinkLlmClusters(int timeout = 1); }; }
"""


def facts(tmp_path: Path, text: str) -> header.Facts:
    path = tmp_path / "h.h"
    path.write_text(text)
    return header.read_facts(path)


def test_facts_are_includes_options_and_default_arguments(tmp_path: Path) -> None:
    found = facts(tmp_path, TOOLKIT)
    assert found.includes == ("<map>", '"external/ge_common/ge_api_error_codes.h"')
    assert found.options == {"OPTION_A": "llm.A", "OPTION_B": r"llm.B\n", "OPTION_C": "llm.C"}
    assert found.defaults == {
        "LinkLlmClusters": {"timeout": "1000"},
        "UnlinkLlmClusters": {"timeout": "500*2", "m": "std::map<int,int>{}", "b": "false"},
    }


def test_facts_name_the_includes_of_the_header_alone(tmp_path: Path) -> None:
    (tmp_path / "part.h").write_text("#include <inner>\n")
    assert facts(tmp_path, '#include "part.h"\n#include <vector>\n').includes == ('"part.h"', "<vector>")


@pytest.mark.parametrize("line", ["FOO(A, 1);", "#error no", "#define S(x) #x\nconstexpr char OPTION_A[] = S(x);"])
def test_facts_of_a_text_that_cannot_be_followed_are_an_error_with_its_place(tmp_path: Path, line: str) -> None:
    with pytest.raises(header.HeaderError, match=r"h\.h:[56]: "):
        facts(tmp_path, within(line))


@pytest.mark.parametrize("kind", ["missing", "empty"])
def test_facts_of_no_file_are_an_error(tmp_path: Path, kind: str) -> None:
    if kind == "empty":
        (tmp_path / kind).touch()
    with pytest.raises(header.HeaderError, match=kind):
        header.read_facts(tmp_path / kind)


# The build's command


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", header.__file__, *map(str, arguments)], capture_output=True, text=True, check=False
    )


def test_the_command_writes_names_values_and_dependencies(tmp_path: Path) -> None:
    folder = tmp_path / "with space"
    folder.mkdir()
    path = folder / "h.h"
    path.write_text(within("constexpr Status A = 0x5010B009U;\nconstexpr Status B = Unknown();"))
    names, text, rule = tmp_path / "names.inc", tmp_path / "text.inc", tmp_path / "names.d"
    done = run(path, "--names", names, "--text", text, "--depfile", rule)
    assert (done.returncode, done.stderr) == (0, "")
    assert names.read_text().splitlines()[1:] == ["LLM_DATADIST_CONSTANT(A)", "LLM_DATADIST_CONSTANT(B)"]
    assert text.read_text().splitlines()[1:] == [
        f'LLM_DATADIST_SHA256("{hashlib.sha256(path.read_bytes()).hexdigest()}")',
        'LLM_DATADIST_READ(A, "0x5010B009")',
        'LLM_DATADIST_READ(B, "")',
    ]
    assert rule.read_text() == f"{names}: {str(path).replace(' ', chr(92) + ' ')}\n"


@pytest.mark.parametrize("body", ["CODE(A, 1);", "int a;"])
def test_the_command_stops_at_what_is_undecided_and_writes_nothing(tmp_path: Path, body: str) -> None:
    path, names = tmp_path / "h.h", tmp_path / "names.inc"
    path.write_text(within(body))
    done = run(path, "--names", names)
    assert done.returncode == 2
    assert done.stderr.startswith(f"{path}:")
    assert ": error: " in done.stderr
    assert not names.exists()


def test_the_command_reports_a_header_that_is_not_there(tmp_path: Path) -> None:
    done = run(tmp_path / "absent.h", "--names", tmp_path / "names.inc")
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)


@pytest.mark.parametrize("define", ["#define __CODES_H__", "#define __CODES_H__ 1"])
def test_a_reserved_name_guards_the_file_with_a_body_or_without(define: str) -> None:
    text = f"#ifndef __CODES_H__\n{define}\n{within('constexpr Status A = 1;')}#endif\n"
    assert values(text) == {"A": 1}
