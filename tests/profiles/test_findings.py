"""Every finding of the table: it is found where it is shown, says what it has to, and is silent where all is well."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from profiles.evidence.evidence import ACCOUNTS, Account, Evidence, Gaps, Recency, Tenants, WindowLosses
from profiles.evidence.requests import Retractions
from profiles.finding import FINDINGS, SEVERITIES, Amount, Finding, at_least
from profiles.judging import severity_of
from profiles.questions import QUESTIONS
from profiles.ranking import diagnose
from tests.support.evidences import HEALTHY, SHOWN, changed, configured, lost


def found(name: str, evidence: Evidence) -> Finding | None:
    return FINDINGS.load(name)().find(evidence)


def shown(name: str) -> Finding:
    finding = found(name, SHOWN[name])
    assert finding is not None
    return finding


def test_there_is_evidence_for_every_finding() -> None:
    assert sorted(SHOWN) == sorted(FINDINGS.names)


@pytest.mark.parametrize("name", FINDINGS.names)
def test_a_finding_says_what_it_is(name: str) -> None:
    finding = shown(name)
    assert finding.name == name
    assert finding.title[0].isupper() and not finding.title.endswith(".")
    assert finding.severity in SEVERITIES
    assert finding.confidence.reason
    assert finding.questions and set(finding.questions) <= set(QUESTIONS)


@pytest.mark.parametrize("name", FINDINGS.names)
def test_every_piece_of_evidence_has_a_unit(name: str) -> None:
    evidence = shown(name).evidence
    assert evidence and all(amount.label and amount.unit for amount in evidence)


@pytest.mark.parametrize("name", FINDINGS.names)
def test_a_finding_claims_no_more_than_it_costs(name: str) -> None:
    finding = shown(name)
    assert all(account in ACCOUNTS and tokens >= 0 for account, tokens in finding.claims)
    assert sum(tokens for _, tokens in finding.claims) <= finding.cost.tokens


@pytest.mark.parametrize("name", FINDINGS.names)
def test_a_change_names_a_flag_or_says_who_has_to_change(name: str) -> None:
    change = shown(name).change
    if change is not None:
        assert change.advice
        assert bool(change.settings) <= bool(change.flag)
        assert all(engine in ("SGLang", "vLLM") and flag for engine, flag in change.elsewhere)


@pytest.mark.parametrize("name", FINDINGS.names)
def test_nothing_is_found_where_all_is_well(name: str) -> None:
    assert found(name, HEALTHY) is None


@pytest.mark.parametrize("name", FINDINGS.names)
def test_nothing_is_found_where_nothing_happened(name: str) -> None:
    assert found(name, Evidence()) is None


@pytest.mark.parametrize("name", FINDINGS.names)
def test_symptoms_are_findings_of_the_table(name: str) -> None:
    assert FINDINGS.load(name).explains <= set(FINDINGS.names) - {name}


@pytest.mark.parametrize("name", [name for name in FINDINGS.names if not FINDINGS.load(name).is_symptom])
def test_what_is_shown_comes_first(name: str) -> None:
    ranked = diagnose(SHOWN[name])
    assert ranked[0].name == name


def test_every_question_that_records_can_answer_is_answered() -> None:
    answered = {question for name in SHOWN for question in shown(name).questions}
    assert answered == set(QUESTIONS)


def test_severities_have_an_order() -> None:
    alarm = replace(shown("capacity_small"), severity="alarm")
    assert at_least(alarm, "warn") and at_least(alarm, "alarm")
    assert not at_least(replace(alarm, severity="note"), "warn")


def test_severity_grows_with_the_share() -> None:
    assert [severity_of(share) for share in (0.01, 0.06, 0.3)] == ["note", "warn", "alarm"]


def test_the_cost_in_ms_is_that_of_the_prefill_that_was_measured() -> None:
    finding = shown("capacity_small")
    assert finding.cost.tokens == 30_000
    assert finding.cost.ms == pytest.approx(3_000)
    assert not finding.cost.is_measured


def test_ms_are_unknown_without_a_step() -> None:
    finding = found("capacity_small", replace(SHOWN["capacity_small"], work=Evidence().work))
    assert finding is not None and finding.cost.ms is None


def test_salts_are_told_from_text_that_was_known_elsewhere() -> None:
    evidence = SHOWN["salted_requests"]
    assert shown("salted_requests").cost.tokens == 60_000
    unnamed = replace(
        evidence, tenants=replace(evidence.tenants, repeated_tokens=0), divergence=Evidence().divergence
    )
    finding = found("salted_requests", unnamed)
    assert finding is not None and finding.confidence.level == "likely"


def test_tenants_with_many_requests_each_are_no_salts() -> None:
    evidence = SHOWN["salted_requests"]
    few = replace(evidence, tenants=replace(evidence.tenants, count=10, single=0))
    assert found("salted_requests", few) is None


def test_a_few_salts_are_told_where_most_namespaces_are_of_one_request() -> None:
    few = changed(lost(first_seen=10_000, other_namespace=9_000), tenants=Tenants((), 8, 7, 9_500, 3))
    assert diagnose(few)[0].name == "salted_requests"
    assert found("salted_requests", replace(few, tenants=Tenants((), 16, 7, 9_500, 3))) is None


def test_prompts_without_names_part_early_by_guess() -> None:
    apart = replace(
        Evidence().divergence, long=190, long_tokens=99_000, early=180, early_tokens=95_000, early_shared=170
    )
    finding = found("early_divergence", changed(lost(first_seen=95_000), hit_tokens=900, divergence=apart))
    assert finding is not None and finding.confidence.level == "guess"


def test_who_shares_nothing_speaks_not_against_those_that_part_behind_the_same_tokens() -> None:
    apart = replace(
        Evidence().divergence,
        long=150, long_tokens=134_000, early=77, early_tokens=66_000, early_shared=48, early_shared_tokens=41_000,
    )  # fmt: skip
    finding = found("early_divergence", changed(lost(first_seen=70_000), divergence=apart))
    assert finding is not None and finding.severity == "note" and finding.cost.tokens == round(0.3 * 41_000)


def test_prompts_that_share_nothing_are_other_prompts() -> None:
    apart = replace(Evidence().divergence, long=190, long_tokens=99_000, early=180, early_tokens=95_000)
    assert found("early_divergence", changed(lost(first_seen=95_000), hit_tokens=900, divergence=apart)) is None


@pytest.mark.parametrize(
    ("chunk", "window", "smaller", "cost"),
    [
        (512, 128, 256, 40_000 - 40 * 128),  # usual: what half of it would gain
        (4_096, 128, 512, 40_000 - 40 * 256),  # the largest that gains most of it
        (256, 128, 128, 40_000),  # in chunks of a window nothing goes without one
        (128, 128, None, 0),
        (128, 512, None, 0),
    ],
)
def test_chunks_cost_what_smaller_ones_would_not_leave(
    chunk: int, window: int, smaller: int | None, cost: int
) -> None:
    finding = found("chunk_boundary", configured(SHOWN["chunk_boundary"], chunk_size=chunk, window=window))
    assert (finding is None) == (smaller is None)
    if finding is not None and finding.change is not None:
        assert (finding.change.settings, finding.cost.tokens) == ((("chunk_size", smaller),), cost)


def test_gaps_that_others_met_before_are_no_fault_of_the_chunk_size() -> None:
    evidence = changed(lost(window_never=40_000), gaps=Gaps(again_tokens=40_000, again_requests=90))
    assert found("chunk_boundary", evidence) is None


def test_chunks_and_branching_share_out_what_had_no_window() -> None:
    gaps = Gaps(30_000, 60, 3, (*SHOWN["chunk_boundary"].gaps.fresh[:-1], (20, 20_000)), 3)
    evidence = configured(changed(lost(window_never=50_000), gaps=gaps), branching=False)
    assert [(each.name, each.cost.tokens) for each in diagnose(evidence)] == [
        ("branching_off", 30_000), ("chunk_boundary", 20_000 - 20 * 128),
    ]  # fmt: skip


def test_the_order_of_eviction_is_to_blame_where_windows_are_kept_in_vain() -> None:
    first, second = diagnose(SHOWN["tail_windows_lost"])
    assert (first.name, second.name, second.cost.tokens) == ("tail_windows_lost", "swa_pool_small", 0)


@pytest.mark.parametrize("kept", [None, 0.0, 0.05])
def test_it_is_not_where_every_window_is_needed(kept: float | None) -> None:
    windows = WindowLosses(80, 5_000, 6_000, 4, kept)
    assert [each.name for each in diagnose(replace(SHOWN["tail_windows_lost"], windows=windows))] == [
        "swa_pool_small"
    ]


def test_pages_of_one_token_cost_nothing() -> None:
    assert found("page_size", configured(SHOWN["page_size"], page_size=1)) is None


def test_a_tenant_that_hits_as_others_do_floods_nobody() -> None:
    tenants = SHOWN["tenant_flood"].tenants
    busy = replace(tenants.largest[0], hit_tokens=30_000, lost_tokens=6_000)
    both = replace(tenants, largest=(busy, tenants.largest[1]))
    assert found("tenant_flood", changed(lost(evicted=12_000), tenants=both)) is None


@pytest.mark.parametrize(("retractions", "tokens"), [(1, 260), (6, 260 + 20_000 * 6 // 20), (60, 260 + 20_000)])
def test_a_storm_claims_evictions_as_far_as_it_is_one(retractions: int, tokens: int) -> None:
    shown = SHOWN["retraction_storm"]
    finding = found("retraction_storm", replace(shown, retractions=Retractions(retractions, retractions, 260, 8)))
    if retractions == 1:
        assert finding is None
    else:
        assert finding is not None and finding.cost.tokens == tokens


def test_a_storm_claims_nothing_of_a_pool_that_is_not_busy() -> None:
    shown = SHOWN["retraction_storm"]
    states = replace(shown.pools[0], name="mamba")
    finding = found("retraction_storm", replace(shown, pools=(replace(shown.pools[0], mean_busy=0.1), states)))
    assert finding is not None and finding.claims == (("retracted", 12_000),)


def test_another_order_is_not_to_blame_where_recency_hits_no_more() -> None:
    shown = SHOWN["policy_unfit"]
    assert found("policy_unfit", replace(shown, recency=Recency(100_000, 71_000, 74_000))) is None
    assert found("policy_unfit", configured(shown, policy="lru")) is None
    waiting = changed(shown, lost={**shown.lost, "in_flight": Account(12_000, 20, 7)})
    assert found("policy_unfit", waiting) is None


def flooded(noisy: tuple[int, int], quiet: tuple[int, int]) -> Finding | None:
    """Return what is found where two tenants made others lose so much, and themselves."""
    shown = SHOWN["tenant_flood"]
    both = zip(shown.tenants.largest, (noisy, quiet), strict=True)
    tenants = tuple(replace(each, took_tokens=took[0], took_own_tokens=took[1]) for each, took in both)
    return found("tenant_flood", replace(shown, tenants=replace(shown.tenants, largest=tenants)))


def test_who_floods_is_told_by_for_whom_room_was_made() -> None:
    finding = flooded((8_000, 0), (0, 4_000))
    assert finding is not None and finding.cost.tokens == 12_000 and finding.confidence.level == "sure"
    assert Amount("of others, evicted for it and computed again", 8_000, "tokens") in finding.evidence


def test_a_tenant_claims_as_much_as_room_was_made_for_it() -> None:
    finding = flooded((2_400, 0), (0, 9_600))
    assert finding is not None and finding.cost.tokens == round(2 * 2_400 / (2_400 + 0.4 * 9_600) * 12_000)
    assert flooded((0, 9_000), (0, 12_000)) is None


def test_a_source_that_tells_no_evictor_is_judged_by_what_is_computed() -> None:
    finding = flooded((0, 0), (0, 0))
    assert finding is not None and finding.confidence.level == "likely"


def test_locks_are_no_leak_while_requests_run() -> None:
    evidence = SHOWN["slots_leak"]
    assert found("slots_leak", replace(evidence, tree=replace(evidence.tree, running=2))) is None
    assert found("slots_leak", replace(evidence, tree=replace(evidence.tree, running=None))) is None


def test_a_fall_names_what_rose() -> None:
    finding = shown("hit_drop")
    assert any("evicted" in amount.label for amount in finding.evidence)
    assert re.search("90% to 40%", finding.title)
    assert finding.since_ns == 1_000_000_000


def test_the_moments_that_were_asked_for_are_compared() -> None:
    before, after = SHOWN["hit_drop"].course
    finding = found("hit_drop", changed(course=(after,), before=before))
    assert finding is not None and finding.severity == "alarm"
