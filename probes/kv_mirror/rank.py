"""One rank of a server, as its KV events tell: its blocks, and how far they can be believed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from probes.kv.wire import Cleared, WireBatch
from probes.kv_mirror.badge import Badge, Trust
from probes.kv_mirror.blocks import LIMIT_BLOCKS, BlockMirror


class RankMirror:
    """Takes batches in the order of their numbers, and what went wrong between them."""

    def __init__(self, limit_blocks: int = LIMIT_BLOCKS) -> None:
        self.blocks = BlockMirror(limit_blocks)
        self.skipped: Counter[str] = Counter()
        """Events that could not be read, by what was wrong with them."""
        self.last_seq = -1
        self.flushed_at_s = 0.0
        """When the newest batch was flushed, in seconds since 1970 on the server's clock."""
        self._trust = Trust()

    def joined(self, first_seq: int, at: int) -> None:
        """Begin with a batch; what was before it, if it is not the first, is not known."""
        self.blocks.clear()
        self._trust.joined(first_seq, at)

    def restarted(self, first_seq: int, at: int) -> None:
        """Begin anew: the server has another process now, which has nothing of the old one's."""
        self.joined(first_seq, at)

    def lost(self, first: int, last: int) -> None:
        """Go on without batches that will never come."""
        self._trust.lost(first, last)
        self.last_seq = max(self.last_seq, last)

    def repaired(self, batches: int) -> None:
        """Note that so many of the batches that follow come from the replay."""
        self._trust.repaired(batches)

    def apply(self, seq: int, batch: WireBatch) -> None:
        """Apply the events of a batch."""
        blocks = self.blocks
        for event in batch.events:
            blocks.apply(event)
            if isinstance(event, Cleared):
                self._settle()
        self.last_seq, self.flushed_at_s = seq, batch.ts
        if batch.skipped:
            self._skip(batch.skipped)

    @property
    def badge(self) -> Badge:
        """How far the blocks can be believed."""
        return self._trust.badge(self._doubt())

    def _settle(self) -> None:
        self._trust.settled()
        self.skipped.clear()
        self.blocks.doubts.forget()

    def _skip(self, skipped: Mapping[str, int]) -> None:
        self.skipped.update(skipped)

    def _doubt(self) -> str:
        doubts = self.blocks.doubts
        if self.skipped:
            return f"{self.skipped.total():,} events could not be read: {', '.join(self.skipped)}"
        if doubts.left_out:
            return f"{doubts.left_out:,} blocks more than there is room for"
        if doubts.unknown_removals:
            return f"{doubts.unknown_removals:,} blocks went that had never come"
        if self.blocks.orphans:
            return f"{self.blocks.orphans:,} blocks stand below one that nobody told of"
        return ""
