"""A rank says how far it can be believed."""

from __future__ import annotations

from probes.kv.wire import Cleared, Event, Removed, Stored, WireBatch
from probes.kv_mirror.blocks import MOST_PLACES
from probes.kv_mirror.rank import RankMirror
from tests.support.made_kv_events import stored


def batch(*events: Event, skipped: dict[str, int] | None = None) -> WireBatch:
    return WireBatch(1.0, events, 0, skipped or {})


def begun(first_seq: int = 0) -> RankMirror:
    rank = RankMirror()
    rank.joined(first_seq, 50)
    return rank


def test_who_saw_the_first_batch_knows_all() -> None:
    rank = begun()
    rank.apply(0, batch(stored(1)), 60)
    assert (rank.badge.word, rank.last_seq) == ("complete", 0)


def test_who_came_late_says_since_when_until_a_flush() -> None:
    rank = begun(7)
    rank.apply(7, batch(stored(1), Removed([9])), 60)
    assert (rank.badge.word, rank.badge.since) == ("partial", 50)
    rank.apply(8, batch(Cleared(), stored(2)), 70)
    assert rank.badge.word == "complete"


def test_lost_batches_make_one_unsure_until_a_flush() -> None:
    rank = begun()
    rank.lost(1, 5)
    assert (rank.badge.word, rank.last_seq) == ("unsure", 5)
    assert rank.badge.why.startswith("batches 1 to 5 never came")
    rank.lost(6, 6)
    assert rank.badge.why.startswith("batches 1 to 6 never came")
    rank.lost(9, 9)
    assert rank.badge.why.startswith("7 of the batches 1 to 9 never came")
    rank.apply(10, batch(Cleared()), 70)
    assert rank.badge.word == "complete"
    rank.lost(11, 11)
    assert rank.badge.why.startswith("batch 11 never came")


def test_batches_that_came_and_could_not_be_read_are_not_said_to_be_lost() -> None:
    rank = begun()
    rank.lost(6, 6, has_come=True)
    rank.lost(7, 7, has_come=True)
    assert rank.badge.why.startswith("batches 6 to 7 came and could not be read; all is known again")
    rank.lost(9, 9)
    assert rank.badge.why.startswith("batch 9 never came, batches 6 to 7 came and could not be read; ")
    rank.apply(10, batch(Cleared()), 70)
    assert rank.badge.word == "complete"


def test_blocks_past_the_most_tiers_and_groups_are_said_to_be_that() -> None:
    rank = begun()
    for group in range(MOST_PLACES + 1):
        rank.apply(group, batch(stored(group, group=group)), 60)
    assert rank.badge.why == "1 block of tiers and groups past 64, the most that are kept apart, left out"


def test_batches_that_came_late_are_told_and_are_no_doubt() -> None:
    rank = begun()
    rank.repaired(4)
    assert (rank.badge.word, rank.badge.why) == ("repaired", "4 from the replay")


def test_each_thing_that_cannot_be_is_a_doubt() -> None:
    for events, skipped, why in (
        ([Removed([1])], {}, "1 block went that had never come"),
        ([stored(3, parent=2)], {}, "1 block stands below one that nobody told of"),
        ([stored(1, 2), stored(3), stored(2, parent=3)], {}, "1 block was told of below another parent than before"),
        ([], {"unknown event X": 2}, "2 events could not be read: unknown event X"),
    ):
        rank = begun()
        rank.apply(0, batch(*events, skipped=skipped), 60)
        assert (rank.badge.word, rank.badge.why) == ("unsure", why)


def test_batches_of_two_ranks_in_one_stream_are_a_doubt() -> None:
    rank = begun()
    rank.apply(0, WireBatch(1.0, (stored(1),), 3), 60)
    assert rank.badge.word == "complete"
    rank.apply(1, WireBatch(1.0, (stored(2),), 7), 60)
    assert rank.badge.why == "its batches say that they are of rank 3, and of rank 7"
    rank.apply(2, WireBatch(1.0, (Cleared(),), 7), 70)
    assert rank.badge.word == "complete"


def test_blocks_of_another_size_than_those_before_are_a_doubt_in_one_group_alone() -> None:
    rank = begun()
    rank.apply(0, batch(stored(1), Stored([2], None, [], 64, group=1), Stored([3], 1, [], 0)), 60)
    assert rank.badge.word == "complete"
    rank.apply(1, batch(Stored([4], 1, [], 32)), 60)
    assert rank.badge.why == "1 event told of blocks of another size than those before"


def test_coming_late_explains_what_is_missing_and_nothing_else() -> None:
    rank = begun(7)
    rank.apply(7, batch(stored(3, parent=2), Removed([1])), 60)
    assert rank.badge.word == "partial"
    rank.apply(8, batch(skipped={"unknown event X": 2}), 60)
    assert (rank.badge.word, rank.badge.why) == ("unsure", "2 events could not be read: unknown event X")


def test_a_prompt_that_is_told_of_once_more_as_vllm_does_when_asked_to_report_all_is_unsure() -> None:
    rank = begun()
    prompt = stored(1, 2, 3)._replace(kind="full_attention")
    rank.apply(0, batch(prompt), 60)
    rank.apply(1, batch(prompt, stored(4, parent=3)._replace(kind="full_attention")), 60)
    assert rank.badge.word == "unsure"
    assert "3 blocks were told of once more" in rank.badge.why
    rank.apply(2, batch(*[Removed([1, 2, 3])] * 2), 60)
    assert rank.badge.word == "complete"


def test_an_orphan_that_finds_its_parent_is_no_doubt_any_more() -> None:
    rank = begun()
    rank.apply(0, batch(stored(3, parent=2)), 60)
    rank.apply(1, batch(stored(2)), 60)
    assert rank.badge.word == "complete"


def test_nothing_of_the_old_process_is_left_after_a_restart() -> None:
    rank = begun()
    rank.apply(0, batch(stored(1, 2, 3), Removed([9])), 60)
    rank.joined(0, 70)
    rank.apply(0, batch(stored(1)), 80)
    assert (len(rank.blocks), rank.badge.word, rank.last_seq) == (1, "complete", 0)
