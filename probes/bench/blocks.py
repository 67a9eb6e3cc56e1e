"""What a block costs who follows KV events: to read, to count, to tell of in a tree, and in memory."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from probes.bench.event_load import TURN_BLOCKS, batches
from probes.kv.wire import Removed, Stored, decode
from probes.kv_mirror.blocks import BlockMirror
from probes.kv_mirror.tree import KVTree
from probes.mirror import Mirror

SLICE = 500
"""Batches of an interval that is timed."""


@dataclass(frozen=True, slots=True)
class BlockFigures:
    """Costs on this machine with so many blocks held; `ns_*` are medians per block that came or went.

    `ns_decode` reads payloads, `ns_count` keeps the blocks, `ns_tree` does that and makes records of them, which
    `ns_mirror` applies. `blocks_per_s` is what the first two allow together; `bytes_per_block` is of the second,
    without text.
    """

    blocks: int
    ns_decode: float
    ns_count: float
    ns_tree: float
    ns_mirror: float
    blocks_per_s: float
    bytes_per_block: float


def measure(blocks: int, churn: int) -> BlockFigures:
    """Fill a cache with so many blocks, then time the replacement of `churn` of them."""
    load = batches(blocks, churn)
    filling = blocks // TURN_BLOCKS
    counting = BlockMirror()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(filling):
        for event in decode(next(load)).events:
            counting.apply(event)
    gc.collect()
    held_bytes = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    per_block = held_bytes / len(counting)
    rest = [*load]
    ns_decode, ns_count = _timed(rest, counting)
    ns_tree, ns_mirror = _told(blocks, churn)
    per_s = 1e9 / (ns_decode + ns_count)
    return BlockFigures(len(counting), ns_decode, ns_count, ns_tree, ns_mirror, per_s, per_block)


def _timed(payloads: Sequence[bytes], mirror: BlockMirror) -> tuple[float, float]:
    """Return what reading and counting take for each block."""
    decoding, counting = [], []
    gc.disable()
    try:
        for start in range(0, len(payloads), SLICE):
            began = time.perf_counter_ns()
            read = [decode(payload) for payload in payloads[start : start + SLICE]]
            decoded = time.perf_counter_ns()
            for batch in read:
                for event in batch.events:
                    mirror.apply(event)
            ended = time.perf_counter_ns()
            changed = sum(
                len(event.hashes) for batch in read for event in batch.events if isinstance(event, Stored | Removed)
            )
            decoding.append((decoded - began) / changed)
            counting.append((ended - decoded) / changed)
    finally:
        gc.enable()
    return median(decoding), median(counting)


def _told(blocks: int, churn: int) -> tuple[float, float]:
    """Return what records of a block take, to be made and to be applied to the mirror of the screens."""
    tree, screens = KVTree(BlockMirror()), Mirror()
    telling, applying = [], []
    gc.disable()
    try:
        for number, payload in enumerate(batches(blocks, churn)):
            events = decode(payload).events
            began = time.perf_counter_ns()
            records = tree.apply(events, began)
            told = time.perf_counter_ns()
            for record in records:
                screens.apply(record)
            ended = time.perf_counter_ns()
            if number >= blocks // TURN_BLOCKS:
                telling.append((told - began) / (2 * TURN_BLOCKS))
                applying.append((ended - told) / (2 * TURN_BLOCKS))
    finally:
        gc.enable()
    return median(telling), median(applying)
