"""Prompts differ in their first tokens, before long text that they have in common."""

from __future__ import annotations

from profiles.evidence.evidence import Divergence, Evidence
from profiles.finding import Amount, Change, Confidence, Diagnosis, Finding
from profiles.judging import LEAST_REQUESTS, NOTE, cost_of, severity_of

_EARLY_SHARE = 0.6
_LEAST_RATE = 0.2
"""Where more than that is hit, long prompts that part early are other prompts."""
_SOME_SHARE = 0.25
"""Where so many of the long prompts part early behind the same first tokens, they may well be alike behind that."""
_DOUBT = 0.3
"""How likely that is, about: so much of what they computed counts."""


class EarlyDivergence(Diagnosis):
    """Text of the same name and length, computed again behind other tokens; without names, prompts that all part
    within their first tokens."""

    explains = frozenset({"capacity_small", "dead_weight", "page_size", "chunk_boundary", "branching_off"})

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        apart = evidence.divergence
        tokens = apart.tokens if apart.is_named else self._unnamed(evidence)
        cost = cost_of(evidence, tokens)
        if cost.share < NOTE or evidence.requests < LEAST_REQUESTS:
            return None
        requests = apart.requests if apart.is_named else apart.early
        return Finding(
            name="early_divergence",
            title=self._title(apart),
            severity=severity_of(cost.share) if apart.is_named or self._are_most(evidence) else "note",
            cost=cost,
            confidence=self._confidence(apart),
            evidence=(
                Amount("prompts part", apart.position, "tokens into the prompt"),
                Amount("requests", requests, "requests"),
                Amount("computed again behind it", tokens, "tokens"),
                *((Amount("most of it", apart.label, "segment"),) if apart.label else ()),
                *((Amount("what differs", apart.before, "segment"),) if apart.before else ()),
            ),
            since_ns=apart.since_ns if apart.is_named else apart.early_since_ns,
            change=Change("move what changes (a date, an id, a name) behind the text that all have in common"),
            questions=(1, 7, 15),
            claims=(("first_seen", tokens),),
        )

    def _unnamed(self, evidence: Evidence) -> int:
        """Return what was computed behind tokens that differ, going by where prompts part alone."""
        apart = evidence.divergence
        if self._are_most(evidence):
            return apart.early_tokens
        is_some = apart.early_shared >= max(LEAST_REQUESTS, _SOME_SHARE * apart.long)
        return round(_DOUBT * apart.early_shared_tokens) if is_some else 0

    def _are_most(self, evidence: Evidence) -> bool:
        apart = evidence.divergence
        is_most = apart.early >= max(LEAST_REQUESTS, _EARLY_SHARE * apart.long)
        is_shared = apart.early_shared > 0.5 * apart.early
        return is_most and is_shared and (evidence.hit_rate or 0.0) < _LEAST_RATE

    def _title(self, apart: Divergence) -> str:
        if not apart.is_named:
            return "Prompts differ within their first tokens, and all behind that is computed"
        return f"Prompts differ at token {apart.position:,}, before text that they have in common"

    def _confidence(self, apart: Divergence) -> Confidence:
        if apart.is_named:
            return Confidence("sure", "segments of the same name and length were computed again behind other tokens")
        return Confidence("guess", "nothing tells what the prompts say behind the point where they part")
