"""Reports tell of ranks what is known, and how well it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from probes.builtin.engine import EngineSample
from probes.scrapes.buckets import Estimate, Spread
from probes.scrapes.figures import SERVER
from radixtop.fleet.document import fleet_document
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
