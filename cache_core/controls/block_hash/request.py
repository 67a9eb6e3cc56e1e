"""The life of a request on blocks: its full blocks get their hashes as it goes, and it holds the last window."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from cache_core.branching import ceil_page, floor_page
from cache_core.controls.block_hash.writing import write_blocks
from cache_core.emission import emit_free_window
from cache_core.errors import KeyRangeError
from cache_core.eviction import make_room
from cache_core.insertion import Write
from cache_core.key import RadixKey, checked_token
from cache_core.request import Request

if TYPE_CHECKING:
    from cache_core.controls.block_hash.cache import BlockHashCache


class BlockRequest(Request):
    """A request that gives every block its hash once it is full and computed, in decode too.

    The window's blocks behind the lock of the last hashed block are the table's: they wait in their queue.
    """

    __slots__ = ()

    def decode(self, token: int) -> None:
        """Give an output token a slot; the block before it, if that is full now, gets its hash first."""
        self._require_alive()
        token = checked_token(token)
        if self.length < len(self.key):
            raise KeyRangeError(
                f"decode after {self.length} of {len(self.key)} prompt tokens; prefill the rest first"
            )
        try:
            if not self.length % self.cache.page:
                self._write_back()
            self._take_up_to(self.length + 1)
            self.outputs.append(token)
        except BaseException as error:
            self.cache.break_off("decode", error)
            raise

    def _take_chunk(self, upto: int, computed: int) -> None:
        self._take_up_to(upto)

    def _take_up_to(self, end: int) -> None:
        """Take the blocks for positions up to `end`, and no more than these."""
        page = self.cache.page
        lacking = ceil_page(end, page) - ceil_page(self.length, page)
        if lacking:
            make_room(self.cache, lacking, 0, self)
            self._take(lacking)
        self.length = end

    def _free_behind(self, length: int) -> None:
        """Window slots are given back by moving the lock, as blocks with a hash."""

    def _write_back(self) -> None:
        end = floor_page(self.length, self.cache.page)
        if end <= self.protected_tokens:
            return
        key = self.key
        if end > len(key):
            key = RadixKey(self.tokens[:end], segments=key.segments)
            key.namespace = self.key.namespace
        self._hash(key, end)

    def _insert_all(self) -> int:
        self._write_back()
        return self.protected_tokens

    def _hash(self, key: RadixKey, end: int) -> None:
        """Give the blocks up to `end` their hashes, hold them, and say which part of the window is given back."""
        assert self.receipt is not None
        cache = cast("BlockHashCache", self.cache)
        begin = self.protected_tokens
        job = Write(key, end, self.slots, self.peers)
        job.owned, job.request, job.counted = begin, self.request_id, self.counted_tokens
        node, present = write_blocks(cache, job, self.receipt.node)
        self.protected_tokens = self.counted_tokens = node.end
        self._adopt(node, begin, present)
        if cache.windows is not None:
            held_from = max(0, node.end - cache.windows.span)
            held_from -= held_from % cache.page
            if held_from > self.window_from:
                emit_free_window(cache, self.request_id, self.window_from, held_from)
                self.window_from = held_from
