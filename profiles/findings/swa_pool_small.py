"""Windows are evicted while the rest of their prefix stays, and are needed again."""

from __future__ import annotations

from profiles.evidence.evidence import Evidence
from profiles.finding import Amount, Change, Confidence, Diagnosis, Finding
from profiles.judging import NOTE, cost_of, number_of, severity_of


class SwaPoolSmall(Diagnosis):
    """Requests met prefixes whose window had been evicted, or that went whole when the pool of windows was full."""

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        gap, gone = evidence.account("window_evicted"), evidence.account("evicted_for_window")
        cost = cost_of(evidence, gap.tokens + gone.tokens)
        if cost.share < NOTE:
            return None
        since = min((each.since_ns for each in (gap, gone) if each.since_ns is not None), default=None)
        return Finding(
            name="swa_pool_small",
            title="The pool of sliding windows is too small: windows go while their prefix stays",
            severity=severity_of(cost.share),
            cost=cost,
            confidence=Confidence("sure", "the windows were seen to leave, and requests came that needed them"),
            evidence=self._evidence(evidence),
            since_ns=since,
            change=self._change(evidence),
            questions=(2, 3, 6),
            claims=(("window_evicted", gap.tokens), ("evicted_for_window", gone.tokens)),
        )

    def _evidence(self, evidence: Evidence) -> tuple[Amount, ...]:
        gap, lost = evidence.account("window_evicted"), evidence.windows
        calls = evidence.evictions_of("swa")
        pool, full = evidence.pool("swa"), evidence.pool("full")
        return (
            Amount("known and computed again", gap.tokens, "tokens"),
            Amount("requests that met this", gap.requests, "requests"),
            Amount("windows evicted from nodes that stay", lost.nodes, "nodes"),
            Amount("evicted for want of window slots", 0 if calls is None else calls.freed_tokens, "tokens"),
            *((Amount("window pool", pool.total, "tokens"),) if pool is not None else ()),
            *((Amount("least room in the full pool", full.least_free, "free tokens"),) if full is not None else ()),
        )

    def _change(self, evidence: Evidence) -> Change:
        now = number_of(evidence.config, "swa_slots")
        settings = () if now is None else (("swa_slots", 2 * now),)
        return Change(
            "enlarge the pool of windows",
            "--swa-slots",
            "" if now is None else str(2 * now),
            settings,
            (("SGLang", "--swa-full-tokens-ratio"),),
        )
