"""Which running requests hold a node."""

from __future__ import annotations

from probes.builtin.request_log import RequestLogSample
from probes.mirror import Mirror
from probes.mirroring.node import MirrorNode
from probes.snapshot import Snapshot

_STEPS = 2_000
"""How far up from the end of a request's path is looked for a node."""


def holders(snapshot: Snapshot, mirror: Mirror, node: MirrorNode) -> tuple[int, ...] | None:
    """Return the requests that run and whose path ends at or below a node; None when there is no log of requests.

    A request locks where its match ends, and then where its last write-back does.
    """
    sample = snapshot.get(RequestLogSample)
    if sample is None:
        return None
    running = (life for life in sample.log.alive.values() if life.state == "running")
    return tuple(life.request for life in running if _leads_through(mirror, life.last_node, node))


def _leads_through(mirror: Mirror, number: int, node: MirrorNode) -> bool:
    """Say whether a node is on the way to the node of that number."""
    parent, start, columns = mirror.columns.parent, mirror.columns.start, mirror.columns
    slot, first, steps = columns.slot_of(number), node.start, 0
    while slot >= 0 and steps < _STEPS:
        if slot == node.slot:
            return True
        if start[slot] < first:
            return False
        slot, steps = parent[slot], steps + 1
    return False
