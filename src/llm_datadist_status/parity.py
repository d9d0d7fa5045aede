"""Whether all places where the codes are written say the same: sources of codes, their comparison, the verdict."""

from __future__ import annotations

from pathlib import Path

from . import _native
from .catalog import ENTRIES
from .header import Constant, HeaderError, Undecided, read_header

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from .header import Reading

_SCHEMA = 1
_HEADER = Path("llm_datadist", "llm_datadist.h")


class Source:
    """One place where codes are written.

    ``constants`` maps each name to where and with which value it was read, or is None where nothing could be read. A
    value of None is one that could not be read, and then ``undecided`` says why; in a source that lists ``names_only``
    it just means that there is none. What ``undecided`` holds beside that may hide or fake a name; a source without any
    code is undecided too, and ``expected`` says what it should hold.
    """

    def __init__(
        self,
        name: str,
        constants: Iterable[Constant] | None,
        undecided: Iterable[Undecided] = (),
        *,
        names_only: bool = False,
        expected: str = "status codes",
        remarks: Iterable[str] = (),
    ) -> None:
        self.name = name
        self.constants = None if constants is None else {constant.name: constant for constant in constants}
        undecided = tuple(undecided)
        if self.constants is not None and not self.constants and not undecided:
            undecided = (Undecided("", None, f"no code is found in it: expected {expected}"),)
        self.names_complete = not undecided
        self.names_only = names_only
        self.remarks = tuple(remarks)
        unread = [c for c in (self.constants or {}).values() if c.value is None and not names_only]
        self.undecided = (
            *undecided,
            *(Undecided(c.file, c.line, f"the value of {c.name}: {c.reason}") for c in unread),
        )


class Difference:
    """One difference between the sources ``between``; ``old`` and ``new`` are values, or names for a renamed code.

    ``kind`` is missing, added, renamed or changed; ``place`` is where the code stands in a header, where it does.
    """

    def __init__(
        self,
        kind: str,
        name: str,
        between: tuple[str, str],
        old: int | str | None,
        new: int | str | None,
        place: tuple[str, int] | None,
    ) -> None:
        self.kind = kind
        self.name = name
        self.between = between
        self.old = old
        self.new = new
        self.place = place

    def to_dict(self) -> dict[str, object]:
        """The difference as JSON's types."""
        return {
            "kind": self.kind,
            "name": self.name,
            "between": list(self.between),
            "old": self.old,
            "new": self.new,
            "severity": "error",  # what has moved in a lock beside the codes is a warning
        }


class Verdict:
    """What a comparison found; ``outcome`` is same, differs or cannot-tell."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = tuple(sources)
        self.differences = tuple(compare(sources))
        self.undecided = tuple((source.name, item) for source in sources for item in source.undecided)

    def grouped(self) -> list[list[Difference]]:
        """The differences, those together that say the same of other sources."""
        groups: dict[tuple[str, str, int | str | None, int | str | None], list[Difference]] = {}
        for item in self.differences:
            groups.setdefault((item.kind, item.name, item.old, item.new), []).append(item)
        return list(groups.values())

    @property
    def outcome(self) -> str:
        """Any certain difference decides; else anything undecided leaves the answer open."""
        return "differs" if self.differences else "cannot-tell" if self.undecided else "same"

    @property
    def exit_status(self) -> int:
        """0 same, 1 differs, 2 cannot tell."""
        return {"same": 0, "differs": 1, "cannot-tell": 2}[self.outcome]

    def to_dict(self) -> dict[str, object]:
        """The verdict as JSON's types."""
        return {
            "schema": _SCHEMA,
            "outcome": self.outcome,
            "sources": [
                {"name": source.name, "constants": None if source.constants is None else len(source.constants)}
                for source in self.sources
            ],
            "differences": [difference.to_dict() for difference in self.differences],
            "undecided": [{"source": name, "line": item.line, "reason": item.reason} for name, item in self.undecided],
        }


# The sources.


def compiled_header() -> Source:
    """What the text reader saw, at build time, in the header that the module was compiled from."""
    lines = [line.split(" ") for line in _native.__text__.splitlines()]
    reason = "the text reader could not evaluate it when the module was built"
    return Source(
        "compiled-header",
        [Constant(name, int(value, 16) if value else None, "", 0, reason) for name, value in lines],
    )


def module() -> Source:
    """The constants of the compiled module."""
    return Source("module", [Constant(name, value, "", 0) for name, value in _native.__constants__])


def catalogue() -> Source:
    """The names of the catalogue, each with the value of the compiled constant of its name, or none."""
    values = dict(_native.__constants__)
    return Source("catalogue", [Constant(name, values.get(name), "", 0) for name in ENTRIES], names_only=True)


