"""One branching point, from the request that met it to its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Outcome = Literal[
    "open", "kept", "request ended", "met again", "evicted", "window evicted", "state lost", "filled again", "reset",
    "out of sight",
]  # fmt: skip
"""How a point stands at the end: open and kept are still there, every other one says what became of it.

request ended: before it was filled. met again: the same request met another one first. evicted: its node left the
tree. window evicted: a component was evicted from its node. state lost: neither tier has it whole any more.
filled again: a later point took its node over, which loses nothing. out of sight: records are missing.
"""

LOST: frozenset[Outcome] = frozenset(
    {"request ended", "met again", "evicted", "window evicted", "state lost", "reset"}
)
"""The outcomes by which a point is lost, as the probe of branching points counts them."""


@dataclass(frozen=True, slots=True)
class BranchPoint:
    """A branching point. Times are ns since the recording began; None is what did not happen or is not known.

    The request could use `usable_tokens` of the stored prefix and had to compute `gap_tokens` of it again.
    `later_requests` landed on the point or so little behind it that their window reaches back to it;
    `saved_tokens` is what they would have computed again, `saved_ms` its time at the measured prefill rate.
    """

    opened_ns: int
    request: int
    namespace: str
    label: str
    position: int
    usable_tokens: int
    gap_tokens: int
    outcome: Outcome
    filled_ns: int | None = None
    fill_delay_ns: int | None = None
    ended_ns: int | None = None
    later_requests: int = 0
    saved_tokens: int = 0
    saved_ms: float | None = None

    @property
    def saves_tokens(self) -> int:
        """What each later request need not compute again."""
        return self.position - self.usable_tokens
