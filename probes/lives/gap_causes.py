"""What had become of the windows and states whose absence made requests compute known tokens again."""

from __future__ import annotations

from dataclasses import dataclass

from probes.lives.gaps import Gap
from probes.lives.misses import COLUMNS

ASKED_AGAIN_NS = 60_000_000_000
"""A window that was evicted less than this before a request would have needed it was evicted too early."""


@dataclass(frozen=True, slots=True)
class GapCauses:
    """Tokens that were computed again because a window was missing, by what had become of that window.

    `early`: it was evicted less than a minute before; `requests` met such a gap. `late`: longer before. `never`:
    nobody saw it in the cache; requests give up most windows while they compute. `unknown`: nobody saw it, and of the
    minute before nobody saw everything. `states`: a recurrent state was missing, whatever had become of it.
    """

    never: int = 0
    early: int = 0
    late: int = 0
    requests: int = 0
    unknown: int = 0
    states: int = 0


CAUSES = len(GapCauses.__dataclass_fields__)
NEVER, EARLY, LATE, EARLY_REQUESTS, UNKNOWN, _STATES = range(COLUMNS, COLUMNS + CAUSES)
"""Their columns in sums of misses, behind those of the classes."""


def cause_of(gap: Gap, admitted_at: int | None, watched_from: int | None) -> int:
    """Return the column of the cause of a gap, or of a part of one, that a request met when it was admitted.

    Since `watched_from` everything was seen; None where not even the newest was.
    """
    at = admitted_at or 0
    if gap.lacking == "state":
        return _STATES
    if gap.left is not None and admitted_at is not None:
        return EARLY if at - gap.left.at < ASKED_AGAIN_NS else LATE
    return UNKNOWN if watched_from is None or at - watched_from < ASKED_AGAIN_NS else NEVER
