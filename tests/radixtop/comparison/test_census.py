"""Which prefixes grew and shrank: by the tokens below the root's children, whatever was split or went meanwhile."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cache_core.events import NodeRemoved, NodeSplit
from probes.mirror import Mirror
from radixtop.comparison.census import PrefixChange, census, changes
from radixtop.flame.weighing import token_grove
from tests.support.records import record
from tests.support.watched import node


def tree_of(*lengths: int) -> Mirror:
    tree = Mirror()
    for number, length in enumerate(lengths, start=1):
        tree.apply(node(number, 0, 0, length))
    return tree


def changed(tree: Mirror, then: object) -> list[tuple[int, int, int]]:
    found: tuple[PrefixChange, ...] = changes(tree, token_grove(tree), then, 40)  # type: ignore[arg-type]
    return [(change.node, change.before, change.after) for change in found]


def test_what_grew_came_or_went_is_listed_the_largest_change_first() -> None:
    tree = tree_of(100, 200, 300)
    then = census(tree, token_grove(tree))
    tree.apply(node(10, 1, 100, 500))
    tree.apply(node(11, 0, 0, 50))
    tree.apply(NodeRemoved(0, 2))
    assert changed(tree, then) == [(1, 100, 600), (-1, 200, 0), (11, 0, 50)]


def test_a_split_is_no_change() -> None:
    tree = tree_of(100, 200)
    tree.apply(node(5, 2, 200, 40))
    then = census(tree, token_grove(tree))
    tree.apply(record(NodeSplit, node=2, upper=9, parent=0, start=0, length=80))
    assert changed(tree, then) == []
    tree.apply(node(6, 9, 80, 7))
    assert changed(tree, then) == [(9, 240, 247)]


def test_below_what_nearly_all_share_the_branches_are_told_apart() -> None:
    tree = Mirror()
    tree.apply(node(1, 0, 0, 1_000))
    tree.apply(node(2, 1, 1_000, 60))
    tree.apply(node(3, 1, 1_000, 40))
    then = census(tree, token_grove(tree))
    assert then.top == 1
    tree.apply(node(4, 3, 1_040, 9))
    assert changed(tree, then) == [(3, 40, 49)]


@given(st.lists(st.integers(1, 500), min_size=1, max_size=12), st.data())
def test_changes_add_up_to_that_of_the_tree(lengths: list[int], data: st.DataObject) -> None:
    tree = tree_of(*lengths)
    then = census(tree, token_grove(tree))
    before = tree.root.subtree_tokens
    for step in range(data.draw(st.integers(0, 6))):
        parent = data.draw(st.sampled_from(sorted(tree.nodes)))
        tree.apply(node(100 + step, parent, tree.nodes[parent].end, data.draw(st.integers(1, 500))))
    leaves = [number for number, known in tree.nodes.items() if number and not known.children]
    for number in data.draw(st.sets(st.sampled_from(leaves), max_size=3)):
        tree.apply(NodeRemoved(0, number))
    total = sum(after - old for _, old, after in changed(tree, then))
    own = tree.root.subtree_tokens - before
    if then.top == 0:
        assert total == own
