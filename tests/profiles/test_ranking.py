"""The order of findings: what costs most first, and no symptom before its cause."""

from __future__ import annotations

from dataclasses import replace

import pytest

from profiles.evidence.evidence import Account
from profiles.evidence.requests import Scheduling
from profiles.finding import FINDINGS, Confidence, Cost, Finding, Gain
from profiles.ranking import diagnose, ranked
from tests.support.evidences import SHOWN, changed, lost

KINDS = {name: FINDINGS.load(name) for name in FINDINGS.names}
PROMPTS = 100_000


def claim(name: str, tokens: int, account: str = "evicted") -> Finding:
    cost = Cost(tokens, tokens / 10, tokens / PROMPTS)
    return Finding(name, name, "alarm", cost, Confidence("sure", "so it is"), claims=((account, tokens),))


def order(*findings: Finding) -> list[str]:
    return [finding.name for finding in ranked(findings, KINDS, PROMPTS)]


def test_what_costs_more_comes_first() -> None:
    assert order(claim("page_size", 10, "first_seen"), claim("capacity_small", 20)) == ["capacity_small", "page_size"]


def test_a_cause_comes_before_its_symptom_though_that_costs_more() -> None:
    assert order(claim("capacity_small", 900), claim("tenant_flood", 700)) == ["tenant_flood", "capacity_small"]


def test_a_symptom_keeps_what_its_cause_leaves() -> None:
    symptom = ranked([claim("capacity_small", 900), claim("tenant_flood", 700)], KINDS, PROMPTS)[1]
    assert symptom.cost.tokens == 200
    assert symptom.cost.share == 200 / PROMPTS
    assert symptom.cost.ms == 20
    assert symptom.explained_by == "tenant_flood"
    assert symptom.severity == "note"


def test_what_is_left_of_a_symptom_may_cost_more_than_its_cause() -> None:
    assert order(claim("capacity_small", 900), claim("tenant_flood", 100)) == ["capacity_small", "tenant_flood"]


def test_two_causes_take_no_more_than_there_is() -> None:
    three = [claim("capacity_small", 900), claim("tenant_flood", 700), claim("lpm_fallback", 600)]
    assert ranked(three, KINDS, PROMPTS)[-1].cost.tokens == 0


def test_claims_that_may_be_of_different_tokens_are() -> None:
    both = [claim("salted_requests", 500, "first_seen"), claim("early_divergence", 300, "first_seen")]
    apart = ranked(both, KINDS, PROMPTS, {"first_seen": 1_000})
    assert [finding.cost.tokens for finding in apart] == [500, 300]
    together = ranked(both, KINDS, PROMPTS, {"first_seen": 600})
    assert [finding.cost.tokens for finding in together] == [500, 100]


def measured(finding: Finding, points: float) -> Finding:
    return replace(finding, gain=Gain(0.5, 0.5 + points / 100, "replay"))


TAIL, POOL = claim("tail_windows_lost", 900, "window_evicted"), claim("swa_pool_small", 900, "window_evicted")


@pytest.mark.parametrize(
    ("tail", "pool", "told"),
    [
        (9.0, 8.0, [("tail_windows_lost", "alarm", 900), ("swa_pool_small", "note", 0)]),
        (8.0, 9.0, [("tail_windows_lost", "alarm", 900), ("swa_pool_small", "note", 0)]),  # both help: by claims
        (0.0, 9.0, [("swa_pool_small", "alarm", 900), ("tail_windows_lost", "note", 0)]),
        (-2.0, 9.0, [("swa_pool_small", "alarm", 900), ("tail_windows_lost", "note", 0)]),
        (0.0, 0.0, [("tail_windows_lost", "warn", 900), ("swa_pool_small", "note", 0)]),
    ],
)
def test_a_change_in_vain_stands_behind_one_that_helps_with_the_same(
    tail: float, pool: float, told: list[tuple[str, str, int]]
) -> None:
    found = ranked([measured(TAIL, tail), measured(POOL, pool)], KINDS, PROMPTS)
    assert [(each.name, each.severity, each.cost.tokens) for each in found] == told


@pytest.mark.parametrize(
    ("points", "told"), [(9.0, ("alarm", None)), (0.2, ("warn", "alarm")), (-2.0, ("note", "alarm"))]
)
def test_a_change_in_vain_is_no_alarm(points: float, told: tuple[str, str | None]) -> None:
    (found,) = ranked([measured(claim("capacity_small", 900), points)], KINDS, PROMPTS)
    assert (found.severity, found.severity_by_cost) == told


@pytest.mark.parametrize(
    ("points", "told"), [(0.8, ["capacity_small", "branching_off"]), (1.0, ["branching_off", "capacity_small"])]
)
def test_a_change_in_vain_stands_behind_what_gains_more_than_it_costs(points: float, told: list[str]) -> None:
    vain = measured(claim("capacity_small", 900), 0.0)
    other = measured(claim("branching_off", 90, "window_never"), points)
    assert order(other, vain) == told


