"""The last seconds of a stream in memory: two parts, the running one and the one before it."""

from __future__ import annotations

from collections.abc import Iterator

from probes.blocks import DELTAS, decode_head
from probes.recordings.reel import Fill, Reel


class _Part:
    """Blocks one after the other."""

    __slots__ = ("began_at", "blocks", "fill")

    def __init__(self, limit_bytes: int) -> None:
        self.blocks: list[bytes] = []
        self.fill = Fill(limit_bytes)
        self.began_at: int | None = None


class Backlog(Reel):
    """Holds between `keep_ns` and twice as much of the stream, in at most `limit_bytes`.

    Less time fits when that much comes in it, and more bytes are held where the tree alone takes a quarter of the
    limit: see `Fill`.
    """

    def __init__(self, keep_ns: int, limit_bytes: int) -> None:
        super().__init__()
        self._keep_ns = keep_ns
        self._limit_bytes = limit_bytes // 2
        self._before = _Part(self._limit_bytes)
        self._running = _Part(self._limit_bytes)

    @property
    def size_bytes(self) -> int:
        """See Reel."""
        return self._before.fill.size_bytes + self._running.fill.size_bytes

    @property
    def began_at(self) -> int | None:
        """When the oldest block held was flushed."""
        return self._running.began_at if self._before.began_at is None else self._before.began_at

    def turn(self, size: int, at: int, busy: bool) -> bool:
        """See Reel."""
        running = self._running
        if running.began_at is None:
            running.began_at = at
        is_due = at - running.began_at >= self._keep_ns and not busy
        if not is_due and not running.fill.is_full(size, busy):
            return False
        self._before = running
        self._running = _Part(self._limit_bytes)
        self._running.began_at = at
        return True

    def put(self, raw: bytes) -> None:
        """See Reel."""
        head = decode_head(raw)
        self._running.blocks.append(raw)
        self._running.fill.add(head.kind, head.size)
        self.records += head.record_count if head.kind == DELTAS else 0

    def blocks(self) -> Iterator[bytes]:
        """Yield what is held, oldest first."""
        yield from self._before.blocks
        yield from self._running.blocks

    def close(self, reason: str, now: int) -> None:
        """Forget what is held."""
        self._before = _Part(self._limit_bytes)
        self._running = _Part(self._limit_bytes)
