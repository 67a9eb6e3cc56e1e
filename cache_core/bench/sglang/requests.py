"""The scheduler's part in the life of a request on SGLang's cache, one request per call, many may be alive.

Match and lock, evict and allocate, write the row, checkpoint, decode behind a sliding window, release. 0.5.20
and 0.5.23 differ in who holds the lock and in how a request's KV is written back.
"""

from __future__ import annotations

from array import array
from typing import Any

from cache_core.bench.sglang.modules import Modules
from cache_core.bench.sglang.pools import Built


class OutOfRoomError(Exception):
    """A pool is short of slots; the request is as it was, evictions stay."""


class Scheduler:
    """Runs requests of 0.5.20 on one cache."""

    def __init__(self, sglang: Modules, built: Built) -> None:
        self.sglang = sglang
        self.built = built
        self.cache = built.cache
        self.page = built.shape.page_size
        self.windowed = built.shape.window is not None
        self._endless = sglang.sampling(temperature=0, max_new_tokens=1 << 20)
        self._made = 0

    def request(self, tokens: array[int], extra_key: str | None = None, priority: int = 0) -> Any:
        """Return a request that nobody has admitted yet."""
        self._made += 1
        return self.sglang.schedule.Req(
            rid=f"r{self._made}",
            origin_input_text="",
            origin_input_ids=tokens,
            sampling_params=self._endless,
            priority=priority,
            extra_key=extra_key,
        )

    def start(self, request: Any) -> None:
        """Match all but the last token and lock what hits."""
        request.init_next_round_input(self.cache)
        self._lock(request)

    def extend(self, request: Any, upto: int) -> None:
        """Take slots for the prompt's positions up to `upto` and write them into the row. Raises OutOfRoomError."""
        start = self.cached_tokens(request)
        prefix = self._prefix(request, start)
        fresh = self._slots(start, upto, prefix, upto - start + (self.page if self.page > 1 else 0))
        if not request.kv.holds_kv and self.built.rows.alloc([request]) is None:
            raise RuntimeError("no row is free; too many requests are alive")
        row, int32 = request.kv.req_pool_idx, self.sglang.torch.int32
        self.built.rows.write((row, slice(0, start)), prefix.to(int32))
        self.built.rows.write((row, slice(start, upto)), fresh.to(int32))
        request.kv.kv_allocated_len = request.kv.kv_committed_len = upto
        self._extended(request, start, upto)

    def decode(self, request: Any, tokens: list[int]) -> None:
        """Give output tokens their slots, all in one step. Raises OutOfRoomError."""
        length = request.kv.kv_allocated_len
        upto = length + len(tokens)
        row = request.kv.req_pool_idx
        last = self.built.rows.req_to_token[row, length - 1 : length]
        fresh = self._slots(length, upto, last, max(len(tokens), self.page))
        request.output_ids.extend(tokens)
        self.built.rows.write((row, slice(length, upto)), fresh.to(self.sglang.torch.int32))
        request.kv.kv_allocated_len = request.kv.kv_committed_len = upto

    def _slots(self, start: int, upto: int, before: Any, room: int) -> Any:
        """Return slots for positions [start, upto) after making room; `before` ends with the slot before them."""
        torch = self.sglang.torch
        self.sglang.common.evict_from_tree_cache(self.cache, room)
        pages = -(-upto // self.page) - -(-start // self.page)
        if pages * self.page > min(self.built.free_slots()):
            raise OutOfRoomError
        if self.page == 1:
            return self.built.allocator.alloc(upto - start)
        starts, ends = torch.tensor([start]), torch.tensor([upto])
        last = before[-1:].to(torch.int64) if start else torch.tensor([-1])
        return self.built.allocator.alloc_extend(starts, starts, ends, ends, last, upto - start)

    # -- where the versions differ -----------------------------------------------------------------------------

    def hit_tokens(self, found: Any) -> int:
        """Return how many tokens a match found on the device."""
        return len(found.device_indices)

    def cached_tokens(self, request: Any) -> int:
        """Return how many leading tokens of the prompt have slots."""
        return len(request.prefix_indices)

    def protected_tokens(self, request: Any) -> int:
        """Return how many leading tokens of the row are the tree's."""
        return int(request.kv.cache_protected_len)

    def window_from(self, request: Any) -> int:
        """Return up to where the request gave its window slots back."""
        return int(request.kv.swa_evicted_seqlen)

    def _lock(self, request: Any) -> None:
        request.lock_receipt = self.cache.inc_lock_ref(request.last_node).to_dec_params()

    def _prefix(self, request: Any, start: int) -> Any:
        return request.prefix_indices

    def _extended(self, request: Any, start: int, upto: int) -> None:
        request.set_extend_range(start, upto)

    def write_back(self, request: Any, chunked: bool = False) -> None:
        """Write what was prefilled into the tree; `chunked` says that more of the prompt follows."""
        self.cache.cache_unfinished_req(request, chunked=chunked)

    def keep(self, request: Any, upto: int) -> None:
        """Go on from `upto` without a write-back: a chunk that the tree is not told of."""
        row = self.built.rows.req_to_token[request.kv.req_pool_idx, :upto]
        request.prefix_indices = row.to(self.sglang.torch.int64)

    def slide(self, request: Any) -> None:
        """Give back the window slots that the next token can no longer see."""
        if not self.windowed:
            return
        allocator, shape = self.built.allocator, self.built.shape
        allocator.free_group_begin()
        self.sglang.common.free_swa_out_of_window_slots(
            request,
            request.kv.kv_allocated_len,
            sliding_window_size=shape.window,
            page_size=self.page,
            req_to_token_pool=self.built.rows,
            token_to_kv_pool_allocator=allocator,
            is_chunk_cache=False,
        )
        allocator.free_group_end()

    def release_window(self, request: Any) -> bool:
        """Give up the window half of the lock early; says whether there was one."""
        if request.swa_prefix_lock_released or request.lock_receipt.swa_uuid_for_lock is None:
            return False
        self.cache.dec_swa_lock_only(request.last_node, request.lock_receipt)
        request.swa_prefix_lock_released = True
        return True

    def finish(self, request: Any, insert: bool = True) -> None:
        """End a request that has slots; with `insert`, what it computed stays."""
        self.sglang.common.release_kv_cache(request, self.cache, is_insert=insert)

    def abandon(self, request: Any) -> None:
        """End a request that never got slots."""
        self.cache.dec_lock_ref(request.last_node, request.lock_receipt)


class CheckpointScheduler(Scheduler):
    """Runs requests of 0.5.23: a lock is an object, and both write-backs are one checkpoint."""

    def hit_tokens(self, found: Any) -> int:
        return int(found.device_prefix_len)

    def cached_tokens(self, request: Any) -> int:
        return int(request.prefix_len)

    def window_from(self, request: Any) -> int:
        return int(request.kv.get_evicted_seqlen(self.sglang.components.SWA))

    def _lock(self, request: Any) -> None:
        request.lock = self.cache.lock(request.last_node)

    def _prefix(self, request: Any, start: int) -> Any:
        if request.kv.holds_kv:
            return self.built.rows.req_to_token[request.kv.req_pool_idx, :start]
        return self.cache.prefix_device_indices(request) if start else self.sglang.torch.empty(0)

    def _extended(self, request: Any, start: int, upto: int) -> None:
        request.extend_end = upto

    def write_back(self, request: Any, chunked: bool = False) -> None:
        self.sglang.common.checkpoint_kv_cache(request, self.cache)

    def keep(self, request: Any, upto: int) -> None:
        request.prefix_len = upto

    def slide(self, request: Any) -> None:
        if self.windowed:
            self.cache.evict_sliding_windows(request, request.kv.kv_allocated_len)

    def release_window(self, request: Any) -> bool:
        lock, window = request.lock, self.sglang.components.SWA
        if lock is None or lock.swa_released or lock.receipt.component_lock_uuids.get(window) is None:
            return False
        self.cache.release_swa(lock)
        return True

    def finish(self, request: Any, insert: bool = True) -> None:
        request.finished_reason = self.sglang.schedule.FINISH_LENGTH(length=len(request.output_ids))
        request.extend_end = request.kv.kv_committed_len
        self.sglang.common.release_kv_cache(request, self.cache, checkpoint=insert)

    def abandon(self, request: Any) -> None:
        self.cache.unlock(request.lock)
        request.lock = None


def scheduler(sglang: Modules, built: Built) -> Scheduler:
    """Return what runs requests on a cache of this version."""
    return (CheckpointScheduler if sglang.checkpoints else Scheduler)(sglang, built)
