"""How sure findings still are when records are missing: each a step less, with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from probes.plural import plural
from profiles.evidence.evidence import Losses
from profiles.finding import Confidence, Finding, Sureness

_LESS: dict[Sureness, Sureness] = {"sure": "likely", "likely": "guess", "guess": "guess"}
_OF_LOSSES = "records_lost"
"""What says that records are missing is as sure as ever."""


def doubted(findings: Sequence[Finding], losses: Losses) -> list[Finding]:
    """Return findings a step less sure where records are missing or the tree is uncertain, else as they are."""
    reason = _reason(losses)
    if not reason:
        return [*findings]
    return [each if each.name == _OF_LOSSES else _less_sure(each, reason) for each in findings]


def _reason(losses: Losses) -> str:
    if losses.records:
        return f"{plural(losses.records, 'record')} missing"
    return "" if losses.tree_known else "the tree is uncertain"


def _less_sure(finding: Finding, reason: str) -> Finding:
    level = _LESS[finding.confidence.level]
    return replace(finding, confidence=Confidence(level, f"{finding.confidence.reason}; but {reason}"))
