"""More runs at once than fits: requests are thrown out and computed again."""

from __future__ import annotations

from profiles.evidence.evidence import Evidence
from profiles.finding import Amount, Change, Confidence, Diagnosis, Finding
from profiles.judging import NOTE, cost_of, number_of, percent, severity_of

_STORM = 0.1
"""So many retractions for each request are a storm, whatever they cost."""
_LITTLE, _MUCH = 0.4, 0.7
"""Where running requests have more of the pool than that, evictions are theirs: in part, or all."""


class RetractionStorm(Diagnosis):
    """Requests were retracted for want of slots. The more of the pool they run in, the more evictions are theirs."""

    explains = frozenset({"capacity_small", "swa_pool_small", "long_waits"})

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        out = evidence.retractions
        if not out.retractions or not evidence.requests:
            return None
        rate = out.retractions / evidence.requests
        busy = max((pool.mean_busy for pool in evidence.pools), default=0.0)
        share = min(1.0, max(0.0, (busy - _LITTLE) / (_MUCH - _LITTLE)))
        names = ("evicted", "evicted_for_window", "window_evicted")
        claims = [(name, round(share * evidence.tokens(name))) for name in names]
        cost = cost_of(evidence, out.tokens + sum(tokens for _, tokens in claims))
        if cost.share < NOTE and rate < _STORM:
            return None
        now = number_of(evidence.config, "concurrency")
        fewer = None if now is None else max(1, now // 2)
        return Finding(
            name="retraction_storm",
            title="Requests are thrown out for want of slots and computed again",
            severity=severity_of(max(cost.share, 0.05 if rate >= _STORM else 0.0)),
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
