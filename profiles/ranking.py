"""Findings in their order: what leaves requests without an answer, then what costs most; no symptom before its cause.

    evicted        |===== 900 tokens =====================|
    flood claims   |===== 700 ===============|                of other tenants, by the one that floods
    capacity claims|===== 900 =====================|          whatever was evicted and asked for again
    what is left   .......................... |== 200 ==|     what capacity alone explains

A diagnosis says which others it `explains`. Of an account that both claim, the symptom keeps what the cause leaves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from profiles.doubting import doubted
from profiles.evidence.evidence import Evidence
from profiles.finding import FINDINGS, SEVERITIES, Diagnosis, Finding
from profiles.judging import severity_of


def diagnose(evidence: Evidence) -> tuple[Finding, ...]:
    """Return what every diagnosis finds in the evidence of a run, in their order."""
    kinds = {name: FINDINGS.load(name) for name in FINDINGS.names}
    found = [finding for kind in kinds.values() if (finding := kind().find(evidence)) is not None]
    found = doubted(found, evidence.losses)
    return ranked(found, kinds, evidence.prompt_tokens, {name: each.tokens for name, each in evidence.lost.items()})


def ranked(
    findings: Sequence[Finding],
    kinds: dict[str, type[Diagnosis]],
    prompt_tokens: int,
    lost: Mapping[str, int] | None = None,
) -> tuple[Finding, ...]:
    """Return findings in their order, each with the cost that no cause of it has claimed.

    `lost` has the tokens of whole accounts: where claims are parts of one, they may be different parts.
    """
    left = [_less(finding, findings, kinds, prompt_tokens, lost or {}) for finding in findings]
    return tuple(sorted(left, key=lambda finding: _place(finding, kinds)))


def _less(
    finding: Finding,
    others: Sequence[Finding],
    kinds: dict[str, type[Diagnosis]],
    prompt_tokens: int,
    lost: Mapping[str, int],
) -> Finding:
    """Return a finding without what its causes claim."""
    causes = [other for other in others if finding.name in kinds[other.name].explains]
    taken, by = 0, None
    most = 0
    for account, tokens in finding.claims:
        claimed = [(dict(cause.claims).get(account, 0), cause.name) for cause in causes]
        taken += _both(tokens, sum(part for part, _ in claimed), lost.get(account, 0))
        for part, name in claimed:
            if part > most:
                most, by = part, name
    if not taken:
        return finding
    tokens = max(0, finding.cost.tokens - taken)
    kept = tokens / finding.cost.tokens if finding.cost.tokens else 0.0
    share = tokens / prompt_tokens if prompt_tokens else 0.0
    ms = None if finding.cost.ms is None else finding.cost.ms * kept
    severity = finding.severity if kept > 0.5 else min(severity_of(share), finding.severity, key=SEVERITIES.index)
    cost = replace(finding.cost, tokens=tokens, ms=ms, share=share)
    return replace(finding, cost=cost, severity=severity, explained_by=by)


def _both(tokens: int, claimed: int, in_all: int) -> int:
    """Return how many tokens of an account two claims must have in common, given how many there are in all."""
    return min(tokens, claimed, max(0, tokens + claimed - max(in_all, tokens, claimed)))


def _place(finding: Finding, kinds: dict[str, type[Diagnosis]]) -> tuple[bool, bool, int, int, str]:
    behind = kinds[finding.name].is_symptom
    served = not finding.cost.unserved or finding.severity == "note"
    return behind, served, -finding.cost.tokens, -SEVERITIES.index(finding.severity), finding.name
