"""Records are missing, so that what is said here may be wrong."""

from __future__ import annotations

from profiles.evidence.evidence import Evidence
from profiles.finding import Amount, Change, Confidence, Cost, Diagnosis, Finding


class RecordsLost(Diagnosis):
    """The reader was overrun, or blocks are damaged."""

    is_symptom = True

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        lost = evidence.losses
        if not lost.records and not lost.torn_blocks and lost.tree_known:
            return None
        return Finding(
            name="records_lost",
            title="Records are missing: what is said here may be wrong",
            severity="warn",
            cost=Cost(),
            confidence=Confidence("sure", "blocks are numbered, and have checksums"),
            evidence=(
                Amount("missing", lost.records, "records"),
                Amount("damaged", lost.torn_blocks, "blocks"),
                Amount("tree", "known" if lost.tree_known else "uncertain", "state"),
            ),
            change=Change("record to a file on a faster disk, or watch with less detail", "radixtop record"),
            questions=(12, 13),
        )
