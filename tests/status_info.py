"""The text of ``status_info.hpp``: the catalogue and the advice for programs in C++. ``tests.generate`` writes it.

What the header answers is asked of ``Status`` and ``advise`` here, so it cannot differ from them. No value is written:
the codes are named, and the including program's own ``llm_datadist.h`` says what they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from textwrap import wrap

from llm_datadist_status import Action, Advice, Status, UnknownStatus, advise
from llm_datadist_status.calls import CPP_CALLS, KINDS
from llm_datadist_status.catalog import CONDITIONS

WIDTH = 120  # of a line

UNKNOWN_NAME = "unknown status"
# Python speaks of the header here. This file may be older than the header, which then has a name for the value.
UNKNOWN_DESCRIPTION = "No status code with this value is known."

_RECOVERABLE = {None: "NotApplicable", False: "No", True: "Yes"}

# The kinds of calls for which advice can differ, each with one call of it.
_SPECIAL = {KINDS[call]: call for call in CPP_CALLS if KINDS[call] in CONDITIONS}
_OTHER = next(call for call in CPP_CALLS if not KINDS[call])

Branch = tuple[str, str]  # a condition and the value where it holds, both in C++


def status_info() -> str:
    """The whole header."""
    unknown = UnknownStatus(1)
    longest = max((status.name for status in Status), key=len)
    return _TEMPLATE.format(
        actions=_enumerators(_camel(action.name) for action in Action),
        calls=_enumerators(CPP_CALLS),
        predicates="\n\n".join(_predicate(kind) for kind in _SPECIAL),
        names=_values([(_is(status), _quoted(status.name)) for status in Status], _quoted(UNKNOWN_NAME)),
        action_names=_values(
            [(f"action == Action::{_camel(action.name)}", _quoted(action.name)) for action in Action],
            _quoted("unknown action"),
        ),
        descriptions=_texts([(_is(status), status.description()) for status in Status], UNKNOWN_DESCRIPTION),
        recoverable=_values([(_is(status), _recoverable(status)) for status in Status], _recoverable(unknown)),
        advised=_values(list(_by_call(_action)), _action(advise(unknown))),
        remedies=_texts(list(_by_call(_remedy)), _remedy(advise(unknown))),
        longest=f"{longest} (0x00000000)",
    )


def _by_call(of: Callable[[Advice], str]) -> Iterator[Branch]:
    """What ``of`` makes of the advice for each status; first for the calls for which that is something special."""
    for status in Status:
        usual = of(advise(status, _OTHER))
        without = of(advise(status))
        if without != usual:
            yield f"{_is(status)} && call == Call::Any", without
        for kind, call in _SPECIAL.items():
            special = of(advise(status, call))
            if special != usual:
                yield f"{_is(status)} && detail::{_predicate_name(kind)}(call)", special
        yield _is(status), usual


def _is(status: Status) -> str:
    return f"status == llm_datadist::{status.name}"


def _action(advice: Advice) -> str:
    return f"Action::{_camel(advice.action.name)}"


def _remedy(advice: Advice) -> str:
    return " ".join(advice.steps("en"))


def _recoverable(status: Status | UnknownStatus) -> str:
    return f"Recoverable::{_RECOVERABLE[status.recoverable]}"


def _camel(name: str) -> str:
    return name.title().replace("_", "")


def _enumerators(names: Iterator[str] | tuple[str, ...]) -> str:
    return "\n".join(f"  {name}," for name in names)


def _predicate_name(kind: str) -> str:
    return f"is_{kind.replace(' ', '_')}"


def _predicate(kind: str) -> str:
    """A function that says whether a call is of ``kind``, as clang-format lays it out."""
    head = f"constexpr bool {_predicate_name(kind)}(Call call) noexcept {{"
    calls = [f"call == Call::{call}" for call in CPP_CALLS if KINDS[call] == kind]
    short = f"{head} return {' || '.join(calls)}; }}"
    if len(short) <= WIDTH:
        return short
    # Lines end after an operator, so each comparison is kept in one piece with the operator behind it.
    pieces = "\0|| ".join(calls).replace(" == ", "\0==\0")
    condition = f"\n{' ' * 9}".join(wrap(pieces, WIDTH - 10)).replace("\0", " ")
    return f"{head}\n  return {condition};\n}}"


def _values(branches: list[Branch], otherwise: str) -> str:
    """The body of a function that returns a short value: a branch a line, as clang-format lays it out."""
    width = max(len(condition) for condition, _ in branches)
    # The first condition stands beside "return" where the others have an indent and a colon: two columns less.
    lines = [f"{condition:{width + (0 if n else 2)}} ? {value}" for n, (condition, value) in enumerate(branches)]
    return "  return " + "\n         : ".join(lines) + f"\n{' ' * (width + 11)} : {otherwise};"


def _texts(branches: list[Branch], otherwise: str) -> str:
    """The body of a function that returns a text: a condition, then its text on lines of its own."""
    lines = [f"{condition}\n             ? {_literal(text)}" for condition, text in branches]
    return (
        "  // clang-format off: each text begins on a line of its own\n"
        "  return " + "\n         : ".join(lines) + f"\n             : {_literal(otherwise)};\n"
        "  // clang-format on"
    )


def _literal(text: str) -> str:
    """A string literal in as many lines as it takes, every line but the last with the space that ends it."""
    lines = wrap(text, WIDTH - 19)  # less the indent, the quotes, a space and a semicolon
    return f"\n{' ' * 15}".join(_quoted(line + " " * (n < len(lines))) for n, line in enumerate(lines, 1))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


_TEMPLATE = """\
// What each status code of LLM-DataDist means and what to do about it, for programs in C++11 and later. By the page
// "Error Codes" of the LLM-DataDist C++ API (CANN commercial edition 9.0.0), in the words of llm-datadist-status.
//
// No value is written here: every code is what the llm_datadist/llm_datadist.h that is found makes of its name. A code
// that is newer than this file is unknown here; a header that lacks one of the names below does not compile with it.
//
// Generated by tests/generate.py from the catalogue.
#ifndef LLM_DATADIST_STATUS_STATUS_INFO_HPP_
#define LLM_DATADIST_STATUS_STATUS_INFO_HPP_

