"""More runs at once than fits: requests are thrown out and computed again."""

from __future__ import annotations

from profiles.evidence.evidence import Evidence
from profiles.finding import Amount, Change, Confidence, Diagnosis, Finding
from profiles.judging import NOTE, WARN, cost_of, number_of, percent, severity_of

_STORM, _LEAST = 0.1, 3
"""So many retractions for each request, and so many in all, are a storm, whatever they cost."""
_LITTLE, _MUCH = 0.4, 0.7
"""Where running requests have more of a pool than that, evictions from it are theirs: in part, or all."""
_POOLS = (("evicted", "full"), ("evicted_for_window", "swa"), ("window_evicted", "swa"))
"""Accounts of what was evicted, each with the pool that was short then."""


class RetractionStorm(Diagnosis):
    """Requests were retracted for want of slots.

    The more of a pool they run in, the more of the evictions from it are theirs: all of them in a storm, with fewer
    retractions in proportion.
    """

    explains = frozenset({"capacity_small", "swa_pool_small", "long_waits"})

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        out = evidence.retractions
        if not out.retractions or not evidence.requests:
            return None
        rate = out.retractions / evidence.requests
        is_storm = rate >= _STORM and out.retractions >= _LEAST
        busy = max((pool.mean_busy for pool in evidence.pools), default=0.0)
        claims = self._claims(evidence, rate) if out.retractions >= _LEAST else []
        cost = cost_of(evidence, out.tokens + sum(tokens for _, tokens in claims))
        if cost.share < NOTE and not is_storm:
            return None
        now = number_of(evidence.config, "concurrency")
        fewer = None if now is None else max(1, now // 2)
        return Finding(
            name="retraction_storm",
            title="Requests are thrown out for want of slots and computed again",
            severity=severity_of(max(cost.share, WARN if is_storm else 0.0)),
            cost=cost,
            confidence=Confidence("sure", "the engine says whom it retracted, and why"),
            evidence=(
                Amount("retractions", out.retractions, "retractions"),
                Amount("requests thrown out", out.requests, "requests"),
                Amount("computed again on return", out.tokens, "tokens"),
                Amount("of a pool taken by what runs", percent(busy), "% on average"),
                *((Amount("run at once", now, "requests"),) if now is not None else ()),
            ),
            since_ns=out.since_ns,
            change=Change(
                "let fewer requests run at once, or enlarge the pools",
                "--concurrency",
                "" if fewer is None else str(fewer),
                () if fewer is None else (("concurrency", fewer),),
                (("SGLang", "--max-running-requests"), ("vLLM", "--max-num-seqs")),
            ),
            questions=(1, 2, 9),
            claims=(("retracted", out.tokens), *(claim for claim in claims if claim[1])),
        )

    def _claims(self, evidence: Evidence, rate: float) -> list[tuple[str, int]]:
        """Return what was evicted for those that run, by account."""
        claims = []
        for name, kind in _POOLS:
            pool = evidence.pool(kind)
            busy = 0.0 if pool is None else pool.mean_busy
            share = min(1.0, max(0.0, (busy - _LITTLE) / (_MUCH - _LITTLE))) * min(1.0, rate / _STORM)
            claims.append((name, round(share * evidence.tokens(name))))
        return claims
