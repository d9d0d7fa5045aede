"""The command's entry: ``llm-datadist-status`` and ``python -m llm_datadist_status``."""

from __future__ import annotations

import sys

# The command's libraries and what they need themselves: import name, and the wheel that brings it.
_WHEELS = {
    "click": "click",
    "elftools": "pyelftools",
    "rich": "rich",
    "pygments": "pygments",
    "markdown_it": "markdown-it-py",
    "mdurl": "mdurl",
}


def main() -> None:
    """Run the command; without its libraries, say which wheels are missing and exit with status 2."""
    try:
        from .cli import run

        run()
    except KeyboardInterrupt:  # while the command was loading
        sys.exit(130)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _WHEELS:
            raise
        from importlib.util import find_spec

        missing = ", ".join(wheel for module, wheel in _WHEELS.items() if find_spec(module) is None)
        print(
            f"llm-datadist-status: the command needs wheels that are not installed: {missing}"
            " (the library itself works without them)",
            file=sys.stderr,
        )
        sys.exit(2)


if __name__ == "__main__":
    main()
