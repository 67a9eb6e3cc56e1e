"""Write-back: full blocks get their hashes, and the queues learn of them.

        0          owned            present             end
        |--table's--|--hashed already--|----new blocks----|

In [owned, present) other blocks have the hashes: the newcomer's Full slots are given back, and so are its window
slots but where the block has none any more.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, cast

from cache_core.checks import not_owned
from cache_core.controls.block_hash.full import FullBlocks
from cache_core.controls.block_hash.window import WindowBlocks
from cache_core.emission import emit_insert
from cache_core.insertion import Write
from cache_core.node import Node

if TYPE_CHECKING:
    from cache_core.components.swa import WindowNode
    from cache_core.controls.block_hash.cache import BlockHashCache


def write_blocks(cache: BlockHashCache, job: Write, after: Node | None = None) -> tuple[Node, int]:
    """Give the whole pages of [owned, end) their hashes; returns the last block, and the tokens that were present.

    `after` is the block that ends at `owned`, if the caller holds it. Where other content has a hash the write ends:
    the slots from there on stay a request's, and are freed for anybody else.

    Raises DoubleFreeError, changing nothing, when the table does not have what the newcomer says it owns.
    """
    began = cache.clock() if cache.times is not None else 0
    node = _end_of_owned(cache, job) if after is None else after
    cache.tick += 1
    if job.counted is not None:
        _count_hits(cache, node, job.counted)
    node, present = _Writer(cache, job).run(node)
    if job.request < 0:
        _let_go(cache, job, node)
    if cache.sink is not None:
        emit_insert(cache, job, began, present, node)
    return node, present


def _end_of_owned(cache: BlockHashCache, job: Write) -> Node:
    node, at, _, _ = cache.table.walk(job.key.tokens, job.key.namespace, job.owned * cache.unit_bytes)
    if at < job.owned * cache.unit_bytes:
        raise not_owned(job.owned, at // cache.unit_bytes)
    return node


def _count_hits(cache: BlockHashCache, node: Node, counted: int) -> None:
    while node.end > counted:
        _hit(cache, node)
        assert node.parent is not None, f"{counted=} is negative"
        node = node.parent


def _hit(cache: BlockHashCache, node: Node) -> None:
    node.hits += 1
    node.access = cache.tick
    if cache.watcher is not None:
        cache.watcher.touched(node)


def _let_go(cache: BlockHashCache, job: Write, node: Node) -> None:
    """Queue the blocks of a writer that holds none as if it had held them until now, and free what is left over."""
    cache.blocks.renew_path(node)
    if cache.windows is not None:
        cache.windows.renew_window(cast("WindowNode", node))
    rest = max(node.end, job.owned) - job.base
    cache.full.pool.give(job.slots[rest:])
    if cache.windows is not None and job.peers is not None:
        cache.windows.pool.give(job.peers[max(rest, job.live_from - job.base) :])


class _Writer:
    """One write, block by block."""

    __slots__ = ("_blocks", "_cache", "_fresh", "_job", "_windows")

    def __init__(self, cache: BlockHashCache, job: Write) -> None:
        self._cache = cache
        self._job = job
        self._blocks: FullBlocks = cache.blocks
        self._windows: WindowBlocks | None = cache.windows
        self._fresh: list[Node] = []
        """Blocks that got their window slots here, the first one first."""

    def run(self, node: Node) -> tuple[Node, int]:
        """Write what follows `node`; returns the last block, and up to where tokens were present."""
        cache, job = self._cache, self._job
        size, unit = cache.page, cache.unit_bytes
        present = job.owned
        for at in range(job.owned, job.end, size):
            page = job.key.tokens[at * unit : (at + size) * unit]
            block: Node | None = cache.table.find(node, page, job.key.namespace)
            if block is not None:
                self._meet(block, at)
                present = at + size
            else:
                block = self._hang(node, page, at)
                if block is None:
                    break
            node = block
        if self._windows is not None:
            for block in reversed(self._fresh):
                self._windows.renew(cast("WindowNode", block))
        return node, present

    def _slots(self, slots: array[int], at: int) -> array[int]:
        at -= self._job.base
        return slots[at : at + self._cache.page]

    def _window_slots(self, at: int) -> array[int] | None:
        """Return the newcomer's window slots of the page at `at`, None if they were given back."""
        peers = self._job.peers
        return None if peers is None or at < self._job.live_from else self._slots(peers, at)

    def _meet(self, block: Node, at: int) -> None:
        """Another block has this hash already: free the newcomer's, but let the other have a window it lacks."""
        cache, windows = self._cache, self._windows
        self._blocks.pool.give(self._slots(self._job.slots, at))
        peers = self._window_slots(at)
        if windows is not None and peers is not None:
            if windows.is_live(cast("WindowNode", block)):
                windows.pool.give(peers)
            else:
                windows.enter(block, peers)
                self._fresh.append(block)
                self._job.adopt(windows.name, at, at + cache.page)
                if cache.watcher is not None:
                    cache.watcher.recovered(block, windows.number)
        if self._job.counted is not None:
            _hit(cache, block)

    def _hang(self, parent: Node, page: bytes, at: int) -> Node | None:
        """Give a new block its hash; returns None when other content has it."""
        cache, job = self._cache, self._job
        block = cache.table.hang(parent, page, self._slots(job.slots, at), job.key.namespace)
        if block is None:
            return None
        block.access = block.created = cache.tick
        block.hits = int(job.counted is not None)
        self._blocks.enter(block)
        peers = self._window_slots(at)
        if self._windows is not None and peers is not None:
            self._windows.enter(block, peers)
            self._fresh.append(block)
        if cache.watcher is not None:
            cache.watcher.added(block)
        return block
