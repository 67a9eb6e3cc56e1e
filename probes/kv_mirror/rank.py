"""One rank of a server, as its KV events tell: its blocks, its tree, and how far they can be believed."""

from __future__ import annotations

from collections import Counter

from cache_core.events import Record
from probes.kv.wire import Cleared, WireBatch
from probes.kv_mirror.badge import Badge, Trust
from probes.kv_mirror.blocks import LIMIT_BLOCKS, MOST_PLACES, BlockMirror
from probes.kv_mirror.pool import Pool
from probes.kv_mirror.tree import KVTree
from probes.plural import plural


class RankMirror:
    """Takes batches in the order of their numbers, and what went wrong between them; returns records of the tree.

    Times are nanoseconds of the reader's clock. `pool` is what the rank's device has room for, where that is known.
    """

    def __init__(self, limit_blocks: int = LIMIT_BLOCKS, pool: Pool | None = None) -> None:
        self.blocks = BlockMirror(limit_blocks)
        self.tree = KVTree(self.blocks)
        self.skipped: Counter[str] = Counter()
        """Events that could not be read, by what was wrong with them."""
        self.last_seq = -1
        """The number of the last batch that was applied or given up, for checks."""
        self.pool = pool
        self._excess_blocks = 0
        self._ranks: list[int] = []
        """Of which data-parallel ranks the batches say to be; more than two are not told apart."""
        self._trust = Trust()

    def joined(self, first_seq: int, at: int) -> list[Record]:
        """Begin with a batch: what was before it, if it is not the first, is not known."""
        self._settle()
        self._trust.joined(first_seq, at)
        self.last_seq = first_seq - 1
        return self.tree.clear(at)

    def restarted(self, at: int) -> list[Record]:
        """Forget all: another process publishes, and none of its batches came yet."""
        self._settle()
        self._trust.restarted(at)
        self.last_seq = -1
        return self.tree.clear(at)

    def mixed(self, why: str) -> None:
        """Note that the batches may be those of several caches."""
        self._trust.mixed(why)

    def cut(self, why: str) -> None:
        """Note that there was more, and nothing of it can be read."""
        self._trust.cut(why)

    def lost(self, first: int, last: int, has_come: bool = False) -> None:
        """Go on without batches that will never come, or that made no sense (`has_come`)."""
        self._trust.lost(first, last, has_come)
        self.last_seq = max(self.last_seq, last)

    def repaired(self, batches: int) -> None:
        """Note that so many batches came from the replay, in place of lost ones."""
        self._trust.repaired(batches)

    def apply(self, seq: int, batch: WireBatch, at: int) -> list[Record]:
        """Apply the events of a batch that came at `at`."""
        cleared = [place for place, event in enumerate(batch.events) if isinstance(event, Cleared)]
        split = cleared[-1] if cleared else 0
        records = self.tree.apply(batch.events[:split], at) if split else []
        if cleared:  # whatever was wrong before it is of no account any more
            self._settle()
        records += self.tree.apply(batch.events[split:], at)
        self.last_seq = seq
        if batch.rank is not None and batch.rank not in self._ranks and len(self._ranks) < 2:
            self._ranks.append(batch.rank)
        if batch.skipped:
            self.skipped.update(batch.skipped)
        if self.pool is not None:
            self._excess_blocks = max(self._excess_blocks, self.pool.excess_blocks(self.blocks.places))
        return records

    @property
    def badge(self) -> Badge:
        """How far the blocks can be believed."""
        return self._trust.badge(self._wrong(), self._unexplained())

    def _settle(self) -> None:
        self._trust.settled()
        self.skipped.clear()
        self.blocks.doubts.forget()
        self._excess_blocks = 0
        self._ranks = self._ranks[-1:]

    def _wrong(self) -> str:
        """Return what is wrong with the stream itself, "" for nothing."""
        doubts = self.blocks.doubts
        if self.skipped:
            return f"{plural(self.skipped.total(), 'event')} could not be read: {', '.join(self.skipped)}"
        if len(self._ranks) > 1:
            return f"its batches say that they are of rank {self._ranks[0]}, and of rank {self._ranks[1]}"
        if doubts.other_sizes:
            return f"{plural(doubts.other_sizes, 'event')} told of blocks of another size than those before"
        if doubts.placeless:
            told = f"{plural(doubts.placeless, 'block')} of tiers and groups past {MOST_PLACES}"
            return f"{told}, the most that are kept apart, left out"
        if doubts.left_out:
            return f"{plural(doubts.left_out, 'block')} more than there is room for"
        if self._excess_blocks:
            assert self.pool is not None
            excess = plural(self._excess_blocks, "block")
            return f"the events tell of {excess} more than the {self.pool.blocks:,} of its pool; not all can be there"
        if self.blocks.retold:
            told = plural(self.blocks.retold, "block was", "blocks were")
            return (
                f"{told} told of once more while there: second copies, or a request with kv_cache_report_mode=full, "
                "after which blocks seem to stay when they go"
            )
        return ""

    def _unexplained(self) -> str:
        """Return what does not fit what is known, "" for nothing."""
        doubts = self.blocks.doubts
        if doubts.unknown_removals:
            return f"{plural(doubts.unknown_removals, 'block')} went that had never come"
        if doubts.below_gone:
            return f"blocks were stored below one that was gone, {plural(doubts.below_gone, 'time')}"
        if doubts.other_parents:
            told = plural(doubts.other_parents, "block was", "blocks were")
            return f"{told} told of below another parent than before"
        if self.blocks.orphans:
            return f"{plural(self.blocks.orphans, 'block stands', 'blocks stand')} below one that nobody told of"
        return ""
