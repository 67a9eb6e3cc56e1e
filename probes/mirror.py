"""The tree of a cache, rebuilt from its records.

A reader that joins late gets the tree as statements (NodeAdded and labels) among the deltas, each true at its place
in the stream. Four rules make that converge: NodeAdded is an upsert; a delta about an unknown node is ignored; so is
a node or a split whose parent is unknown, because the walk has yet to state it; a split of an unknown node under a
known parent adds the upper half, because the walk passed the parent before the split.
"""

from __future__ import annotations

from collections.abc import Sequence

from cache_core.events import (
    CacheReset,
    Insert,
    Label,
    Lock,
    Match,
    Namespace,
    NodeAdded,
    NodeLabelled,
    NodeRemoved,
    NodeSplit,
    NodeTiers,
    NodeTouched,
    Record,
    Recovered,
    RequestFinished,
    RequestPrefilled,
    RequestRetracted,
    Tombstoned,
    Unlock,
)
from probes.census import Census
from probes.content_hash import hash6
from probes.fold import Folds
from probes.loads import Loads, Told
from probes.mirror_node import NO_CHILDREN, ROOT, MirrorNode, split_stats
from probes.names import SPARE_NAMES, Names
from probes.snapshot import component_name


class Mirror:
    """The nodes by id, the root among them as number 0; `version` grows with every change that shows.

    Consumers read it on the thread that ticks and never write to it. Counts leave the root out. Of the names that
    no node uses, `spare_names` are kept at least. Recurrent states are kept at multiples of `grid_tokens`, which is 1
    where there are none; `has_host_tier` says whether nodes may be in host memory.
    """

    def __init__(self, components: Sequence[str] = (), spare_names: int = SPARE_NAMES) -> None:
        self.root = MirrorNode(ROOT)
        self.nodes: dict[int, MirrorNode] = {ROOT: self.root}
        self.labels = Names(spare_names)
        self.namespaces = Names(spare_names)
        self.version = 0
        self.components = tuple(components)
        self.grid_tokens = 1
        self.has_host_tier = False
        self.leaves = 0
        self.census = Census()
        self._loads: Loads[Match] = Loads()
        self.folds: Folds = {
            Match: self._match, Insert: self._insert, Lock: self._lock, Unlock: self._unlock,
            NodeAdded: self._node_added, NodeSplit: self._node_split, NodeRemoved: self._node_removed,
            Tombstoned: self._tombstoned, Recovered: self._recovered, NodeTouched: self._node_touched,
            NodeLabelled: self._node_labelled, NodeTiers: self._node_tiers, CacheReset: self._reset,
            Label: self._label, Namespace: self._namespace,
            RequestPrefilled: self._told, RequestFinished: self._told, RequestRetracted: self._told,
        }  # fmt: skip

    def apply(self, record: Record) -> None:
        """Bring the tree up to one record; kinds that say nothing about the tree change nothing."""
        fold = self.folds.get(type(record))
        if fold is not None:
            fold(record)

    def clear(self) -> None:
        """Forget every node; names of labels and namespaces stay."""
        root = self.root
        root.children = NO_CHILDREN
        root.height = 1
        root.subtree_tokens = 0
        self.nodes.clear()
        self.nodes[ROOT] = root
        self.leaves = 0
        self.census.clear()
        self._loads.clear()
        self.version += 1

    @property
    def depth(self) -> int:
        """The number of nodes on the longest path."""
        return self.root.height - 1

    @property
    def tombstones(self) -> int:
        """The nodes on the device that have no window there; without names, those that lack any but the first."""
        if self.components:
            return self.census.lacking(sum(1 << i for i, name in enumerate(self.components) if name == "swa"))
        return self.census.lacking((1 << self.census.components()) - 2 if self.census.components() else 0)

    def lacks_state(self, node: MirrorNode) -> bool:
        """Say whether some component has nothing of a node, on either tier; a copy under way is not nothing."""
        everything = (1 << (len(self.components) or self.census.components())) - 1
        there = node.live | node.copied
        return there != 0 and there & everything != everything

    def component_name(self, component: int) -> str:
        """Return the name of a component by its number."""
        return component_name(self.components, component)

    def describe(self, node: MirrorNode) -> str:
        """Return the names of the node's segments, or else its position, length and the hash of its content."""
        if node is self.root:
            return "root"
        names = [self.labels.get(label, f"segment {label}") for _, label in node.segments]
        return " + ".join(dict.fromkeys(names)) or f"{node.start:,}..+{node.length:,} ·{hash6(node.content_key)}"

    def _node_added(self, record: NodeAdded) -> None:
        at, id_, parent_id, start, length, key, namespace, live, hit_count, priority, anchored, touched_at = record
        parent = self.nodes.get(parent_id)
        if parent is None or id_ == ROOT:
            return
        node = self.nodes.get(id_)
        if node is None:
            node = self.nodes[id_] = MirrorNode(id_, start, length, at)
            node.live = live
            self._attach(parent, node)
        else:
            self._restate(node, record)
            if node.parent is not parent:
                self._move(node, parent)
        node.content_key = key
        node.namespace = namespace
        node.hit_count = hit_count
        node.priority = priority
        node.touched_at = touched_at
        above = node.parent
        while above is not None and above.touched_at < touched_at:
            above.touched_at = touched_at  # whoever touches a node touches the path to it
            above = above.parent
        if anchored != node.anchored:
            node.add_locks(anchored - node.anchored)
            node.anchored = anchored
        self.version += 1

    def _restate(self, node: MirrorNode, record: NodeAdded) -> None:
        self.census.add(node.tiers, -node.length, -1)
        node.add_tokens(record.length - node.length)
        node.start, node.length = record.start, record.length
        node.live, node.copied = record.live, 0  # if it has copies, that is stated next
        self.census.add(node.tiers, node.length)

    def _move(self, node: MirrorNode, parent: MirrorNode) -> None:
        """Hang a node and all below it under another parent, unless that lies below the node itself."""
        above: MirrorNode | None = parent
        while above is not None:
            if above is node:
                return
            above = above.parent
        locks = node.locks
        if node.parent is not None:
            node.parent.add_locks(-locks)
        self._detach(node)
        self._attach(parent, node)
        parent.add_locks(locks)

    def _node_split(self, record: NodeSplit) -> None:
        parent = self.nodes.get(record.parent)
        if parent is None or record.upper in self.nodes:
            return
        lower = self.nodes.get(record.node)
        if lower is not None and (lower.parent is not parent or not 0 < record.length < lower.length):
            return  # not a split of the node as we know it
        upper = MirrorNode(record.upper, record.start, record.length, record.at)
        upper.content_key = record.content_key
        upper.namespace = record.namespace
        upper.live = record.live
        upper.hit_count = record.hit_count
        upper.priority = record.priority
        self.nodes[record.upper] = upper
        self.version += 1
        if lower is None:
            self._attach(parent, upper)
        else:
            self._insert_above(lower, upper)

    def _insert_above(self, lower: MirrorNode, upper: MirrorNode) -> None:
        """Put `upper` between `lower`, whose first tokens it takes, and its parent."""
        split_stats(lower, upper)
        upper.locks = lower.locks  # every path that ends at or below the lower half passes the upper one
        upper.subtree_tokens = lower.subtree_tokens
        lower.subtree_tokens -= upper.length
        lower.start = upper.end
        lower.length -= upper.length
        self.census.add(lower.tiers, -upper.length, 0)
        self.census.add(upper.tiers, upper.length)
        lower.hang_below(upper)

    def _node_removed(self, record: NodeRemoved) -> None:
        node = self.nodes.get(record.node)
        if node is None or node.parent is None:
            return
        if node.locks:
            node.parent.add_locks(-node.locks)
        self._detach(node)
        for gone in node.walk():  # a leaf, unless the stream lacks the removal of what was below
            del self.nodes[gone.id]
            if gone is not node:
                self.census.add(gone.tiers, -gone.length, -1)
                self.leaves -= not gone.children
        self.version += 1

    def _attach(self, parent: MirrorNode, node: MirrorNode) -> None:
        self.leaves += (not node.children) - (parent is not self.root and not parent.children)
        parent.attach(node)
        parent.add_tokens(node.subtree_tokens)
        self.census.add(node.tiers, node.length)

    def _detach(self, node: MirrorNode) -> None:
        parent = node.parent
        assert parent is not None
        parent.detach(node)
        parent.add_tokens(-node.subtree_tokens)
        self.leaves += (parent is not self.root and not parent.children) - (not node.children)
        self.census.add(node.tiers, -node.length, -1)

    def _tombstoned(self, record: Tombstoned) -> None:
        node = self.nodes.get(record.node)
        if node is not None:
            self._set_tiers(node, node.live & ~(1 << record.component), node.copied)

    def _recovered(self, record: Recovered) -> None:
        node = self.nodes.get(record.node)
        if node is not None:
            self._set_tiers(node, node.live | 1 << record.component, node.copied)

    def _node_tiers(self, record: NodeTiers) -> None:
        node = self.nodes.get(record.node)
        if node is not None:
            self._set_tiers(node, record.live, record.copied)

    def _set_tiers(self, node: MirrorNode, live: int, copied: int) -> None:
        self.census.add(node.tiers, -node.length, -1)
        node.live, node.copied = live, copied
        self.census.add(node.tiers, node.length)
        self.version += 1

    def _node_touched(self, record: NodeTouched) -> None:
        node = self.nodes.get(record.node)
        if node is not None:
            node.hit_count = record.hit_count
            node.priority = record.priority

    def _node_labelled(self, record: NodeLabelled) -> None:
        node = self.nodes.get(record.node)
        if node is not None:
            node.label(record.start, record.label)
            self.version += 1

    def _lock(self, record: Lock) -> None:
        node = self.nodes.get(record.node)
        if node is not None and node.parent is not None:
            node.anchored += 1
            node.add_locks(1)

    def _unlock(self, record: Unlock) -> None:
        node = self.nodes.get(record.node)
        if node is not None and node.parent is not None:
            node.anchored -= 1
            node.add_locks(-1)

    def _match(self, record: Match) -> None:
        node = self.nodes.get(record.node)
        if node is None:
            return
        if record.request < 0:
            node.touch(record.at)
        else:
            node.reuse(record.at, record.device_hit_tokens)
            usable = record.device_hit_tokens + record.host_hit_tokens
            full_node = self.nodes.get(record.full_node)
            if full_node is not None and record.full_hit_tokens > usable:
                full_node.recompute(usable, record.full_hit_tokens)
            if record.host_hit_tokens:
                self._loads.expect(record.request, record)

    def _told(self, record: Told) -> None:
        """Count what a request loaded from the host as reused, and what it did not load as computed again."""
        news = self._loads.told(record)
        full_node = None if news is None else self.nodes.get(news[0].full_node)
        if news is None or full_node is None or news[1] < 0:
            return
        match, loaded = news
        start, end = match.device_hit_tokens, match.device_hit_tokens + match.host_hit_tokens
        full_node.load(record.at, start, start + loaded)
        full_node.recompute(start + loaded, end)

    def _insert(self, record: Insert) -> None:
        node = self.nodes.get(record.node)
        if node is not None:
            node.touch(record.at)

    def _reset(self, record: CacheReset) -> None:
        self.clear()

    def _label(self, record: Label) -> None:
        self.labels.tell(record.id, record.text, self._labels_in_use)

    def _namespace(self, record: Namespace) -> None:
        self.namespaces.tell(record.id, record.text, lambda: {node.namespace for node in self.nodes.values()})

    def _labels_in_use(self) -> set[int]:
        return {label for node in self.nodes.values() for _, label in node.segments}
