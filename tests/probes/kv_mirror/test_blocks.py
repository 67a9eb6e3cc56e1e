"""Blocks: copies are counted in every place, parents may come late, and what is gone takes no memory."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from probes.kv.wire import Cleared, Event, Hash, Removed, Stored
from probes.kv_mirror.blocks import BlockMirror
from tests.support.blocks_naive import NaiveBlocks
from tests.support.made_kv_events import PLACES, REMOVALS, STORES, stored


def applied(*events: Event) -> BlockMirror:
    mirror = BlockMirror()
    for event in events:
        mirror.apply(event)
    return mirror


def held(mirror: BlockMirror, tier: str = "device", group: int = 0) -> dict[Hash, int]:
    return dict(mirror.blocks(tier, group))


def test_a_demotion_leaves_the_blocks_on_the_host() -> None:
    mirror = applied(stored(1, 2), stored(1, 2, tier="host"), Removed([2, 1]))
    assert held(mirror) == {}
    assert held(mirror, "host") == {1: 1, 2: 1}
    assert [place.blocks for place in mirror.places] == [0, 2]


def test_the_removal_in_one_group_leaves_the_other() -> None:
    mirror = applied(stored(1), stored(1, group=1), Removed([1], group=1))
    assert held(mirror) == {1: 1}
    assert held(mirror, group=1) == {}


def test_names_of_bytes_are_names() -> None:
    mirror = applied(stored(b"a" * 32, b"b" * 32))
    assert mirror.parent(b"b" * 32) == b"a" * 32
    assert len(mirror) == 2


def test_each_copy_goes_by_itself() -> None:
    mirror = applied(stored(1, 2), stored(1, 2), Removed([2]))
    assert held(mirror) == {1: 2, 2: 1}
    assert (mirror.places[0].blocks, mirror.places[0].copies, mirror.places[0].tokens) == (2, 3, 32)


def test_a_block_waits_for_its_parent_and_is_attached_when_that_comes() -> None:
    mirror = applied(stored(3, parent=1))
    assert (mirror.orphans, held(mirror)) == (1, {3: 1})
    mirror.apply(stored(1))
    assert (mirror.orphans, mirror.parent(3)) == (0, 1)
    assert mirror.places[0].tokens == 32


def test_an_orphan_that_goes_takes_its_placeholder_with_it() -> None:
    mirror = applied(stored(3, parent=1), Removed([3]))
    assert (len(mirror), mirror.orphans) == (0, 0)


def test_a_thousand_chains_come_and_go_and_nothing_stays() -> None:
    mirror = BlockMirror()
    for chain in range(1000):
        mirror.apply(Stored(list(range(chain * 1000, chain * 1000 + 140)), None, [], 16))
    assert (len(mirror), mirror.places[0].blocks) == (140_000, 140_000)
    for chain in range(1000):
        mirror.apply(Removed(list(range(chain * 1000, chain * 1000 + 140))))
    assert (len(mirror), mirror.places[0].blocks, mirror.orphans) == (0, 0, 0)
    assert mirror.doubts.unknown_removals == 0


def test_the_middle_of_a_chain_may_go_first() -> None:
    mirror = applied(stored(1, 2, 3), Removed([2]))
    assert (mirror.parent(3), mirror.parent(2), len(mirror)) == (2, 1, 3)
    mirror.apply(Removed([3]))
    assert (held(mirror), len(mirror)) == ({1: 1}, 1)


def test_a_removal_of_what_never_came_is_a_doubt() -> None:
    mirror = applied(Removed([9]), stored(1), Removed([1, 1]))
    assert mirror.doubts.unknown_removals == 2


def test_parents_in_a_circle_are_cut() -> None:
    mirror = applied(stored(1, parent=2), stored(2, parent=1), stored(7, 7, 7))
    for name in (1, 2, 7):
        above, steps = mirror.parent(name), 0
        while above is not None:
            above, steps = mirror.parent(above), steps + 1
            assert steps < 4
    assert mirror.doubts.other_parents > 0


def test_a_flush_forgets_every_tier() -> None:
    mirror = applied(stored(1, 2), stored(1, tier="host"), stored(5, parent=4), Cleared())
    assert (len(mirror), mirror.orphans, [place.copies for place in mirror.places]) == (0, 0, [0, 0])
    mirror.apply(stored(1, tier="host"))
    assert held(mirror, "host") == {1: 1}


def test_past_its_limit_blocks_are_left_out_and_counted() -> None:
    mirror = BlockMirror(limit_blocks=10)
    for name in range(0, 100, 2):
        mirror.apply(stored(name, name + 1))
    assert len(mirror) < 10
    assert mirror.doubts.left_out + len(mirror) == 100


def test_made_up_places_are_left_out() -> None:
    mirror = BlockMirror()
    for group in range(1000):
        mirror.apply(stored(1, group=group))
    assert len(mirror.places) < 100
    assert mirror.doubts.placeless == 1000 - len(mirror.places)


def test_what_is_stored_below_a_block_that_is_gone_is_a_doubt() -> None:
    assert applied(stored(1, 2), stored(3, parent=2)).doubts.below_gone == 0
    assert applied(stored(1, 2, 3), Removed([2]), stored(4, parent=2)).doubts.below_gone == 1
    assert applied(stored(3, parent=2), stored(2), Removed([3])).doubts.below_gone == 0
    assert applied(stored(3, parent=2), Removed([3])).doubts.below_gone == 1


def of_vllm(*names: int, group: int = 0, parent: int | None = None) -> Stored:
    """A store as engines tell it that can tell of blocks without a new copy."""
    return stored(*names, group=group, parent=parent)._replace(kind="full_attention")


def test_a_prompt_that_is_told_of_once_more_is_a_doubt_until_its_blocks_are_gone() -> None:
    mirror = applied(of_vllm(1, 2), of_vllm(1, 2))
    assert mirror.retold == 2
    for gone in ([1, 2], [2]):
        mirror.apply(Removed(gone))
    assert mirror.retold == 1
    mirror.apply(Removed([1]))
    assert mirror.retold == 0
    assert applied(of_vllm(1, 2), of_vllm(1, 2), Cleared()).retold == 0


def test_what_can_only_be_a_second_copy_is_no_doubt() -> None:
    assert applied(of_vllm(1, 2), of_vllm(1, 2, 3)).retold == 0
    assert applied(of_vllm(1, 2), of_vllm(2, parent=1)).retold == 0
    assert applied(stored(1, 2), stored(1, 2)).retold == 0
    recomputed = [of_vllm(1, 2), of_vllm(1, 2, group=1), Removed([2], group=1), of_vllm(1, 2), of_vllm(1, 2, group=1)]
    assert applied(*recomputed).retold == 0
    assert applied(of_vllm(1, 2), of_vllm(1, 2, group=1), of_vllm(1, 2)).retold == 2


def check(mirror: BlockMirror) -> None:
    """Recompute every counter from the columns."""
    parents, children = {}, [0] * len(mirror._hashes)
    for name, slot in mirror._slots.items():
        assert mirror._hashes[slot] == name
        parents[slot] = mirror._parents[slot]
        if parents[slot] >= 0:
            children[parents[slot]] += 1
    assert list(mirror._children) == [children[slot] for slot in range(len(children))]
    for slot in parents:
        assert mirror._where[slot] == sum(bool(counts[slot]) << place for place, counts in enumerate(mirror._counts))
        assert mirror._where[slot] or children[slot]
    for place, counts in zip(mirror.places, mirror._counts, strict=True):
        alive = [slot for slot in parents if counts[slot]]
        assert place.blocks == len(alive)
        assert place.copies == sum(counts)
        assert place.tokens == sum(mirror._tokens[slot] for slot in alive)
    assert len(parents) + len(mirror._free) == len(mirror._hashes)


@given(st.lists(STORES | STORES | REMOVALS | REMOVALS | st.just(Cleared()), max_size=60))
@settings(max_examples=400, deadline=None)
def test_any_stream_leads_to_what_a_plain_count_says(events: list[Event]) -> None:
    mirror, naive = BlockMirror(), NaiveBlocks()
    for event in events:
        mirror.apply(event)
        naive.apply(event)
        check(mirror)
        for place in PLACES:
            assert held(mirror, *place) == {name: n for (where, name), n in naive.copies.items() if where == place}
        assert mirror.doubts.unknown_removals == naive.unknown_removals


@given(st.lists(STORES | REMOVALS, max_size=40))
@settings(max_examples=200, deadline=None)
def test_parents_are_those_that_were_told(events: list[Event]) -> None:
    mirror, naive = BlockMirror(), NaiveBlocks()
    for event in events:
        mirror.apply(event)
        naive.apply(event)
        assert set(mirror._slots) == naive.known
        assert {name: mirror.parent(name) for name in naive.above} == naive.above
        assert mirror.orphans == naive.orphans
