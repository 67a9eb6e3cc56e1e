"""Most of what the cache holds was never used again."""

from __future__ import annotations

from profiles.evidence.evidence import Evidence
from profiles.finding import Amount, Change, Confidence, Cost, Diagnosis, Finding
from profiles.judging import LEAST_REQUESTS, NOTE, percent

_SHARE = 0.5


class DeadWeight(Diagnosis):
    """Tokens in nodes that no request reused, while others are evicted and asked for again."""

    is_symptom = True

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        tree, gone = evidence.tree, evidence.tokens("evicted", "evicted_for_window", "evicted_for_state")
        if not tree.tells_use or not tree.tokens or evidence.requests < LEAST_REQUESTS:
            return None
        share = tree.unused_tokens / tree.tokens
        if share < _SHARE or evidence.share_of(gone) < NOTE:
            return None
        return Finding(
            name="dead_weight",
            title="Most of what the cache holds was never used again",
            severity="note",
            cost=Cost(),
            confidence=Confidence("likely", "no request has reused these nodes so far; some may yet be"),
            evidence=(
                Amount("never reused", tree.unused_tokens, "tokens"),
                Amount("of what is held", percent(share), "%"),
                Amount("nodes", tree.nodes, "nodes"),
            ),
            change=Change(
                "evict first what was used once",
                "--policy",
                "slru",
                (("policy", "slru"),),
                (("SGLang", "--radix-eviction-policy"),),
            ),
            questions=(4, 10),
        )
