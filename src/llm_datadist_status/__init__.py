"""What every status code of LLM-DataDist means, kept equal to the native header, and what to do about it.

Importing the package loads nothing but this file (not even ``__future__``, so annotations are quoted where they must
be); each name is loaded from its module when it is first used.
"""

TYPE_CHECKING = False  # typing itself is slow to import; type checkers know a constant of this name
if TYPE_CHECKING:
    from . import errors
    from ._native import __version__ as __version__
    from .advice import Action, Advice, advise, fold_links
    from .cpp import get_cmake_dir, get_include
    from .errors import StatusError, error_for, explained, from_exception, raise_for_status
    from .notation import parse
    from .observability import StatusFilter, attributes, labels
    from .retry import retryable, with_recovery
    from .scan.logs import scan_bytes, scan_file, scan_lines
    from .scan.report import Report
    from .status import Status, UnknownStatus, header_info

__all__ = [
    "Action",
    "Advice",
    "Report",
    "Status",
    "StatusError",
    "StatusFilter",
    "UnknownStatus",
    "advise",
    "attributes",
    "error_for",
    "errors",
    "explained",
    "fold_links",
    "from_exception",
    "get_cmake_dir",
    "get_include",
    "header_info",
    "labels",
    "parse",
    "raise_for_status",
    "retryable",
    "scan_bytes",
    "scan_file",
    "scan_lines",
    "with_recovery",
]

# The module that each name is loaded from; a module is its own.
_MODULES = {
    "Action": "advice",
    "Advice": "advice",
    "Report": "scan.report",
    "Status": "status",
    "StatusError": "errors",
    "StatusFilter": "observability",
    "UnknownStatus": "status",
    "__version__": "_native",
    "advise": "advice",
    "attributes": "observability",
    "error_for": "errors",
    "errors": "",
    "explained": "errors",
    "fold_links": "advice",
    "from_exception": "errors",
    "get_cmake_dir": "cpp",
    "get_include": "cpp",
    "header_info": "status",
    "labels": "observability",
    "parse": "notation",
    "raise_for_status": "errors",
    "retryable": "retry",
    "scan_bytes": "scan.logs",
    "scan_file": "scan.logs",
    "scan_lines": "scan.logs",
    "with_recovery": "retry",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = __import__(f"{__name__}.{_MODULES[name] or name}", fromlist=(name,))
    value = getattr(module, name) if _MODULES[name] else module
    globals()[name] = value  # the next access does not come here
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
