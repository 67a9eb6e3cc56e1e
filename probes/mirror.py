"""The tree of a cache, rebuilt from its records.

A reader that joins late gets the tree as statements (NodeAdded and labels) among the deltas, each true at its place
in the stream. Four rules make that converge: NodeAdded is an upsert; a delta about an unknown node is ignored; so is
a node or a split whose parent is unknown, because the walk has yet to state it; a split of an unknown node under a
known parent adds the upper half, because the walk passed the parent before the split.
"""

from __future__ import annotations

from collections.abc import Sequence

from cache_core.events import (
    MAX_COMPONENTS,
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
from probes.content_hash import hash6
from probes.fold import Folds
from probes.lives.loads import Loads, Told
from probes.mirroring.census import Census
from probes.mirroring.changes import NO_PARENT, Change, Changes
from probes.mirroring.columns import ROOT, Columns
from probes.mirroring.links import at_and_below, hang, lies_below, split, unhang
from probes.mirroring.names import SPARE_NAMES, Names
from probes.mirroring.node import MirrorNode, Nodes
from probes.mirroring.reuse import load, recompute
from probes.mirroring.segments import keep_segments, label_from, labels_in_use, last_label, segments_of
from probes.mirroring.slots import MASK, SHIFT
from probes.mirroring.ways import GROWN, LOCKS, LOST, NODES, PASSED, TOKENS, TOUCHED, Note
from probes.mirroring.words import add_to, word
from probes.node_texts.node_texts import NO_TEXTS, NodeTexts
from probes.snapshot import component_name


class Mirror:
    """The nodes by id, the root among them as number 0; `version` grows with every change that shows.

    Consumers read it on the thread that ticks and never write to it. Counts leave the root out. Of the names that
    no node uses, `spare_names` are kept at least. Recurrent states are kept at multiples of `grid_tokens`, which is 1
    where there are none; `has_host_tier` says whether nodes may be in host memory. `columns` has the fields of all
    nodes, `changes` what changed for those who follow. Without `tells_use` nobody says who matches, locks or reuses
    nodes, so that none of their counts says anything. `texts` knows what nodes say, where that is wanted.
    """

    def __init__(self, components: Sequence[str] = (), spare_names: int = SPARE_NAMES) -> None:
        self.columns = Columns()
        self.nodes = Nodes(self.columns)
        self.root = self.columns.root
        self.changes = Changes()
        self.labels = Names(spare_names)
        self.namespaces = Names(spare_names)
        self.version = 0
        self.components = tuple(components)
        self.grid_tokens = 1
        self.has_host_tier = False
        self.tells_use = True
        self.texts: NodeTexts = NO_TEXTS
        self.leaves = 0
        self.census = Census()
        self._loads: Loads[Match] = Loads()
        self._ways = self.columns.ways
        self._notes = self._ways.notes
        self._readers = self.changes.readers
        self._pages = self.columns.pages
        self._slot_of = self.columns.pages.slot_of
        self.folds: Folds = {
            Match: self._match, Insert: self._insert, Lock: self._lock, Unlock: self._unlock,
            NodeAdded: self._node_added, NodeSplit: self._node_split, NodeRemoved: self._node_removed,
            Tombstoned: self._tombstoned, Recovered: self._recovered, NodeTouched: self._node_touched,
            NodeLabelled: self._node_labelled, NodeTiers: self._node_tiers, CacheReset: self._reset,
            Label: self._label, Namespace: self._namespace,
            RequestPrefilled: self._told, RequestFinished: self._told, RequestRetracted: self._told,
        }  # fmt: skip

    def told(self, count: int) -> int | None:
        """Return a count of uses, or None where nobody tells of those."""
        return count if self.tells_use else None

    def apply(self, record: Record) -> None:
        """Bring the tree up to one record; kinds that say nothing about the tree change nothing."""
        fold = self.folds.get(type(record))
        if fold is not None:
            fold(record)

    def clear(self) -> None:
        """Forget every node; names of labels and namespaces stay."""
        self.columns.clear()
        self.leaves = 0
        self.census.clear()
        self._loads.clear()
        self.changes.everything()
        self.version += 1

    @property
    def depth(self) -> int:
        """The number of nodes on the longest path."""
        return self.columns.height[ROOT] - 1

    @property
    def tombstones(self) -> int:
        """The nodes on the device that have no window there, and those that are nowhere.

        Without names of components, those that lack any but the first.
        """
        gone = self.census.gone()
        if self.components:
            return gone + self.census.lacking(sum(1 << i for i, name in enumerate(self.components) if name == "swa"))
        return gone + self.census.lacking((1 << self.census.components()) - 2 if self.census.components() else 0)

    def lacks_state(self, node: MirrorNode) -> bool:
        """Say whether some component has nothing of a node, on either tier; a copy under way is not nothing."""
        everything = (1 << (len(self.components) or self.census.components())) - 1
        there = node.live | node.copied
        return there != 0 and there & everything != everything

    def component_name(self, component: int) -> str:
        """Return the name of a component by its number."""
        return component_name(self.components, component)

    def last_label(self, id_: int) -> int | None:
        """Return the label of the last segment of a node; None of one that has none, or that is not there."""
        slot = self._slot_of(id_)
        return None if slot < 0 else last_label(self.columns, slot)

    def describe(self, node: MirrorNode) -> str:
        """Return the names of the node's segments, or else its position, length and the hash of its content."""
        if node.slot == ROOT:
            return "root"
        names = [self.labels.get(label, f"segment {label}") for _, label in node.segments]
        return " + ".join(dict.fromkeys(names)) or f"{node.start:,}..+{node.length:,} ·{hash6(node.content_key)}"

    def _node_added(self, record: NodeAdded) -> None:
        _, id_, parent_id, _, length, _, _, live, _, _, anchored, touched_at = record
        columns, pages = self.columns, self._pages
        parent = pages[parent_id >> SHIFT][parent_id & MASK]
        if parent < 0 or id_ == ROOT:
            return
        slot = pages[id_ >> SHIFT][id_ & MASK]
        if slot < 0:
            self.leaves += parent == ROOT or columns.first_child[parent] >= 0
            slot = columns.add_leaf(record, parent)
            self.census.add(live, length)
            note = self._notes.get(parent) or self._ways.note(parent)
            note[TOKENS] += length
            note[NODES] += 1
            if note[GROWN] < 2:
                note[GROWN] = 2
            if self._readers:
                self.changes.note(Change("added", id_, slot, parent_id))
        else:
            self._restate(slot, record, parent)
            note = self._ways.note(columns.parent[slot])
        if touched_at > note[TOUCHED]:
            note[TOUCHED] = touched_at  # whoever touches a node touches the path to it
        if anchored != columns.anchored[slot]:
            self._anchor(slot, anchored - columns.anchored[slot])
        self.version += 1

    def _restate(self, slot: int, record: NodeAdded, parent: int) -> None:
        columns = self.columns
        segments = segments_of(columns, slot)
        longer = record.length - columns.length[slot]
        if longer:
            add_to(columns.unused_tokens, slot, columns.hits[slot] * longer)
            self._ways.note(slot)[TOKENS] += longer
        self._count(slot, -1)
        columns.restate(slot, record)
        columns.copied[slot] = 0  # if it has copies, that is stated next
        self._count(slot)
        keep_segments(columns, slot, segments)
        self._restated(slot)
        if columns.parent[slot] != parent and not lies_below(columns, parent, slot):
            self._move(slot, parent)

    def _move(self, slot: int, parent: int) -> None:
        """Hang a node and all below it under another parent."""
        self._ways.settle()  # who reused it came by the old parent
        if self._readers:
            id_ = self.columns.id
            self.changes.note(Change("moved", id_[slot], slot, id_[parent], id_[self.columns.parent[slot]]))
        self._detach(slot, self._ways.note(self.columns.parent[slot]))
        self._attach(slot, parent)

    def _node_split(self, record: NodeSplit) -> None:
        at, id_, upper_id, parent_id, start, tokens, key, namespace, live, hit_count, priority = record
        columns, pages = self.columns, self._pages
        parent = pages[parent_id >> SHIFT][parent_id & MASK]
        if parent < 0 or pages[upper_id >> SHIFT][upper_id & MASK] >= 0:
            return
        lower = pages[id_ >> SHIFT][id_ & MASK]
        if lower >= 0 and (columns.parent[lower] != parent or not 0 < tokens < columns.length[lower]):
            return  # not a split of the node as we know it
        if lower < 0:
            self._node_added(
                NodeAdded(at, upper_id, parent_id, start, tokens, key, namespace, live, hit_count, priority, 0, at)
            )
            return
        note = self._notes.get(parent) or self._ways.note(parent)
        upper = split(columns, record, lower, parent)
        note[NODES] += 1
        if note[GROWN] <= columns.raw_height[upper]:
            note[GROWN] = columns.raw_height[upper] + 1
        self.census.add(columns.live[lower] | columns.copied[lower] << MAX_COMPONENTS, -tokens, 0)
        self.census.add(live, tokens)
        if self._readers:
            self.changes.note(Change("added", upper_id, upper, parent_id))
            self.changes.note(Change("moved", id_, lower, upper_id, parent_id))
        self.version += 1

    def _node_removed(self, record: NodeRemoved) -> None:
        columns = self.columns
        slot = self._slot_of(record.node)
        if slot <= ROOT:
            return
        parent = columns.parent[slot]
        below = [*at_and_below(columns, slot)][1:] if columns.first_child[slot] >= 0 else ()
        heir = self._notes.get(parent) or self._ways.note(parent)
        self._detach(slot, heir)
        for gone in reversed(below):  # the stream lacks their removal
            self._count(gone, -1)
            self.leaves -= columns.first_child[gone] < 0
            self._release(gone, heir)
        self._release(slot, heir)
        self.version += 1

    def _release(self, slot: int, heir: Note) -> None:
        """Forget a node; what its note says of the nodes above it is now said by `heir`."""
        columns = self.columns
        if slot in self._notes:
            self._ways.leave(slot, heir)
        if self._readers:
            self.changes.note(Change("removed", columns.id[slot], slot, columns.id[columns.parent[slot]]))
        columns.release(slot)

    def _attach(self, slot: int, parent: int) -> None:
        columns = self.columns
        note = self._ways.note(parent)
        self.leaves += (columns.first_child[slot] < 0) - (parent != ROOT and columns.first_child[parent] < 0)
        hang(columns, slot, parent)
        note[LOCKS] += columns.raw_locks[slot]
        note[TOKENS] += columns.raw_subtree_tokens[slot]
        note[NODES] += columns.raw_subtree_nodes[slot]
        note[GROWN] = max(columns.raw_height[slot] + 1, note[GROWN])
        self._count(slot)

    def _detach(self, slot: int, note: Note) -> None:
        """Take a node from its parent, whose note is given."""
        columns = self.columns
        parent, _, tokens, nodes, _, locks, height, child = columns.way(slot)
        note[LOCKS] -= locks
        note[TOKENS] -= tokens
        note[NODES] -= nodes
        if height > note[LOST]:
            note[LOST] = height
        unhang(columns, slot)
        self.leaves += (parent != ROOT and columns.first_child[parent] < 0) - (child < 0)
        self._count(slot, -1)

    def _count(self, slot: int, nodes: int = 1) -> None:
        """Count a node in the census, or take it out."""
        columns = self.columns
        where = columns.live[slot] | columns.copied[slot] << MAX_COMPONENTS
        self.census.add(where, nodes * columns.length[slot], nodes)

    def _tombstoned(self, record: Tombstoned) -> None:
        slot = self._slot_of(record.node)
        if slot >= 0:
            self._set_tiers(slot, self.columns.live[slot] & ~(1 << record.component), self.columns.copied[slot])

    def _recovered(self, record: Recovered) -> None:
        slot = self._slot_of(record.node)
        if slot >= 0:
            self._set_tiers(slot, self.columns.live[slot] | 1 << record.component, self.columns.copied[slot])

    def _node_tiers(self, record: NodeTiers) -> None:
        slot = self._slot_of(record.node)
        if slot >= 0:
            self._set_tiers(slot, record.live, record.copied)

    def _set_tiers(self, slot: int, live: int, copied: int) -> None:
        columns = self.columns
        self._count(slot, -1)
        columns.live[slot], columns.copied[slot] = word(live), word(copied)
        self._count(slot)
        self._restated(slot)
        self.version += 1

    def _restated(self, slot: int) -> None:
        if self._readers:
            id_, above = self.columns.id, self.columns.parent[slot]
            self.changes.note(Change("restated", id_[slot], slot, id_[above] if above >= 0 else NO_PARENT))

    def _node_touched(self, record: NodeTouched) -> None:
        id_ = record.node
        slot = self._pages[id_ >> SHIFT][id_ & MASK]
        if slot >= 0:
            try:
                self.columns.hit_count[slot] = record.hit_count
                self.columns.priority[slot] = record.priority
            except ValueError:
                self.columns.priority[slot] = word(record.priority)  # whoever inserts may ask for any

    def _node_labelled(self, record: NodeLabelled) -> None:
        columns = self.columns
        id_ = record.node
        slot = self._pages[id_ >> SHIFT][id_ & MASK]
        if slot >= 0:
            label_from(columns, slot, record.start, record.label)
            self._restated(slot)
            self.version += 1

    def _lock(self, record: Lock) -> None:
        id_ = record.node
        slot = self._pages[id_ >> SHIFT][id_ & MASK]
        if slot > ROOT:
            self._anchor(slot, 1)

    def _unlock(self, record: Unlock) -> None:
        id_ = record.node
        slot = self._pages[id_ >> SHIFT][id_ & MASK]
        if slot > ROOT:
            self._anchor(slot, -1)

    def _anchor(self, slot: int, receipts: int) -> None:
        note = self._notes.get(slot) or self._ways.note(slot)
        note[LOCKS] += receipts
        try:
            self.columns.anchored[slot] += receipts
        except ValueError:
            add_to(self.columns.anchored, slot, receipts)

    def _match(self, record: Match) -> None:
        at, _, _, _, hit, host_hit, full_hit, _, _, id_, full_id, request = record
        pages = self._pages
        slot = pages[id_ >> SHIFT][id_ & MASK]
        if slot < 0:
            return
        note = self._notes.get(slot) or self._ways.note(slot)
        if at > note[TOUCHED]:
            note[TOUCHED] = at
        if request < 0:
            return
        if slot:
            note[PASSED] += 1
            length = self.columns.length[slot]
            tokens = hit - self.columns.start[slot]
            if tokens < length:
                add_to(self.columns.unused_tokens, slot, length - max(0, tokens))
        usable = hit + host_hit
        if full_hit > usable and (full_slot := pages[full_id >> SHIFT][full_id & MASK]) >= 0:
            recompute(self.columns, full_slot, usable, full_hit)
        if host_hit:
            self._loads.expect(request, record)

    def _told(self, record: Told) -> None:
        """Count what a request loaded from the host as reused, and what it did not load as computed again."""
        news = self._loads.told(record)
        full_slot = -1 if news is None else self._slot_of(news[0].full_node)
        if news is None or full_slot < 0 or news[1] < 0:
            return
        match, loaded = news
        start, end = match.device_hit_tokens, match.device_hit_tokens + match.host_hit_tokens
        load(self.columns, full_slot, record.at, start, start + loaded)
        recompute(self.columns, full_slot, start + loaded, end)

    def _insert(self, record: Insert) -> None:
        id_ = record.node
        slot = self._pages[id_ >> SHIFT][id_ & MASK]
        if slot >= 0:
            note = self._notes.get(slot) or self._ways.note(slot)
            if record.at > note[TOUCHED]:
                note[TOUCHED] = record.at

    def _reset(self, record: CacheReset) -> None:
        self.clear()

    def _label(self, record: Label) -> None:
        self.labels.tell(record.id, record.text, lambda: labels_in_use(self.columns))

    def _namespace(self, record: Namespace) -> None:
        columns = self.columns
        self.namespaces.tell(record.id, record.text, lambda: {columns.namespace[slot] for slot in columns.slots()})
