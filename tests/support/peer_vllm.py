"""Runs in a peer's interpreter: vLLM's own KV cache manager under random requests, its events, and what it holds.

What it holds is read from its block pool. Which block stands above which, the requests know: they name their blocks.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from inspect import signature
from typing import Any

from tests.support.peer_server import quiet_stdout, serve

say = quiet_stdout()

import tests.support.vllm_stand_ins  # noqa: E402, F401, I001 - before the first import of vLLM

import torch  # noqa: E402
import vllm  # noqa: E402
from vllm.distributed import kv_events  # noqa: E402
from vllm.sampling_params import SamplingParams  # noqa: E402
from vllm.utils import hashing  # noqa: E402
from vllm.v1.core import kv_cache_utils as utils  # noqa: E402
from vllm.v1.core.kv_cache_manager import KVCacheManager  # noqa: E402
from vllm.v1.kv_cache_interface import (  # noqa: E402
    FullAttentionSpec,
    KVCacheConfig,
    KVCacheGroupSpec,
    SlidingWindowSpec,
)
from vllm.v1.request import Request, RequestStatus  # noqa: E402

from tests.support.peer_prompts import Prompts  # noqa: E402
from tests.support.peer_told import Published, ToFile, Told  # noqa: E402

SHARES = (None, None, "red", "blue")
MOST_ALIVE = 4
Name = int | str
"""The name of a block as its events have it; bytes as their hexadecimal digits."""


class Cache:
    """A cache manager, the scheduler's part, and whoever is told of its events. Makes `step`s of random requests."""

    def __init__(self, order: dict[str, Any]) -> None:
        self.page, self.window = order["page"], order["window"]
        self.manager = _manager(order["pages"], self.page, self.window)
        self.pool = self.manager.block_pool
        self.hasher = utils.get_request_block_hasher(self.page, hashing.sha256)
        self.prompts = Prompts(order["seed"], order["pages"] * self.page // 6, SHARES)
        self.dice = self.prompts.dice
        self.alive: list[Any] = []
        self.above: dict[Name, Name | None] = {}
        self.counts: Counter[str] = Counter()
        self.batches = 0
        self._events: list[Any] = []
        self._told: Told = _told(order)

    # ---- what a test asks for

    def run(self, operations: int) -> dict[str, Any]:
        """Do so many operations; some of them share a batch."""
        for number in range(operations):
            self.step()
            self._events.extend(self.manager.take_events())
            if self.dice.random() < 0.4 or number == operations - 1:
                self._flush()
        return {"batches": self.batches, "operations": dict(self.counts)}

    def truth(self) -> dict[str, Any]:
        """Return the blocks of each group with their copies, and what the manager finds of some prompts."""
        copies: Counter[tuple[int, Name]] = Counter()
        for block in self.pool.blocks:
            if block.block_hash is not None:
                name = spoken(utils.maybe_convert_block_hash(utils.get_block_hash(block.block_hash)))
                copies[utils.get_group_id(block.block_hash), name] += 1
        looks = []
        for _ in range(200):
            request = self._request()
            chain = [spoken(utils.maybe_convert_block_hash(each)) for each in request.block_hashes]
            looks.append([chain, self.manager.get_computed_blocks(request)[1], request.num_tokens])
        return {
            "after": self.batches - 1,
            "blocks": [[group, name, self.above[name], count] for (group, name), count in copies.items()],
            "looks": looks,
        }

    def empty(self) -> dict[str, Any]:
        """End all requests and flush the cache."""
        for request in list(self.alive):
            self._end(request)
        assert self.manager.reset_prefix_cache()
        self._events.extend(self.manager.take_events())
        self._flush()
        return {"batches": self.batches}

    def end(self) -> dict[str, Any]:
        """Hand out what waits."""
        self._told.close()
        return {"process_s": time.process_time()}

    # ---- operations

    def step(self) -> None:
        """Do one operation."""
        if not self.alive or (len(self.alive) < MOST_ALIVE and self.dice.random() < 0.3):
            return self._start()
        request = self.dice.choice(self.alive)
        rest = request.num_tokens - request.num_computed_tokens
        if rest > 1:
            return self._allocate(request, self.dice.choice((rest, self.dice.randrange(rest) + 1)), "chunk")
        if self.dice.random() < 0.5:
            request.append_output_token_ids(self.prompts.fresh(1)[0])
            return self._allocate(request, request.num_tokens - request.num_computed_tokens, "decode")
        self.counts["finish"] += 1
        return self._end(request)

    def _start(self) -> None:
        self.counts["start"] += 1
        request = self._request()
        blocks, hit, *_ = self.manager.get_computed_blocks(request)
        fresh = self.dice.randrange(request.num_tokens - hit) + 1
        if self.manager.allocate_slots(request, fresh, hit, blocks) is None:
            return
        request.num_computed_tokens = hit + fresh
        self.alive.append(request)

    def _allocate(self, request: Any, fresh: int, what: str) -> None:
        self.counts[what] += 1
        if self.manager.allocate_slots(request, fresh) is None:
            self._end(request)
        else:
            request.num_computed_tokens += fresh
            self._note(request)

    def _end(self, request: Any) -> None:
        self.alive.remove(request)
        request.status = RequestStatus.FINISHED_STOPPED
        self.manager.free(request)
        self.prompts.answered(list(request.all_token_ids), request.cache_salt)

    def _request(self) -> Any:
        tokens, share = self.prompts.next()
        ends = {"eos_token_id": None} if "eos_token_id" in signature(Request.__init__).parameters else {}
        self.counts["requests"] += 1
        request = Request(
            f"r{self.counts['requests']}", tokens, SamplingParams(max_tokens=64), None,
            block_hasher=self.hasher, cache_salt=share, **ends,
        )  # fmt: skip
        self._note(request)
        return request

    def _note(self, request: Any) -> None:
        """Remember which block stands above which."""
        above: Name | None = None
        for each in request.block_hashes:
            name = spoken(utils.maybe_convert_block_hash(each))
            self.above[name], above = above, name

    def _flush(self) -> None:
        if self._events:
            self._told.tell(self._events)
            self._events = []
            self.batches += 1


def spoken(name: int | bytes) -> Name:
    """Return a name as JSON has it."""
    return name.hex() if isinstance(name, bytes) else name


def _manager(blocks: int, page: int, window: int | None) -> Any:
    shape = {"block_size": page, "num_kv_heads": 1, "head_size": 1, "dtype": torch.float32}
    groups = [KVCacheGroupSpec(["full"], FullAttentionSpec(**shape))]
    if window:
        groups.append(KVCacheGroupSpec(["window"], SlidingWindowSpec(**shape, sliding_window=window * page)))
    known = signature(KVCacheManager.__init__).parameters
    sizes = {name: page for name in ("hash_block_size", "scheduler_block_size") if name in known}
    config = KVCacheConfig(blocks, [], groups)
    return KVCacheManager(config, max_model_len=blocks * page, enable_kv_cache_events=True, **sizes)


def _told(order: dict[str, Any]) -> Told:
    """Return where the events of a cache go: a file, or vLLM's own publisher."""
    if "file" in order:
        return ToFile(order["file"], kv_events.KVEventBatch)
    publisher = kv_events.ZmqEventPublisher(0, endpoint=order["live"], replay_endpoint=order["replay"])
    return Published(publisher, kv_events.KVEventBatch)


def begin(**order: Any) -> Cache:
    """Make a cache, as its order says."""
    os.environ["VLLM_KV_EVENTS_USE_INT_BLOCK_HASHES"] = "0" if order["hashes"] == "bytes" else "1"
    return Cache(order)


if __name__ == "__main__":
    torch.set_num_threads(1)
    utils.init_none_hash(hashing.sha256)
    begin(page=4, window=2, pages=40, hashes="ints", seed=1, file=os.devnull).run(50)
    serve(begin, ready=lambda: say({"engine": "vllm", "version": vllm.__version__}))
