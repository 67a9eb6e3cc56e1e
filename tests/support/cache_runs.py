"""Random runs of a real cache that few prompts and tight pools make meet, split, evict and recover."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from cache_core import CacheConfig, LockError, LockReceipt, OutOfSlotsError, RadixKey, Request
from cache_core.control import build
from cache_core.events import EventSink

CONFIGS = (
    CacheConfig(components=("full",), full_slots=120),
    CacheConfig(components=("full",), full_slots=160, page_size=4, policy="slru", hit_rule="insert"),
    CacheConfig(window=6, full_slots=120, swa_slots=60),
    CacheConfig(window=5, full_slots=160, swa_slots=80, page_size=4, policy="priority"),
    CacheConfig(window=16, full_slots=90, swa_slots=90, branching=False, policy="fifo", evictor="rebuild"),
)

HOSTED = (
    CacheConfig(components=("full",), full_slots=120, host_slots=200, load_back_tokens=1),
    CacheConfig(
        components=("full",), full_slots=160, host_slots=80, page_size=4, policy="slru", write_policy="write_back"
    ),
    CacheConfig(window=6, full_slots=120, swa_slots=60, host_slots=120, write_policy="write_through_selective"),
    CacheConfig(window=5, full_slots=160, swa_slots=80, host_slots=160, page_size=4, write_policy="write_back"),
    CacheConfig(
        components=("full", "swa", "mamba"), window=6, full_slots=160, swa_slots=100, mamba_slots=20,
        mamba_chunk_tokens=4, host_slots=160, mamba_host_slots=6,
    ),
)  # fmt: skip
"""With a second tier."""

RUNS = (
    *(("prefix", config) for config in (*CONFIGS, *HOSTED)),
    *(("block_hash", config) for config in CONFIGS if config.policy == "lru"),
    ("block_hash", CacheConfig(window=5, full_slots=160, swa_slots=80, page_size=4)),
)
"""Kinds of caches that keep something, each with configurations."""


class CacheRun:
    """A cache, and what a random user of it holds."""

    def __init__(
        self,
        config: CacheConfig,
        sink: EventSink | None,
        seed: int,
        kind: str = "prefix",
        clock: Callable[[], int] = time.perf_counter_ns,
    ) -> None:
        self.rng = random.Random(seed)
        self.cache = build(kind, config, sink=sink, clock=clock)
        self.requests: list[Request] = []
        self.receipts: list[LockReceipt] = []
        self.admitted: list[Request] = []
        self.prompts: list[list[int]] = []
        self.transfers: list[int] = []
        self.abandoned = self.refusals = 0
        self.has_host = kind == "prefix" and config.host_slots > 0

    def step(self) -> None:
        """Do one random thing; what the pools cannot give is not done."""
        kinds = [self.admit, self.admit, self.prefill, self.prefill, self.prefill, self.decode, self.finish]
        kinds += [self.finish, self.retract, self.match, self.lock, self.unlock, self.evict]
        kinds += [self.admit_and_load, self.take, self.complete, self.complete, self.evict_host] * self.has_host
        kinds += [self.abandon] * self.has_host
        kinds += [self.reset] * (self.rng.random() < 0.05)
        try:
            self.rng.choice(kinds)()
        except OutOfSlotsError:
            if self.requests:
                self.requests.pop().retract()

    def key(self) -> RadixKey:
        """Return a prompt that often goes on from an earlier one, with its segments named."""
        rng = self.rng
        old = rng.choice(self.prompts) if self.prompts and rng.random() < 0.7 else []
        shared = old[: rng.randint(0, len(old))]
        tokens = shared + [rng.randint(1, 3) for _ in range(rng.randint(1, 24))]
        self.prompts = [*self.prompts[-9:], tokens]
        extra_key = rng.choice([None, None, "lora"])
        cut = rng.randint(1, len(tokens))
        segments = ((0, f"system {tokens[0]}"), (cut, f"turn {tokens[-1]}")) if cut < len(tokens) else ()
        return RadixKey(tokens, extra_key, segments=segments)

    def admit(self) -> None:
        request = self.cache.admit(self.key(), priority=self.rng.choice([0, 0, 1]))
        self.requests.append(request)
        self.admitted.append(request)

    def prefill(self) -> None:
        if self.requests:
            request = self.rng.choice(self.requests)
            if request.length < len(request.key):
                request.prefill(self.rng.randint(request.length + 1, len(request.key)))

    def decode(self) -> None:
        for request in self.requests:
            if request.length >= len(request.key):
                request.decode(self.rng.randint(1, 3))

    def finish(self) -> None:
        done = [request for request in self.requests if request.length >= len(request.key)]
        if done:
            request = self.rng.choice(done)
            self.requests.remove(request)
            request.finish()

    def retract(self) -> None:
        if self.requests:
            self.requests.pop(self.rng.randrange(len(self.requests))).retract()

    def match(self) -> None:
        self.cache.match(self.key())

    def lock(self) -> None:
        self.receipts.append(self.cache.lock(self.cache.match(self.key()).node))

    def unlock(self) -> None:
        if self.receipts:
            self.cache.unlock(self.receipts.pop(self.rng.randrange(len(self.receipts))))

    def evict(self) -> None:
        self.cache.evict(self.rng.randint(0, 20), self.rng.randint(0, 20))

    def admit_and_load(self) -> None:
        self.admit()
        self.requests[-1].load_back()

    def take(self) -> None:
        """Take the transfers that are queued, to complete them some time."""
        assert self.cache.host is not None
        self.transfers += [transfer.id for transfer in self.cache.host.take_transfers()]

    def complete(self) -> None:
        if self.transfers:
            assert self.cache.host is not None
            self.cache.host.complete(self.transfers.pop(self.rng.randrange(len(self.transfers))))

    def abandon(self) -> None:
        """Give up a transfer; where something relies on it the cache refuses, and it waits on."""
        if self.transfers:
            assert self.cache.host is not None
            number = self.rng.choice(self.transfers)
            try:
                self.cache.host.abandon(number)
            except LockError:
                self.refusals += 1
            else:
                self.transfers.remove(number)
                self.abandoned += 1

    def evict_host(self) -> None:
        assert self.cache.host is not None
        self.cache.host.evict(self.rng.randint(0, 20), self.rng.randint(0, 20), self.rng.randint(0, 1))

    def reset(self) -> None:
        if self.has_host:
            self.take()
        while self.transfers:
            self.complete()
        while self.receipts:
            self.unlock()
        while self.requests:
            self.retract()
        self.cache.reset()
