"""The naive model of the prefix cache: slow, obvious, and the specification.

It follows the rules of `tests/data/oplog/README.md` sentence by sentence, with the switches by which the cache
departs from them, and for what no log covers those of `tests/README.md`. This file inserts; matching, the host
tier and eviction are below it, requests in `naive_request.py`.
"""

from __future__ import annotations

from tests.support.naive_evict import NaiveEvicting
from tests.support.naive_load import NaiveLoading
from tests.support.naive_tree import Namespace, Node, Tokens, Units


class NaiveCache(NaiveLoading, NaiveEvicting):
    """Trees by namespace over counted pools, with one clock."""

    def insert(
        self,
        tokens: Tokens,
        ns: Namespace = None,
        prev: int = 0,
        swa_from: int = 0,
        priority: int = 0,
        count_beyond: int | None = 0,
        state: bool = False,
    ) -> tuple[int, Node]:
        """Insert the units of `tokens`; see `insert_units`."""
        return self.insert_units(self.units(tokens), ns, prev, swa_from, priority, count_beyond, state)

    def insert_units(
        self,
        units: Units,
        ns: Namespace,
        prev: int,
        swa_from: int,
        priority: int,
        count_beyond: int | None,
        state: bool = False,
    ) -> tuple[int, Node]:
        """Give the tree slots for `units`; return how many it had already, and the node they end on.

        `prev`: the tree owned that much of the caller's row. `swa_from`: the caller has no SWA slots before it.
        `count_beyond`: nodes ending after this position get a hit; None counts nothing. `state`: the caller
        gives a state slot for the end, which is freed if the end has a state.
        """
        units = units[: self.down(len(units))]
        root = self.root_of(ns)
        if not units:
            self.state_free += state
            return 0, root
        root.priority = max(root.priority, priority)
        walk_stamp = self.now()
        node, walked, was_cut = root, 0, False
        while not was_cut and walked < len(units):
            stamp = walk_stamp if self.full_alone else self.now()
            entered = self.step(node, units[walked:], stamp)
            if entered is None:
                break
            node, was_cut = entered
            if was_cut and self.config.split_recency == "reference":
                node.access = self.now()  # it is on the path that the insert touches, the part below it is not
            node.priority = max(node.priority, priority)
            start, walked = walked, walked + len(node)
            self.settle(node, start, prev, swa_from)
            self.count_hit(node, walked, count_beyond)
        present = walked
        if walked < len(units):
            node = self.add_leaf(node, units[walked:], walked, swa_from, priority)
            self.count_hit(node, len(units), count_beyond)
        if state:
            self.settle_state(node)
        self.refresh(node)
        self.back_up(node, made_leaf=present < len(units))
        return present, node

    def count_hit(self, node: Node, end: int, count_beyond: int | None) -> None:
        """Add a hit to `node` unless this caller has counted it before."""
        if count_beyond is not None and end > count_beyond:
            node.hits += 1

    def settle(self, node: Node, start: int, prev: int, swa_from: int) -> None:
        """Settle slots that the caller brings for a node that is there."""
        if start + len(node) <= prev:
            return
        if not node.full:
            self.restore(node, start, prev, swa_from)
        else:
            self.take_overlap(node, start, prev, swa_from)

    def restore(self, node: Node, start: int, prev: int, swa_from: int) -> None:
        """Bring a node back from the host with the caller's slots; its window is live from `swa_from` on."""
        assert prev <= start, "the caller owns slots of a node that is not on the device"
        node.full = True
        self.seen["restored by an insert"] += 1
        if self.window is not None and swa_from < start + len(node):
            if swa_from > start:
                self.split(node, swa_from - start)
            self.add_window(node)

    def take_overlap(self, node: Node, start: int, prev: int, swa_from: int) -> None:
        """Settle slots that the caller and `node` both have: a tombstone takes the SWA half, the rest is freed."""
        end = start + len(node)
        if self.window is not None and not node.live and swa_from < end:
            recovered_from = max(start, swa_from)
            if recovered_from > start:
                self.split(node, recovered_from - start)
            self.add_window(node)
            self.seen["recovery under lock" if node.full_lock else "recovery"] += 1
            self.full_free += end - recovered_from
            self.full_free += max(0, recovered_from - max(start, prev))
            return
        first_duplicate = max(start, prev)
        self.full_free += end - first_duplicate
        if self.window is not None:
            self.swa_free += max(0, end - max(first_duplicate, swa_from))

    def settle_state(self, node: Node) -> None:
        """Give the caller's state slot to the end of its insert, or free it when there is a state already."""
        if node.state:
            self.state_free += 1
            self.seen["state was there"] += 1
        else:
            self.add_state(node)

    def add_leaf(self, parent: Node, rest: Units, start: int, swa_from: int, priority: int) -> Node:
        """Hang the rest of a key below `parent`; return its last part.

        Before `swa_from` it is a tombstone; the live part ends in a node of at most one window.
        """
        stamp = self.now()
        leaf = Node(tokens=rest, parent=parent, priority=priority, access=stamp, created=stamp)
        parent.children.append(leaf)
        for on_path in leaf.path:
            on_path.high_water = max(on_path.high_water, leaf.end)
        if self.window is None or swa_from >= start + len(rest):
            return leaf
        if swa_from > start:
            self.split(leaf, swa_from - start)
        window_tail = self.up(self.window)
        live_parts = [leaf]
        if len(leaf) > window_tail:
            live_parts.insert(0, self.split(leaf, len(leaf) - window_tail))
        for part in live_parts:
            self.add_window(part)
        return leaf
