"""A radix tree without tokens that emits the records a cache would, and states itself to late joiners."""

from __future__ import annotations

import random
from collections.abc import Iterator

from cache_core.events import (
    CacheReset,
    Lock,
    NodeAdded,
    NodeLabelled,
    NodeRemoved,
    NodeSplit,
    NodeTouched,
    Record,
    Recovered,
    Tombstoned,
    Unlock,
)
from tests.support.records import record

COMPONENTS = 2
WHOLE = (1 << COMPONENTS) - 1


class ToyNode:
    """A node; `labels` maps positions to labels, in force until the next one."""

    def __init__(self, id_: int, parent: ToyNode | None, start: int, length: int) -> None:
        self.id = id_
        self.parent = parent
        self.start = start
        self.length = length
        self.children: list[ToyNode] = []
        self.live = WHOLE
        self.hit_count = 0
        self.priority = 0
        self.anchored = 0
        self.labels: dict[int, int] = {}

    @property
    def locks(self) -> int:
        """Receipts here or below."""
        return self.anchored + sum(child.locks for child in self.children)


class ToyTree:
    """The tree, and in `stream` the records of what was done to it."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.root = ToyNode(0, None, 0, 0)
        self.ids = 0
        self.stream: list[Record] = []

    def nodes(self) -> list[ToyNode]:
        """Every node but the root, parents first."""
        found = [self.root]
        for node in found:
            found.extend(node.children)
        return found[1:]

    def step(self) -> None:
        """Do one random thing."""
        operations = [self.add] * 6 + [self.split] * 4 + [self.remove] * 3 + [self.reset] * (self.rng.random() < 0.02)
        operations += [self.tombstone, self.recover, self.lock, self.lock, self.unlock, self.touch, self.label]
        self.rng.choice(operations)()

    def pick(self, nodes: list[ToyNode]) -> ToyNode | None:
        """Return one of `nodes`, or None when there is none."""
        return self.rng.choice(nodes) if nodes else None

    def add(self) -> None:
        parent = self.rng.choice([self.root, *self.nodes()])
        self.ids += 1
        node = ToyNode(self.ids, parent, parent.start + parent.length, self.rng.randint(1, 9))
        node.hit_count, node.priority = self.rng.randint(0, 3), self.rng.randint(0, 3)
        parent.children.append(node)
        self.stream.append(self.statement(node))
        if self.rng.random() < 0.5:
            self._label(node, node.start)

    def split(self) -> None:
        lower = self.pick([node for node in self.nodes() if node.length > 1])
        if lower is None or lower.parent is None:
            return
        parent = lower.parent
        self.ids += 1
        upper = ToyNode(self.ids, parent, lower.start, self.rng.randint(1, lower.length - 1))
        upper.live, upper.hit_count, upper.priority = lower.live, lower.hit_count, lower.priority
        upper.children = [lower]
        parent.children[parent.children.index(lower)] = upper
        lower.parent, lower.start, lower.length = upper, upper.start + upper.length, lower.length - upper.length
        self._divide_labels(upper, lower)
        self.stream.append(
            record(
                NodeSplit, node=lower.id, upper=upper.id, parent=parent.id, start=upper.start, length=upper.length,
                content_key=upper.id, live=upper.live, hit_count=upper.hit_count, priority=upper.priority,
            )
        )  # fmt: skip
        self.stream.extend(self._labels_of(upper))

    def _divide_labels(self, upper: ToyNode, lower: ToyNode) -> None:
        in_force = [label for start, label in sorted(lower.labels.items()) if start <= lower.start]
        upper.labels = {start: label for start, label in lower.labels.items() if start < lower.start}
        lower.labels = {start: label for start, label in lower.labels.items() if start > lower.start}
        if in_force:
            lower.labels[lower.start] = in_force[-1]

    def remove(self) -> None:
        node = self.pick([node for node in self.nodes() if not node.children and not node.anchored])
        if node is not None and node.parent is not None:
            node.parent.children.remove(node)
            node.parent = None
            self.stream.append(record(NodeRemoved, node=node.id))

    def tombstone(self) -> None:
        node = self.pick([node for node in self.nodes() if node.live & 2])
        if node is not None:
            node.live &= ~2
            self.stream.append(record(Tombstoned, node=node.id, component=1))

    def recover(self) -> None:
        node = self.pick([node for node in self.nodes() if not node.live & 2])
        if node is not None:
            node.live |= 2
            self.stream.append(record(Recovered, node=node.id, component=1))

    def lock(self) -> None:
        node = self.pick(self.nodes())
        if node is not None:
            node.anchored += 1
            self.stream.append(record(Lock, node=node.id))

    def unlock(self) -> None:
        node = self.pick([node for node in self.nodes() if node.anchored])
        if node is not None:
            node.anchored -= 1
            self.stream.append(record(Unlock, node=node.id))

    def touch(self) -> None:
        node = self.pick(self.nodes())
        if node is not None:
            node.hit_count += 1
            self.stream.append(record(NodeTouched, node=node.id, hit_count=node.hit_count, priority=node.priority))

    def label(self) -> None:
        node = self.pick(self.nodes())
        if node is not None:
            self._label(node, self.rng.randint(node.start, node.start + node.length - 1))

    def _label(self, node: ToyNode, start: int) -> None:
        node.labels[start] = self.rng.randint(1, 5)
        self.stream.append(record(NodeLabelled, node=node.id, start=start, label=node.labels[start]))

    def reset(self) -> None:
        for node in self.nodes():
            node.parent = None
        self.root.children = []
        self.stream.append(record(CacheReset))

    def statement(self, node: ToyNode) -> NodeAdded:
        """Say what `node` is."""
        assert node.parent is not None
        return record(
            NodeAdded, node=node.id, parent=node.parent.id, start=node.start, length=node.length, live=node.live,
            content_key=node.id, hit_count=node.hit_count, priority=node.priority, anchored=node.anchored,
        )  # fmt: skip

    def walk(self) -> Iterator[Record]:
        """State the tree record by record; it may change between any two of them.

        Children are read when their parent is visited; a node that left meanwhile is passed over.
        """
        stack = list(self.root.children)
        while stack:
            node = stack.pop()
            if node.parent is None:
                continue
            stack.extend(node.children)
            yield self.statement(node)
            told: set[int] = set()
            while node.parent is not None and (left := sorted(node.labels.keys() - told)):
                told.add(left[0])
                yield record(NodeLabelled, node=node.id, start=left[0], label=node.labels[left[0]])

    def _labels_of(self, node: ToyNode) -> list[Record]:
        return [record(NodeLabelled, node=node.id, start=start, label=node.labels[start]) for start in node.labels]
