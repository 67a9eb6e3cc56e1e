"""What a block cache hit over a trace."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BlockHits:
    """Counts over the requests after the warm-up.

    `dropped_blocks` made room for others; of an optimal cache those that it did not let in count as well.
    """

    policy: str
    capacity_blocks: int
    requests: int
    queried_tokens: int
    hit_tokens: int
    queried_blocks: int
    hit_blocks: int
    dropped_blocks: int

    @property
    def hit_rate(self) -> float | None:
        """Return hit tokens over queried tokens; None where nothing was queried."""
        return self.hit_tokens / self.queried_tokens if self.queried_tokens else None
