"""A Ray cluster of several nodes on this machine, for ``test_cluster``: ``python -m tests.nodes DIRECTORY``.

It prints the address when all nodes are up, and takes one command a line from standard input: ``lose NAME`` ends a node
without a farewell. It ends with its standard input.
"""

from __future__ import annotations

import sys

from ray.cluster_utils import Cluster


def main(shadow: str) -> None:
    """Start ``head``, ``decode``, ``prefill``, and ``bare``, where the package in ``shadow`` stands before this one."""
    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "node_name": "head", "include_dashboard": False}
    )
    nodes = {name: cluster.add_node(num_cpus=1, node_name=name) for name in ("decode", "prefill")}
    cluster.add_node(num_cpus=1, node_name="bare", env_vars={"PYTHONPATH": shadow})
    print(f"address {cluster.address}", flush=True)
    for line in sys.stdin:
        cluster.remove_node(nodes[line.split()[1]], allow_graceful=False)
        print("lost", flush=True)
    cluster.shutdown()


if __name__ == "__main__":
    main(sys.argv[1])
