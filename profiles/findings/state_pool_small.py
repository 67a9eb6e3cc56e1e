"""Recurrent states are evicted while the rest of their prefix stays, and are needed again."""

from __future__ import annotations

from profiles.evidence.evidence import Evidence
from profiles.finding import Amount, Change, Confidence, Diagnosis, Finding
from profiles.judging import NOTE, cost_of, number_of, severity_of

_STORM = 0.1
"""So many retractions for each request are too many, whatever they cost."""


class StatePoolSmall(Diagnosis):
    """Requests met prefixes whose state had been evicted, or that went with it, or found no state to run in."""

    explains = frozenset({"dead_weight", "long_waits"})

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        names = ("state_evicted", "evicted_for_state", "retracted_for_state")
        accounts = [evidence.account(name) for name in names]
        cost = cost_of(evidence, sum(each.tokens for each in accounts))
        rate = evidence.state_retractions.retractions / max(1, evidence.requests)
        if cost.share < NOTE and rate < _STORM:
            return None
        return Finding(
            name="state_pool_small",
            title="The pool of recurrent states is too small: states go while their prefix stays",
            severity=severity_of(max(cost.share, 0.05 if rate >= _STORM else 0.0)),
            cost=cost,
            confidence=Confidence("sure", "the states were seen to leave, and requests came that needed them"),
            evidence=self._evidence(evidence),
            since_ns=min((each.since_ns for each in accounts if each.since_ns is not None), default=None),
            change=self._change(evidence),
            questions=(2, 3),
            claims=tuple((name, each.tokens) for name, each in zip(names, accounts, strict=True) if each.tokens),
        )

    def _evidence(self, evidence: Evidence) -> tuple[Amount, ...]:
        gap, gone, out = (
            evidence.account("state_evicted"),
            evidence.account("evicted_for_state"),
            evidence.state_retractions,
        )
        pool, full = evidence.pool("mamba"), evidence.pool("full")
        return (
            Amount("known and computed again", gap.tokens, "tokens"),
            Amount("requests that met this", gap.requests, "requests"),
            Amount("states evicted from nodes that stay", evidence.states.nodes, "nodes"),
            Amount("evicted with a state and computed again", gone.tokens, "tokens"),
            *((Amount("requests thrown out for want of states", out.requests, "requests"),) if out.requests else ()),
            *((Amount("state pool", pool.total, "states"),) if pool is not None else ()),
            *((Amount("least room in the full pool", full.least_free, "free tokens"),) if full is not None else ()),
        )

    def _change(self, evidence: Evidence) -> Change:
        now = number_of(evidence.config, "mamba_slots")
        settings = () if now is None else (("mamba_slots", 2 * now),)
        return Change("enlarge the pool of states", "--mamba-slots", "" if now is None else str(2 * now), settings)
