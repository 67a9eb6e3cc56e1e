"""From a recording to evidence: nothing is counted twice, nothing is left out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from profiles.evidence.evidence import Evidence
from profiles.evidence.gather import evidence_of_file
from profiles.ranking import diagnose
from tests.support.fixed_recording import unpacked


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield unpacked(tmp_path_factory.mktemp("evidence"))


@pytest.fixture(scope="module")
def evidence(recording: Path) -> Evidence:
    return evidence_of_file(recording)


def computed(evidence: Evidence) -> int:
    return sum(account.tokens for name, account in evidence.lost.items() if name != "retracted")


def test_hits_and_accounts_add_up_to_the_prompts(evidence: Evidence) -> None:
    assert evidence.requests == 430
    assert evidence.hit_tokens + computed(evidence) == evidence.prompt_tokens


def test_tenants_add_up_to_the_prompts(evidence: Evidence) -> None:
    tenants = evidence.tenants.largest
    assert sum(tenant.prompt_tokens for tenant in tenants) == evidence.prompt_tokens
    assert sum(tenant.hit_tokens for tenant in tenants) == evidence.hit_tokens


def test_stretches_add_up_to_the_prompts(evidence: Evidence) -> None:
    assert sum(each.requests for each in evidence.course) == evidence.requests
    assert sum(each.prompt_tokens for each in evidence.course) == evidence.prompt_tokens
    assert len(evidence.course) <= 128


def test_a_recording_in_two_parts_is_the_whole(recording: Path, evidence: Evidence) -> None:
    first, second = evidence_of_file(recording, to_ns=30e9), evidence_of_file(recording, from_ns=30e9)
    assert first.requests + second.requests == evidence.requests
    assert computed(first) + computed(second) == computed(evidence)
    assert second.before is not None and second.before.requests == first.requests


def test_pools_and_work_are_told(evidence: Evidence) -> None:
    full = evidence.pool("full")
    assert full is not None and full.total == 9_000
    assert evidence.work.ns_per_token is not None
    assert evidence.span_ns > 60e9


def test_the_fall_of_the_recording_is_seen_where_it_is(evidence: Evidence) -> None:
    fall = next(finding for finding in diagnose(evidence) if finding.name == "hit_drop")
    assert fall.since_ns is not None and abs(fall.since_ns - 62e9) < 5e9


def test_its_pool_of_windows_is_what_is_wrong(evidence: Evidence) -> None:
    assert diagnose(evidence)[0].name == "swa_pool_small"
