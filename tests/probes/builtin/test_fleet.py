"""The figures of all ranks, as they were told last."""

from __future__ import annotations

from probes.builtin.fleet import Fleet, FleetSample
from probes.fleet.figures import FleetFigures, Overlap, Prefix, RankName, RankState
from probes.kv_mirror.badge import Badge
from probes.kv_mirror.turnover import Turnover
from tests.support.observing import probe_of

S = 1_000_000_000
A, B = RankName("sglang://a:30000", 0), RankName("sglang://b:30000", 0)


def told(at_s: int, *others: RankState) -> FleetFigures:
    state = RankState(A, "sglang", "live", badge=Badge("complete"), turnover=Turnover(400.0, 110.0))
    return FleetFigures(at_s * S, (state, *others), A)


def sampled(*figures: FleetFigures) -> FleetSample:
    sample = probe_of(Fleet, figures).sample(figures[-1].at)
    assert isinstance(sample, FleetSample)
    return sample


def test_turnover_is_what_each_rank_told_last() -> None:
    (rank,) = sampled(told(0), told(5)).ranks
    assert (rank.stored_tokens_per_s, rank.removed_tokens_per_s) == (400.0, 110.0)


def test_a_server_that_is_away_has_no_rate_and_its_reason() -> None:
    away = RankState(B, "sglang", "starting", message="nothing listens at b:30000")
    _, rank = sampled(told(0, away), told(5, away)).ranks
    assert (rank.stored_tokens_per_s, rank.state.message) == (None, "nothing listens at b:30000")


def test_duplicates_are_the_copies_beyond_the_first() -> None:
    overlap = Overlap((A, B), ((10, 4), (4, 7)), (6, 3), 13, (Prefix(1, (4, 0)),))
    assert (overlap.held, overlap.duplicates, overlap.prefixes[0].holders) == (17, 4, 1)
