"""A mirror that follows from the start, and one that joins while the tree is being changed and walked."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from probes.mirror import Mirror
from probes.mirroring.node import MirrorNode
from tests.support.toy_tree import COMPONENTS, WHOLE, ToyNode, ToyTree

SEEDS = st.integers(0, 2**32)


def assert_same(mirror: Mirror, tree: ToyTree) -> None:
    """Compare every field of every node, and every running count with a recount."""
    nodes = tree.nodes()
    assert set(mirror.nodes) == {0, *(node.id for node in nodes)}
    for node in nodes:
        assert _fields(mirror.nodes[node.id]) == _expected(node), f"{node.id=}"
    assert mirror.census.nodes == len(nodes)
    assert mirror.census.tokens == sum(node.length for node in nodes)
    assert mirror.leaves == sum(not node.children for node in nodes)
    assert mirror.tombstones == sum(node.live != WHOLE for node in nodes)
    assert mirror.depth == _depth(tree.root)
    for node in mirror.nodes.values():
        assert node.subtree_tokens == node.length + sum(child.subtree_tokens for child in node.children.values())
    for component in range(COMPONENTS):
        live = [node.length for node in nodes if node.live >> component & 1]
        assert mirror.census.live(component) == (len(live), sum(live))


def _fields(node: MirrorNode) -> tuple[object, ...]:
    assert node.parent is not None
    return (
        node.parent.id, set(node.children), node.start, node.length, node.content_key, node.live, node.hit_count,
        node.priority, node.anchored, node.locks, node.segments,
    )  # fmt: skip


def _expected(node: ToyNode) -> tuple[object, ...]:
    assert node.parent is not None
    return (
        node.parent.id, {child.id for child in node.children}, node.start, node.length, node.id, node.live,
        node.hit_count, node.priority, node.anchored, node.locks, tuple(sorted(node.labels.items())),
    )  # fmt: skip


def _depth(node: ToyNode) -> int:
    return max((1 + _depth(child) for child in node.children), default=0)


@given(SEEDS, st.integers(0, 120))
def test_a_mirror_that_saw_everything_equals_the_tree(seed: int, steps: int) -> None:
    tree = ToyTree(random.Random(seed))
    mirror = Mirror(("full", "swa"))
    for _ in range(steps):
        tree.step()
    for record in tree.stream:
        mirror.apply(record)
    assert_same(mirror, tree)


@given(SEEDS, st.integers(0, 60), st.floats(0.05, 0.95))
@settings(max_examples=200)
def test_a_late_joiner_converges_whatever_happens_during_the_walk(seed: int, before: int, pace: float) -> None:
    tree = ToyTree(random.Random(seed))
    interleaving = random.Random(seed + 1)
    for _ in range(before):
        tree.step()
    tree.stream.clear()
    mirror = Mirror(("full", "swa"))
    walk = tree.walk()
    walking = True
    while walking:
        if interleaving.random() < pace:
            tree.step()  # before the walk began, too
        else:
            stated = next(walk, None)
            walking = stated is not None
            if stated is not None:
                tree.stream.append(stated)
    for _ in range(10):
        tree.step()
    for record in tree.stream:
        mirror.apply(record)
    assert_same(mirror, tree)
