#pragma once
#include <cstdint>
namespace llm_datadist {
using Status = std::uint32_t;
#error no
constexpr Status A = 1;
}
