"""Include trees in the shape of an installed toolkit's, for the tests: our own text, the toolkit's form."""

from __future__ import annotations

from pathlib import Path

from .codes import CODES

OLD, NEW = "ge_api_error_codes.h", "api_error_codes.h"

_HEADER = """\
/**
 * A header in the form of the toolkit's.
 */
#ifndef INC_EXTERNAL_LLM_DATADIST_LLM_DATADIST_H_
#define INC_EXTERNAL_LLM_DATADIST_LLM_DATADIST_H_

#include <map>
#include <memory>
#include <string>
#include <vector>
#include "external/ge_common/{include}"

#if defined(_MSC_VER)
#ifdef FUNC_VISIBILITY
#define ASCEND_FUNC_VISIBILITY _declspec(dllexport)
#else
#define ASCEND_FUNC_VISIBILITY
#endif
#else
#ifdef FUNC_VISIBILITY
#define ASCEND_FUNC_VISIBILITY __attribute__((visibility("default")))
#else
#define ASCEND_FUNC_VISIBILITY
#endif
#endif

namespace llm_datadist {{
using Status = ge::Status;
using AscendString = ge::AscendString;
using DataType = ge::DataType;
using ge::DT_FLOAT16;
using ge::DT_INT8;

// options
constexpr const char OPTION_LISTEN_IP_INFO[] = "llm.ListenIpInfo";
constexpr const char OPTION_ENABLE_SET_ROLE[] = "llm.EnableSetRole";

// status codes
{codes}

enum class LlmRole : int32_t {{ kPrompt = 1, kDecoder = 2, kMix, kEnd }};

struct IpInfo {{
  AscendString ip;
  uint16_t port = 0U;
}};

struct ClusterInfo {{
  uint64_t remote_cluster_id = 0U;
  std::vector<IpInfo> local_ip_infos;
}};

class ASCEND_FUNC_VISIBILITY LlmDataDist {{
 public:
  LlmDataDist(uint64_t cluster_id, LlmRole role);
  ~LlmDataDist();
  Status Initialize(const std::map<AscendString, AscendString> &options);
  void Finalize();
  Status LinkLlmClusters(const std::vector<ClusterInfo> &clusters, std::vector<Status> &rets,
                         int32_t timeout_in_millis = 1000);
  Status UnlinkLlmClusters(const std::vector<ClusterInfo> &clusters, std::vector<Status> &rets,
                           int32_t timeout_in_millis = 1000, bool force_flag = false);

 private:
  class LlmDataDistImpl;
  std::unique_ptr<LlmDataDistImpl> impl_;
}};
}}  // namespace llm_datadist

#endif  // INC_EXTERNAL_LLM_DATADIST_LLM_DATADIST_H_
"""

_GRAPH_ENGINE = """\
#ifndef INC_EXTERNAL_GE_COMMON_{guard}_
#define INC_EXTERNAL_GE_COMMON_{guard}_
#include <cstdint>
#include <string>
#pragma message("this name is going to change")
#define GE_ERRORNO(runtime, type, level, sysid, modid, name, value, desc)                                        \\
  constexpr ge::Status name = (static_cast<uint32_t>(runtime) << 30) | (static_cast<uint32_t>(type) << 28) |      \\
                              (static_cast<uint32_t>(level) << 25) | (static_cast<uint32_t>(sysid) << 17) |       \\
                              (static_cast<uint32_t>(modid) << 12) | static_cast<uint32_t>(value);
namespace ge {{
using Status = uint32_t;
class AscendString {{
 public:
  AscendString() = default;
  explicit AscendString(const char *name) : name_(name) {{}}
  bool operator<(const AscendString &other) const {{ return name_ < other.name_; }}

 private:
  std::string name_;
}};
enum DataType {{ DT_FLOAT = 0, DT_FLOAT16 = 1, DT_INT8 = 2 }};
GE_ERRORNO(0, 0, 0, 0, 0, SUCCESS, 0, "success");
GE_ERRORNO(0b11, 0b11, 0b111, 0xFF, 0b11111, FAILED, 0xFFF, "failed");
}}  // namespace ge
#endif
"""


def plain_codes() -> list[str]:
    """The documented codes, each plainly declared on a line."""
    return [f"constexpr Status {name} = 0x{value:X}U;" for name, (value, _, _) in CODES.items()]


def make(root: Path, include: str, present: list[str], codes: list[str] | None = None) -> Path:
    """A toolkit in ``root``: its header includes ``include``, and of the graph engine's headers ``present`` exist."""
    header = root / "include" / "llm_datadist" / "llm_datadist.h"
    header.parent.mkdir(parents=True)
    text = _HEADER.format(include=include, codes="\n".join(plain_codes() if codes is None else codes))
    header.write_text(text, encoding="utf-8")
    for name in present:
        path = root / "include" / "external" / "ge_common" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name == OLD and NEW in present:
            path.write_text(f'#include "external/ge_common/{NEW}"\n', encoding="utf-8")
        else:
            path.write_text(_GRAPH_ENGINE.format(guard=name.upper().replace(".", "_")), encoding="utf-8")
    return root


# The shapes that releases and installations come in: which header is included, and which of the two are there.
SHAPES = {
    "old name, there": (OLD, [OLD]),
    "new name, there": (NEW, [NEW]),
    "old name, both there": (OLD, [OLD, NEW]),
    "old name, not there": (OLD, []),
    "new name, not there": (NEW, []),
    "new name, only the old one there": (NEW, [OLD]),
}
