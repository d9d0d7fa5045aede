"""What every status code of LLM-DataDist means, kept equal to the native header, and what to do about it.

Importing the package loads nothing but this file (not even ``__future__``, so annotations are quoted where they must
be); each name is loaded from its module when it is first used.
"""

TYPE_CHECKING = False  # typing itself is slow to import; type checkers know a constant of this name
if TYPE_CHECKING:
    from ._native import __version__ as __version__
    from .advice import Action, Advice, advise
    from .notation import parse
    from .status import Status, UnknownStatus, header_info

__all__ = ["Action", "Advice", "Status", "UnknownStatus", "advise", "header_info", "parse"]

_MODULES = {
    "Action": "advice",
    "Advice": "advice",
    "Status": "status",
    "UnknownStatus": "status",
    "__version__": "_native",
    "advise": "advice",
    "header_info": "status",
    "parse": "notation",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(__import__(f"{__name__}.{_MODULES[name]}", fromlist=(name,)), name)
    globals()[name] = value  # the next access does not come here
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
