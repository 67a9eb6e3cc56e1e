"""A mirror told as records: what a cache's own walk over its tree says, from the reader's side.

A reader that starts a file in the middle of a stream states the tree at its beginning this way; the cache is not
asked. Whoever applies the records, and the deltas of the stream in between, has the same mirror. What a mirror counts
since it knows a node (hits, reused and recomputed tokens) is in no record and starts again.
"""

from __future__ import annotations

from collections.abc import Iterator

from cache_core.event_codec import head, text_record
from cache_core.events import Label, Namespace, NodeAdded, NodeLabelled, NodeTiers, RawRecord
from probes.mirror import Mirror
from probes.mirroring.node import MirrorNode

_ADDED = head(NodeAdded)
_LABELLED = head(NodeLabelled)
_TIERS = head(NodeTiers)


def state_records(mirror: Mirror, at: int) -> Iterator[RawRecord]:
    """Yield every name, then the tree, parents before children; the mirror may change between two records.

    `at` is the time of the walk, for records that say when. All names are told, used or not, for a writer does not
    tell again soon what it told. Children are looked up when their parent is stated: those that come later, and what
    splits put between, are left to the records of the changes themselves. A node that left meanwhile is left out, and
    one whose labels were cut meanwhile is stated again.
    """
    for id_, text in tuple(mirror.namespaces.items()):
        yield text_record(Namespace, id_, text)
    for id_, text in tuple(mirror.labels.items()):
        yield text_record(Label, id_, text)
    waiting = [*mirror.root.children]
    while waiting:
        id_ = waiting.pop()
        node = mirror.nodes.get(id_)
        if node is None or node.parent is None:
            continue
        waiting.extend(node.children)
        yield _state(node, node.parent)
        yield from _details(mirror, id_, at, waiting)


def _details(mirror: Mirror, id_: int, at: int, again: list[int]) -> Iterator[RawRecord]:
    """Yield what a statement has no room for, or put the node on the list of those to state again."""
    node = mirror.nodes.get(id_)
    if node is not None and node.copied:
        yield (_TIERS, at, id_, node.live, node.copied)
        node = mirror.nodes.get(id_)
    segments = () if node is None else node.segments
    for start, label in segments:
        node = mirror.nodes.get(id_)
        if node is None or node.segments != segments:
            again.append(id_)
            return
        yield (_LABELLED, id_, start, label)


def _state(node: MirrorNode, parent: MirrorNode) -> RawRecord:
    return (
        _ADDED, node.created_at, node.id, parent.id, node.start, node.length, node.content_key, node.namespace,
        node.live, node.hit_count, node.priority, node.anchored, node.touched_at,
    )  # fmt: skip
