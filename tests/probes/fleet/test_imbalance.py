"""A rank that is unlike the others is named, with what it is unlike in and by how much."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import get_args

import pytest

from probes.builtin.engine import EngineRank, EngineSample
from probes.builtin.fleet import FleetRank, FleetSample
from probes.fleet.figures import RankName, RankState
from probes.fleet.imbalance import Imbalance, What, imbalances
from probes.kv_mirror.badge import Badge
from probes.kv_mirror.turnover import Turnover
from probes.scrapes.counter_windows import Increase
from probes.scrapes.hits import HitWindow

SERVER = "sglang://gpu7:30000"
EQUAL = {0: 5, 1: 5, 2: 5}


def named(rank: int) -> RankName:
    return RankName(SERVER, rank)


def fleet(
    tokens: Mapping[int, int], models: Mapping[int, str] | None = None, removed: Mapping[int, float] | None = None
) -> FleetSample:
    models, removed = models or {}, removed or {}
    states = (
        RankState(
            named(rank), "sglang", "live", badge=Badge("complete"), model=models.get(rank), device_tokens=held,
            turnover=Turnover(0.0, removed.get(rank, 0.0)),
        )
        for rank, held in tokens.items()
    )  # fmt: skip
    return FleetSample(0, tuple(map(FleetRank, states)), named(0), None)


def engine(hits: Mapping[int, float] | None = None, queues: Mapping[int, float] | None = None) -> EngineSample:
    hits, queues = hits or {}, queues or {}
    return EngineSample(tuple(told(rank, hits.get(rank), queues.get(rank)) for rank in sorted({*hits, *queues})))


def told(
    rank: int, hit_rate: float | None = None, queue: float | None = None, usage: float = 0.1, generated: float = 1_000
) -> EngineRank:
    window = None if hit_rate is None else HitWindow("scheduler", 10**10, 1_000.0, {"device": 1_000 * hit_rate})
    return EngineRank(
        server=SERVER, engine="sglang", rank=rank, at=0,
        gauges={"usage": usage} if queue is None else {"usage": usage, "waiting_requests": queue},
        hits_10s=None, hits_minute=window, hits_total=None, rates_10s={},
        rates_minute={"decoded_tokens": Increase(60 * generated, 60 * 10**9)}, rates_total={},
        spreads_minute={}, spreads_total={}, hit_rate_history=(), generation_history=(), usage_history=(),
    )  # fmt: skip


UNLIKE: dict[What, tuple[FleetSample, EngineSample | None, float, float]] = {
    "queue": (fleet(EQUAL), EngineSample((told(0, queue=9), told(1, queue=2), told(2, queue=2))), 9, 2),
    "usage": (fleet(EQUAL), EngineSample((told(0, usage=0.9), told(1, usage=0.3), told(2, usage=0.3))), 0.9, 0.3),
    "hit rate": (fleet(EQUAL), engine({0: 0.25, 1: 0.75, 2: 0.75}), 0.25, 0.75),
    "cached": (fleet({**EQUAL, 0: 50_000}), None, 50_000, 5),
    "turnover": (fleet(EQUAL, removed={0: 400.0, 1: 90.0, 2: 90.0}), None, 400, 90),
    "throughput": (fleet(EQUAL), EngineSample((told(0, generated=10), told(1), told(2))), 10, 1_000),
}
"""A fleet of three ranks that are alike but for the first, by what that is unlike the others in."""


@pytest.mark.parametrize("what", get_args(What))
def test_a_rank_is_unlike_the_others_in_everything_that_is_compared(what: What) -> None:
    sample, metrics, value, others = UNLIKE[what]
    assert imbalances(sample, metrics) == (Imbalance(named(0), what, value, others),)


def test_ranks_that_have_as_much_as_each_other_are_balanced() -> None:
    assert imbalances(fleet({0: 50_000, 1: 60_000, 2: 41_000}), engine({0: 0.5, 1: 0.55, 2: 0.52})) == ()


@pytest.mark.parametrize("tokens", [120_000, 20_000])
def test_the_rank_with_twice_or_half_as_much_cached_is_named(tokens: int) -> None:
    (found,) = imbalances(fleet({0: 50_000, 1: 50_000, 2: tokens, 3: 50_000}))
    assert found == Imbalance(named(2), "cached", tokens, 50_000)


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


def test_a_rank_that_is_not_read_up_to_now_is_compared_with_none() -> None:
    sample = fleet({**EQUAL, 0: 50_000}, removed={0: 400.0, 1: 90.0, 2: 90.0})
    first, *others = sample.ranks
    late = replace(first, state=replace(first.state, is_read=False))
    assert imbalances(replace(sample, ranks=(late, *others))) == ()
