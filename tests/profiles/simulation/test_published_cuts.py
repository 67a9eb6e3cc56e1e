"""The numbers that two other programs counted on cuts of public traces, to the token."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, cast

import pytest

from profiles.simulation import capacity_curve, simulate
from profiles.trace import TraceRequest
from profiles.trace_cut import TraceCut, cut_trace
from profiles.trace_format import open_trace
from tests.support.made_traces import expected_cut, public_trace
from tests.support.naive_block_caches import order_blind_hits

HOUR_NS = 3_600 * 10**9

CUTS = {
    "conversation_dev6000": ("mooncake_fast25_conversation_dev6000.jsonl.gz", TraceCut()),
    "ragpulse_dev3500": ("ragpulse_trace_dev3500.jsonl.gz", TraceCut()),
    "weka_dev12h1": ("weka_agentic_dev.jsonl.gz", TraceCut(sessions=12, within_ns=HOUR_NS)),
}
"""Which file a cut is of, and which part of it: of the agents' the first hour of the first twelve sessions."""

pytestmark = [pytest.mark.needs("traces"), pytest.mark.parametrize("name", CUTS)]


@cache
def requests_of(name: str) -> tuple[TraceRequest, ...]:
    file, cut = CUTS[name]
    return tuple(cut_trace(open_trace(public_trace(file)), cut))


def counted(name: str) -> Mapping[str, Any]:
    return cast(Mapping[str, Any], expected_cut(name))


@pytest.mark.parametrize("place, policy", [*enumerate(("fifo", "lru", "optimal"))])
def test_hit_tokens_at_every_capacity(name: str, place: int, policy: str) -> None:
    requests = requests_of(name)
    found = {
        capacity: simulate(requests, policy, int(capacity), len(requests) // 2).hit_tokens
        for capacity in counted(name)["caps"]
    }
    assert found == {capacity: hits[place] for capacity, hits in counted(name)["caps"].items()}


def test_one_pass_over_the_trace_has_all_of_lru_and_the_ceiling(name: str) -> None:
    requests, expected = requests_of(name), counted(name)
    curve = capacity_curve(requests, len(requests) // 2)
    assert {capacity: curve.hit_tokens(int(capacity)) for capacity in expected["caps"]} == {
        capacity: hits[1] for capacity, hits in expected["caps"].items()
    }
    assert curve.ceiling_hit_tokens == expected["ceiling_hit_tokens"]
    assert curve.queried_tokens == expected["measured_tokens"]


def test_an_order_blind_cache_says_at_least_what_the_prefix_rule_says(name: str) -> None:
    requests = requests_of(name)
    blind = sum(order_blind_hits(requests))
    found = simulate(requests, "infinite", 0)
    gap = (blind - found.hit_blocks) / found.queried_blocks
    assert (gap > 0.4) == (name == "ragpulse_dev3500"), "content ids come back in another order there"
