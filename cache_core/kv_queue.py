"""The queue of KV events between two takes: merges what follows each other, and never grows past its limit."""

from __future__ import annotations

from dataclasses import replace

from cache_core.kv_blocks import AllBlocksCleared, BlockRemoved, BlockStored, KVEvent


class KVEventQueue:
    """Events in order. A removal joins the one before it when medium and group are the same; a store joins the
    store before it when it goes on where that one ends, in the same namespace, medium and group.

    Past `limit_blocks` all that waits is dropped and counted, and so is what comes until the next `take`:
    consumers then have to be told everything anew.
    """

    __slots__ = ("_blocks", "_closed", "_limit_blocks", "_tail", "dropped_blocks", "overrun")

    def __init__(self, limit_blocks: int) -> None:
        self._limit_blocks = limit_blocks
        self._closed: list[KVEvent] = []
        self._tail: _Tail | None = None
        self._blocks = 0
        self.dropped_blocks = 0
        self.overrun = False
        """Whether events were dropped since the last `take`."""

    def put(self, event: KVEvent) -> None:
        """Append an event, or let the last one go on with it."""
        if isinstance(event, AllBlocksCleared):
            self._close()
            if not self.overrun:
                self._closed.append(event)
            return
        blocks = len(event.block_hashes)
        if self.overrun or self._blocks + blocks > self._limit_blocks:
            self._overrun(blocks)
            return
        self._blocks += blocks
        if self._tail is None or not self._tail.goes_on_with(event):
            self._close()
            self._tail = _Tail(event)
        else:
            self._tail.extend(event)

    def take(self) -> list[KVEvent]:
        """Return what waits and forget it; nothing when events were dropped."""
        self._close()
        events, self._closed = self._closed, []
        self._blocks = 0
        self.overrun = False
        return events

    def _close(self) -> None:
        if self._tail is not None:
            self._closed.append(self._tail.event())
            self._tail = None

    def _overrun(self, blocks: int) -> None:
        self.overrun = True
        self.dropped_blocks += self._blocks + blocks
        self._blocks = 0
        self._closed.clear()
        self._tail = None


class _Tail:
    """The last event, which may go on."""

    __slots__ = ("_first", "_hashes", "_tokens")

    def __init__(self, first: BlockStored | BlockRemoved) -> None:
        self._first = first
        self._hashes = list(first.block_hashes)
        self._tokens = [first.tokens] if isinstance(first, BlockStored) else []

    def goes_on_with(self, event: BlockStored | BlockRemoved) -> bool:
        """Say whether the two can be told as one."""
        first = self._first
        if isinstance(event, BlockRemoved) or isinstance(first, BlockRemoved):
            return type(event) is type(first) and (event.medium, event.group) == (first.medium, first.group)
        return event.parent_block_hash == self._hashes[-1] and _kin(event) == _kin(first)

    def extend(self, event: BlockStored | BlockRemoved) -> None:
        """Go on with an event."""
        self._hashes.extend(event.block_hashes)
        if isinstance(event, BlockStored):
            self._tokens.append(event.tokens)

    def event(self) -> KVEvent:
        """Return the whole of it."""
        hashes = tuple(self._hashes)
        if isinstance(self._first, BlockStored):
            return replace(self._first, block_hashes=hashes, tokens=b"".join(self._tokens))
        return replace(self._first, block_hashes=hashes)


def _kin(event: BlockStored) -> tuple[object, ...]:
    """Return what stores must have in common to be told as one."""
    return event.medium, event.block_size, event.cache_salt, event.session_id, event.lora_name, event.group
