"""A real cache and the naive model side by side: what both hold, keys, matches and locks.

Operations take small integers and read them as choices, so that a random driver, or hypothesis, needs to know
nothing but how many an operation takes. Keys come from three streams that are cut and joined, so that they share
prefixes all the time.
"""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass

import pytest

from cache_core import (
    CacheConfig,
    LockError,
    LockReceipt,
    MatchResult,
    PrefixCache,
    RadixKey,
    Request,
    StaleNodeError,
)
from tests.support.faulty_pool import make_faulty
from tests.support.naive_cache import NaiveCache
from tests.support.naive_request import NaiveRequest
from tests.support.naive_results import NaiveConfig, NaiveHit, NaiveLock, NaiveTransfer
from tests.support.naive_tree import Namespace, Tokens
from tests.support.shadow import Shadow
from tests.support.twin_fates import Fates

NAMESPACES: tuple[str | None, ...] = (None, None, None, "a", "b")


@dataclass
class Lent:
    """Slots that a caller holds; the first `windowless` have lost their peers."""

    slots: array[int]
    windowless: int = 0


class TwinBase:
    """The pair, and what is held on both."""

    def __init__(self, config: CacheConfig, reach: int | None = None) -> None:
        self.config = config
        self.real = PrefixCache(config)
        self.naive = NaiveCache(naive_config(config))
        self.page, self.window = config.page_size, config.window
        self.mamba = "mamba" in config.components
        self.reach = reach or 3 * max(self.page, self.window or 1, self.naive.config.grid if self.mamba else 1) + 5
        self.shadow = Shadow(self.real)
        self.fates = Fates(self.real)
        self.pools = {c.name: make_faulty(c.pool) for c in self.real.components if c.name != "mamba"}
        self.requests: list[tuple[Request, NaiveRequest]] = []
        self.locks: list[tuple[LockReceipt, NaiveLock]] = []
        self.lent: list[Lent] = []
        self.states: list[int] = []
        self.transfers: list[tuple[int, NaiveTransfer]] = []  # taken, not completed
        self.found: list[tuple[MatchResult, NaiveHit]] = []
        self.seen: Counter[str] = Counter()

    # ---- keys

    def tokens(self, doc: int, length: int, tail: int, tail_length: int) -> Tokens:
        """Return the start of one stream followed by the start of another."""
        first, second = self.length(length, self.reach), self.length(tail_length, self.reach // 2)
        streams = doc % 3 * 10_000, tail % 3 * 10_000
        return (*range(streams[0], streams[0] + first), *range(streams[1], streams[1] + second))

    def length(self, choice: int, reach: int) -> int:
        """Return a length of up to about `reach`, mostly near one of its quarters, so that keys part and meet."""
        if choice % 4 == 0:
            return choice // 4 % (reach + 1)
        return max(0, reach * (choice % 4 + 1) // 4 + choice // 4 % 5 - 2)

    def key(self, tokens: Tokens, ns: Namespace) -> RadixKey:
        """Return the real key of some tokens."""
        return RadixKey(tokens, extra_key=ns if isinstance(ns, str) else None)

    def whole(self, tokens: Tokens) -> int:
        """How many units of a key go into the tree."""
        return self.naive.down(self.naive.unit_count(len(tokens)))

    # ---- matches and locks

    def match(self, doc: int, length: int, tail: int, tail_length: int, ns: int) -> None:
        tokens, space = self.tokens(doc, length, tail, tail_length), NAMESPACES[ns % 5]
        real, naive = self.real.match(self.key(tokens, space)), self.naive.match(tokens, space)
        assert (real.hit_tokens, real.full_hit_tokens, real.branching_point) == (naive.hit, naive.full, naive.branch)
        assert real.host_hit_tokens == naive.host
        self.shadow.verify(self.shadow.device["full"], real.slots(), tokens, space)
        self.shadow.verify_some(self.shadow.device["swa"], real.swa_slots(), tokens, space)
        self.found = [*self.found[-3:], (real, naive)]

    def lock(self, which: int) -> None:
        """Lock where an earlier match ended, which may have left the tree, or the device, since."""
        if not self.found:
            return
        real, naive = self.found[which % len(self.found)]
        if not self.is_present(naive):
            with pytest.raises(StaleNodeError):
                self.real.lock(real.node)
            self.seen["stale node"] += 1
            return
        self.locks.append((self.real.lock(real.node), self.naive.lock(naive.node)))

    def is_present(self, found: NaiveHit) -> bool:
        """Say whether the node of a match is still in the tree, and on the device."""
        is_root = any(found.node is root for root in self.naive.roots.values())
        return is_root or (found.node.full and found.node in self.naive.nodes())

    def unlock(self, which: int) -> None:
        if self.locks:
            receipt, held = self.locks.pop(which % len(self.locks))
            self.real.unlock(receipt)
            self.naive.unlock(held)
            with pytest.raises(LockError):
                self.real.unlock(receipt)

    def reset(self) -> None:
        """Start over, which is refused while anything is held."""
        if self.requests or self.locks or self.naive.transfers:
            with pytest.raises(LockError):
                self.real.reset()
            return
        self.real.reset()
        self.naive.clear()
        self.lent.clear()
        self.states.clear()
        for real, _ in self.found:
            if real.hit_tokens:
                with pytest.raises(StaleNodeError):
                    self.real.lock(real.node)
        self.found.clear()
        self.seen["reset"] += 1


def naive_config(config: CacheConfig) -> NaiveConfig:
    """The model's configuration for one of the cache."""
    return NaiveConfig(
        page=config.page_size,
        full_slots=config.full_slots,
        window=config.window,
        swa_slots=config.swa_slots or 0,
        mamba_slots=config.mamba_slots or 0,
        mamba_chunk=config.mamba_chunk_tokens,
        host_slots=config.host_slots,
        swa_host_slots=config.swa_host_slots or 0,
        mamba_host_slots=config.mamba_host_slots or 0,
        write_policy=config.write_policy,
        load_back_tokens=config.load_back_tokens,
        bigram=config.bigram,
        policy=config.policy,
        policy_options=tuple(config.policy_options),
        branching=config.branching,
        free_behind_window=config.free_behind_window,
        swa_free_interval=config.swa_free_interval_tokens,
        hit_rule=config.hit_rule,
        split_recency=config.split_recency,
        finish_branch=config.finish_branch,
        swa_eviction=config.swa_eviction,
    )
