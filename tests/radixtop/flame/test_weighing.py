"""Weights by subtree: what a walk of the tree would add up, however the work is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache_core.events import Match, NodeRemoved
from probes.mirror import Mirror
from radixtop.flame import groves, sums
from radixtop.flame.page import WEIGHTS, FlameQuestion, Weight
from radixtop.flame.weighing import Weighing, known_weights
from tests.radixtop.flame.test_answerer import answered
from tests.support.eventful import snapshot_of
from tests.support.happenings import log_of
from tests.support.records import record
from tests.support.watched import NOW, SECOND, mirror, node


@st.composite
def trees(draw: st.DrawFn) -> Mirror:
    """Return a tree in which some nodes came, went, were reused and had to be computed again."""
    tree, ends = Mirror(("full", "swa")), {0: 0}
    for number in range(1, draw(st.integers(1, 30)) + 1):
        parent = draw(st.sampled_from(sorted(ends)))
        length = draw(st.integers(1, 300))
        touched_at = NOW - draw(st.integers(0, 90)) * SECOND
        tree.apply(node(number, parent, ends[parent], length, touched_at=touched_at))
        ends[number] = ends[parent] + length
        if draw(st.booleans()):
            hit = draw(st.integers(0, ends[number]))
            full = draw(st.integers(hit, ends[number]))
            tree.apply(record(Match, at=touched_at, node=number, device_hit_tokens=hit, full_hit_tokens=full,
                              full_node=number, queried_tokens=full, request=number))  # fmt: skip
        leaves = [known for known in ends if known and not tree.nodes[known].children]
        if draw(st.integers(0, 5)) == 0:
            gone = draw(st.sampled_from(leaves))
            tree.apply(NodeRemoved(0, gone))
            del ends[gone]
    return tree


def naive(tree: Mirror, number: int, weight: Weight) -> int:
    """Return what a walk of everything at and below a node adds up to."""
    total = 0
    for known in tree.nodes[number].walk():
        if weight == "nodes":
            total += 1
        elif known.id:
            total += {
                "tokens": known.length,
                "hit tokens": known.hit_tokens,
                "recomputed": known.recomputed_tokens,
                "idle": known.length * ((NOW - known.touched_at) // SECOND),
            }[weight]
    return total


@given(trees(), st.sampled_from(WEIGHTS), st.integers(1, 7))
def test_every_node_weighs_what_a_walk_adds_up(tree: Mirror, weight: Weight, slice_nodes: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sums, "SLICE_NODES", slice_nodes)
        grove, version, _ = Weighing(lambda: 0).grove(tree, weight, NOW)
    assert grove is not None and version == tree.version
    for number, known in tree.nodes.items():
        assert grove.total(number) == naive(tree, number, weight), number
        below = sorted(
            ((child, grove.total(child)) for child in known.children), key=lambda pair: (-pair[1], pair[0])
        )
        assert grove.heavy(number, 1) == [pair for pair in below if pair[1] >= 1]


@given(trees(), st.integers(1, 200))
def test_heavy_children_are_found_in_columns_as_by_asking_each(tree: Mirror, least: int) -> None:
    asked, _, _ = Weighing(lambda: 0).grove(tree, "tokens", NOW)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(groves, "MANY_CHILDREN", 0)
        patch.setattr(groves, "LARGE_TREE", 0)
        grouped, _, _ = Weighing(lambda: 0).grove(tree, "tokens", NOW)
        assert asked is not None and grouped is not None
        for number in tree.nodes:
            assert grouped.heavy(number, least) == asked.heavy(number, least)
            assert grouped.heavy(number, least + 5) == asked.heavy(number, least + 5)
            assert grouped.heavy(number, 1) == asked.heavy(number, 1)


def test_adding_up_stops_when_its_time_is_over_and_goes_on_with_the_next_answer() -> None:
    tree = mirror(prompts=40, questions=9)
    looks = iter(range(0, 10**12, 10_000_000))
    weighing = Weighing(lambda: next(looks))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sums, "SLICE_NODES", 50)
        turns = 1
        while weighing.grove(tree, "idle", NOW)[0] is None:
            turns += 1
    assert 3 < turns < 40


def test_a_page_says_that_its_weight_is_being_added_up() -> None:
    tree = mirror()
    page = answered(tree, FlameQuestion(80, 9, weight="idle"))
    assert not page.is_weighing and page.total > 0


def test_what_requests_reused_is_a_weight_where_requests_are_told_of() -> None:
    assert known_weights(snapshot_of(log_of([]))) == ("tokens", "nodes", "idle")
