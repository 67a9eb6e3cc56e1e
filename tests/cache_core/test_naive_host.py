"""The model's host tier against the numbers of the specification: S-51 to S-55, the host rows, 8.3 and 8.4."""

from __future__ import annotations

import pytest

from tests.support.naive_request import NaiveRequest
from tests.support.naive_scripts import chain, hits, hosted, insert, look, settle, shape
from tests.support.naive_tree import Tokens

pytestmark = pytest.mark.one_backend("no tree")

A: Tokens = tuple(range(200))


def test_s51_a_demoted_leaf_is_a_host_hit_and_no_branch() -> None:
    cache = hosted()
    chain(cache, 4, 8, 12)
    settle(cache)
    assert shape(cache) == "0+4FfSs 4+4FfSs 8+4FfSs"
    gone = cache.evict(full=4)
    assert (gone.full, gone.swa, gone.victims, gone.cascades) == (4, 4, 1, 1)
    assert shape(cache) == "0+4FfSs 4+4FfSs 8+4fts"
    assert (hits(cache, "A12"), look(cache, "A12").full) == ((8, 4, None), 12)
    cache.evict(full=4)
    found = look(cache, "A12")
    assert (found.hit, found.host, found.node.end) == (4, 8, 4)
    assert found.best is not None and found.best.end == 12


def backed_with_one_window() -> tuple[object, ...]:
    """Return a chain of fours with Full data on both tiers and the last window alone on the host."""
    cache = hosted()
    nodes = chain(cache, 4, 8, 12)
    settle(cache)
    for node in nodes[:2]:
        cache.drop_host_window(node)
    return cache, nodes


def test_s52_a_window_on_the_host_makes_resident_tokens_a_host_hit() -> None:
    cache, nodes = backed_with_one_window()
    look(cache, "A12")
    cache.evict(swa=8)
    assert shape(cache) == "0+4Fft 4+4Fft 8+4FfSs"
    assert hits(cache, "A12") == (12, 0, None)
    assert hits(cache, "A8") == (0, 0, 8)
    cache.evict(full=4)
    assert hits(cache, "A12") == (0, 12, None)
    cache.drop_host_window(nodes[2])
    assert hits(cache, "A12") == (0, 0, 12)


def test_s53_an_insert_brings_the_path_back_and_copies_the_last_window() -> None:
    cache, nodes = backed_with_one_window()
    look(cache, "A12")
    cache.evict(swa=8)
    cache.evict(full=4)
    cache.drop_host_window(nodes[2])
    insert(cache, "A12")
    assert hits(cache, "A12") == (12, 0, None)
    assert cache.pool_tokens()[::2] == (0, 8), "the copy under way holds the path, and the window it copies"
    [transfer] = cache.queue
    assert (transfer.nodes, transfer.sizes) == ([nodes[2]], {"swa": 4})
    settle(cache)
    assert cache.pool_tokens()[::2] == (12, 12)


@pytest.mark.parametrize(
    ("policy", "copied"),
    [("write_through", [[(0, 4)], [(4, 4)], [(8, 4)]]), ("write_through_selective", [[], [(0, 4)], [(4, 4)]])],
)
def test_s54_a_node_is_copied_once_enough_inserts_have_used_it(policy: str, copied: list[object]) -> None:
    cache = hosted(write_policy=policy)
    for end, expected in zip((4, 8, 12), copied, strict=True):
        insert(cache, f"A{end}")
        sent = [(n.end - len(n), len(n)) for transfer in cache.take_transfers() for n in transfer.nodes]
        assert sent == expected


def test_ancestors_that_are_not_on_the_host_go_first_in_the_same_transfer() -> None:
    cache = hosted(write_policy="write_through_selective")
    first, second, _ = chain(cache, 4, 8, 12)
    settle(cache)
    cache.drop_host(second)
    cache.drop_host(first)
    insert(cache, "A8")
    [transfer] = cache.queue
    assert transfer.nodes == [first, second]
    assert transfer.sizes == {"full": 8, "swa": 8}


@pytest.mark.parametrize(
    ("parent_on_host", "parent_pending", "collected"), [(False, False, 2), (True, False, 1), (False, True, 1)]
)
def test_s55_one_window_is_copied_up_to_what_is_there_or_under_way(
    parent_on_host: bool, parent_pending: bool, collected: int
) -> None:
    cache = hosted()
    nodes = chain(cache, 2, 4, 6, 8)
    settle(cache)
    for node in nodes:
        cache.drop_host_window(node)
    if parent_on_host:
        cache.send([(nodes[2], cache.copy_window(nodes[2]))])
        settle(cache)
    if parent_pending:
        cache.send([(nodes[2], {"swa": 0})])
        cache.take_transfers()
    insert(cache, "A8")
    [transfer] = cache.queue
    assert transfer.nodes == nodes[4 - collected :]
    assert transfer.sizes == {"swa": 2 * collected}


def test_s55_a_node_whose_copy_is_under_way_asks_for_no_other() -> None:
    cache = hosted()
    *_, last = chain(cache, 2, 4, 6, 8)
    cache.take_transfers()
    insert(cache, "A8")
    assert cache.is_pending(last)
    assert cache.queue == []


def test_host_row_a_leaf_on_the_host_without_its_window_is_a_branch_until_it_is_written_again() -> None:
    cache = hosted()
    insert(cache, "A4")
    leaf = insert(cache, "A9")
    settle(cache)
    assert shape(cache) == "0+4FfSs 4+1FfSs 5+4FfSs"
    cache.evict(full=4)
    cache.drop_host_window(leaf)
    before = cache.host_free, cache.swa_host_free
    found = look(cache, "A9")
    assert (found.full, found.branch) == (9, 9)
    insert(cache, "A9")
    settle(cache)
    assert (cache.host_free, cache.swa_host_free) == (before[0], before[1] - 4)
    assert hits(cache, "A9") == (9, 0, None)


