"""Copies in host memory are found and not loaded."""

from __future__ import annotations

from profiles.evidence.evidence import Evidence
from profiles.finding import Amount, Change, Confidence, Diagnosis, Finding
from profiles.judging import NOTE, cost_of, severity_of


class HostUnloaded(Diagnosis):
    """Tokens that were in host memory when they were asked for, and were computed again."""

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        left = evidence.account("unloaded")
        cost = cost_of(evidence, left.tokens)
        if cost.share < NOTE:
            return None
        return Finding(
            name="host_unloaded",
            title="What is found in host memory is not loaded, and computed again",
            severity=severity_of(cost.share),
            cost=cost,
            confidence=Confidence("sure", "admissions say what was found on the host, and prefills what was loaded"),
            evidence=(
                Amount("found and not loaded", left.tokens, "tokens"),
                Amount("requests", left.requests, "requests"),
            ),
            since_ns=left.since_ns,
            change=Change(
                "leave room on the device to load into: larger pools, or fewer requests at once",
                "--full-slots",
                "",
                (),
                (("SGLang", "--hicache-ratio"),),
            ),
            questions=(14,),
            claims=(("unloaded", left.tokens),),
        )
