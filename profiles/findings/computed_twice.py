"""Requests compute the same prefix at the same time."""

from __future__ import annotations

from profiles.evidence.evidence import Evidence
from profiles.finding import Amount, Change, Confidence, Diagnosis, Finding
from profiles.judging import NOTE, cost_of, severity_of

_WARN, _ALARM = 0.10, 0.25


class ComputedTwice(Diagnosis):
    """Tokens that another request was computing when they were asked for."""

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        twice = evidence.account("in_flight")
        cost = cost_of(evidence, twice.tokens)
        if cost.share < 2 * NOTE:
            return None
        return Finding(
            name="computed_twice",
            title="Requests compute the same prefix at the same time",
            severity=severity_of(cost.share, _WARN, _ALARM),
            cost=cost,
            confidence=Confidence("sure", "another request had written these tokens when this one was to"),
            evidence=(
                Amount("computed more than once", twice.tokens, "tokens"),
                Amount("requests", twice.requests, "requests"),
                Amount("schedule", str(evidence.config.get("schedule", "unknown"))[:40], "name"),
            ),
            since_ns=twice.since_ns,
            change=Change(
                "serve the longest match first, which puts off requests with a prefix that is being computed",
                "--schedule",
                "lpm",
                (("schedule", "lpm"),),
                (("SGLang", "--schedule-policy lpm"),),
            ),
            questions=(7, 11),
            claims=(("in_flight", twice.tokens),),
        )
