"""Carries out the operations of a recording on a prefix cache."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cache_core import CacheError, LockReceipt, MatchResult, PrefixCache, RadixKey, Request
from cache_core.node import Node
from probes.newest import forget_oldest
from profiles.replay import operations as op

_MOST_NODES = 1 << 16
"""How many reached nodes are remembered for locks to come."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far a replay found what the recorded cache did.

    `matches` are admissions and bare matches. `hit_tokens` were hit by the replay, `recorded_tokens` by the recorded
    cache, `differing_tokens` is the sum of the differences match by match. `refused` operations could not be carried
    out: there was no room for them, or what they name is not there.
    """

    matches: int
    recorded_tokens: int
    hit_tokens: int
    differing_tokens: int
    refused: int

    @property
    def share(self) -> float | None:
        """The share of the recorded hit tokens that the replay agrees on, None when nothing was hit."""
        if not self.recorded_tokens:
            return None if not self.differing_tokens else 0.0
        return max(0.0, 1 - self.differing_tokens / self.recorded_tokens)


class CacheReplay:
    """Applies operations one by one; what the cache refuses is counted and left out."""

    def __init__(self, cache: PrefixCache) -> None:
        self.cache = cache
        self._lives: dict[int, Request] = {}
        self._nodes: dict[int, Node] = {}
        self._receipts: dict[int, list[LockReceipt]] = {}
        self._matches = self._recorded = self._hit = self._differing = 0
        self._refused: Counter[str] = Counter()
        self._does: Mapping[type, Callable[[Any], None]] = {
            op.Admit: self._admit, op.Prefill: self._prefill, op.Decode: self._decode, op.Finish: self._finish,
            op.Retract: self._retract, op.Look: self._look, op.Write: self._write, op.Lock: self._lock,
            op.Unlock: self._unlock, op.Evict: self._evict, op.State: self._state, op.Reset: self._reset,
        }  # fmt: skip

    def apply(self, operation: op.Operation) -> None:
        """Carry out one operation."""
        try:
            self._does[type(operation)](operation)
        except CacheError as error:
            self._refused[type(error).__name__] += 1

    def agreement(self) -> Agreement:
        """Return how far the replay found what was recorded."""
        refused = self._refused.total()
        return Agreement(self._matches, self._recorded, self._hit, self._differing, refused)

    def _count(self, recorded: int, found: int) -> None:
        self._matches += 1
        self._recorded += recorded
        self._hit += found
        self._differing += abs(recorded - found)

    def _admit(self, operation: op.Admit) -> None:
        priority = max(-(2**31), min(2**31 - 1, operation.priority))
        request = self.cache.admit(RadixKey(operation.tokens), priority=priority)
        self._lives[operation.life] = request
        self._count(operation.hit_tokens, request.hit_tokens + request.host_hit_tokens)

    def _prefill(self, operation: op.Prefill) -> None:
        request = self._lives.get(operation.life)
        if request is None:
            return
        if operation.loaded_tokens and request.host_hit_tokens and request.length == request.hit_tokens:
            request.load_back()
            self._complete()
        upto = max(request.length, min(operation.upto, len(request.key)))
        request.prefill(upto, cache=operation.writes_back)
        self._complete()

    def _decode(self, operation: op.Decode) -> None:
        request = self._lives.get(operation.life)
        if request is not None:
            request.decode(operation.token)

    def _finish(self, operation: op.Finish) -> None:
        request = self._lives.pop(operation.life, None)
        if request is not None:
            request.finish()
            self._complete()

    def _retract(self, operation: op.Retract) -> None:
        request = self._lives.pop(operation.life, None)
        if request is not None:
            request.retract(operation.reason)

    def _look(self, operation: op.Look) -> None:
        found: MatchResult = self.cache.match(RadixKey(operation.tokens))
        self._count(operation.hit_tokens, found.hit_tokens + found.host_hit_tokens)
        self._remember(operation.key, found.node)

    def _write(self, operation: op.Write) -> None:
        self._insert(operation.tokens, operation.key, (operation.owned_tokens, operation.swa_from, 0))

    def _state(self, operation: op.State) -> None:
        units = len(operation.tokens) // 4 - self.cache.unit_overlap
        self._insert(operation.tokens, 0, (units, operation.swa_from, operation.priority))

    def _insert(self, tokens: bytes, name: int, terms: tuple[int, int, int]) -> None:
        """Insert a key of which the caller owns so many tokens at most, as far as the tree has them."""
        owned_tokens, swa_from, priority = terms
        page = self.cache.page
        key = RadixKey(tokens)
        units = len(tokens) // 4 - self.cache.unit_overlap
        end = units - units % page
        present = self.cache.match_queue([key])[0].device_hit_tokens if owned_tokens else 0
        owned = min(owned_tokens, present, end)
        owned -= owned % page
        lent = self.cache.allocate(end - owned)
        slots = array("i", bytes(4 * owned)) + lent
        try:
            inserted = self.cache.insert(key, slots, owned, min(swa_from, end) // page * page, priority)
        except CacheError:
            self.cache.free(lent)
            raise
        self._remember(name, inserted.node)
        self._complete()

    def _lock(self, operation: op.Lock) -> None:
        node = self.cache.tree.root if not operation.key else self._nodes.get(operation.key)
        if node is None:
            self._refused["unknown node"] += 1
        else:
            self._receipts.setdefault(operation.key, []).append(self.cache.lock(node))

    def _unlock(self, operation: op.Unlock) -> None:
        receipts = self._receipts.get(operation.key)
        if receipts:
            self.cache.unlock(receipts.pop())
            if not receipts:
                del self._receipts[operation.key]

    def _evict(self, operation: op.Evict) -> None:
        names = self.cache.config.components
        asked = dict(zip(names, operation.asked_tokens, strict=False))
        self.cache.evict(asked.get("full", 0), asked.get("swa", 0), asked.get("mamba", 0))

    def _reset(self, operation: op.Reset) -> None:
        for request in self._lives.values():
            request.retract()
        for receipts in self._receipts.values():
            for receipt in receipts:
                self.cache.unlock(receipt)
        self._lives.clear()
        self._receipts.clear()
        self._nodes.clear()
        self._complete()
        self.cache.reset()

    def _remember(self, key: int, node: Node) -> None:
        if key:
            self._nodes.pop(key, None)
            self._nodes[key] = node
            if len(self._nodes) > _MOST_NODES:
                forget_oldest(self._nodes)

    def _complete(self) -> None:
        """Make the copies that wait: here they take no time."""
        host = self.cache.host
        if host is not None:
            for transfer in host.take_transfers():
                host.complete(transfer.id)
