"""The prefix cache: the one writer of the tree and the one emitter of records.

The tree decides nothing about slots and the pool knows no node; this module brings them together. Components
return what is to be done, the cache does it, then it emits: first what changed, then the operation itself.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from threading import get_ident

from cache_core import events
from cache_core.branching import branching_point, ceil_page, floor_page
from cache_core.changes import Changes
from cache_core.checks import (
    checked_priority,
    checked_request_id,
    require_held,
    require_lent,
    require_owned,
    require_present,
    require_range,
    require_room,
    require_windows,
)
from cache_core.component import COMPONENTS, Component
from cache_core.components.full import Full
from cache_core.components.swa import SlidingWindow
from cache_core.config import CacheConfig
from cache_core.emission import emit, emit_match, emit_reset, pool_records
from cache_core.errors import KeyRangeError, LockError, ReentryError, WrongThreadError
from cache_core.eviction import evict_each, make_room
from cache_core.insertion import Write, write
from cache_core.key import TOKEN_BYTES, RadixKey
from cache_core.lock import LockReceipt, hold, let_go
from cache_core.node import Node, node_class
from cache_core.pool import SlotPool
from cache_core.pools.page import PagePool
from cache_core.pools.paired import PairedPool
from cache_core.request import Request
from cache_core.results import EvictResult, InsertResult, MatchResult
from cache_core.stats import Stats, stats_of
from cache_core.tree import RadixTree

_NOBODY = 0
"""No thread has this number: who the cache belongs to while a sink flushes."""


class PrefixCache:
    """A radix-tree KV cache with one or more components in one tree.

    It belongs to the thread that made it; `claim` moves it to another. With no sink attached no record is built.
    """

    request_class: type[Request] = Request

    def __init__(
        self,
        config: CacheConfig,
        *,
        sink: events.EventSink | None = None,
        clock: Callable[[], int] = time.perf_counter_ns,
    ) -> None:
        self.config = config
        self.clock = clock
        self.page = config.page_size
        self.pool = self._make_pool()
        classes = [COMPONENTS.load(name) for name in config.components]
        self.node_type = node_class(tuple(field for cls in classes for field in cls.node_fields))
        self.components: tuple[Component[Node], ...] = tuple(cls(self, number) for number, cls in enumerate(classes))
        self.auxiliary = self.components[1:]
        """The components but the base."""
        self.tree = RadixTree(self.page, self._make_node, tuple(component.split for component in self.auxiliary))
        full = self.components[0]
        assert isinstance(full, Full)
        self.full = full
        self.window = next((c for c in self.components if isinstance(c, SlidingWindow)), None)
        self.tick = 0
        """The logical time that recency is measured in; every operation that touches nodes advances it."""
        self.requests: dict[int, Request] = {}
        self.lent: set[int] = set()
        """Full slots handed out by `allocate` and not yet inserted or given back."""
        self.receipts: set[LockReceipt] = set()
        """Receipts of `lock` that were not given back; a request keeps its own."""
        self._request_ids = count(1)
        self._reference_splits = config.split_recency == "reference"
        self._touch_advances = full.evictor.policy.touch_advances
        self._thread = get_ident()
        self.evict_head = events.head(events.Evict, len(self.components))
        self.lock_head = events.head(events.Lock, len(self.components))
        self.unlock_head = events.head(events.Unlock, len(self.components))
        self.changes: Changes | None = None
        self.sink: events.EventSink | None = None
        self.sink_fault: Exception | None = None
        if sink is not None:
            self.attach_sink(sink)

    def _make_pool(self) -> SlotPool:
        config = self.config
        if "swa" in config.components:
            assert config.swa_slots is not None
            return PairedPool(config.full_slots, config.swa_slots, config.page_size)
        return PagePool("full", config.full_slots, config.page_size)

    def _make_node(self) -> Node:
        node = self.node_type()
        for component in self.components:
            component.make(node)
        return node

    def match(self, key: RadixKey) -> MatchResult:
        """Return what the cache has of a key. May split a node; renews the recency of the matched path."""
        return self.match_prefix(key, len(key), -1)

    def match_prefix(self, key: RadixKey, tokens: int, request: int) -> MatchResult:
        """Match the first `tokens` tokens of a key on behalf of a request (-1: nobody's)."""
        # Asked in line, here and for locks: a call would be a good part of what a short match costs.
        if get_ident() != self._thread:
            self._refuse_thread()
        sink = self.sink
        began = self.clock() if sink is not None else 0
        limit = floor_page(tokens, self.page) * TOKEN_BYTES
        path, at, inside, agreed = self.tree.walk(key.tokens, key.namespace, limit)
        if inside is not None:
            path.append(self.split(inside, agreed))
            at += agreed
        deepest = len(path) - 1
        best = self._deepest_usable(path, deepest) if self.auxiliary else deepest
        node = path[best] if best >= 0 else self.tree.root
        if limit:
            self._renew(path, best, node)
        full_hit = at // TOKEN_BYTES
        hit = node.end
        branch = branching_point(full_hit, hit, self.page) if self.config.branching else None
        found = MatchResult(node, hit, full_hit, branch)
        if sink is not None:
            emit_match(self, began, (key.namespace.id, tokens, request), path, found)
        return found

    def lock(self, node: Node) -> LockReceipt:
        """Protect the path to a matched node from eviction. The root may be locked, which holds nothing.

        Raises StaleNodeError if the node has left the tree, LockError if it is of another cache.
        """
        if get_ident() != self._thread:
            self._refuse_thread()
        require_present(self, node)
        receipt = hold(self, node)
        self.receipts.add(receipt)
        return receipt

    def unlock(self, receipt: LockReceipt) -> None:
        """Undo one lock. Raises LockError, changing nothing, if the receipt was used or is another cache's."""
        if get_ident() != self._thread:
            self._refuse_thread()
        require_held(self, receipt)
        self.receipts.discard(receipt)
        let_go(self, receipt)

    def allocate(self, tokens: int) -> array[int]:
        """Hand out Full slots with their peers, evicting what that takes; whole pages, so maybe a few more.

        Raises OutOfSlotsError, with nothing evicted, when even everything evictable would not do.
        """
        self.require_thread()
        if tokens < 0:
            raise KeyRangeError(f"{tokens} slots cannot be handed out; ask for none or more")
        tokens = ceil_page(tokens, self.page)
        require_room(self, tokens)
        make_room(self, tokens)
        slots = self.pool.take(tokens)
        self.lent.update(slots)
        return slots

    def free(self, slots: Iterable[int]) -> None:
        """Give back slots of `allocate` that were not inserted. Raises DoubleFreeError and changes nothing."""
        self.require_thread()
        given = slots if isinstance(slots, array) else array("i", slots)
        require_lent(self, given)
        if self.window is None:
            self.pool.release(given)
        else:
            live, dead = self.window.part_by_peer(given)
            self.pool.release(live)
            self.window.pool.release_full(dead)
        self.lent.difference_update(given)

    def free_window(self, slots: Iterable[int]) -> None:
        """Give back the window peers of slots of `allocate`; the Full slots stay the caller's."""
        self.require_thread()
        given = slots if isinstance(slots, array) else array("i", slots)
        require_lent(self, given)
        if self.window is not None:
            self.window.pool.release_window(given)

    def insert(
        self, key: RadixKey, slots: Iterable[int], owned_tokens: int = 0, swa_from: int = 0, priority: int = 0
    ) -> InsertResult:
        """Write a key's whole pages into the tree; `slots[i]` holds position i.

        The first `owned_tokens` are the tree's own slots; the others must come from `allocate` and are the
        cache's from here on: adopted by nodes, or given back where the tree had the tokens already. Below
        `swa_from` the window is not kept. Slots behind the last whole page stay the caller's.

        Raises KeyRangeError for lengths that do not fit and DoubleFreeError for slots the caller does not own.
        """
        self.require_thread()
        priority = checked_priority(priority)
        given = slots if isinstance(slots, array) else array("i", slots)
        end = floor_page(len(key), self.page)
        require_range(self, end, len(given), owned_tokens, swa_from)
        fresh = given[owned_tokens:end]
        require_lent(self, fresh)
        require_owned(self, key, given, owned_tokens)
        require_windows(self, given, max(owned_tokens, swa_from), end)
        if self.window is not None and swa_from > owned_tokens:
            live, _ = self.window.part_by_peer(given[owned_tokens : min(swa_from, end)])
            self.window.pool.release_window(live)
        self.lent.difference_update(fresh)
        job = Write(key, end, given, owned_tokens, swa_from, priority)
        node, present = write(self, job)
        return InsertResult(present, node, None, job.adopted)

    def evict(self, full_tokens: int = 0, swa_tokens: int = 0) -> EvictResult:
        """Free at least so many tokens of each kind, in whole nodes, as far as locks allow."""
        self.require_thread()
        return evict_each(self, (full_tokens, swa_tokens))

    def reset(self) -> None:
        """Forget everything. Raises LockError while requests or receipts are alive, changing nothing."""
        self.require_thread()
        if self.requests or self.receipts:
            raise LockError(
                f"{len(self.requests)} requests and {len(self.receipts)} receipts are alive; end them before a reset"
            )
        self.tree.clear()
        for component in self.components:
            component.reset()
        self.pool.reset()
        self.lent.clear()
        emit_reset(self)

    def admit(self, key: RadixKey, priority: int = 0, request_id: int | None = None) -> Request:
        """Start a request: match all but the last token and lock what hits."""
        self.require_thread()
        if not len(key):
            raise KeyRangeError("a request needs at least one token")
        priority = checked_priority(priority)
        number = next(self._request_ids) if request_id is None else checked_request_id(request_id)
        if number in self.requests:
            raise LockError(f"request {number} is alive; end it before another takes its id")
        request = self.request_class(self, key, priority, number)
        self.requests[number] = request
        return request

    def stats(self) -> Stats:
        """Return slots per component and the shape of the tree. Walks the tree for its depth."""
        return stats_of(self)

    def attach_sink(self, sink: events.EventSink | None) -> None:
        """Send records to `sink` from now on, or to nobody."""
        self.sink = sink
        self.sink_fault = None
        self.changes = None if sink is None else Changes(self)
        self.tree.log = None if self.changes is None else self.changes.split

    def flush_sink(self, sink: events.EventSink) -> None:
        """Let a sink take what waits in it, which may be in the middle of an operation.

        A sink that raises is given up and `sink_fault` says why; one that calls the cache meets ReentryError.
        """
        thread, self._thread = self._thread, _NOBODY
        try:
            sink.flush()
        except Exception as error:  # noqa: BLE001 - a fault of an observer must not break off what the cache does
            self.attach_sink(None)
            self.sink_fault = error
        finally:
            self._thread = thread

    def snapshot_records(self) -> Iterator[events.RawRecord]:
        """Yield the tree as records; it may be changed between two of them (see `Changes.states`)."""
        return iter(()) if self.changes is None else self.changes.states()

    def emit_pools(self) -> None:
        """Send the pool records to the sink."""
        for record in pool_records(self) if self.sink is not None else ():
            emit(self, record)

    def claim(self) -> None:
        """Make the calling thread the one that owns the cache."""
        self._thread = get_ident()

    def require_thread(self) -> None:
        """Raise WrongThreadError unless the calling thread owns the cache."""
        if get_ident() != self._thread:
            self._refuse_thread()

    # -- what components and requests call ---------------------------------------------------------------------

    def split(self, lower: Node, length: int) -> Node:
        """Cut the first `length` bytes off a node, with the ages that the configuration asks for."""
        upper = self.tree.split(lower, length)
        if self._reference_splits:
            self.tick += 2
            if self.auxiliary:
                upper.access, lower.access = self.tick - 1, self.tick
            else:
                lower.access, upper.created = self.tick - 1, self.tick
            self.note_touch(lower)
        return upper

    def live_mask(self, node: Node) -> int:
        """Return a bit per component that has state on a node."""
        mask = 1
        for component in self.auxiliary:
            if component.is_live(node):
                mask |= 1 << component.number
        return mask

    def _deepest_usable(self, path: list[Node], upto: int) -> int:
        settled = False
        while not settled:
            settled = True
            for component in self.auxiliary:
                best = component.deepest_usable(path, upto)
                if best != upto:
                    upto, settled = best, False
        return upto

    def _renew(self, path: list[Node], best: int, node: Node) -> None:
        """Renew the recency of the path to `node`; nodes past it keep theirs."""
        self.tick += 1
        tick = self.tick
        for step in path if best == len(path) - 1 else path[: best + 1]:
            step.access = tick
        for component in self.auxiliary:
            component.refresh(node)
        self.note_touch(node)

    def note_touch(self, node: Node) -> None:
        """Tell the victim queue that a node was touched, where that makes it more urgent."""
        if self._touch_advances and not node.children and not node.lock:
            self.full.evictor.touched(node)

    def _refuse_thread(self) -> None:
        if self._thread == _NOBODY:
            raise ReentryError("a sink called the cache from within its flush; a flush only takes records")
        raise WrongThreadError("the cache belongs to the thread that made it; call claim() from the one that uses it")