def test_a_split_of_a_node_whose_copy_is_under_way_publishes_both_parts() -> None:
    """Report B19 of the public trackers: nothing of it may go while the copy is in flight."""
    cache = hosted(window=None)
    leaf = insert(cache, "A128")
    [transfer] = cache.take_transfers()
    look(cache, "A64")
    assert [node.end for node in transfer.nodes] == [64, 128]
    assert all(cache.is_pending(node) and node.host_lock == 1 for node in transfer.nodes)
    cache.evict_host(full=128)
    assert (cache.host_free, cache.evict(full=128).full) == (128, 0)
    cache.complete(transfer)
    assert [(n.full_lock, n.host_lock, n.host_full) for n in leaf.path] == [(0, 0, True)] * 2
    assert not any(cache.is_pending(node) for node in leaf.path)


def test_a_copy_that_is_never_completed_keeps_its_locks_and_nothing_else() -> None:
    cache = hosted()
    insert(cache, "A8")
    insert(cache, "B8")
    cache.complete(cache.take_transfers()[1])
    gone = cache.evict(full=100, swa=100)
    assert (gone.full, gone.swa) == (8, 8)
    assert (hits(cache, "A8"), hits(cache, "B8")) == ((8, 0, None), (0, 8, None))


def test_host_room_goes_by_policy_and_never_to_what_is_on_the_device_first() -> None:
    cache = hosted(window=None, host_slots=12)
    for letter in "ABC":
        insert(cache, f"{letter}4")
    settle(cache)
    cache.evict(full=8)
    look(cache, "A4")
    insert(cache, "D4")
    assert [hits(cache, f"{letter}4")[:2] for letter in "ABCD"] == [(0, 4), (0, 0), (4, 0), (4, 0)]
    assert [node.host_full for node in cache.nodes()] == [True, True, True]


def test_redundant_copies_make_room_when_nothing_else_can() -> None:
    """Report M8 of the public trackers: a host of 400 takes all of 1,000 tokens that the device keeps."""
    cache = hosted(window=None, host_slots=40)
    for letter in "ABCDEFGHIJ":
        insert(cache, f"{letter}10")
        settle(cache)
    assert cache.seen["no room on the host"] == 0
    assert [node.host_full for node in cache.nodes()] == [False] * 6 + [True] * 4


def test_writing_back_copies_a_leaf_when_it_goes_and_frees_its_slots_at_once() -> None:
    cache = hosted(write_policy="write_back")
    chain(cache, 4, 8)
    assert (shape(cache), cache.queue) == ("0+4FS 4+4FS", [])
    assert cache.evict(full=4).full == 4
    assert (shape(cache), cache.full_free) == ("0+4FS 4+4fts", 252)
    [transfer] = cache.take_transfers()
    assert transfer.sizes == {"full": 4, "swa": 4}
    assert hits(cache, "A8") == (4, 4, None)


def test_writing_back_deletes_a_leaf_that_never_fits_with_what_is_below() -> None:
    cache = hosted(window=None, write_policy="write_back", host_slots=4)
    chain(cache, 5, 7)
    cache.evict(full=2)
    assert shape(cache) == "0+5F 5+2f"
    settle(cache)
    assert cache.evict(full=5).full == 5
    assert (shape(cache), cache.host_free) == ("", 4)


def test_writing_back_keeps_a_leaf_above_a_copy_that_is_under_way() -> None:
    cache = hosted(window=None, write_policy="write_back", host_slots=4)
    chain(cache, 4, 6)
    assert (cache.evict(full=6).full, shape(cache)) == (2, "0+4F 4+2f")
    settle(cache)
    assert cache.evict(full=4).full == 4
    assert (shape(cache), cache.host_free) == ("0+4f", 0)


def test_a_host_hit_is_loaded_back_and_held() -> None:
    cache = hosted(load_back_tokens=1)
    chain(cache, 4, 8, 12)
    settle(cache)
    cache.evict(full=8)
    request = NaiveRequest(cache, A[:13])
    assert (request.hit, request.start.host) == (4, 8)
    assert request.load_back() == 8
    assert (request.hit, request.owned, request.length) == (12, 12, 12)
    [transfer] = cache.take_transfers()
    assert (transfer.direction, transfer.sizes) == ("load", {"full": 8, "swa": 4})
    assert shape(cache) == "0+4FfSs 4+4Ffts 8+4FfSs"
    assert [node.full_lock for node in cache.nodes()] == [2, 2, 2]
    cache.complete(transfer)
    assert [(node.full_lock, node.swa_lock) for node in cache.nodes()] == [(1, 0), (1, 0), (1, 1)]


def test_a_short_host_hit_is_not_worth_a_load_back_unless_a_window_comes_with_it() -> None:
    cache = hosted(window=None)
    chain(cache, 20, 29)
    settle(cache)
    cache.evict(full=9)
    assert NaiveRequest(cache, A[:30]).load_back() == 0
    with_window = hosted()
    chain(with_window, 20, 29)
    settle(with_window)
    with_window.evict(full=4)
    assert NaiveRequest(with_window, A[:30]).load_back() == 4


def test_a_load_back_makes_room_on_the_device_or_leaves_everything() -> None:
    cache = hosted(window=None, slots=256)
    chain(cache, 20)
    settle(cache)
    cache.evict(full=20)
    assert cache.take(250)
    assert NaiveRequest(cache, A[:30]).load_back() == 0
    cache.give_back(0, 14, 0)
    assert NaiveRequest(cache, A[:30]).load_back() == 20
