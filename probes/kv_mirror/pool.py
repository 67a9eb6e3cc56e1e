"""What the device of a rank has room for, against what its KV events say is there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from probes.kv.wire import DEVICE
from probes.kv_mirror.places import Place


@dataclass(frozen=True, slots=True)
class Pool:
    """A pool of so many blocks of so many tokens, which the groups of a rank's cache share."""

    blocks: int
    block_tokens: int

    def excess_blocks(self, places: Iterable[Place]) -> int:
        """Return how many blocks more are told of than there is room for; 0 where they cannot be compared.

        Groups may have blocks of other sizes, or of parts of the pool's: those are not counted against it.
        """
        there = [place for place in places if place.tier == DEVICE and place.blocks]
        if any(place.tokens != place.blocks * self.block_tokens for place in there):
            return 0
        return max(0, sum(place.copies for place in there) - self.blocks)


def pool_of(facts: Mapping[str, object]) -> Pool | None:
    """Return the pool that a server's facts tell of, None where they do not."""
    slots, page = facts.get("full_slots"), facts.get("page_size")
    if not (isinstance(slots, int) and isinstance(page, int) and slots >= page > 0):
        return None
    return Pool(slots // page, page)
