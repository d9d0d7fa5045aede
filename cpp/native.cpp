// _native: the constants of namespace llm_datadist, straight from the header that this file is compiled against.
//
// The build reads the header's names and writes one LLM_DATADIST_CONSTANT(name) a line into llm_datadist_constants.inc.
// No value is written there or here: the compiler takes every value from the header. What the build's reader saw in the
// header's text is kept beside that, in llm_datadist_text.inc, so that the two can be held against each other.
#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "llm_datadist/llm_datadist.h"
#include "llm_datadist_header.h"

namespace py = pybind11;

namespace {

#define LLM_DATADIST_CONSTANT(NAME)                                                       \
  static_assert(std::is_same<decltype(::llm_datadist::NAME), const std::uint32_t>::value, \
                "llm_datadist::" #NAME " is not a constant of type uint32_t");
#include "llm_datadist_constants.inc"
#undef LLM_DATADIST_CONSTANT

struct Constant {
  const char* name;
  std::uint32_t value;
};

constexpr Constant kConstants[] = {
#define LLM_DATADIST_CONSTANT(NAME) {#NAME, ::llm_datadist::NAME},
#include "llm_datadist_constants.inc"
#undef LLM_DATADIST_CONSTANT
};

// One line a constant, name and value: a single string costs an import nothing.
constexpr const char kText[] =
#define LLM_DATADIST_SHA256(HEX)
#define LLM_DATADIST_READ(NAME, VALUE) #NAME " " VALUE "\n"
#include "llm_datadist_text.inc"
    ;
#undef LLM_DATADIST_READ
#undef LLM_DATADIST_SHA256

// Of the bytes that the reader read.
constexpr const char kSha256[] =
#define LLM_DATADIST_SHA256(HEX) HEX
#define LLM_DATADIST_READ(NAME, VALUE)
#include "llm_datadist_text.inc"
    ;
#undef LLM_DATADIST_READ
#undef LLM_DATADIST_SHA256

constexpr std::size_t kCount = sizeof(kConstants) / sizeof(kConstants[0]);

}  // namespace

// The module's own attributes have names that C++ reserves, so that no constant of a header can collide with them.
PYBIND11_MODULE(_native, module, py::mod_gil_not_used(), py::multiple_interpreters::per_interpreter_gil()) {
  py::tuple table(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    const Constant& constant = kConstants[i];
    const py::int_ value(constant.value);
    module.attr(constant.name) = value;
    table[i] = py::make_tuple(constant.name, value);
  }
  module.attr("__constants__") = table;
  module.attr("__header__") = py::make_tuple(LLM_DATADIST_HEADER_ORIGIN, kSha256, LLM_DATADIST_HEADER_PATH);
  module.attr("__text__") = kText;
  module.attr("__version__") = LLM_DATADIST_STATUS_VERSION;
}
