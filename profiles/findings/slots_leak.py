"""Nothing runs, and slots are held or locked all the same."""

from __future__ import annotations

from profiles.evidence.evidence import Evidence
from profiles.finding import Amount, Change, Confidence, Cost, Diagnosis, Finding
from profiles.judging import severity_of

_LEAST_SHARE = 0.01


class SlotsLeak(Diagnosis):
    """Pools have held or protected slots while no request runs."""

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        tree = evidence.tree
        if tree.running != 0:
            return None
        stuck = [pool for pool in evidence.pools if pool.held + pool.protected]
        share = max(((pool.held + pool.protected) / pool.total for pool in stuck), default=0.0)
        if share < _LEAST_SHARE:
            return None
        return Finding(
            name="slots_leak",
            title="Nothing runs, and slots are held: a lock was not given back",
            severity="alarm" if tree.waiting else severity_of(share),
            cost=Cost(),
            confidence=Confidence("likely", "the engine says that no request runs, the pools that slots are in use"),
            evidence=(
                *(Amount(f"{pool.name} held", pool.held, "tokens") for pool in stuck),
                *(Amount(f"{pool.name} protected", pool.protected, "tokens") for pool in stuck),
                Amount("locks", tree.locks, "receipts"),
                *((Amount("oldest lock", tree.oldest_lock, "node"),) if tree.oldest_lock else ()),
                Amount("waiting", tree.waiting or 0, "requests"),
            ),
            change=Change("find who holds the oldest lock: every lock needs its unlock, every request its end"),
            questions=(9,),
        )
