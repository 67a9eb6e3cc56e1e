"""Reads blocks one by one from wherever they are kept; damaged ones are counted and stepped over."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping

from cache_core.events import Label
from probes.block_stream import WINDOW_BYTES, BlockStream, RawBlock
from probes.blocks import CLOSED, Block, BlockError, BlockHead


class BlockReader(ABC):
    """One reader's place among the blocks. `torn_blocks` counts damage, `closed_reason` is why the stream ended.

    Whoever implements it has a stream to give before this is constructed.
    """

    def __init__(self) -> None:
        self.torn_blocks = 0
        self.closed_reason: str | None = None
        self._torn_at = -1
        self._stream = self.stream()

    @property
    @abstractmethod
    def config(self) -> Mapping[str, object]:
        """What the writer said about itself."""

    @abstractmethod
    def stream(self, offset: int | None = None, window_bytes: int = WINDOW_BYTES) -> BlockStream:
        """Return a stream of its own over all blocks, from the first one on or from that at `offset`."""

    def next_raw(self) -> RawBlock | None:
        """Return the next undamaged block of the stream or of a snapshot, or None at the end of the file.

        Its records are not looked at: call `tear` when they turn out not to fill it.
        """
        while True:
            at = self._stream.offset
            try:
                raw = self._stream.next_raw()
                if raw is None or raw.head.kind < CLOSED:
                    if raw is not None:
                        self.closed_reason = None
                    return raw
                if raw.head.kind == CLOSED:
                    self.closed_reason = reason_of(raw.decoded())
            except BlockError:
                if not self._step_over(at):
                    return None

    def next_block(self) -> Block | None:
        """Return the next block as `next_raw` does, cut into words."""
        while (raw := self.next_raw()) is not None:
            try:
                return raw.decoded()
            except BlockError:
                self.tear()
        return None

    def tear(self) -> None:
        """Count the block that was read last as damaged."""
        self.torn_blocks += 1

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks from the first one on."""
        self.rewind()
        while (block := self.next_block()) is not None:
            yield block

    def heads(self, offset: int | None = None, window_bytes: int = WINDOW_BYTES) -> Iterator[tuple[int, BlockHead]]:
        """Yield (offset, header) of all blocks without reading their records; stops at a damaged header."""
        stream = self.stream(offset, window_bytes)
        while True:
            at = stream.offset
            try:
                head = stream.next_head()
            except BlockError:
                return
            if head is None:
                return
            yield at, head

    def rewind(self, offset: int | None = None) -> None:
        """Go back to the first block, or to the block at an offset that `heads` gave."""
        self._stream = self.stream(offset)
        self.torn_blocks = 0
        self.closed_reason = None
        self._torn_at = -1

    @property
    def offset(self) -> int:
        """Where the next block starts."""
        return self._stream.offset

    def _step_over(self, at: int) -> bool:
        """Count the damage at `at`, once, and step over it; False when nothing readable follows."""
        if at != self._torn_at:
            self.torn_blocks += 1
            self._torn_at = at
        return self._stream.offset != at or self._stream.skip_damage()


def reason_of(block: Block) -> str:
    """Return why a stream ended, as its CLOSED block says."""
    return "".join(record.text for _, record in block.records() if isinstance(record, Label))
