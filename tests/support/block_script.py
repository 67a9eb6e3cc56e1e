"""An adapter that has the blocks of a recording, a few at each poll, as if a cache wrote them now."""

from __future__ import annotations

from pathlib import Path

from probes.adapters.shm import BlockBatch
from probes.blocks import DELTAS, Block
from probes.node_texts.node_texts import NO_TEXTS
from probes.recordings.recording import RecordingReader
from probes.snapshot import LinkState, SourceState
from tests.support.records import ALL_CLASSES


class BlockScript:
    """An adapter that has a few more blocks of a recording at each poll."""

    provides = ALL_CLASSES
    texts = NO_TEXTS

    def __init__(self, path: Path, kinds: frozenset[int] = frozenset({DELTAS})) -> None:
        reader = RecordingReader(path)
        self.blocks = [block for block in reader.blocks() if block.kind in kinds]
        self.config = reader.config
        self.at = 0
        self.lost: list[Block] = []
        self.link: LinkState = "live"
        reader.close()

    def poll_blocks(self) -> BlockBatch:
        """Return the next four blocks; `lose` makes a gap before them."""
        taken, self.blocks = self.blocks[:4], self.blocks[4:]
        self.at = taken[-1].flushed_at if taken else self.at
        gap, self.lost = bool(self.lost), []
        return BlockBatch(taken, gap)

    def lose(self, number: int) -> None:
        """Let the next blocks be missing."""
        self.lost, self.blocks = self.blocks[:number], self.blocks[number:]

    def state(self) -> SourceState:
        """See Adapter."""
        return SourceState("script", self.link, config=self.config)

    def now(self) -> int:
        """See Adapter."""
        return self.at

    def close(self) -> None:
        """See Adapter."""
