"""A real cache and the naive model, doing the same; after every step they must agree in everything.

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
    DoubleFreeError,
    LockError,
    LockReceipt,
    MatchResult,
    OutOfSlotsError,
    PrefixCache,
    RadixKey,
    Request,
    StaleNodeError,
    check_integrity,
)
from tests.support.naive_cache import NaiveCache
from tests.support.naive_request import NaiveRequest
from tests.support.naive_results import NaiveConfig, NaiveEviction, NaiveHit, NaiveLock
from tests.support.naive_tree import Namespace, Tokens, below
from tests.support.observe import Row, ledger, walk
from tests.support.shadow import Shadow

NAMESPACES: tuple[str | None, ...] = (None, None, None, "a", "b")


@dataclass
class Lent:
    """Slots that a caller holds; the first `windowless` have lost their peers."""

    slots: array[int]
    windowless: int = 0


class Twin:
    """The pair, and what is held on both."""

    def __init__(self, config: CacheConfig, reach: int | None = None) -> None:
        self.real = PrefixCache(config)
        self.naive = NaiveCache(naive_config(config))
        self.page, self.window = config.page_size, config.window
        self.reach = reach or 3 * max(self.page, self.window or 1) + 5
        self.shadow = Shadow(self.real)
        self.requests: list[tuple[Request, NaiveRequest]] = []
        self.locks: list[tuple[LockReceipt, NaiveLock]] = []
        self.lent: list[Lent] = []
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

    # ---- matches and locks

    def match(self, doc: int, length: int, tail: int, tail_length: int, ns: int) -> None:
        tokens, space = self.tokens(doc, length, tail, tail_length), NAMESPACES[ns % 5]
        real, naive = self.real.match(self.key(tokens, space)), self.naive.match(tokens, space)
        assert (real.hit_tokens, real.full_hit_tokens, real.branching_point) == (naive.hit, naive.full, naive.branch)
        assert real.host_hit_tokens == 0
        self.shadow.verify(real.slots(), tokens, space)
        self.found = [*self.found[-3:], (real, naive)]

    def lock(self, which: int) -> None:
        """Lock where an earlier match ended, which may have left the tree since."""
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
        """Say whether the node of a match is still in the tree."""
        return any(found.node is root for root in self.naive.roots.values()) or found.node in self.naive.nodes()

    def unlock(self, which: int) -> None:
        if self.locks:
            receipt, held = self.locks.pop(which % len(self.locks))
            self.real.unlock(receipt)
            self.naive.unlock(held)
            self.check()
            with pytest.raises(LockError):
                self.real.unlock(receipt)

    # ---- slots in the caller's hands

    def allocate(self, count: int) -> None:
        need = self.naive.up(count % self.reach + 1)
        full_evictable, _, swa_evictable, _ = self.naive.pool_tokens()
        possible = need <= self.naive.full_free + full_evictable
        if self.window is not None:
            possible = possible and need <= self.naive.swa_free + swa_evictable
        if not possible:
            with pytest.raises(OutOfSlotsError):
                self.real.allocate(need)
            self.seen["out of slots"] += 1
            return
        slots = self.real.allocate(need)
        self.naive.make_room(need)
        assert self.naive.take(need) and len(slots) == need
        self.lent.append(Lent(slots))

    def free(self, which: int) -> None:
        if self.lent:
            lent = self.lent.pop(which % len(self.lent))
            self.real.free(lent.slots)
            self.naive.give_back(0, len(lent.slots), lent.windowless)
            self.check()
            with pytest.raises(DoubleFreeError):
                self.real.free(lent.slots)

    def free_window(self, which: int, pages: int) -> None:
        if self.window is not None and self.lent:
            lent = self.lent[which % len(self.lent)]
            until = min(len(lent.slots), lent.windowless + pages % 3 * self.page)
            self.real.free_window(lent.slots[lent.windowless : until])
            self.naive.swa_free += until - lent.windowless
            lent.windowless = until

    def insert(self, which: int, doc: int, length: int, tail: int, tail_length: int, ns: int) -> None:
        """Insert slots that were allocated before, under a key no longer than they are."""
        if not self.lent:
            return
        lent = self.lent.pop(which % len(self.lent))
        space = NAMESPACES[ns % 5]
        tokens = self.tokens(doc, length, tail, tail_length)[: len(lent.slots)]
        whole = self.naive.down(len(tokens))
        self.shadow.write(lent.slots[:whole], tokens, space)
        real = self.real.insert(self.key(tokens, space), lent.slots, swa_from=lent.windowless, priority=doc)
        present, _ = self.naive.insert(tokens, space, 0, lent.windowless, doc)
        assert real.present_tokens == present
        assert (real.node.end, real.branch_inserted) == (whole, None)
        if whole < len(lent.slots):
            self.lent.append(Lent(lent.slots[whole:], max(0, lent.windowless - whole)))

    def insert_behind_hit(self, doc: int, length: int, tail: int, tail_length: int, ns: int) -> None:
        """Match, lock, allocate what is missing, insert, unlock: what a user without requests does."""
        tokens, space = self.tokens(doc, length, tail, tail_length), NAMESPACES[ns % 5]
        key, missing = self.key(tokens, space), self.naive.down(len(tokens))
        self.match(doc, length, tail, tail_length, ns)
        real, naive = self.found.pop()
        missing -= naive.hit
        receipt, held = self.real.lock(real.node), self.naive.lock(naive.node)
        before = len(self.lent)
        if missing:
            self.lent_exactly(missing)
        if len(self.lent) > before or not missing:
            slots = real.slots() + (self.lent.pop().slots if missing else array("i"))
            self.shadow.write(slots[naive.hit :], tokens, space, naive.hit)
            done = self.real.insert(key, slots, owned_tokens=naive.hit)
            assert done.present_tokens == self.naive.insert(tokens, space, naive.hit)[0]
        self.real.unlock(receipt)
        self.naive.unlock(held)

    def lent_exactly(self, need: int) -> None:
        """Allocate a number of slots that may be larger than `allocate` would choose."""
        reach, self.reach = self.reach, need
        self.allocate(need - 1)
        self.reach = reach

    def evict(self, full: int, swa: int) -> None:
        full, swa = full % (self.reach // 2), swa % (self.reach // 2)
        real = self.real.evict(full_tokens=full, swa_tokens=swa if self.window is not None else 0)
        gone = self.naive.evict(full, swa)
        assert NaiveEviction(real.full_tokens, real.swa_tokens, real.victims, real.cascades) == gone

    def reset(self) -> None:
        """Start over, which is refused while anything is held."""
        if self.requests or self.locks:
            with pytest.raises(LockError):
                self.real.reset()
            return
        self.real.reset()
        self.naive.clear()
        self.lent.clear()
        for real, _ in self.found:
            if real.hit_tokens:
                with pytest.raises(StaleNodeError):
                    self.real.lock(real.node)
        self.found.clear()
        self.seen["reset"] += 1

    # ---- requests

    def admit(self, doc: int, length: int, tail: int, tail_length: int, ns: int) -> None:
        tokens, space = self.tokens(doc, length, tail, tail_length), NAMESPACES[ns % 5]
        if not tokens or len(self.requests) >= 4:
            return
        real, naive = self.real.admit(self.key(tokens, space), doc), NaiveRequest(self.naive, tokens, space, doc)
        hit = naive.start
        assert (real.hit_tokens, real.full_hit_tokens, real.branching_point) == (hit.hit, hit.full, hit.branch)
        self.requests.append((real, naive))

    def prefill(self, which: int, amount: int, cache: int) -> None:
        """Compute some of a prompt; one call in three leaves it out of the tree for now."""
        if not self.requests:
            return
        cached = bool(cache % 3)
        real, naive = self.requests[which % len(self.requests)]
        begin, prompt = naive.length, len(naive.prompt)
        upto = min(prompt, begin + amount % self.reach)
        if naive.outputs or naive.held.swa_released:
            return
        if naive.prefill(upto, cached):
            real.prefill(upto, cache=cached)
            self.shadow.fill(real, naive.prompt, naive.ns, begin)
        else:
            self.seen["out of slots"] += 1
            with pytest.raises(OutOfSlotsError):
                real.prefill(upto, cache=cached)

    def decode(self, which: int, amount: int, token: int) -> None:
        if not self.requests:
            return
        real, naive = self.requests[which % len(self.requests)]
        if naive.length < len(naive.prompt):
            return
        for number in range(amount % (self.page + 3) + 1):
            begin, sampled = naive.length, token % 2 * 10_000 + number % 3
            if not naive.decode(sampled):
                self.seen["out of slots"] += 1
                with pytest.raises(OutOfSlotsError):
                    real.decode(sampled)
                return
            real.decode(sampled)
            self.shadow.fill(real, naive.prompt + naive.outputs, naive.ns, begin)

    def release_window(self, which: int) -> None:
        if self.requests:
            real, naive = self.requests[which % len(self.requests)]
            if naive.length >= len(naive.prompt):
                assert real.release_window() == naive.release_window()

    def finish(self, which: int, how: int) -> None:
        """End a request; one in four is retracted."""
        if self.requests:
            real, naive = self.requests.pop(which % len(self.requests))
            insert = bool(how % 4)
            self.seen["finish at a branch"] += insert and naive.branch is not None and naive.branch <= naive.length
            if insert:
                real.finish()
            else:
                real.retract()
            naive.finish(insert)
            self.check()
            with pytest.raises(LockError):
                real.finish()

    # ---- agreement

    def check(self) -> None:
        """Compare everything that can be seen, and let the cache check itself."""
        check_integrity(self.real)
        seen = walk(self.real)
        ours, models = {row for _, row in seen}, self.naive_rows()
        assert ours == models, f"only in the cache: {brief(ours - models)}; only in the model: {brief(models - ours)}"
        self.check_pools()
        self.check_shape()
        for node, row in seen:
            self.shadow.verify_node(node, row)
        for real, naive in self.requests:
            self.check_request(real, naive)

    def naive_rows(self) -> set[Row]:
        """The model's nodes as rows."""
        has_window = self.window is not None
        return {
            Row(
                (space if isinstance(space, str) else None, None),
                node.key,
                node.end - len(node),
                len(node),
                has_window and node.live,
                node.full_lock,
                node.swa_lock if has_window else 0,
                node.hits,
                node.priority,
            )
            for space, root in self.naive.roots.items()
            for node in below(root)
        }

    def check_pools(self) -> None:
        """Compare free, evictable, protected and held slots; the held ones with what this pair holds."""
        full_evictable, full_protected, swa_evictable, swa_protected = self.naive.pool_tokens()
        held = sum(len(lent.slots) for lent in self.lent)
        held += sum(self.naive.up(naive.length) - naive.owned for _, naive in self.requests)
        pools = ledger(self.real)
        full = pools["full"]
        assert full[:4] == (self.naive.full_free, full_evictable, full_protected, held)
        assert sum(full[:4]) == full.total == self.naive.config.full_slots
        if self.window is None:
            return
        held = sum(len(lent.slots) - lent.windowless for lent in self.lent)
        held += sum(self.naive.up(n.length) - max(n.owned, n.swa_from) for _, n in self.requests)
        swa = pools["swa"]
        assert swa[:4] == (self.naive.swa_free, swa_evictable, swa_protected, held)
        assert sum(swa[:4]) == swa.total == self.naive.config.swa_slots

    def check_shape(self) -> None:
        """Compare the counts of nodes."""
        nodes = self.naive.nodes()
        stats = self.real.stats()
        tombstones = sum(not node.live for node in nodes) if self.window is not None else 0
        assert (stats["nodes"], stats["tombstones"]) == (len(nodes), tombstones)
        assert stats["leaves"] == sum(not node.children for node in nodes)
        assert stats["depth"] == max((len(node.path) for node in nodes), default=0)

    def check_request(self, real: Request, naive: NaiveRequest) -> None:
        """A request's row holds its tokens; its window slots are there from the frontier on."""
        assert (real.length, real.branching_point) == (naive.length, naive.branch)
        assert tuple(real.tokens) == naive.prompt + naive.outputs
        self.shadow.verify(real.row(), naive.prompt + naive.outputs, naive.ns)
        if self.window is None:
            return
        window_row = real.swa_row()
        self.shadow.verify_window(window_row, naive.prompt + naive.outputs, naive.ns)
        frontier = max(naive.owned, naive.swa_from)
        assert not any(window_row[naive.owned : frontier]) and all(window_row[frontier:])


def brief(nodes: set[Row]) -> list[tuple[object, ...]]:
    """Return rows without all but the first and last token of their keys, for a message."""
    return sorted((row.namespace, (row.key[0], row.key[-1]), *row[2:]) for row in nodes)


def naive_config(config: CacheConfig) -> NaiveConfig:
    """The model's configuration for one of the cache."""
    return NaiveConfig(
        page=config.page_size,
        full_slots=config.full_slots,
        window=config.window,
        swa_slots=config.swa_slots or 0,
        policy=config.policy,
        branching=config.branching,
        free_behind_window=config.free_behind_window,
        swa_free_interval=config.swa_free_interval_tokens,
        hit_rule=config.hit_rule,
        split_recency=config.split_recency,
        finish_branch=config.finish_branch,
    )
