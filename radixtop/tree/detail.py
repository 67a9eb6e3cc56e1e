"""Everything about one node, read from the mirror on the thread that ticks."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest

import numpy as np

from probes.mirror import Mirror
from probes.mirroring.node import MirrorNode
from probes.snapshot import Snapshot
from radixtop.naming import name_of
from radixtop.render.lines import clean
from radixtop.tree.holders import holders
from radixtop.tree.node import Child, NodeDetail, Run, WayStep
from radixtop.tree.siblings import MANY
from radixtop.tree.tops import top

CHILDREN_SHOWN = 100
STEPS_SHOWN = 100
STEPS_WALKED = 2_000
"""A way that is longer than this is not walked to its beginning: a frame has to wait for it."""


def node_detail(mirror: Mirror, snapshot: Snapshot, number: int) -> NodeDetail | None:
    """Return what is known of a node, or None when the mirror does not hold it."""
    node = mirror.nodes.get(number)
    if node is None:
        return None
    way = _way(node)
    page_size = snapshot.source.config.get("page_size")
    return NodeDetail(
        node=node.id,
        label=name_of(mirror, node),
        start=node.start,
        tokens=node.length,
        subtree_tokens=node.subtree_tokens,
        content_key=node.content_key,
        namespace=clean(mirror.namespaces.get(node.namespace, "")),
        live=node.live,
        copied=node.copied,
        hits=mirror.told(node.hits),
        hit_tokens=mirror.told(node.hit_tokens),
        recomputed_tokens=mirror.told(node.recomputed_tokens),
        hit_count=mirror.told(node.hit_count),
        priority=node.priority,
        locks=mirror.told(node.locks),
        anchored=mirror.told(node.anchored),
        created_at=node.created_at,
        touched_at=node.touched_at if mirror.tells_use else -1,
        segments=tuple(_segments(mirror, node)),
        way=tuple(_step(mirror, step) for step in way[-STEPS_SHOWN:]),
        way_count=len(way),
        runs=tuple(_runs(way)),
        children=tuple(_child(mirror, child) for child in _heaviest(mirror, node)),
        child_count=len(node.children),
        page_tokens=page_size if isinstance(page_size, int) and page_size > 0 else 1,
        text=mirror.texts.whole(node.id, node.start) if mirror.texts.is_on else None,
        holders=holders(snapshot, mirror, node) if node.locks > 0 else (),
    )


def _segments(mirror: Mirror, node: MirrorNode) -> list[tuple[int, str]]:
    return [(start, clean(mirror.labels.get(label, f"segment {label}"))) for start, label in node.segments]


def _way(node: MirrorNode) -> list[MirrorNode]:
    """Return the nodes from the root's child down to `node`, or the last of them."""
    way: list[MirrorNode] = []
    step: MirrorNode | None = node
    while step is not None and step.parent is not None and len(way) < STEPS_WALKED:
        way.append(step)
        step = step.parent
    return way[::-1]


def _step(mirror: Mirror, node: MirrorNode) -> WayStep:
    label = name_of(mirror, node)
    return WayStep(node.id, node.start, node.length, node.live, node.copied, node.locks, label)


def _runs(way: Sequence[MirrorNode]) -> list[Run]:
    """Return the positions of a way, neighbours that do not differ as one."""
    runs: list[Run] = []
    for node in way:
        run = Run(node.start, node.end, node.live, node.copied, node.locks)
        if runs and runs[-1].end == run.start and runs[-1][2:] == run[2:]:
            runs[-1] = runs[-1]._replace(end=run.end)
        else:
            runs.append(run)
    return runs


def _heaviest(mirror: Mirror, node: MirrorNode) -> list[MirrorNode]:
    """Return the children with the most tokens at and below them, the heaviest first."""
    if len(node.children) <= MANY:
        return nlargest(CHILDREN_SHOWN, node.children.values(), key=lambda child: child.subtree_tokens)
    columns = mirror.columns
    slots = np.flatnonzero(columns.view("parent") == node.slot)
    return [
        mirror.nodes[columns.id[slot]] for slot in top(columns, slots, "subtree", False)[:CHILDREN_SHOWN].tolist()
    ]


def _child(mirror: Mirror, child: MirrorNode) -> Child:
    hits, label = mirror.told(child.hits), name_of(mirror, child)
    return Child(child.id, child.length, child.subtree_tokens, hits, child.live, child.copied, label)
