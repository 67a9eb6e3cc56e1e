"""Findings in their order: what leaves requests without an answer, then what costs most; no symptom before its cause.

    evicted        |===== 900 tokens =====================|
    flood claims   |===== 700 ===============|                of other tenants, by the one that floods
    capacity claims|===== 900 =====================|          whatever was evicted and asked for again
    what is left   .......................... |== 200 ==|     what capacity alone explains

A diagnosis says which others it `explains`. Of an account that both claim, the symptom keeps what the cause leaves.

Where gains were measured, they have the last word. A change that brings nothing is vain: its finding is no alarm,
explains nothing that a better change helps, and stands behind the findings of those that help and claim the same
tokens, or gain more than it costs. One that gives more than its finding claims is worth that, but no more than
what explains it; where it explains another, it claims as much of what was lost as it gives. What a finding costs in
time, or after retractions, no hit rate tells: there no change is vain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from profiles.doubting import doubted
from profiles.evidence.evidence import AGAIN, Evidence
from profiles.finding import FINDINGS, LEAST_POINTS, SEVERITIES, Diagnosis, Finding, Gain, Severity
from profiles.judging import severity_of


def diagnose(evidence: Evidence, gains: Mapping[str, Gain] | None = None) -> tuple[Finding, ...]:
    """Return what every diagnosis finds in the evidence of a run, in their order.

    `gains` are measured ones of their changes, by name; the order goes by them where there are any.
    """
    kinds = {name: FINDINGS.load(name) for name in FINDINGS.names}
    found = [finding for kind in kinds.values() if (finding := kind().find(evidence)) is not None]
    found = [replace(finding, gain=(gains or {}).get(finding.name)) for finding in found]
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
    claimed = [_grown(finding, findings, kinds, prompt_tokens, lost or {}) for finding in findings]
    left = [_less(finding, claimed, kinds, prompt_tokens, lost or {}) for finding in claimed]
    worth = {finding.name: _worth(finding, left, kinds, prompt_tokens) for finding in left}
    placed = sorted((_rated(finding) for finding in left), key=lambda each: _place(each, kinds, worth[each.name]))
    return tuple(_behind_better(placed, prompt_tokens))


def _worth(finding: Finding, others: Sequence[Finding], kinds: dict[str, type[Diagnosis]], prompt_tokens: int) -> int:
    """Return the tokens that a finding costs, or that its change was measured to give, if that is more.

    It stays behind those that explain it: its own change may help with the same, and does where they claim the same.
    """
    tokens = finding.cost.tokens
    if finding.gain is None or not finding.gain.helps or finding.explained_by is not None:
        return tokens
    causes = (other.cost.tokens - 1 for other in others if finding.name in kinds[other.name].explains)
    return max(tokens, min(round(finding.gain.points / 100 * prompt_tokens), *causes, prompt_tokens))


def _is_vain(finding: Finding) -> bool:
    """Say whether a change was measured to bring nothing, of a cost that a hit rate tells."""
    if finding.gain is None or finding.gain.helps:
        return False
    again = sum(tokens for account, tokens in finding.claims if account in AGAIN)
    return not finding.cost.is_measured and 2 * again <= finding.cost.tokens


def _behind_better(placed: Sequence[Finding], prompt_tokens: int) -> list[Finding]:
    """Return findings, each vain one behind all that do better with the same tokens or gain more than it costs."""
    order = list(placed)
    for finding in placed:
        better = [
            other for other in order if _does_better(other, finding) or _gains_more(other, finding, prompt_tokens)
        ]
        if better and order.index(finding) < order.index(better[-1]):
            order.remove(finding)
            order.insert(order.index(better[-1]) + 1, finding)
    return order


def _does_better(other: Finding, finding: Finding) -> bool:
    """Say whether another change was measured to help where a finding's own brings nothing for the same tokens."""
    if other.gain is None or not _is_vain(finding):
        return False
    is_same = {name for name, tokens in other.claims if tokens} & {name for name, tokens in finding.claims if tokens}
    return bool(is_same) and other.gain.helps


def _gains_more(other: Finding, finding: Finding, prompt_tokens: int) -> bool:
    """Say whether another change was measured to gain more than a finding costs whose own change brings nothing."""
    if other.gain is None or not _is_vain(finding):
        return False
    return other.gain.helps and other.gain.points / 100 * prompt_tokens > finding.cost.tokens


def _rated(finding: Finding) -> Finding:
    """Return a finding no more severe than its gain allows: a vain change is no alarm, a harmful one but a note."""
    if finding.gain is None or not _is_vain(finding):
        return finding
    most: Severity = "warn" if finding.gain.points > -LEAST_POINTS else "note"
    if SEVERITIES.index(finding.severity) <= SEVERITIES.index(most):
        return finding
    return replace(finding, severity=most, severity_by_cost=finding.severity)


def _grown(
    finding: Finding,
    others: Sequence[Finding],
    kinds: dict[str, type[Diagnosis]],
    prompt_tokens: int,
    lost: Mapping[str, int],
) -> Finding:
    """Return a finding that explains others with claims as large as its gain, if that is more and so much is lost."""
    now = sum(tokens for _, tokens in finding.claims)
    if finding.gain is None or not now or not any(other.name in kinds[finding.name].explains for other in others):
        return finding
    more = finding.gain.points / 100 * prompt_tokens / now
    claims = tuple(
        (account, max(tokens, min(round(more * tokens), lost.get(account, 0)))) for account, tokens in finding.claims
    )
    grown = sum(tokens for _, tokens in claims) - now
    if not grown:
        return finding
    cost = finding.cost
    tokens = min(prompt_tokens, cost.tokens + grown)
    ms = None if cost.ms is None or not cost.tokens else cost.ms * tokens / cost.tokens
    share = tokens / prompt_tokens
    severity = max(severity_of(share), finding.severity, key=SEVERITIES.index)
    return replace(finding, claims=claims, cost=replace(cost, tokens=tokens, ms=ms, share=share), severity=severity)


def _less(
    finding: Finding,
    others: Sequence[Finding],
    kinds: dict[str, type[Diagnosis]],
    prompt_tokens: int,
    lost: Mapping[str, int],
) -> Finding:
    """Return a finding without what its causes claim."""
    causes = [
        other
        for other in others
        if _does_better(other, finding)
        or (finding.name in kinds[other.name].explains and not _does_better(finding, other))
    ]
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


def _place(finding: Finding, kinds: dict[str, type[Diagnosis]], worth: int) -> tuple[bool, bool, int, int, str]:
    behind = kinds[finding.name].is_symptom
    served = not finding.cost.unserved or finding.severity == "note"
    return behind, served, -worth, -SEVERITIES.index(finding.severity), finding.name
