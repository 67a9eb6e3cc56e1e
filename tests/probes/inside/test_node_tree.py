"""The tree that KV events tell of: it is what they say, in records as well, and to whoever comes late."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from cache_core.events import NodeAdded, NodeRemoved, NodeSplit, NodeTiers, RawRecord
from probes.inside.node import ON_DEVICE, ON_HOST
from probes.inside.node_tree import NodeTree
from probes.mirror import Mirror
from tests.support.inside_tree import decoded, mirror_shape

PAGE = 4


class Told:
    """A tree, and the mirror of a reader who saw all of its records."""

    def __init__(self, *, grows: bool = False) -> None:
        self.raw: list[RawRecord] = []
        self.tree = NodeTree(self.raw.append, grows=grows)
        self.mirror = Mirror(("full",))

    def store(
        self, names: Sequence[int], parent: int | None = None, namespace: int = 0, where: int = ON_DEVICE
    ) -> None:
        self.tree.stored(list(names), parent, PAGE, namespace, where, 1)

    def remove(self, names: Sequence[int], where: int = ON_DEVICE) -> None:
        self.tree.removed(list(names), where, 2)

    def news(self) -> list[type]:
        """Bring the mirror up, and return the kinds of the records."""
        records = [decoded(raw) for raw in self.raw]
        self.raw.clear()
        for record in records:
            self.mirror.apply(record)
        return [type(record) for record in records]

    def late(self) -> Mirror:
        """Return the mirror of a reader who comes now."""
        mirror = Mirror(("full",))
        for raw in self.tree.records():
            mirror.apply(decoded(raw))
        return mirror


def test_blocks_that_come_below_the_middle_of_a_node_split_it() -> None:
    told = Told()
    told.store([1, 2, 3])
    told.store([9], parent=2)
    assert told.news() == [NodeAdded, NodeSplit, NodeAdded]
    assert mirror_shape(told.mirror) == [0, [[8, [[4, []], [4, []]]]]]
    assert told.tree.number(9) != told.tree.number(3) and told.tree.number(1) == told.tree.number(2)


def test_a_node_that_the_engine_names_ends_where_it_says() -> None:
    told = Told()
    told.store([1, 2, 3])
    told.tree.ends(2, 0, 1)
    told.tree.ends(3, 0, 1)
    assert told.news() == [NodeAdded, NodeSplit]


def test_what_goes_bares_what_was_there_for_it_alone() -> None:
    told = Told()
    told.store([1, 2])
    told.store([3], parent=2)
    told.remove([1, 2])
    assert told.news() == [NodeAdded, NodeAdded, NodeTiers] and told.mirror.nodes[1].live == 0
    told.remove([3])
    assert told.news() == [NodeRemoved, NodeRemoved] and not told.tree and not told.tree.strays


def test_the_end_of_a_node_may_go_alone() -> None:
    told = Told()
    told.store([1, 2, 3])
    told.remove([2, 3])
    told.news()
    assert mirror_shape(told.mirror) == [0, [[4, []]]] == mirror_shape(told.late())


def test_names_that_namespaces_share_are_nodes_of_their_own() -> None:
    told = Told()
    for namespace in range(3):
        told.store([1, 2], namespace=namespace)
    told.news()
    assert mirror_shape(told.mirror) == [0, [[8, []]] * 3]
    assert len({told.tree.number(2, namespace) for namespace in range(3)}) == 3
    assert len({node.content_key for node in told.mirror.nodes.values() if node.length}) == 3
    told.remove([1, 2])
    told.remove([1, 2])
    told.news()
    assert mirror_shape(told.mirror) == [0, [[8, []]]] and told.tree.device_blocks == 2


def test_copies_are_counted() -> None:
    told = Told(grows=True)
    told.store([1])
    told.store([1])
    told.remove([1])
    assert told.news() == [NodeAdded] and told.tree.device_blocks == 1
    told.remove([1])
    assert told.news() == [NodeRemoved]


def test_a_leaf_grows_where_blocks_come_one_by_one() -> None:
    told = Told(grows=True)
    told.store([1])
    told.store([2], parent=1)
    told.store([3], parent=2)
    told.news()
    assert mirror_shape(told.mirror) == [0, [[12, []]]]


def test_host_copies_keep_a_node_that_left_the_device() -> None:
    told = Told()
    told.store([1, 2])
    told.store([1, 2], where=ON_HOST)
    told.remove([1, 2])
    told.news()
    node = told.late().nodes[1]
    assert (node.live, node.copied) == (0, 1) == (told.mirror.nodes[1].live, told.mirror.nodes[1].copied)
    told.store([1, 2])
    told.remove([1, 2], where=ON_HOST)
    told.news()
    assert (told.mirror.nodes[1].live, told.mirror.nodes[1].copied) == (1, 0)


def test_what_never_came_is_counted() -> None:
    told = Told()
    told.remove([7])
    told.store([2], parent=1)
    assert told.tree.strays == 2


@pytest.mark.parametrize("seed", range(12))
def test_records_tell_the_tree_that_is_there(seed: int) -> None:
    dice = random.Random(seed)
    told = Told(grows=bool(seed % 2))
    copies: Counter[int] = Counter()
    for _ in range(150):
        prompt = [dice.randrange(2) for _ in range(dice.randrange(1, 6))]
        names = [hash((seed, *prompt[:end])) for end in range(1, len(prompt) + 1)]
        known = next((at for at, name in enumerate(names) if not copies[name]), len(names))
        if dice.random() < 0.6 and known < len(names):
            told.store(names[known:], names[known - 1] if known else None)
            copies.update(names[known:])
        elif known == len(names):
            below = [
                name for name in copies if copies[name] and told.tree.number(name) == told.tree.number(names[-1])
            ]
            gone = [name for name in names if name in below]
            told.remove(gone)
            copies.subtract(gone)
        told.news()
        assert mirror_shape(told.mirror) == mirror_shape(told.late())
        assert told.tree.device_blocks == copies.total() and not told.tree.strays
        lived = sum(node.length for node in told.mirror.nodes.values() if node.live)
        assert lived == sum(held > 0 for held in copies.values()) * PAGE
