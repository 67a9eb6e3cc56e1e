"""Many requests are given up before their end."""

from __future__ import annotations

from profiles.evidence.evidence import Evidence
from profiles.finding import Amount, Change, Confidence, Cost, Diagnosis, Finding
from profiles.judging import percent, severity_of

_LEAST, _WARN, _ALARM = 0.05, 0.2, 0.5
"""Shares of all requests: some clients always change their mind."""
_LEAST_ABORTED = 3


class RequestsAborted(Diagnosis):
    """A notable share of requests ended without their answer, and was not refused."""

    is_symptom = True

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        out = evidence.unserved
        share = out.aborted / max(out.ended, out.aborted, 1)
        if share < _LEAST or out.aborted < min(_LEAST_ABORTED, out.ended):
            return None
        return Finding(
            name="requests_aborted",
            title="Requests are given up before their end",
            severity=severity_of(share, _WARN, _ALARM),
            cost=Cost(ms=evidence.ms_of(out.aborted_tokens), share=share, unserved=out.aborted),
            confidence=Confidence("likely", "the engine says who ended without being kept; some ask for that"),
            evidence=(
                Amount("aborted", out.aborted, "requests"),
                Amount("of all that ended", percent(share), "%"),
                Amount("computed for them and not kept", out.aborted_tokens, "tokens"),
            ),
            since_ns=out.aborted_since_ns,
            change=Change("find out who gives up: a timeout of a client, or answers that come too late for it"),
            questions=(9, 11),
        )
