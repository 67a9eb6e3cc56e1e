"""A subscriber to KV events, written from what is known of the wire alone: decodes, replays, counts copies.

It knows every shape that SGLang has sent: events as arrays or as maps in a batch that is an array.
"""

from __future__ import annotations

import gzip
import struct
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from cache_core.kv_blocks import AllBlocksCleared, BlockRemoved, BlockStored, Group, KVEvent
from cache_core.kv_wire import batch, to_plain

DATA = Path(__file__).parent.parent / "data" / "kv_events"

_STORED = ("block_hashes", "parent_block_hash", "token_ids", "block_size", "lora_id", "medium")
_REMOVED = ("block_hashes", "medium")


class Batch(NamedTuple):
    """The payload of a message, its events as maps with a `type`."""

    ts: float
    events: list[dict[str, Any]]
    rank: int | None


def decode(payload: bytes) -> Batch:
    """Return the batch of a payload."""
    ts, events, rank = msgspec.msgpack.decode(payload)
    return Batch(ts, [event if isinstance(event, dict) else _named(event) for event in events], rank)


def _named(event: list[Any]) -> dict[str, Any]:
    tag, *values = event
    names = _STORED if tag == "BlockStored" else _REMOVED
    return {"type": tag, **dict(zip((*names, "metadata"), values, strict=False))}


def to_event(fields: dict[str, Any]) -> KVEvent:
    """Return a decoded event as the value that would be encoded."""
    if fields["type"] == "AllBlocksCleared":
        return AllBlocksCleared()
    hashes = tuple(fields["block_hashes"])
    group = None
    if fields.get("group_idx") is not None:
        window = fields.get("kv_cache_spec_sliding_window")
        group = Group(fields["group_idx"], fields.get("kv_cache_spec_kind", ""), window)
    if fields["type"] == "BlockRemoved":
        return BlockRemoved(hashes, fields.get("medium"), group)
    salt = fields.get("metadata", fields).get("cache_salt")
    bigram = bool(fields["token_ids"]) and isinstance(fields["token_ids"][0], list)
    flat = list(chain.from_iterable(fields["token_ids"])) if bigram else fields["token_ids"]
    return BlockStored(
        hashes, fields["parent_block_hash"], array("i", flat).tobytes(), fields["block_size"], fields.get("medium"),
        salt, fields.get("session_id"), fields.get("lora_name"), group, bigram,
    )  # fmt: skip


def messages(name: str) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Yield topic, sequence and payload of each message of a recorded stream."""
    raw = gzip.decompress((DATA / f"{name}.bin.gz").read_bytes())
    assert raw[:8] == b"RXKV\1\0\0\0"
    at = 8
    while at < len(raw):
        _, count = struct.unpack_from(">dB", raw, at)
        at += 9
        frames = []
        for _ in range(count):
            (length,) = struct.unpack_from(">I", raw, at)
            frames.append(raw[at + 4 : at + 4 + length])
            at += 4 + length
        topic, sequence, payload = frames
        yield topic, sequence, payload


class Mirror:
    """The blocks that a producer has told of: copies per (medium, group, hash), and each block's parent.

    It is `partial` until it has seen everything cleared. From then on a store under an unknown parent, or a removal
    of what is not there, is an error of the producer; before, the one is an orphan and the other tells nothing.
    """

    def __init__(self) -> None:
        self.copies: Counter[tuple[str, int, int]] = Counter()
        self.parents: dict[int, int | None] = {}
        self._anywhere: Counter[int] = Counter()
        self.partial = True
        self.next_sequence = 0
        self.gaps = 0

    @property
    def orphans(self) -> list[int]:
        """Blocks whose parent was not told of: while there are any, something was missed."""
        return [block for block, parent in self.parents.items() if parent is not None and parent not in self.parents]

    def receive(self, sequence: int, payload: bytes) -> None:
        """Apply a batch unless it was applied before; note a gap when some are missing."""
        if sequence < self.next_sequence:
            return
        self.gaps += sequence - self.next_sequence
        self.next_sequence = sequence + 1
        for event in decode(payload).events:
            self.apply(event)

    def replay(self, events: Iterable[KVEvent]) -> None:
        """Apply events as a consumer reads them: encoded and decoded."""
        plain = [to_plain(event) for event in events]
        for event in decode(msgspec.msgpack.encode(batch(0.0, plain, 0))).events:
            self.apply(event)

    def apply(self, event: dict[str, Any]) -> None:
        """Apply one event."""
        kind = event["type"]
        if kind == "AllBlocksCleared":
            self.copies.clear()
            self.parents.clear()
            self._anywhere.clear()
            self.partial = False
        elif kind == "BlockStored":
            self._store(event)
        else:
            for block in event["block_hashes"]:
                self._remove(event, block)

    def blocks(self, medium: str = "GPU", group: int = 0) -> Counter[int]:
        """Return how often each block is on a medium."""
        return Counter({key[2]: count for key, count in self.copies.items() if key[:2] == (medium, group)})

    def _store(self, event: dict[str, Any]) -> None:
        parent = event["parent_block_hash"]
        assert self.partial or parent is None or parent in self.parents, f"unknown parent {parent}"
        assert len(event["token_ids"]) == len(event["block_hashes"]) * event["block_size"]
        for block in event["block_hashes"]:
            self.copies[self._place(event, block)] += 1
            self._anywhere[block] += 1
            self.parents.setdefault(block, parent)
            assert self.parents[block] == parent
            parent = block

    def _remove(self, event: dict[str, Any], block: int) -> None:
        place = self._place(event, block)
        if not self.copies[place]:
            assert self.partial, f"{place} was not there"
            return
        self.copies[place] -= 1
        if not self.copies[place]:
            del self.copies[place]
        self._anywhere[block] -= 1
        if not self._anywhere[block]:
            del self._anywhere[block], self.parents[block]

    def _place(self, event: dict[str, Any], block: int) -> tuple[str, int, int]:
        return event.get("medium") or "GPU", event.get("group_idx") or 0, block
