"""Every eviction builds its queue of victims anew, and the engine waits for it."""

from __future__ import annotations

from profiles.evidence.evidence import Evidence
from profiles.finding import Amount, Change, Confidence, Diagnosis, Finding
from profiles.judging import cost_of_time, percent, severity_of

_LEAST_SHARE = 0.01


class EvictionStall(Diagnosis):
    """Time that evict calls spent building queues, against the time of the engine's steps."""

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        calls = sum(each.calls for each in evidence.evictions)
        build_ns = sum(each.build_ns for each in evidence.evictions)
        whole_ns = (evidence.work.step_ns or evidence.span_ns) + sum(each.ns for each in evidence.evictions)
        share = build_ns / whole_ns if whole_ns else 0.0
        if share < _LEAST_SHARE:
            return None
        times = [each.build_since_ns for each in evidence.evictions if each.build_since_ns is not None]
        return Finding(
            name="eviction_stall",
            title="Evictions stall the engine: each builds its queue of victims anew",
            severity=severity_of(share),
            cost=cost_of_time(evidence, build_ns),
            confidence=Confidence("sure", "the cache measures how long it builds the queue in each call"),
            evidence=(
                Amount("in building queues", round(build_ns / 1e6, 1), "ms"),
                Amount("of the engine's time", percent(share), "%"),
                Amount("evict calls", calls, "calls"),
                Amount("longest call", round(max(each.most_ns for each in evidence.evictions) / 1e6, 2), "ms"),
                Amount("most leaves looked at", max(each.most_leaves for each in evidence.evictions), "nodes"),
            ),
            since_ns=min(times, default=None),
            change=Change("keep leaves in order", "--evictor", "incremental", (("evictor", "incremental"),)),
            questions=(8,),
        )
