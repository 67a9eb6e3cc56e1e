"""What a cache tells its sink about its nodes. It exists only while a sink is attached.

During an operation the changes are noted as they happen, with the numbers of that moment; after the operation,
outside its measured time, they become records: content keys are computed and labels named then.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from cache_core import events
from cache_core.content import ContentKeys, TokenKeys
from cache_core.event_codec import head, text_record
from cache_core.neighbours import agreed_units
from cache_core.node import Node
from cache_core.tick_times import TickTimes
from cache_core.watcher import Watcher

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cache_core.cache import PrefixCache

_ADDED = head(events.NodeAdded)
_SPLIT = head(events.NodeSplit)
_REMOVED = head(events.NodeRemoved)
_TOMBSTONED = head(events.Tombstoned)
_RECOVERED = head(events.Recovered)
_TIERS = head(events.NodeTiers)
_TOUCHED = head(events.NodeTouched)
_LABELLED = head(events.NodeLabelled)
_FORKED = head(events.NodeForked)
_MARKED = [head(events.NodeMarked, marks) for marks in range(events.MOST_MARKS + 1)]
_TOKENS = [head(events.NodeTokenKeys, keys) for keys in range(events.MOST_MARKS + 2)]

Segments = tuple[tuple[int, str], ...]
"""(start, name) of each named stretch of a key, ascending."""

MOST_NAMES = 4096
"""How many names are remembered as told, and how many without a use are kept before they are sorted out."""


class Changes(Watcher):
    """Collects the structural changes of one operation and turns them into records."""

    def __init__(self, cache: PrefixCache) -> None:
        self.cache = cache
        self.segments: Segments = ()
        self.spent_ns = 0
        """How long it took to make records of what was noted, all in all."""
        self.cleared()

    def cleared(self) -> None:
        """Start over with an empty tree."""
        self._pending: list[tuple[int, Node, tuple[int, ...]]] = []
        self._touched: dict[int, Node] = {}
        self._keys = ContentKeys(self.cache.tree.root)
        self._token_keys = TokenKeys(self.cache.tree.root)
        self._labels: dict[int, tuple[tuple[int, int], ...]] = {}
        self._names: dict[int, str] = {}
        self._told: set[int] = {0}
        self._times = TickTimes()

    def added(self, node: Node) -> None:
        """Note a new node."""
        self._pending.append((_ADDED, node, ()))

    def split(self, upper: Node, lower: Node) -> None:
        """Note that `upper` was cut off `lower`."""
        assert upper.parent is not None
        live = self.cache.live_mask(upper)
        at_that_time = (
            upper.parent.id, upper.start, upper.length, live, upper.hits, upper.priority, lower.id,
        )  # fmt: skip
        self._pending.append((_SPLIT, upper, at_that_time))
        host = self.cache.host
        if host is not None and host.settled(upper):
            self._note_tiers(upper)

    def removed(self, node: Node) -> None:
        """Note that a leaf left the tree."""
        self._pending.append((_REMOVED, node, ()))

    def tombstoned(self, node: Node, component: int) -> None:
        """Note that a component's state left a node."""
        self._pending.append((_TOMBSTONED, node, (component,)))

    def recovered(self, node: Node, component: int) -> None:
        """Note that a component's state came back to a node."""
        self._pending.append((_RECOVERED, node, (component,)))

    def demoted(self, node: Node) -> None:
        """Note that a node is on the host alone."""
        self._note_tiers(node)

    def restored(self, node: Node) -> None:
        """Note that a node is on the device again."""
        self._note_tiers(node)

    def backed_up(self, node: Node, component: int) -> None:
        """Note that a copy is complete."""
        self._note_tiers(node)

    def host_dropped(self, node: Node, component: int) -> None:
        """Note that a copy is gone."""
        self._note_tiers(node)

    def _note_tiers(self, node: Node) -> None:
        noted = (_TIERS, node, self._tiers_of(node))
        if not self._pending or self._pending[-1] != noted:  # one record for all components that change at once
            self._pending.append(noted)

    def _tiers_of(self, node: Node) -> tuple[int, int]:
        """Return a bit per component on the device, and one for each whole copy on the host."""
        host = self.cache.host
        return self.cache.live_mask(node), 0 if host is None else host.settled(node)

    def touched(self, node: Node) -> None:
        """Note that hit count or priority of a node changed."""
        self._touched[node.id] = node

    def emit(self, at: int) -> None:
        """Append the records of everything noted since the last call to the cache's sink."""
        self._times.note(self.cache.tick, at)
        if not self._pending and not self._touched:
            return
        assert self.cache.sink is not None
        began = self.cache.clock()
        records = self.cache.sink.records
        for kind, node, numbers in self._pending:
            self._append(records, kind, node, numbers, at)
        records.extend((_TOUCHED, node.id, node.hits, node.priority) for node in self._touched.values())
        self._pending.clear()
        self._touched.clear()
        self.spent_ns += self.cache.clock() - began

    def _append(
        self, records: list[events.RawRecord], kind: int, node: Node, numbers: tuple[int, ...], at: int
    ) -> None:
        if kind == _ADDED:
            self._name_namespace(records, node)
            if node.content_key is None and self.cache.detail < events.SPARSE:
                first, step, keys = self._keys.marks(node)
                records.append(self._state(node, at, at, 0))
                if keys:
                    records.append((_MARKED[len(keys)], node.id, first, step, *keys))
                self._compare(records, node)
            else:
                records.append(self._state(node, at, at, 0))
            if self.segments:
                self._label(records, node)
            self._touched.pop(node.id, None)
        elif kind == _SPLIT:
            parent, start, length, live, hits, priority, lower = numbers
            key, space = self._keys.of(node), node.namespace.id
            self._name_namespace(records, node)
            records.append((_SPLIT, at, lower, node.id, parent, start, length, key, space, live, hits, priority))
            self._divide_labels(records, lower, node.id, start + length)
        elif kind == _REMOVED:
            self._labels.pop(node.id, None)
            records.append((kind, at, node.id))
        else:
            records.append((kind, at, node.id, *numbers))

    def _compare(self, records: list[events.RawRecord], node: Node) -> None:
        """Tell what a new node has in common with others that no match can find."""
        tree = self.cache.tree
        if self.cache.page > 1:
            agreed = agreed_units(tree, node, tree.page_bytes)
            if agreed:
                records.append((_FORKED, node.id, agreed))
        if node.namespace.prefix:
            first, step, keys = self._token_keys.inside_and_end(node)
            records.append((_TOKENS[len(keys)], node.id, first, step, *keys))

    def states(self) -> Iterator[events.RawRecord]:
        """Yield the tree as it is: names first where they are due, parents before children.

        The tree may change between two records, so each is built when it is taken. Children are looked up when their
        parent is stated: later ones, and what splits put between, are left to the records of the changes themselves.
        A node that left meanwhile is left out.
        """
        root = self.cache.tree.root
        self._told = {0}  # who joins now has not read what was told before
        told: set[int] = {0}
        waiting = self.cache.tree.children_of(root)
        while waiting and self.cache.tree.root is root:
            node = waiting.pop()
            if node.parent is None:
                continue
            labels = self._labels.get(node.id, ())
            names = self._names_due(node, labels, told)
            if names:
                waiting.append(node)
                yield from names
                continue
            waiting.extend(self.cache.tree.children_of(node))
            anchored = node.lock - sum(child.lock for child in node.children.values())
            yield self._state(node, self._times.of(node.created), self._times.of(node.access), anchored)
            if self.cache.host is not None and node.parent is not None:
                yield (_TIERS, self.cache.clock(), node.id, *self._tiers_of(node))
            for start, label in labels:
                if self._labels.get(node.id) is not labels:
                    waiting.append(node)  # it was cut meanwhile: state it again
                    break
                yield (_LABELLED, node.id, start, label)

    def _names_due(self, node: Node, labels: tuple[tuple[int, int], ...], told: set[int]) -> list[events.RawRecord]:
        """Return the names that a node's statement uses and that were not told yet, and note them as told."""
        due: list[events.RawRecord] = []
        space = node.namespace
        if space.id not in told:
            told.add(space.id)
            due.append(text_record(events.Namespace, space.id, str(space)))
        for _, label in labels:
            if label not in told:
                told.add(label)
                due.append(text_record(events.Label, label, self._names[label]))
        return due

    def _state(self, node: Node, created_at: int, touched_at: int, anchored: int) -> events.RawRecord:
        assert node.parent is not None
        return (
            _ADDED, created_at, node.id, node.parent.id, node.start, node.length, self._keys.of(node),
            node.namespace.id, self.cache.live_mask(node), node.hits, node.priority, anchored, touched_at,
        )  # fmt: skip

    def _name_namespace(self, records: list[events.RawRecord], node: Node) -> None:
        space = node.namespace
        if space.id not in self._told and self._tell(space.id):  # told long ago, as a rule: costs no call
            records.append(text_record(events.Namespace, space.id, str(space)))

    def _tell(self, id_: int) -> bool:
        """Note that a name is told, and return whether it was due. A name told twice does no harm."""
        if id_ in self._told:
            return False
        if len(self._told) > MOST_NAMES:
            self._told = {0}
        self._told.add(id_)
        return True

    def _tell_label(self, records: list[events.RawRecord], label: int) -> None:
        if self._tell(label):
            records.append(text_record(events.Label, label, self._names[label]))

    def _label(self, records: list[events.RawRecord], node: Node) -> None:
        found = []
        end = node.end
        for index, (start, name) in enumerate(self.segments):
            after = self.segments[index + 1][0] if index + 1 < len(self.segments) else end
            if start < end and after > node.start:
                label = int.from_bytes(
                    blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little", signed=True
                )
                self._names[label] = name
                self._tell_label(records, label)
                found.append((max(start, node.start), label))
        if found:
            self._labels[node.id] = tuple(found)
            records.extend((_LABELLED, node.id, start, label) for start, label in found)
            if len(self._names) > 4 * len(self._labels) + MOST_NAMES:
                self._forget_unused_names()

    def _forget_unused_names(self) -> None:
        used = {label for labels in self._labels.values() for _, label in labels}
        self._names = {label: name for label, name in self._names.items() if label in used}

    def _divide_labels(self, records: list[events.RawRecord], lower: int, upper: int, at: int) -> None:
        """Cut a node's labels; those of the upper half are told again, to readers who have yet to see the lower."""
        labels = self._labels.get(lower)
        if labels is None:
            return
        above = tuple(pair for pair in labels if pair[0] < at)
        below = tuple(pair for pair in labels if pair[0] >= at)
        if above:
            self._labels[upper] = above
            for start, label in above:
                self._tell_label(records, label)
                records.append((_LABELLED, upper, start, label))
            if not below or below[0][0] > at:
                below = ((at, above[-1][1]), *below)
        self._labels[lower] = below
