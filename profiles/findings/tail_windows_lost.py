"""Windows before the ends of branches are evicted by age, while windows that nothing ends on are kept."""

from __future__ import annotations

from profiles.evidence.evidence import Evidence
from profiles.finding import Amount, Change, Confidence, Diagnosis, Finding
from profiles.judging import NOTE, cost_of, percent, severity_of

_ENOUGH = 0.12
"""Where windows that nobody needs hold so much of the pool, those that are needed would have room in their place."""


class TailWindowsLost(Diagnosis):
    """The order of eviction is plain recency, and the pool is held by windows that no prompt is likely to end on.

    Where these hold little of it, another order frees little: then it costs no more than their share of what is lost.
    """

    explains = frozenset({"swa_pool_small"})

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        if evidence.config.get("swa_eviction") != "lru":
            return None
        gap, gone = evidence.account("window_evicted"), evidence.account("evicted_for_window")
        kept = evidence.windows.kept_in_vain or 0.0
        part = 1.0 if kept >= _ENOUGH else kept
        claims = (
            ("window_evicted", round(part * gap.tokens)), ("evicted_for_window", round(part * gone.tokens)),
        )  # fmt: skip
        cost = cost_of(evidence, sum(tokens for _, tokens in claims))
        if cost.share < NOTE:
            return None
        lost = evidence.windows
        return Finding(
            name="tail_windows_lost",
            title="Windows at the ends of branches are evicted first: long known prefixes are of no use",
            severity=severity_of(cost.share),
            cost=cost,
            confidence=Confidence(
                "likely", "windows go by age alone, and what no branch ends on holds much of the pool"
            ),
            evidence=(
                Amount("known and computed again", gap.tokens, "tokens"),
                Amount("requests that met this", gap.requests, "requests"),
                Amount("evicted at ends of branches", lost.end_tokens, "tokens"),
                Amount("evicted elsewhere", lost.other_tokens, "tokens"),
                Amount("of the pool held by windows before no end", percent(kept), "%"),
                Amount("nodes that lost their window", lost.nodes, "nodes"),
            ),
            since_ns=gap.since_ns if gap.since_ns is not None else lost.since_ns,
            change=Change(
                "evict windows that no branch ends on first",
                "--swa-eviction",
                "tail_window_last",
                (("swa_eviction", "tail_window_last"),),
            ),
            questions=(2, 6),
            claims=claims,
        )
