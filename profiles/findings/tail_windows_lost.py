"""Windows before the ends of branches are evicted by age, while windows that nothing ends on are kept."""

from __future__ import annotations

from profiles.evidence.evidence import Evidence
from profiles.finding import Amount, Change, Confidence, Diagnosis, Finding
from profiles.judging import NOTE, cost_of, severity_of


class TailWindowsLost(Diagnosis):
    """The order of eviction is plain recency, and what requests lacked were windows at ends of branches."""

    explains = frozenset({"swa_pool_small"})

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        if evidence.config.get("swa_eviction") != "lru":
            return None
        gap, gone = evidence.account("window_evicted"), evidence.account("evicted_for_window")
        cost = cost_of(evidence, gap.tokens + gone.tokens)
        if cost.share < NOTE:
            return None
        lost = evidence.windows
        return Finding(
            name="tail_windows_lost",
            title="Windows at the ends of branches are evicted first: long known prefixes are of no use",
            severity=severity_of(cost.share),
            cost=cost,
            confidence=Confidence("likely", "windows go by age alone, whether or not a branch ends on them"),
            evidence=(
                Amount("known and computed again", gap.tokens, "tokens"),
                Amount("requests that met this", gap.requests, "requests"),
                Amount("evicted at ends of branches", lost.end_tokens, "tokens"),
                Amount("evicted elsewhere", lost.other_tokens, "tokens"),
                Amount("nodes that lost their window", lost.nodes, "nodes"),
            ),
            since_ns=gap.since_ns if gap.since_ns is not None else lost.since_ns,
            change=Change(
                "evict windows that no branch ends on first",
                "swa_eviction",
                "tail_window_last",
                (("swa_eviction", "tail_window_last"),),
            ),
            questions=(2, 6),
            claims=(("window_evicted", gap.tokens), ("evicted_for_window", gone.tokens)),
        )
