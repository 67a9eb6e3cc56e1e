"""`check_integrity` finds each kind of damage to a host tier."""

from __future__ import annotations

from array import array
from collections.abc import Callable

import pytest

from cache_core import CacheIntegrityError, PrefixCache, check_integrity, pretty_print
from cache_core.node import Node
from tests.support.caches import STREAM, insert
from tests.support.hosted import hosted, settle


@pytest.fixture
def cache() -> PrefixCache:
    """A4 and A8 with copies and B4 on the host alone, all settled, and a C4 whose backup is under way."""
    made = hosted("swa")
    insert(made, "B4")
    insert(made, "A4")
    insert(made, "A8")
    settle(made)
    made.evict(full_tokens=4)
    insert(made, "C4")
    unchecked: PrefixCache = made._target
    check_integrity(unchecked)
    return unchecked


def nodes(cache: PrefixCache) -> dict[str, Node]:
    """Return the nodes by letter and end."""
    return {f"{'ABC'[array('i', node.edge)[0] // STREAM]}{node.end}": node for node in cache.tree.descend()}


def miscount_away(cache: PrefixCache) -> None:
    cache.host.away_nodes += 1


def lose_a_copy(cache: PrefixCache) -> None:
    nodes(cache)["B4"].copies[0] = None


def shorten_a_copy(cache: PrefixCache) -> None:
    del nodes(cache)["A4"].copies[1][-1:]


def share_a_host_slot(cache: PrefixCache) -> None:
    found = nodes(cache)
    found["A4"].copies[0][0] = found["A8"].copies[0][0]


def invent_a_host_slot(cache: PrefixCache) -> None:
    nodes(cache)["A4"].copies[0][0] = 10_000


def leave_a_hole(cache: PrefixCache) -> None:
    node = nodes(cache)["A4"]
    for copies in cache.host.copies:
        copies.drop(node)


def drop_full_alone(cache: PrefixCache) -> None:
    cache.host.copies[0].drop(nodes(cache)["A8"])


def miscount_host_lock(cache: PrefixCache) -> None:
    nodes(cache)["A8"].host_lock += 1


def wait_for_nothing(cache: PrefixCache) -> None:
    nodes(cache)["A8"].pending = 77


def forget_to_wait(cache: PrefixCache) -> None:
    nodes(cache)["C4"].pending = 0


def forget_a_lone_window(cache: PrefixCache) -> None:
    cache.host.copies[1].alone.remove(nodes(cache)["B4"])


def forget_a_transfers_lock(cache: PrefixCache) -> None:
    cache.full.unlock(nodes(cache)["C4"], 0)


def lock_what_is_away(cache: PrefixCache) -> None:
    nodes(cache)["B4"].lock = 1


def hang_it_twice(cache: PrefixCache) -> None:
    node = nodes(cache)["B4"]
    cache.tree.root.children[cache.tree.child_key(node)] = node


def forget_a_victim(cache: PrefixCache) -> None:
    cache.host.room._alone._queued.clear()


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (miscount_away, "counts 2 nodes on the host alone, the tree has 1"),
        (lose_a_copy, "its Full data is on neither tier"),
        (shorten_a_copy, "a copy of 3 slots for 4 of component 1"),
        (share_a_host_slot, "full host slot"),
        (invent_a_host_slot, "and no slot of the pool"),
        (leave_a_hole, "on the host, its parent"),
        (drop_full_alone, "a copy on the host without one of its Full data"),
        (miscount_host_lock, "host lock 1, the transfers hold 0"),
        (wait_for_nothing, "waits for transfer 77"),
        (forget_to_wait, "a backup of it is under way, and it does not wait"),
        (forget_a_lone_window, "swa host recency list: 0 entries, 1 nodes"),
        (forget_a_transfers_lock, "full lock 0, the receipts hold 1"),
        (lock_what_is_away, "full lock 1, the receipts hold 0"),
        (hang_it_twice, "its parent does not find it"),
        (forget_a_victim, "may go and is not queued"),
    ],
)
def test_damage_is_found(cache: PrefixCache, damage: Callable[[PrefixCache], None], text: str) -> None:
    damage(cache)
    with pytest.raises(CacheIntegrityError) as raised:
        check_integrity(cache)
    assert text in str(raised.value)


def test_the_printed_tree_shows_both_tiers(cache: PrefixCache) -> None:
    assert [line.split("  ")[1:3] for line in pretty_print(cache).replace("  4..8", "4..8").splitlines()] == [
        ["FSfs", "first 0"],
        ["FSfs", "first 4"],
        ["--fs", "first 100000"],
        ["FSfs", "first 200000"],
    ]
