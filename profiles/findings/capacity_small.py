"""The pool is too small for what is asked for again."""

from __future__ import annotations

from profiles.evidence.evidence import Evidence
from profiles.finding import Amount, Change, Confidence, Diagnosis, Finding
from profiles.judging import NOTE, cost_of, number_of, severity_of


class CapacitySmall(Diagnosis):
    """Content was evicted because the base pool was full, and asked for again."""

    explains = frozenset({"dead_weight"})

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        gone = evidence.account("evicted")
        cost = cost_of(evidence, gone.tokens)
        if cost.share < NOTE:
            return None
        calls, pool = evidence.evictions_of("full"), evidence.pool("full")
        now = number_of(evidence.config, "full_slots") or (pool.total if pool is not None else None)
        return Finding(
            name="capacity_small",
            title="The cache is too small: what was evicted is asked for again",
            severity=severity_of(cost.share),
            cost=cost,
            confidence=Confidence("sure", "the same content was there, was evicted, and was computed again"),
            evidence=(
                Amount("evicted and computed again", gone.tokens, "tokens"),
                Amount("requests that met this", gone.requests, "requests"),
                Amount("evicted in all", 0 if calls is None else calls.freed_base_tokens, "tokens"),
                *((Amount("pool", now, "tokens"),) if now is not None else ()),
                *((Amount("least room", pool.least_room, "free or evictable tokens"),) if pool is not None else ()),
            ),
            since_ns=gone.since_ns,
            change=Change(
                "give the cache more memory",
                "--full-slots",
                "" if now is None else str(2 * now),
                () if now is None else (("full_slots", 2 * now),),
                (("SGLang", "--mem-fraction-static"), ("vLLM", "--gpu-memory-utilization")),
            ),
            questions=(1, 2, 3, 10),
            claims=(("evicted", gone.tokens),),
        )
