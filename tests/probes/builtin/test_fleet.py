"""The figures of all ranks: rates come of what was stored and removed in the last seconds."""

from __future__ import annotations

from typing import Any

from probes.builtin.fleet import Fleet, FleetSample
from probes.fleet.figures import FleetFigures, Overlap, Prefix, RankName, RankState
from probes.kv_feed.happenings import FeedState
from probes.kv_mirror.badge import Badge
from tests.support.observing import probe_of

S = 1_000_000_000
A, B = RankName("sglang://a:30000", 0), RankName("sglang://b:30000", 0)


def told(at_s: int, stored: int, removed: int, *others: RankState, **feed: Any) -> FleetFigures:
    state = RankState(
        A,
        "sglang",
        "live",
        badge=Badge("complete"),
        stored_tokens=stored,
        removed_tokens=removed,
        feed=FeedState(is_connected=True, **feed),
    )
    return FleetFigures(at_s * S, (state, *others), A)


def sampled(*figures: FleetFigures) -> FleetSample:
    sample = probe_of(Fleet, figures).sample(figures[-1].at)
    assert isinstance(sample, FleetSample)
    return sample


def test_turnover_is_what_came_and_went_in_ten_seconds() -> None:
    (rank,) = sampled(told(0, 5_000, 0), told(5, 6_000, 100), told(10, 9_000, 1_100)).ranks
    assert (rank.stored_tokens_per_s, rank.removed_tokens_per_s) == (400.0, 110.0)


def test_what_is_told_of_the_past_is_no_turnover() -> None:
    asking = [told(second, 100_000 * second, 0, is_catching_up=True) for second in range(3)]
    (rank,) = sampled(*asking, told(3, 300_000, 0)).ranks
    assert rank.stored_tokens_per_s is None
    (rank,) = sampled(*asking, told(3, 300_000, 0), told(4, 300_050, 0, is_catching_up=True)).ranks
    assert rank.stored_tokens_per_s == 50.0


def test_what_is_told_of_the_past_after_a_restart_is_none_either() -> None:
    began = [told(0, 0, 0), told(1, 10, 0)]
    again = [told(2, 9_000, 0, restarts=1, is_catching_up=True), told(3, 9_000, 10, restarts=1)]
    (rank,) = sampled(*began, *again).ranks
    assert (rank.stored_tokens_per_s, rank.removed_tokens_per_s) == (None, None)
    (rank,) = sampled(*began, *again, told(4, 9_000, 30, restarts=1)).ranks
    assert (rank.stored_tokens_per_s, rank.removed_tokens_per_s) == (0.0, 20.0)


def test_one_figure_gives_no_rate() -> None:
    (rank,) = sampled(told(3, 5_000, 10)).ranks
    assert (rank.stored_tokens_per_s, rank.removed_tokens_per_s) == (None, None)


def test_a_server_that_is_away_has_no_rate_and_its_reason() -> None:
    away = RankState(B, "sglang", "starting", message="nothing listens at b:30000")
    _, rank = sampled(told(0, 1, 0, away), told(5, 1, 0, away)).ranks
    assert (rank.stored_tokens_per_s, rank.state.message) == (None, "nothing listens at b:30000")


def test_duplicates_are_the_copies_beyond_the_first() -> None:
    overlap = Overlap((A, B), ((10, 4), (4, 7)), (6, 3), 13, (Prefix(1, (4, 0)),))
    assert (overlap.held, overlap.duplicates, overlap.prefixes[0].holders) == (17, 4, 1)
