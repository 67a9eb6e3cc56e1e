"""The tree that a recording holds, rebuilt block by block."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from probes.mirror import Mirror
from probes.mirroring.node import MirrorNode
from probes.recordings.recording import RecordingReader


def recorded_mirror(path: Path, components: Sequence[str] = ("full", "swa")) -> Mirror:
    """Return the mirror at the end of a recording; where records are missing it starts over."""
    mirror = Mirror(components)
    reader = RecordingReader(path)
    expected: int | None = None
    for block in reader.blocks():
        if expected is not None and block.first_seq > expected:
            mirror.clear()
        expected = block.end_seq
        for _, record in block.records():
            mirror.apply(record)
    reader.close()
    return mirror


def told(mirror: Mirror) -> dict[int, tuple[object, ...]]:
    """Return everything that records can tell of each node."""
    return {node.id: _told(mirror, node) for node in mirror.nodes.values() if node.parent is not None}


def _told(mirror: Mirror, node: MirrorNode) -> tuple[object, ...]:
    assert node.parent is not None
    return (
        node.parent.id, set(node.children), node.start, node.length, node.content_key, node.live, node.copied,
        node.hit_count, node.priority, node.anchored, node.locks, mirror.namespaces.get(node.namespace),
        [(start, mirror.labels.get(label)) for start, label in node.segments], node.height, node.subtree_tokens,
    )  # fmt: skip


def counts(mirror: Mirror) -> tuple[object, ...]:
    """Return the running counts of a mirror."""
    census = mirror.census
    masks = range(len(mirror.components))
    return (
        census.nodes, census.tokens, mirror.leaves, mirror.depth, mirror.tombstones,
        [census.live(component) for component in masks], [census.copied(component) for component in masks],
    )  # fmt: skip
