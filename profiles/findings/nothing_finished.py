"""Requests came, and not one of them ended."""

from __future__ import annotations

from profiles.evidence.evidence import Evidence
from profiles.finding import Amount, Change, Confidence, Cost, Diagnosis, Finding

_PATIENCE_NS = 10_000_000_000
"""An answer may take so long."""


class NothingFinished(Diagnosis):
    """Requests wait or run, none ended, and the oldest of them came a while ago."""

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        out, work = evidence.unserved, evidence.work
        alive = out.waiting + out.running
        if out.ended or evidence.requests or not alive:
            return None
        is_late = out.oldest_ns >= _PATIENCE_NS
        return Finding(
            name="nothing_finished",
            title="Not one request has ended",
            severity="note" if not is_late else "warn" if work.steps else "alarm",
            cost=Cost(share=1.0, unserved=alive),
            confidence=Confidence("sure", "the engine says which requests came, and that none ended"),
            evidence=(
                Amount("wait", out.waiting, "requests"),
                Amount("run", out.running, "requests"),
                Amount("the oldest came", round(out.oldest_ns / 1e6, 1), "ms before the end"),
                Amount("steps of the engine meanwhile", work.steps, "steps"),
            ),
            change=Change("watch for longer than an answer takes; without a step meanwhile the engine stands still"),
            questions=(9, 11),
        )