#include "llm_datadist/llm_datadist.h"

namespace llm_datadist_status {{

// What a caller should do.
enum class Action {{
{actions}
}};

// Whether one can recover from a code; it does not apply to success and to unknown values.
enum class Recoverable {{ NotApplicable, No, Yes }};

// The call that reported a status; Any where it is not known.
enum class Call {{
  Any,
{calls}
}};

namespace detail {{

{predicates}

}}  // namespace detail

// The name of a status, such as "LLM_LINK_FAILED"; "unknown status" for a value that is none.
constexpr const char* name(llm_datadist::Status status) noexcept {{
{names}
}}

// The name of an action, such as "CHECK_NETWORK".
constexpr const char* name(Action action) noexcept {{
{action_names}
}}

// What a status means, in a sentence.
constexpr const char* description(llm_datadist::Status status) noexcept {{
{descriptions}
}}

constexpr Recoverable recoverable(llm_datadist::Status status) noexcept {{
{recoverable}
}}

// What to do about a status that `call` reported.
constexpr Action action(llm_datadist::Status status, Call call = Call::Any) noexcept {{
{advised}
}}

// The same in sentences. Without a call, what depends on it says on what.
constexpr const char* remedy(llm_datadist::Status status, Call call = Call::Any) noexcept {{
{remedies}
}}

// Name and value of a status, such as "LLM_LINK_FAILED (0x5010B009)", so that a log keeps the value of an unknown one.
// Nothing is allocated: the text lives as long as this object.
class StatusText {{
 public:
  explicit StatusText(llm_datadist::Status status) noexcept {{
    char* end = append(append(text_, name(status)), " (0x");
    for (int shift = 28; shift >= 0; shift -= 4) {{
      *end++ = "0123456789ABCDEF"[(status >> shift) & 0xFU];
    }}
    append(end, ")");
  }}

  const char* c_str() const noexcept {{ return text_; }}

 private:
  // Copies with the terminating zero, and returns where that stands.
  static char* append(char* end, const char* text) noexcept {{
    while ((*end = *text++) != '\\0') {{
      ++end;
    }}
    return end;
  }}

  char text_[sizeof("{longest}")];
}};

}}  // namespace llm_datadist_status

#endif  // LLM_DATADIST_STATUS_STATUS_INFO_HPP_
"""