def header(path: str, include_dirs: Sequence[str] = (), *, exact: bool = False) -> Source:
    """A header file, read as text or, if ``exact``, through the C++ compiler; its includes are looked for around it."""
    return _header(f"header:{path}", path, include_dirs, exact=exact)


def toolkit(folder: str, *, exact: bool = False) -> Source:
    """The header of the toolkit that is installed in ``folder``, read as ``header`` reads one."""
    return _header(f"cann:{folder}", str(header_of(folder)), (), exact=exact)


def header_of(folder: str) -> Path:
    """Where the header lies in an installed toolkit."""
    return Path(folder, "include", _HEADER)


def _header(name: str, path: str, include_dirs: Sequence[str], *, exact: bool) -> Source:
    read: Callable[[str, Sequence[str]], Reading] = read_header
    if exact:
        from .exact import read_exact as read
    try:
        reading = read(path, [*_tree_around(path), *include_dirs])
    except HeaderError as error:
        return Source(name, None, [Undecided(path, None, str(error))])
    problems = [_told(problem, path) for problem in reading.undecided]
    constants = None if problems and not reading.constants else reading.constants
    return Source(name, constants, problems, expected="constants of type Status in namespace llm_datadist")


def _tree_around(path: str) -> list[str]:
    """The include tree that a header lies in, where its folder is called as the toolkit's."""
    folder = Path(path).absolute().parent
    return [str(folder.parent)] if folder.name == _HEADER.parent.name else []


def _told(problem: Undecided, path: str) -> Undecided:
    """The problem as one of the header: in an included file, its line counts there and is told in the reason."""
    if problem.file == path:
        return problem
    return Undecided(path, None, f"{problem.file}:{problem.line}: {problem.reason}")


# The comparison.


def verify(sources: Sequence[Source] = ()) -> Verdict:
    """Compare the compiled header, the module, the catalogue and ``sources``, each with each, both ways."""
    return Verdict([compiled_header(), module(), catalogue(), *sources])


def compare(sources: Sequence[Source]) -> Iterable[Difference]:
    """Every difference that is certain, between each two sources of which the first comes earlier."""
    for number, first in enumerate(sources):
        for second in sources[number + 1 :]:
            if first.constants and second.constants:
                yield from _between(first, second, first.constants, second.constants)


def _between(
    first: Source, second: Source, old: Mapping[str, Constant], new: Mapping[str, Constant]
) -> Iterable[Difference]:
    def difference(kind: str, name: str, was: int | str | None, now: int | str | None, found: Constant) -> Difference:
        return Difference(
            kind, name, (first.name, second.name), was, now, (found.file, found.line) if found.file else None
        )

    for name in old:
        if name in new and None not in (old[name].value, new[name].value) and old[name].value != new[name].value:
            yield difference("changed", name, old[name].value, new[name].value, new[name])

    lost = [old[name] for name in old if name not in new]
    come = [new[name] for name in new if name not in old]
    # A name that seems lost may be one that could not be read, or may go on under a name whose value could not be read.
    lost_is_sure = second.names_complete and (second.names_only or all(constant.value is not None for constant in come))
    come_is_sure = first.names_complete and (first.names_only or all(constant.value is not None for constant in lost))
    renamed = _renamed(lost, come)
    for constant in lost:
        if constant.name in renamed:
            if lost_is_sure and come_is_sure:
                successor = renamed[constant.name]
                yield difference("renamed", constant.name, constant.name, successor.name, successor)
        elif lost_is_sure and _readable(constant, first):
            yield difference("missing", constant.name, constant.value, None, constant)
    taken = {successor.name for successor in renamed.values()}
    # Where names are lost without certainty, a new name with one's value may be its new name.
    doubtful = set() if lost_is_sure else {constant.value for constant in lost}
    for constant in come:
        if (
            constant.name not in taken
            and come_is_sure
            and _readable(constant, second)
            and constant.value not in doubtful
        ):
            yield difference("added", constant.name, None, constant.value, constant)


def _readable(constant: Constant, source: Source) -> bool:
    return constant.value is not None or source.names_only


def _renamed(lost: Sequence[Constant], come: Sequence[Constant]) -> dict[str, Constant]:
    """Old names with what stands in their place: where just one lost and one new name hold the same value."""
    renamed = {}
    for constant in lost:
        olds = [other for other in lost if other.value == constant.value]
        news = [other for other in come if other.value == constant.value]
        if constant.value is not None and len(olds) == len(news) == 1:
            renamed[constant.name] = news[0]
    return renamed
