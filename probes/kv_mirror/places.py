"""What is counted of the blocks of a rank: by the place where they are, and what makes one doubt the counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

_FULL_KINDS = frozenset({None, "full_attention", "mla_attention"})


@dataclass(slots=True)
class Place:
    """What is in one tier of one group. `kind` and `window_tokens` are the group's, where its engine says."""

    tier: str
    group: int
    kind: str | None = None
    window_tokens: int | None = None
    block_tokens: int = 0
    """Tokens of a block as they were told first, 0 before that."""
    blocks: int = 0
    copies: int = 0
    tokens: int = 0
    came_tokens: int = 0
    """Tokens of blocks that were not there and came, since the first one."""
    went_tokens: int = 0


def full_of(places: Iterable[Place], tier: str) -> Place:
    """Return what a tier has of full attention, which other groups are windows of; an empty place for nothing.

    Of groups whose kinds are not told, it is the one to which most came.
    """
    there = (place for place in places if place.tier == tier)
    return max(there, key=lambda place: (place.kind in _FULL_KINDS, place.came_tokens), default=Place(tier, 0))


@dataclass(slots=True)
class Doubts:
    """What makes one doubt that the mirror is right, counted.

    `unknown_removals` are copies that went and had not come; `below_gone` are stores below a block that was gone, or
    that came and went without anybody telling of the block above: engines hold on to it. `other_parents` are blocks
    told of below another parent than before, `other_sizes` events that told of blocks of another size than those
    before in their place; `left_out` are blocks past the limits, `placeless` those of tiers and groups past theirs.
    """

    unknown_removals: int = 0
    other_parents: int = 0
    left_out: int = 0
    placeless: int = 0
    below_gone: int = 0
    other_sizes: int = 0

    def forget(self) -> None:
        """Count from nothing again, since all blocks are known."""
        self.placeless = self.unknown_removals = self.other_parents = self.left_out = self.below_gone = (
            self.other_sizes
        ) = 0
