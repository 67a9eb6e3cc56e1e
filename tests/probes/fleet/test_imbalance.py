"""A rank that is unlike the others is named, with what it is unlike in and by how much."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from probes.builtin.engine import EngineRank, EngineSample
from probes.builtin.fleet import FleetRank, FleetSample
from probes.fleet.figures import RankName, RankState
from probes.fleet.imbalance import Imbalance, imbalances
from probes.kv_mirror.badge import Badge
from probes.scrapes.hits import HitWindow
from probes.scrapes.windows import Increase

SERVER = "sglang://gpu7:30000"


def named(rank: int) -> RankName:
    return RankName(SERVER, rank)


def fleet(tokens: Mapping[int, int], models: Mapping[int, str] | None = None, removed: float = 0.0) -> FleetSample:
    models = models or {}
    states = (
        RankState(named(rank), "sglang", "live", badge=Badge("complete"), model=models.get(rank), device_tokens=held)
        for rank, held in tokens.items()
    )
    return FleetSample(0, tuple(FleetRank(state, 0.0, removed) for state in states), named(0), None)


def engine(hits: Mapping[int, float] | None = None, queues: Mapping[int, float] | None = None) -> EngineSample:
    hits, queues = hits or {}, queues or {}
    return EngineSample(tuple(told(rank, hits.get(rank), queues.get(rank)) for rank in sorted({*hits, *queues})))


def told(rank: int, hit_rate: float | None, queue: float | None) -> EngineRank:
    window = None if hit_rate is None else HitWindow("scheduler", 10**10, 1_000.0, {"device": 1_000 * hit_rate})
    return EngineRank(
        server=SERVER, engine="sglang", rank=rank, at=0, gauges={} if queue is None else {"waiting_requests": queue},
        hits_10s=None, hits_minute=window, hits_total=None, rates_10s={},
        rates_minute={"decoded_tokens": Increase(60_000.0, 60 * 10**9)}, rates_total={},
        spreads_minute={}, spreads_total={}, hit_rate_history=(), generation_history=(), usage_history=(),
    )  # fmt: skip


def test_ranks_that_have_as_much_as_each_other_are_balanced() -> None:
    assert imbalances(fleet({0: 50_000, 1: 60_000, 2: 41_000}), engine({0: 0.5, 1: 0.55, 2: 0.52})) == ()


@pytest.mark.parametrize(("tokens", "is_above"), [(120_000, True), (20_000, False)])
def test_the_rank_with_twice_or_half_as_much_cached_is_named(tokens: int, is_above: bool) -> None:
    (found,) = imbalances(fleet({0: 50_000, 1: 50_000, 2: tokens, 3: 50_000}))
    assert found == Imbalance(named(2), "cached", tokens, 50_000)
    assert found.is_above is is_above


def test_small_numbers_are_no_imbalance() -> None:
    queues = {0: 0.0, 1: 3.0, 2: 1.0}
    assert imbalances(fleet({0: 10, 1: 900, 2: 30}), engine(queues=queues)) == ()


def test_a_queue_where_the_others_have_none_is_an_imbalance() -> None:
    (found,) = imbalances(fleet({0: 1, 1: 1, 2: 1}), engine(queues={0: 0.0, 1: 9.0, 2: 0.0}))
    assert (found.name, found.what, found.value, found.others) == (named(1), "queue", 9.0, 0.0)


def test_ten_points_of_hit_rate_are_one() -> None:
    (found,) = imbalances(fleet(dict.fromkeys(range(4), 5)), engine({0: 0.8, 1: 0.65, 2: 0.8, 3: 0.81}))
    assert (found.name, found.what) == (named(1), "hit rate")


def test_the_largest_difference_comes_first() -> None:
    sample = fleet({0: 50_000, 1: 50_000, 2: 110_000})
    found = imbalances(sample, engine({0: 0.1, 1: 0.9, 2: 0.9}))
    assert [(one.name.rank, one.what) for one in found][:2] == [(0, "hit rate"), (2, "cached")]


def test_ranks_of_other_models_are_no_measure() -> None:
    assert imbalances(fleet({0: 50_000, 1: 5_000}, {0: "large", 1: "small"})) == ()


def test_one_rank_is_never_out_of_balance() -> None:
    assert imbalances(fleet({0: 50_000}), engine({0: 0.1})) == ()
