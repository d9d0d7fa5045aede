"""Stand-ins for the graph engine's headers, for include trees that lack them: types, and no values.

The toolkit's ``llm_datadist.h`` includes one header of the graph engine, whose name depends on the release,
and takes three types from it. CMake runs this file by path before the package exists, so it imports nothing from it.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_NAMES = ("ge_api_error_codes.h", "api_error_codes.h")

_TEXT = """\
// A stand-in for the graph engine's header of this name: types and no values.
#ifndef LLM_DATADIST_STATUS_STAND_IN_H_
#define LLM_DATADIST_STATUS_STAND_IN_H_

#include <cstdint>

namespace ge {{
using Status = std::uint32_t;
class AscendString {{}};
enum DataType : int {{ {types} }};
}}  // namespace ge

#endif  // LLM_DATADIST_STATUS_STAND_IN_H_
"""


def write_stand_ins(header: str | Path, folder: str | Path) -> None:
    """Write the stand-ins below ``folder``, which is then searched after all others (``-idirafter``).

    ``header`` is the header that will be compiled; ``DataType`` gets the ``ge::DT_...`` names that it uses.

    Raises:
        OSError: the header cannot be read or the stand-ins cannot be written.
    """
    types = re.findall(rb"\bge\s*::\s*(DT_\w+)", Path(header).read_bytes())
    text = _TEXT.format(types=", ".join(dict.fromkeys(name.decode() for name in types)))
    place = Path(folder, "external", "ge_common")
    place.mkdir(parents=True, exist_ok=True)
    for name in _NAMES:
        (place / name).write_text(text, encoding="ascii")


def main(argv: Sequence[str]) -> int:
    """``stand_in.py HEADER FOLDER``: what CMake runs."""
    write_stand_ins(*argv)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
