"""The orders of a host tier by themselves: recency of lone copies, and the queue of victims."""

from __future__ import annotations

import random
from typing import Any

import pytest

from cache_core.host.recency import Recency
from cache_core.host.victims import VictimQueue
from cache_core.policy import POLICIES
from tests.support.caches import full_cache, insert, key


def tiered_nodes(count: int) -> list[Any]:
    """Return the nodes of a cache with a host tier, one for each letter."""
    cache = full_cache(host_slots=256, write_policy="write_back")
    return [insert(cache, f"{letter}4").node for letter in "ABCDEFGHIJ"[:count]]


def test_recency_is_a_list_that_any_node_leaves_at_once() -> None:
    nodes, dice = tiered_nodes(10), random.Random(5)
    order, model = Recency(), []
    for _ in range(500):
        node = dice.choice(nodes)
        if node not in model:
            order.add(node)
            model.append(node)
        elif dice.random() < 0.5:
            order.remove(node)
            model.remove(node)
        else:
            order.renew(node)
            model.remove(node)
            model.append(node)
        assert (list(order), len(order), node in order) == (model, len(model), node in model)


def test_a_node_is_put_next_to_another_as_the_older_one() -> None:
    first, second, third = tiered_nodes(3)
    order = Recency()
    order.add(first)
    order.add(second)
    order.add_behind(third, second)
    assert list(order) == [first, third, second]
    order.add_behind(fourth := tiered_nodes(1)[0], first)
    assert list(order) == [fourth, first, third, second]


def test_the_node_just_yielded_may_leave() -> None:
    nodes = tiered_nodes(4)
    order = Recency()
    for node in nodes:
        order.add(node)
    for node in order:
        order.remove(node)
    assert (list(order), len(order)) == ([], 0)


@pytest.fixture
def queue() -> VictimQueue:
    """A queue by last access that takes every node for a victim."""
    return VictimQueue(POLICIES.load("lru")(), lambda node: True, anew=False)


def test_victims_come_by_their_rank_of_now(queue: VictimQueue) -> None:
    cache = full_cache(host_slots=256, write_policy="write_back")
    nodes = [insert(cache, f"{letter}4").node for letter in "ABC"]
    for node in nodes:
        queue.offer(node)
        queue.offer(node)
    cache.match(key("A4"))
    assert [queue.pop(set()) for _ in range(4)] == [nodes[1], nodes[2], nodes[0], None]


def test_what_is_spared_or_held_stays_for_a_later_call(queue: VictimQueue) -> None:
    first, second, third = tiered_nodes(3)
    for node in (first, second, third):
        queue.offer(node)
    second.host_lock = 1
    queue.begin(list, 3)
    assert [queue.pop({first.id}) for _ in range(2)] == [third, None]
    queue.end()
    second.host_lock = 0
    assert [queue.pop(set()) for _ in range(3)] == [first, second, None]


def test_what_is_no_victim_any_more_is_passed_over() -> None:
    nodes = tiered_nodes(3)
    left = set(nodes)
    queue = VictimQueue(POLICIES.load("lru")(), left.__contains__, anew=False)
    for node in nodes:
        queue.offer(node)
    left.discard(nodes[0])
    assert queue.pop(set()) is nodes[1]
    left.add(nodes[0])
    queue.offer(nodes[0])
    assert queue.pop(set()) is nodes[0]


def test_entries_of_nodes_that_left_do_not_pile_up(queue: VictimQueue) -> None:
    cache = full_cache(slots=1_000, host_slots=256, write_policy="write_back")
    for number in range(200):
        queue.offer(insert(cache, f"A{4 * number}:{4 * number + 4}").node)
    for node in list(cache.tree.descend()):
        cache.tree.detach(node)
    queue.begin(list, 0)
    assert queue.pop(set()) is None
    assert len(queue._heap) == 0


def test_the_end_of_a_path_is_younger_than_what_is_above_it_at_one_age() -> None:
    cache = full_cache(host_slots=256, write_policy="write_back")
    insert(cache, "A4")
    insert(cache, "A8")
    cache.match(key("A8"))
    upper, lower = sorted(cache.tree.descend(), key=lambda node: node.start)
    for policy, expected in (("lru", upper), ("mru", lower)):
        queue = VictimQueue(POLICIES.load(policy)(), lambda node: True, anew=False)
        queue.offer(lower)  # type: ignore[arg-type]
        queue.offer(upper)  # type: ignore[arg-type]
        assert queue.pop(set()) is expected
