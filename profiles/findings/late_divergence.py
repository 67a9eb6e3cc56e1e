"""Prompts have the same parts in other orders."""

from __future__ import annotations

from profiles.evidence.evidence import Evidence
from profiles.finding import Amount, Change, Confidence, Diagnosis, Finding
from profiles.judging import LEAST_REQUESTS, NOTE, cost_of


class LateDivergence(Diagnosis):
    """Text of the same name and length, computed again behind other text, in the middle of prompts.

    Retrieved passages come in any order, so this is how a load is more often than a fault.
    """

    is_symptom = True

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        apart = evidence.divergence
        cost = cost_of(evidence, apart.late_tokens)
        if cost.share < NOTE or evidence.requests < LEAST_REQUESTS:
            return None
        return Finding(
            name="late_divergence",
            title="Prompts have parts in common that come in other orders, or behind other text",
            severity="note",
            cost=cost,
            confidence=Confidence("likely", "segments of the same name and length were computed behind other text"),
            evidence=(
                Amount("prompts part most", apart.late_position, "tokens into the prompt"),
                Amount("requests", apart.late, "requests"),
                Amount("computed again", apart.late_tokens, "tokens"),
                *((Amount("most of it", apart.late_label, "segment"),) if apart.late_label else ()),
            ),
            since_ns=apart.late_since_ns,
            change=Change("put parts in one order always (tools, examples, passages), those asked for most first"),
            questions=(7, 15),
            claims=(("first_seen", apart.late_tokens),),
        )
