"""Everything about one node, read from the mirror on the thread that ticks."""

from __future__ import annotations

from heapq import nlargest

from probes.mirror import Mirror
from probes.mirror_node import MirrorNode
from radixtop.render.lines import clean
from radixtop.tree.rows import Child, NodeDetail, WayStep

CHILDREN_SHOWN = 100


def node_detail(mirror: Mirror, number: int) -> NodeDetail | None:
    """Return what is known of a node, or None when the mirror does not hold it."""
    node = mirror.nodes.get(number)
    if node is None:
        return None
    children = nlargest(CHILDREN_SHOWN, node.children.values(), key=lambda child: child.subtree_tokens)
    return NodeDetail(
        node=node.id,
        label=clean(mirror.describe(node)),
        start=node.start,
        tokens=node.length,
        subtree_tokens=node.subtree_tokens,
        content_key=node.content_key,
        namespace=clean(mirror.namespaces.get(node.namespace, "")),
        live=node.live,
        copied=node.copied,
        hits=node.hits,
        hit_tokens=node.hit_tokens,
        recomputed_tokens=node.recomputed_tokens,
        hit_count=node.hit_count,
        priority=node.priority,
        locks=node.locks,
        anchored=node.anchored,
        created_at=node.created_at,
        touched_at=node.touched_at,
        segments=tuple(_segments(mirror, node)),
        way=tuple(_way(mirror, node)),
        children=tuple(_child(mirror, child) for child in children),
        child_count=len(node.children),
    )


def _segments(mirror: Mirror, node: MirrorNode) -> list[tuple[int, str]]:
    return [(start, clean(mirror.labels.get(label, f"segment {label}"))) for start, label in node.segments]


def _way(mirror: Mirror, node: MirrorNode) -> list[WayStep]:
    """Return the nodes from the root's child down to `node`."""
    way: list[WayStep] = []
    step: MirrorNode | None = node
    while step is not None and step is not mirror.root:
        way.append(WayStep(step.id, step.start, step.length, step.live, step.copied, clean(mirror.describe(step))))
        step = step.parent
    return way[::-1]


def _child(mirror: Mirror, child: MirrorNode) -> Child:
    label = clean(mirror.describe(child))
    return Child(child.id, child.length, child.subtree_tokens, child.hits, child.live, child.copied, label)
