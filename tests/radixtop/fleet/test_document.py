"""Reports tell of ranks what is known, and how well it is."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

from probes.builtin.engine import EngineSample
from probes.builtin.fleet import FleetSample
from probes.fleet.figures import RankName
from probes.scrapes.buckets import Estimate, Spread
from probes.scrapes.figures import SERVER
from radixtop.fleet.document import fleet_document
from radixtop.reports.report import document
from radixtop.reports.report_text import lines
from radixtop.screenless.telling import line_of
from tests.support.fleets import engine, engine_rank, fleet_source, names


def ranks(metrics: EngineSample) -> list[dict[str, Any]]:
    source = fleet_source(2)
    source.samples = {**source.samples, "engine": metrics}
    told: Any = fleet_document(source.tick(0))
    return list(told["ranks"])


def test_a_quantile_of_which_only_a_bound_is_known_says_so() -> None:
    spread = Spread(3, 0.08, Estimate(0.1, "at most"), Estimate(0.1), Estimate(10, "more than"))
    first, *rest = engine(2).ranks
    told = ranks(EngineSample((replace(first, spreads_minute={"ttft_seconds": spread}), *rest)))[0]["ttft_s"]
    assert told == {
        "count": 3,
        "p50": {"value": 0.1, "is": "at most"},
        "p95": {"value": 0.1, "is": "about"},
        "p99": {"value": 10, "is": "more than"},
    }


def test_what_a_server_tells_of_all_its_ranks_is_told_of_none_of_them() -> None:
    together = replace(engine_rank(0, names()[0]), rank=SERVER)
    bare = tuple(replace(rank, spreads_minute={}, gauges={}) for rank in engine(2).ranks)
    assert [(rank["ttft_s"], rank["running"]) for rank in ranks(EngineSample((together, *bare)))] == [
        (None, None)
    ] * 2


def test_what_the_overview_shows_of_a_rank_is_told_of_each() -> None:
    metrics = engine(2)
    for rank, told in zip(metrics.ranks, (each["metrics"] for each in ranks(metrics)), strict=True):
        assert rank.hits_minute is not None
        assert told["hits_last_minute"]["hit_tokens"] == dict(rank.hits_minute.hit_tokens)
        assert told["hits_last_minute"]["rate"] == rank.hit_rate_minute
        assert told["gauges"] == dict(rank.gauges)
        assert (told["per_s_last_minute"]["evicted_tokens"], told["per_s_10s"]["backup_tokens"]) == (1_210, 1_190)
        assert told["grown_total"]["evicted_tokens"] == 1_210 * 1_200
        assert told["spreads_last_minute"]["queue_seconds"]["p50"] == {"value": 0.021, "is": "about"}


def test_a_server_without_kv_events_is_told_by_the_ranks_of_its_metrics() -> None:
    source = fleet_source(2)
    sample = source.samples["fleet"]
    assert isinstance(sample, FleetSample)
    first = sample.ranks[0]
    alone = replace(first, state=replace(first.state, name=RankName(first.name.server, SERVER), badge=None))
    source.samples = {"fleet": replace(sample, ranks=(alone,)), "engine": engine(2)}
    told: Any = fleet_document(source.tick(0))
    assert [(one["rank"], one["running"], one["cached_tokens"]) for one in told["ranks"]] == [
        (0, 17.0, None), (1, 18.0, None),
    ]  # fmt: skip


def test_what_a_server_tells_of_all_its_ranks_is_told_of_the_server() -> None:
    source = fleet_source(2)
    together = replace(engine_rank(0, names()[0]), rank=SERVER)
    source.samples = {**source.samples, "engine": EngineSample((together,))}
    told: Any = fleet_document(source.tick(0))
    assert [one["server"] for one in told["servers"]] == [names()[0].server]
    assert told["servers"][0]["metrics"]["spreads_total"]["ttft_seconds"]["count"] == 240


def test_the_report_in_words_has_the_units_of_the_screens() -> None:
    told = document(fleet_source(unlike=5).tick(0), {})
    said = [line for line in lines(told) if line.startswith(("unlike", "rank"))]
    assert any("rank 1 hits 12.1%, the others 66." in line for line in said)
    assert any("rank 1 has 48 requests waiting, the others " in line for line in said)
    assert any("hit rate 12.1%, pool 42.2% in use, 19 running, 48 waiting" in line for line in said)


def test_the_report_in_words_of_a_server_leaves_out_what_no_server_tells() -> None:
    said = "\n".join(lines(document(fleet_source(1, 1).tick(0), {})))
    assert "rank        " in said and "17 running, 5 waiting" in said
    assert "requests   " not in said and "integrity" not in said


def test_a_figure_that_is_not_finite_is_null_in_what_is_told() -> None:
    first, *rest = engine(2).ranks
    source = fleet_source(2)
    odd = replace(first, gauges={**first.gauges, "usage": math.nan, "waiting_requests": math.inf})
    source.samples = {**source.samples, "engine": EngineSample((odd, *rest))}
    told = json.loads(line_of(source.tick(0)), parse_constant=lambda sign: f"no JSON: {sign}")
    assert told["fleet"]["ranks"][0]["waiting"] is None
    assert told["fleet"]["ranks"][0]["metrics"]["gauges"]["usage"] is None


def test_of_a_rank_that_is_not_read_up_to_now_that_is_told() -> None:
    source = fleet_source(2)
    sample = source.tick(0).get(FleetSample)
    assert sample is not None
    first, second = sample.ranks
    late = replace(first, state=replace(first.state, is_read=False))
    source.samples = {**source.samples, "fleet": replace(sample, ranks=(late, second))}
    told: Any = fleet_document(source.tick(0))
    assert [rank["is_read"] for rank in told["ranks"]] == [False, True]


def test_nodes_that_are_not_told_have_no_line_of_dashes() -> None:
    source = fleet_source(2)
    source.samples = {name: sample for name, sample in source.samples.items() if name != "tree_shape"}
    told = [line for line in lines(document(source.tick(0), {})) if line.startswith("nodes ")]
    assert told == ["nodes       not known whole: see the rank"]