@pytest.mark.parametrize(
    ("points", "told"), [(0.8, ["computed_twice", "chunk_boundary"]), (4.0, ["chunk_boundary", "computed_twice"])]
)
def test_what_was_measured_to_give_more_than_it_claims_is_worth_that(points: float, told: list[str]) -> None:
    twice = measured(claim("computed_twice", 2_300, "in_flight"), 3.1)
    assert order(twice, measured(claim("chunk_boundary", 1_200, "window_never"), points)) == told


def test_a_cause_claims_of_what_both_lost_as_much_as_it_was_measured_to_give() -> None:
    evidence = SHOWN["tail_windows_lost"]
    few = replace(evidence, windows=replace(evidence.windows, kept_in_vain=0.1))
    assert [each.name for each in diagnose(few)][:1] == ["swa_pool_small"]
    gains = {"tail_windows_lost": Gain(0.4, 0.52, "replay"), "swa_pool_small": Gain(0.4, 0.54, "replay")}
    first, second = diagnose(few, gains)[:2]
    assert (first.name, first.cost.tokens) == ("tail_windows_lost", 12_000)
    assert (second.name, second.cost.tokens, second.explained_by) == ("swa_pool_small", 3_000, first.name)


def test_a_cause_that_gives_little_leaves_the_rest_to_what_it_explains() -> None:
    evidence = SHOWN["tail_windows_lost"]
    few = replace(evidence, windows=replace(evidence.windows, kept_in_vain=0.1))
    gains = {"tail_windows_lost": Gain(0.4, 0.43, "replay"), "swa_pool_small": Gain(0.4, 0.54, "replay")}
    assert [(each.name, each.cost.tokens) for each in diagnose(few, gains)][:2] == [
        ("swa_pool_small", 12_000), ("tail_windows_lost", 3_000),
    ]  # fmt: skip


def test_a_symptom_stays_behind_its_cause_though_its_own_change_gives_more() -> None:
    chunks = measured(claim("chunk_boundary", 2_400, "window_never"), 9.0)
    assert order(measured(claim("branching_off", 6_000, "window_never"), 6.0), chunks)[0] == "branching_off"


def test_what_one_cause_explains_may_still_give_more_than_what_others_cost() -> None:
    chunks = measured(claim("chunk_boundary", 1_700, "window_never"), 4.7)
    early, pages = claim("early_divergence", 24_000, "first_seen"), claim("page_size", 2_100, "page_inside")
    assert order(early, pages, chunks) == ["early_divergence", "chunk_boundary", "page_size"]


def test_what_a_cause_claims_as_well_is_no_cause_of_its_own_though_its_change_helps() -> None:
    flood, pool = claim("tenant_flood", 10_000), measured(claim("capacity_small", 10_000), 8.0)
    assert order(flood, pool, claim("early_divergence", 6_000, "first_seen"))[1] == "early_divergence"


def test_no_hit_rate_tells_what_is_computed_again_or_takes_time() -> None:
    storm = measured(claim("retraction_storm", 900, "retracted"), 0.0)
    stall = replace(claim("eviction_stall", 900), claims=(), cost=Cost(900, 90.0, 0.009, is_measured=True))
    other = measured(claim("capacity_small", 800), 2.0)
    for unseen in (storm, measured(stall, 0.0)):
        assert [each.severity for each in ranked([unseen], KINDS, PROMPTS)] == ["alarm"]
        behind = ranked([unseen, other], KINDS, PROMPTS)[1]
        assert behind.severity == "alarm"


def test_another_account_is_another_matter() -> None:
    assert order(claim("capacity_small", 900), claim("tenant_flood", 700, "first_seen"))[0] == "capacity_small"


def test_what_happened_stands_behind_what_is_wrong() -> None:
    assert order(claim("hit_drop", 90_000), claim("page_size", 10)) == ["page_size", "hit_drop"]


def test_a_small_pool_of_windows_is_no_capacity() -> None:
    assert diagnose(lost(window_evicted=20_000, evicted=6_000))[0].name == "swa_pool_small"


def test_time_is_weighed_by_what_could_be_prefilled_meanwhile() -> None:
    stalled = replace(lost(evicted=30_000), evictions=SHOWN["eviction_stall"].evictions)
    assert [finding.name for finding in diagnose(stalled)][:2] == ["eviction_stall", "capacity_small"]


def test_both_of_two_faults_are_named() -> None:
    evidence = changed(SHOWN["branching_off"], lost=lost(window_never=30_000, evicted=20_000).lost)
    assert [finding.name for finding in diagnose(evidence)][:2] == ["branching_off", "capacity_small"]


def test_a_fallback_explains_evictions_of_those_admitted_meanwhile() -> None:
    fallen = Scheduling(400, 300, 250, 128, 3, 90, {"evicted": 18_000})
    evidence = changed(lost(evicted=20_000), scheduling=fallen)
    first, second = diagnose(evidence)[:2]
    assert (first.name, second.name, second.cost.tokens) == ("lpm_fallback", "capacity_small", 2_000)


def test_a_run_without_requests_has_no_findings() -> None:
    assert diagnose(changed(requests=0, prompt_tokens=0, hit_tokens=0, lost={"evicted": Account()}, course=())) == ()
