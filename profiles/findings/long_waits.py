"""Requests with hardly any match wait much longer than those with a long one."""

from __future__ import annotations

from profiles.evidence.evidence import Evidence
from profiles.finding import Amount, Change, Confidence, Cost, Diagnosis, Finding
from profiles.judging import LEAST_REQUESTS

_RATIO = 5
_LEAST_NS = 100_000_000


class LongWaits(Diagnosis):
    """The middle wait of cold requests is a multiple of that of warm ones."""

    is_symptom = True

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        waits = evidence.waits
        if min(waits.warm, waits.cold) < LEAST_REQUESTS or waits.cold_p50_ns is None or waits.warm_p50_ns is None:
            return None
        if waits.cold_p50_ns < max(_LEAST_NS, _RATIO * waits.warm_p50_ns):
            return None
        return Finding(
            name="long_waits",
            title="Requests that match nothing wait long behind those that match",
            severity="warn",
            cost=Cost(0, waits.cold_p50_ns / 1e6, 0.0, is_measured=True),
            confidence=Confidence("likely", "both kinds came in the same run; who waits was told by the engine"),
            evidence=(
                Amount("cold requests wait", round(waits.cold_p50_ns / 1e6, 1), "ms (median)"),
                Amount("warm requests wait", round(waits.warm_p50_ns / 1e6, 1), "ms (median)"),
                Amount("cold requests", waits.cold, "requests"),
                Amount("longest wait", round(waits.most_ns / 1e6, 1), "ms"),
                *((Amount("of", waits.most_request, "request"),) if waits.most_request >= 0 else ()),
            ),
            change=Change(
                "let waiting count: a schedule that ages",
                "--schedule",
                "hrrn",
                (("schedule", "hrrn"),),
                (("SGLang", "--schedule-policy fcfs"),),
            ),
            questions=(11,),
        )
