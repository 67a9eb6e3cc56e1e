"""What servers tell of themselves, rank by rank: recorded pairs by hand, restarts, silence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probes.aggregator import Aggregator
from probes.builtin.engine import MOST_RANKS, Engine, EngineRank, EngineSample
from probes.scrapes.buckets import Buckets, Estimate
from probes.scrapes.figures import SERVER, EngineFigures
from probes.scrapes.roles import ROLES
from probes.twins import twin_of
from tests.support.metrics_pages import S, recorded_pair
from tests.support.observing import feed, history, probe_of
from tests.support.records import ALL_CLASSES, OF_ENGINES
from tests.support.scripted_adapter import ScriptedAdapter


def told(at: float, rank: int = 0, server: str = "a", **counters: float) -> EngineFigures:
    """Return the figures of a scrape at so many seconds."""
    return EngineFigures(int(at * S), server, "vllm", rank, counters, {"full_usage": 0.25}, {})


def asked(at: float, queried: float, hit: float, rank: int = 0, server: str = "a") -> EngineFigures:
    counters = {"scheduler_queried_tokens": queried, "scheduler_device_hit_tokens": hit}
    return told(at, rank, server, **counters)


def sampled(*figures: EngineFigures, now: float) -> EngineSample:
    sample = probe_of(Engine, figures).sample(int(now * S))  # type: ignore[arg-type]
    assert sample is not None
    return sample


def only(*figures: EngineFigures, now: float) -> EngineRank:
    (rank,) = sampled(*figures, now=now).ranks
    return rank


def test_before_the_first_scrape_there_is_no_sample() -> None:
    assert probe_of(Engine, []).sample(S) is None


def test_the_recorded_sglang_by_hand() -> None:
    rank = only(*recorded_pair("sglang_0.5.23", apart_s=10), now=11)
    assert (rank.server, rank.engine, rank.rank, rank.at) == ("here", "sglang", 0, 11 * S)
    assert rank.hits_10s is not None
    assert rank.hits_10s.rate == pytest.approx(220697 / 360832)
    assert rank.hits_10s == rank.hits_minute == rank.hits_total
    assert rank.rates_10s["evicted_tokens"].per_s == pytest.approx(5374.9)
    assert rank.gauges["full_evictable_tokens"] == 71002
    assert rank.spreads_minute["ttft_seconds"].p50 == Estimate(pytest.approx(0.2 + 0.2 * 16 / 33))
    # Counts at 6 and 7 ms: 20 and 25 of 46.
    assert rank.spreads_minute["eviction_seconds"].p50 == Estimate(pytest.approx(0.0066))
    assert rank.hit_rate_history == history(*[pytest.approx(220697 / 360832)] * 10)
    assert rank.generation_history == history(*[7384.0] * 10)
    assert rank.usage_history == history(*[0.41] * 10)


def test_the_recorded_vllm_by_hand() -> None:
    rank = only(*recorded_pair("vllm_0.33.0", apart_s=10), now=11)
    assert rank.hits_minute is not None
    assert rank.hits_minute.rate == pytest.approx(148624 / 372190)
    assert rank.rates_minute["generation_tokens"].per_s == 204
    assert rank.spreads_minute["block_lifetime_seconds"].count == 120


def test_one_scrape_tells_gauges_and_no_rates() -> None:
    rank = only(recorded_pair("sglang_0.5.23")[0], now=1)
    assert rank.gauges["page_tokens"] == 16
    assert (rank.hits_10s, rank.hits_total, dict(rank.rates_10s), dict(rank.rates_total)) == (None, None, {}, {})
    assert rank.spreads_minute == {}
    assert set(rank.hit_rate_history) == set(rank.generation_history) == {None}


def test_a_window_of_nothing_asked_has_no_rate() -> None:
    rank = only(asked(1, 100, 50), asked(3, 100, 50), now=3)
    assert rank.hits_10s is not None
    assert rank.hits_10s.rate is None
    assert rank.hit_rate_history[-1] is None


def test_a_restart_is_counted_and_falls_into_no_rate() -> None:
    rank = only(asked(1, 1_000, 900), asked(3, 1_100, 950), asked(5, 40, 10), now=5)
    assert rank.resets == 1
    assert rank.hits_minute is not None
    assert (rank.hits_minute.queried_tokens, rank.hits_minute.hit_tokens["device"]) == (140, 60)


def test_a_server_that_fell_silent_has_no_rate_of_now() -> None:
    rank = only(asked(1, 100, 50), asked(3, 200, 100), now=30)
    assert rank.hits_10s is None
    assert dict(rank.rates_10s) == {}
    assert rank.hits_minute is not None
    assert rank.hit_rate_history[-1] is None
    assert rank.at == 3 * S
    assert dict(rank.gauges) == {}
    assert only(asked(3, 200, 100), now=17).gauges == {"full_usage": 0.25}


def test_ranks_and_servers_are_told_apart_and_in_order() -> None:
    sample = sampled(asked(1, 1, 1, 1, "b"), asked(1, 1, 1, 0, "b"), told(1, SERVER, "b"), asked(1, 1, 1), now=1)
    assert [(rank.server, rank.rank) for rank in sample.ranks] == [("a", 0), ("b", SERVER), ("b", 0), ("b", 1)]
    assert sample.servers == ("a", "b")
    assert [rank.rank for rank in sample.of("b")] == [0, 1]


def test_the_hits_of_a_server_are_those_of_its_ranks_together() -> None:
    scrapes = [
        asked(at, at * queried, at * hit, rank) for at in (1, 3) for rank, queried, hit in ((0, 10, 9), (1, 90, 1))
    ]
    hits = sampled(*scrapes, now=3).hits_of("a")
    assert hits is not None
    assert (hits.queried_tokens, hits.rate) == (200, 0.1)


def test_where_ranks_do_not_tell_hits_the_server_may() -> None:
    scrapes = [figures for at in (1, 3) for figures in (asked(at, at * 10, at * 5, SERVER), told(at, 0), told(at, 1))]
    hits = sampled(*scrapes, now=3).hits_of("a")
    assert hits is not None
    assert hits.rate == 0.5
    assert sampled(told(1), now=1).hits_of("a") is None
    assert sampled(told(1), now=1).hits_of("nobody") is None


def test_scrapes_that_come_late_change_nothing() -> None:
    rank = only(asked(3, 100, 50), asked(1, 900, 900), asked(5, 200, 100), now=5)
    assert rank.resets == 0
    assert rank.hits_total is not None
    assert rank.hits_total.queried_tokens == 100


def test_more_ranks_than_a_fleet_has_are_left_out() -> None:
    assert len(sampled(*(told(1, rank) for rank in range(MOST_RANKS + 5)), now=1).ranks) == MOST_RANKS


def test_an_engine_that_nobody_knows_has_rates_and_no_hits() -> None:
    strange = [asked(at, at * 10, at)._replace(engine="other") for at in (1, 3)]
    rank = only(*strange, now=3)
    assert rank.hits_total is None
    assert rank.rates_total["scheduler_queried_tokens"].amount == 20


def test_a_histogram_that_stopped_is_none_of_the_minute() -> None:
    buckets = [{"ttft_seconds": Buckets((1.0,), (count, count))} for count in (1.0, 5.0)]
    scrapes = [told(at)._replace(histograms=each) for at, each in zip((1, 3), buckets, strict=True)]
    rank = only(*scrapes, told(70), now=70)
    assert rank.spreads_minute == {}
    assert rank.spreads_total["ttft_seconds"].count == 4


AMOUNTS = st.floats(0, 1e300)
TOLD = st.builds(
    EngineFigures,
    at=st.integers(0, 100 * S),
    server=st.sampled_from(["a", "b"]),
    engine=st.sampled_from(["sglang", "vllm", "other"]),
    rank=st.integers(-1, 2),
    counters=st.dictionaries(st.sampled_from(sorted(ROLES)), AMOUNTS),
    gauges=st.dictionaries(st.sampled_from(["full_usage", "usage", "pages"]), st.floats(allow_nan=False)),
    histograms=st.dictionaries(
        st.sampled_from(["ttft_seconds", "e2e_seconds"]),
        st.lists(AMOUNTS, min_size=1, max_size=4).map(
            lambda counts: Buckets((0.1, 1.0, 2.0)[: len(counts) - 1], (*sorted(counts),))
        ),
    ),
)


@given(st.lists(TOLD, min_size=1, max_size=12), st.integers(0, 200 * S))
def test_no_figures_upset_the_probe(figures: list[EngineFigures], now: int) -> None:
    sample = probe_of(Engine, figures).sample(now)  # type: ignore[arg-type]
    assert sample is not None
    for rank in sample.ranks:
        for rates in (rank.rates_10s, rank.rates_minute, rank.rates_total):
            assert all(increase.amount >= 0 and increase.elapsed_ns > 0 for increase in rates.values())
        for hits in (rank.hits_10s, rank.hits_minute, rank.hits_total):
            assert hits is None or hits.rate is None or hits.rate >= 0


def test_what_is_known_can_be_taken_back_to() -> None:
    probe = probe_of(Engine, [asked(1, 100, 50), asked(3, 200, 100)])  # type: ignore[list-item]
    twin = twin_of(probe)
    feed(probe, [asked(5, 900, 100)])  # type: ignore[list-item]
    there, here = twin.sample(5 * S), probe.sample(5 * S)
    assert there is not None
    assert here is not None
    assert there.ranks[0].hits_total.queried_tokens == 100  # type: ignore[union-attr]
    assert here.ranks[0].hits_total.queried_tokens == 800  # type: ignore[union-attr]


def test_figures_come_through_the_aggregator_as_records_do() -> None:
    adapter = ScriptedAdapter(provides=ALL_CLASSES | OF_ENGINES)
    adapter.send([*recorded_pair("vllm_0.33.0")])  # type: ignore[list-item]
    snapshot = Aggregator(adapter).tick(11 * S)
    sample = snapshot.get(EngineSample)
    assert snapshot.faults == ()
    assert snapshot.at == 11 * S
    assert sample is not None
    assert sample.ranks[0].hits_10s is not None
