"""Too many requests wait for the schedule to be followed, so prefixes are not served together."""

from __future__ import annotations

from profiles.evidence.evidence import GONE, Evidence
from profiles.finding import Amount, Change, Confidence, Diagnosis, Finding
from profiles.judging import cost_of, percent, severity_of

_LOST = ("in_flight", *GONE)
"""What serving equal prefixes one after the other would have saved."""


class LpmFallback(Diagnosis):
    """The schedule fell back to first come, first served; what requests lost that were admitted meanwhile counts."""

    explains = frozenset(
        {"capacity_small", "swa_pool_small", "state_pool_small", "tail_windows_lost", "computed_twice", "long_waits"}
    )

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        passes = evidence.scheduling
        if not passes.fallbacks or not passes.passes:
            return None
        lost = {name: passes.lost.get(name, 0) for name in _LOST}
        cost = cost_of(evidence, sum(lost.values()))
        share = passes.fallbacks / passes.passes
        return Finding(
            name="lpm_fallback",
            title="The schedule gave way to first come, first served: too many requests wait",
            severity=severity_of(max(cost.share, 0.05 if share > 0.2 else 0.0)),
            cost=cost,
            confidence=Confidence("sure", "the engine says of each pass whether it fell back"),
            evidence=(
                Amount("passes that fell back", passes.fallbacks, "passes"),
                Amount("of all passes", percent(share), "%"),
                Amount("most that waited", passes.most_waiting, "requests"),
                *((Amount("limit", passes.limit, "waiting requests"),) if passes.limit is not None else ()),
                Amount("requests admitted meanwhile", passes.requests, "requests"),
                Amount("lost by these", cost.tokens, "tokens"),
            ),
            since_ns=passes.since_ns,
            change=Change(
                "lift the limit of the queue, or let fewer requests wait",
                "--schedule-limit",
                "none",
                (("schedule_limit", None),),
            ),
            questions=(1, 11),
            claims=tuple((name, tokens) for name, tokens in lost.items() if tokens),
        )
