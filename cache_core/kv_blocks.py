"""What KV events say about blocks, one block per page: stored, removed, all gone. Plain frozen values."""

from __future__ import annotations

from dataclasses import dataclass

GPU = "GPU"
CPU_PINNED = "CPU_PINNED"
MEDIA = (GPU, CPU_PINNED)
"""Where a copy of a block can be: in device slots, or in the host tier."""

TokenIds = list[int] | list[list[int]]
"""The tokens of blocks; pairs where the cache keys on bigrams."""


@dataclass(frozen=True, slots=True)
class Group:
    """A component of the cache, as consumers of hybrid models name it; `window` is that of a sliding window."""

    index: int
    kind: str
    window: int | None = None


@dataclass(frozen=True, slots=True)
class BlockStored:
    """Blocks that follow each other came to be on a medium.

    `parent_block_hash` is the block before the first of them, None at the root. `tokens` is packed, as in keys:
    int32, pairs of them where `bigram`. `group` is None for events that speak of full attention alone.
    """

    block_hashes: tuple[int, ...]
    parent_block_hash: int | None
    tokens: bytes
    block_size: int
    medium: str | None = GPU
    cache_salt: str | None = None
    session_id: str | None = None
    lora_name: str | None = None
    group: Group | None = None
    bigram: bool = False

    @property
    def token_ids(self) -> TokenIds:
        """The tokens, one after the other or in pairs."""
        packed = memoryview(self.tokens).cast("i")
        if self.bigram:
            return [packed[at : at + 2].tolist() for at in range(0, len(packed), 2)]
        return packed.tolist()


@dataclass(frozen=True, slots=True)
class BlockRemoved:
    """Blocks are gone from a medium, in the order in which they went."""

    block_hashes: tuple[int, ...]
    medium: str | None = GPU
    group: Group | None = None


@dataclass(frozen=True, slots=True)
class AllBlocksCleared:
    """Nothing is left, on any medium."""


KVEvent = BlockStored | BlockRemoved | AllBlocksCleared
