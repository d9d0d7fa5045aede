"""The same scan on every node of a Ray cluster, over the node's own files, merged into one report."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import sys
from collections import Counter

from .. import __version__
from .logs import Scan
from .report import Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from .find import Found

    Batch = list[dict[str, object]]
    Summary = tuple[Report, set[int]]

_BATCH = 512  # occurrences sent together
_AHEAD = 4  # batches that a node may be ahead
_VALUES = 4096  # different values that are remembered as reported
_CONNECT = 10  # seconds to wait for an address to answer


class ClusterError(Exception):
    """Why there is no cluster to scan on."""


def scan_cluster(
    address: str,
    paths: list[str],
    found: Callable[[dict[str, object]], None] | None = None,
    *,
    jobs: int = 1,
    quote: bool = False,
) -> tuple[Report, set[int]]:
    """Scan files and directories on every node of the cluster at ``address`` ("auto": the one that runs here).

    Paths stand as ``node:path`` in the report, where a node that is lost, has no such path or lacks this package is
    ``unreadable``. ``found`` gets each occurrence in JSON's types; ``jobs`` are the threads on each node, and ``quote``
    is as in ``Scan``. With the report come the values that were reported, not as wrappers or mentions alone.

    Raises:
        ClusterError: Ray is not installed, or there is no such cluster.
    """
    try:
        import ray
    except ImportError:
        raise ClusterError("Ray is not installed: pip install 'llm-datadist-status[ray]'") from None
    paths = [os.path.abspath(path) for path in paths]  # noqa: PTH100 - bytes that are no text
    with contextlib.redirect_stdout(sys.stderr):  # Ray talks
        own = not ray.is_initialized()
        if own:
            _connect(ray, address)
        try:
            return _gather(ray, found, (paths, jobs, found is not None, quote))
        finally:
            if own:
                ray.shutdown()


def _connect(ray: Any, address: str) -> None:
    if "://" in address:
        raise ClusterError(f"expected auto or the cluster's own address, such as 10.0.0.1:6379, and not {address!r}")
    host, _, port = address.rpartition(":")
    try:
        if host and port.isdecimal():  # Ray itself would wait long for one that does not answer
            socket.create_connection((host.strip("[]"), int(port)), _CONNECT).close()
        ray.init(address=address, log_to_driver=False, logging_level=logging.CRITICAL)
    except (OSError, RuntimeError, ValueError, ImportError, OverflowError) as error:
        first = str(error).strip().partition("\n")[0]
        raise ClusterError(f"there is no Ray cluster at {address!r}: {first or type(error).__name__}") from error


def _gather(
    ray: Any, found: Callable[[dict[str, object]], None] | None, scan: tuple[list[str], int, bool, bool]
) -> tuple[Report, set[int]]:
    report, reported = Report(), set[int]()
    streams = {_start(ray, node, name, scan): name for name, node in living_nodes(ray).items()}
    while streams:
        (stream, *_), _ = ray.wait(list(streams), num_returns=1, fetch_local=False)
        item = _next(ray, stream)
        if isinstance(item, tuple):
            report, reported = report.merge(item[0]), reported | item[1]
        elif isinstance(item, str):
            report = report.merge(_lost(streams.pop(stream), scan[0], item))
        elif item is None:
            del streams[stream]
        elif found is not None:
            for occurrence in item:
                found(occurrence)
    return report, reported


def _next(ray: Any, stream: Any) -> Batch | Summary | str | None:
    """What a node sends next: occurrences, its report, why there is none; None at the end."""
    try:
        item: Batch | Summary | str = ray.get(next(stream))
    except StopIteration:
        return None
    except ray.exceptions.RayTaskError as error:
        return f"the scan failed there: {error.cause or error}"
    except ray.exceptions.RayError as error:
        return f"the node was lost while it was scanned ({type(error).__name__})"
    return item


def living_nodes(ray: Any) -> dict[str, str]:
    """The ids of the living nodes by name; nodes of the same name are told apart by the first digits of their ids."""
    nodes = [(node["NodeName"], node["NodeID"]) for node in ray.nodes() if node["Alive"]]
    times = Counter(name for name, _ in nodes)
    return {name if times[name] == 1 else f"{name}#{node[:8]}": node for name, node in sorted(nodes)}


def _start(ray: Any, node: str, name: str, scan: tuple[list[str], int, bool, bool]) -> Any:
    # A function within a function goes to the node by value, so that it runs where the package is missing, too.
    def scan_here(version: str, *args: Any) -> Iterator[Any]:
        try:
            import llm_datadist_status
            from llm_datadist_status.scan.cluster import scan_node
        except ImportError as error:
            yield f"the package llm-datadist-status cannot be imported there: {error}"
            return
        if llm_datadist_status.__version__ != version:
            yield f"llm-datadist-status is {llm_datadist_status.__version__} there and {version} here"
            return
        yield from scan_node(*args)

    strategy = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node, soft=False)
    task = ray.remote(scan_here).options(
        num_cpus=0,
        max_retries=0,
        num_returns="streaming",
        scheduling_strategy=strategy,
        _generator_backpressure_num_objects=_AHEAD,
    )
    return task.remote(__version__, name, *scan)


def scan_node(name: str, paths: list[str], jobs: int, wanted: bool, quote: bool) -> Iterator[Batch | Summary]:
    """The scan on one node: occurrences in batches, where they are wanted, and the report at the end."""
    held: Batch = []
    reported: set[int] = set()

    def take(occurrences: list[Found]) -> None:
        for found in occurrences:
            if found.role == "report" and len(reported) < _VALUES:
                reported.add(int(found.status))
        if wanted:
            held.extend(found.to_dict() for found in occurrences)

    scan = _NodeScan(name, take, quote=quote)
    for _ in scan.paths_by_steps(paths, jobs):
        while len(held) >= _BATCH:
            yield held[:_BATCH]
            del held[:_BATCH]
    report = scan.finish()
    while held:
        yield held[:_BATCH]
        del held[:_BATCH]
    yield report, reported


class _NodeScan(Scan):
    """A scan that puts the node's name before each path."""

    def __init__(self, name: str, found: Callable[[list[Found]], None], *, quote: bool) -> None:
        super().__init__(found, quote=quote)
        self._name = name

    def take(self, occurrences: list[Found]) -> None:
        for item in occurrences:
            item.path = f"{self._name}:{item.path}"
        super().take(occurrences)

    def done(self, path: str, size: int, lines: int, error: BaseException | None) -> None:
        super().done(path, size, lines, error)
        if self.report.files and self.report.files[-1]["path"] == path:
            self.report.files[-1]["path"] = f"{self._name}:{path}"

    def unreadable(self, path: str, error: str) -> None:
        super().unreadable(f"{self._name}:{path}", error)


def _lost(name: str, paths: list[str], error: str) -> Report:
    report = Report()
    report.unreadable = [{"path": f"{name}:{path}", "error": error} for path in paths]
    return report
