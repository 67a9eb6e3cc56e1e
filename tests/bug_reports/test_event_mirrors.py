"""What mirrors of KV events got wrong elsewhere: each stream is one that left RadixView 0.1.0 or another with a lie.

Every stream goes through the wire, so that what decodes it counts as well.
"""

from __future__ import annotations

import msgspec

from probes.kv.wire import decode
from probes.kv_feed.happenings import Delivery, FeedState, Gap, Happening, Joined, Restarted
from probes.kv_mirror.follower import RankFollower


class Told:
    """A rank that is followed through payloads; its blocks on a tier are `held`."""

    def __init__(self, first_seq: int = 0) -> None:
        self._waiting: list[Happening] = [Joined(first_seq, False)]
        self._seq = first_seq
        self.follower = RankFollower(self, "rank", clock=lambda: 0)

    def take(self) -> list[Happening]:
        taken, self._waiting = self._waiting, []
        return taken

    def state(self) -> FeedState:
        return FeedState(is_connected=True)

    def close(self) -> None:
        """Nothing is held."""

    def happens(self, *happenings: Happening) -> None:
        self._waiting += happenings
        while self._waiting or self.follower._waiting:
            self.follower.poll()

    def batch(self, *events: object, whole: object = None) -> None:
        payload = msgspec.msgpack.encode([1.0, events, 0] if whole is None else whole)
        self.happens(Delivery(decode(payload), self._seq, 0))
        self._seq += 1

    def held(self, tier: str = "device", group: int = 0) -> set[object]:
        return {name for name, _ in self.follower.rank.blocks.blocks(tier, group)}

    @property
    def badge(self) -> str:
        return self.follower.rank.badge.word


def stored(*names: object, parent: object = None, **more: object) -> dict[str, object]:
    return {
        "type": "BlockStored",
        "block_hashes": names,
        "parent_block_hash": parent,
        "token_ids": [],
        "block_size": 4,
        "lora_id": None,
        **more,
    }


def removed(*names: object, **more: object) -> dict[str, object]:
    return {"type": "BlockRemoved", "block_hashes": names, **more}


def test_radixview_1_a_demotion_leaves_two_blocks_on_the_host() -> None:
    told = Told()
    told.batch(stored(1, 2, medium="GPU"), stored(1, 2, medium="CPU_PINNED"), removed(1, 2, medium="GPU"))
    assert (told.held(), told.held("host")) == (set(), {1, 2})


def test_radixview_2_what_one_rank_drops_another_still_has() -> None:
    ranks = Told(), Told()
    for rank in ranks:
        rank.batch(stored(1, 2))
    ranks[0].batch(removed(1, 2))
    assert [rank.held() for rank in ranks] == [set(), {1, 2}]


def test_radixview_3_of_a_restarted_publisher_only_the_new_blocks_are_there() -> None:
    told = Told()
    told.batch(stored(1, 2, 3))
    told.happens(Restarted(0), Joined(0, True))
    told.batch(stored(7))
    assert (told.held(), told.badge) == ({7}, "complete")


def test_radixview_4_hashes_may_be_bytes() -> None:
    told = Told()
    told.batch(stored(b"a" * 32, b"b" * 32))
    assert told.held() == {b"a" * 32, b"b" * 32}


def test_radixview_5_a_batch_may_be_a_map() -> None:
    told = Told()
    told.batch(whole={"ts": 1.0, "events": [stored(1)], "data_parallel_rank": 0})
    assert told.held() == {1}


def test_radixview_6_the_removal_of_a_group_leaves_the_others() -> None:
    told = Told()
    told.batch(stored(1, group_idx=0), stored(1, group_idx=1), removed(1, group_idx=1))
    assert (told.held(group=0), told.held(group=1)) == ({1}, set())


def test_radixview_7_after_a_gap_the_view_is_unsure() -> None:
    told = Told()
    told.batch(stored(1))
    told.happens(Gap(1, 4))
    told.batch(stored(2))
    assert told.badge == "unsure"
    assert "batches 1 to 4 never came" in told.follower.state().message


def test_b46_a_split_needs_no_event_and_loses_nothing() -> None:
    told = Told()
    told.batch(stored(1, 2, 3), stored(4, 5, parent=1))
    assert told.held() == {1, 2, 3, 4, 5}
    assert [told.follower.rank.blocks.parent(name) for name in (2, 4)] == [1, 1]


def test_b46_repeated_content_is_a_chain_and_no_loop() -> None:
    told = Told()
    told.batch(stored(7, 7, 7))
    assert told.follower.rank.blocks.parent(7) is None
    told.batch(removed(7, 7, 7))
    assert (told.held(), len(told.follower.rank.blocks)) == (set(), 0)


def test_b48_a_late_joiner_that_is_told_parents_first_has_the_same_blocks() -> None:
    early, late = Told(), Told(first_seq=3)
    early.batch(stored(1, 2), stored(3, parent=2))
    late.batch({"type": "AllBlocksCleared"}, stored(1, 2), stored(3, parent=2))
    assert early.held() == late.held()
    assert late.badge == "complete"


def test_b48_an_orphan_is_kept_counted_flagged_and_attached_when_its_parent_comes() -> None:
    told = Told()
    told.batch(stored(3, parent=1))
    assert (told.held(), told.follower.rank.blocks.orphans, told.badge) == ({3}, 1, "unsure")
    told.batch(stored(1))
    assert (told.follower.rank.blocks.parent(3), told.follower.rank.blocks.orphans, told.badge) == (1, 0, "complete")


def test_b48_a_thousand_chains_that_come_and_go_leave_neither_blocks_nor_nodes() -> None:
    told = Told()
    for chain in range(1_000):
        told.batch(stored(*range(1_000 * chain, 1_000 * chain + 140)))
    for chain in range(1_000):
        told.batch(removed(*range(1_000 * chain, 1_000 * chain + 140)))
    rank = told.follower.rank
    assert (told.held(), len(rank.blocks), len({id(run) for run in rank.tree._run_of if run.blocks})) == (set(), 0, 0)
