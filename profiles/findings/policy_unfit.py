"""The order of eviction lets go what plain recency would have kept."""

from __future__ import annotations

from profiles.evidence.evidence import Evidence
from profiles.finding import Amount, Change, Confidence, Diagnosis, Finding
from profiles.judging import LEAST_REQUESTS, cost_of, percent, severity_of

_LEAST_SHARE = 0.04
"""Of all prompt tokens: LRU itself, which runs take room from, is up to 2 % short of what is counted for it."""


class PolicyUnfit(Diagnosis):
    """Leaves go in another order than LRU's, and LRU would hit more of the same prompts with as much memory.

    What waits for another request, and what went for want of window slots, LRU would have lost as well.
    """

    explains = frozenset({"capacity_small", "dead_weight"})

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        policy, recency = evidence.config.get("policy"), evidence.recency
        if recency is None or policy in (None, "lru") or evidence.requests < LEAST_REQUESTS:
            return None
        gone = evidence.account("evicted")
        cost = cost_of(
            evidence,
            recency.lru_tokens
            - recency.found_tokens
            - evidence.tokens("in_flight", "evicted_for_window", "evicted_for_state"),
        )
        if cost.share < _LEAST_SHARE or not gone.tokens:
            return None
        queried = max(1, recency.queried_tokens)
        return Finding(
            name="policy_unfit",
            title="The order of eviction is wrong for this load: plain recency would hit more",
            severity=severity_of(cost.share),
            cost=cost,
            confidence=Confidence("likely", "LRU was counted on the same prompts, with as much memory"),
            evidence=(
                Amount("policy", str(policy)[:40], "name"),
                Amount("found by it", percent(recency.found_tokens / queried), "% of prompt tokens"),
                Amount("found by LRU of this size", percent(recency.lru_tokens / queried), "% of prompt tokens"),
                Amount("evicted and computed again", gone.tokens, "tokens"),
                Amount("requests that met this", gone.requests, "requests"),
            ),
            since_ns=gone.since_ns,
            change=Change("evict first what was not used for longest", "--policy", "lru", (("policy", "lru"),)),
            questions=(1, 2, 3),
            claims=(("evicted", min(gone.tokens, cost.tokens)),),
        )
