"""The prefix cache: its operations, each checked, done whole or refused, and recorded.

The tree decides nothing about slots and the pool knows no node; the cache brings them together. Components own the
state of their kind, and change it when an operation of the cache asks them to. A watcher is told of each change as it
is made; records go out at the end of an operation: first what changed, then the operation itself.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterable
from itertools import count
from operator import index
from threading import get_ident
from typing import ClassVar

from cache_core import events
from cache_core.backend import BACKENDS
from cache_core.checks import (
    MOST,
    absent,
    checked_count,
    checked_priority,
    checked_request_id,
    require_held,
    require_range,
    require_unused,
    require_windows,
)
from cache_core.component import COMPONENTS, Component
from cache_core.components.full import Full
from cache_core.components.mamba import Mamba
from cache_core.components.swa import SlidingWindow
from cache_core.config import CacheConfig
from cache_core.emission import emit_match, emit_reset
from cache_core.errors import DoubleFreeError, KeyRangeError, LockError
from cache_core.event_codec import head
from cache_core.eviction import evict_each
from cache_core.fault import abandon, guarded
from cache_core.host.node import NODE_FIELDS
from cache_core.host_tier import HostTier
from cache_core.insertion import Write, write
from cache_core.key import TOKEN_BYTES, RadixKey
from cache_core.lending import Lending
from cache_core.loans import Loans, as_slots, live_peers
from cache_core.lock import LockReceipt, hold, let_go
from cache_core.lookup import QueueHit, match_each, peek_each
from cache_core.node import Node, node_class
from cache_core.observed import Observed
from cache_core.registry import Registry
from cache_core.request import Request
from cache_core.results import NOTHING, EvictResult, InsertResult, MatchResult
from cache_core.stats import Stats, stats_of


class PrefixCache(Lending, Observed):
    """A radix-tree KV cache with one or more components in one tree.

    It belongs to the thread that made it; `claim` moves it to another. With no sink attached no record is built.
    """

    # Slots, since an instance of more than 30 attributes is slow to look up in.
    __slots__ = (
        "_reference_splits", "_request_ids", "attach_hooks", "auxiliary", "components", "config", "detach_hooks",
        "evict_head", "full", "host", "loans", "lock_head", "mamba", "node_family", "node_type", "page", "receipts",
        "requests", "stamps_paths", "state_loans", "tick", "touch_advances", "tree", "unit_bytes", "unit_overlap",
        "unlock_head", "window",
    )  # fmt: skip

    request_class: ClassVar[type[Request]] = Request
    reuses: ClassVar[bool] = True
    """Whether a match can ever hit, so that it is worth asking."""
    component_table: ClassVar[Registry[type[Component[Node]]]] = COMPONENTS
    write = write

    def __init__(
        self,
        config: CacheConfig,
        *,
        sink: events.EventSink | None = None,
        clock: Callable[[], int] = time.perf_counter_ns,
    ) -> None:
        self.config = config
        self.page = config.page_size
        self.unit_overlap = int(config.bigram)
        """How many tokens the last unit of a key reaches into the next one."""
        self.unit_bytes = TOKEN_BYTES * (1 + self.unit_overlap)
        classes = [self.component_table.load(name).variant(config) for name in config.components]
        self.components: tuple[Component[Node], ...] = tuple(cls(self, number) for number, cls in enumerate(classes))
        self.auxiliary = self.components[1:]
        """The components but the base."""
        full = self.components[0]
        assert isinstance(full, Full)
        self.full = full
        self.window = next((c for c in self.components if isinstance(c, SlidingWindow)), None)
        self.mamba = next((c for c in self.components if isinstance(c, Mamba)), None)
        policy = full.policy
        keepers = (*self.auxiliary, *((policy,) if policy.node_fields else ()))  # of fields on nodes
        fields = (*(field for cls in classes for field in cls.node_fields), *policy.node_fields)
        arrays = tuple(field for cls in classes for field in cls.node_arrays)
        self.host = HostTier(self) if config.host_slots else None
        """The second tier, if there is one."""
        self.node_family = node_class((*fields, *(NODE_FIELDS if self.host else ())), arrays, self.unit_bytes)
        self.node_type = self._new_node_type()
        make_hooks = tuple(keeper.make for keeper in keepers)
        if self.host is not None:
            make_hooks = (*make_hooks, self.host.make)
        split_hooks = tuple(keeper.split for keeper in keepers)
        if policy.split_advances:
            split_hooks = (*split_hooks, full.split)
        backend = BACKENDS.load(config.backend)
        self.tree = backend(self.page, self.node_type, make_hooks, split_hooks, self.unit_bytes)
        if self.host is not None:
            self.tree.other_children = ("host_children",)
        self.attach_hooks = tuple(k.attached for k in keepers if type(k).attached is not Component.attached)
        self.detach_hooks = tuple(c.detached for c in self.auxiliary if type(c).detached is not Component.detached)
        self.tick = 0
        """The logical time that recency is measured in; every operation that touches nodes advances it."""
        self.requests: dict[int, Request] = {}
        self.loans = Loans(full.pool, self.window is not None)
        """Slots handed out by `allocate` and not yet inserted or given back."""
        self.state_loans: set[int] = set()
        """Slots handed out by `allocate_state`, likewise."""
        self.receipts: set[LockReceipt] = set()
        """Receipts of `lock` that were not given back; a request keeps its own."""
        self._request_ids = count(1)
        self._reference_splits = config.split_recency == "reference"
        self.stamps_paths = self._reference_splits or self.host is not None
        self.touch_advances = policy.touch_advances
        super().__init__(clock)
        self.evict_head = head(events.Evict, len(self.components))
        self.lock_head = head(events.Lock, len(self.components))
        self.unlock_head = head(events.Unlock, len(self.components))
        if sink is not None:
            self.attach_sink(sink)

    def _new_node_type(self) -> type[Node]:
        """Return a type for the nodes up to the next reset: a node of before is known by its type."""
        return type("CacheNode", (self.node_family,), {"__slots__": ()})

    def units_of(self, key: RadixKey) -> bytes:
        """Return the packed units that the tree knows a key by: its tokens, or its pairs of tokens."""
        return key.pairs() if self.unit_overlap else key.tokens

    def match(self, key: RadixKey) -> MatchResult:
        """Return what the cache has of a key. May split a node; renews the recency of the matched path."""
        return self.match_prefix(key, len(key.tokens) // TOKEN_BYTES, -1)

    def match_prefix(self, key: RadixKey, tokens: int, request: int) -> MatchResult:
        """Match the first `tokens` tokens of a key on behalf of a request (-1: nobody's)."""
        # Asked in line, here and for locks: a call would be a good part of what a short match costs.
        if get_ident() != self._thread:
            self.refuse_thread()
        began = self.clock() if self.times is not None else 0
        page = self.page
        units = tokens - self.unit_overlap
        limit = (units - units % page) * self.unit_bytes if units > 0 else 0
        tree = self.tree
        node, at, inside, agreed = tree.walk(
            key.pairs() if self.unit_overlap else key.tokens, key.namespace, limit, key.place
        )
        try:
            if inside is not None:
                node = self.split(inside, agreed, events.MATCH)
                at += agreed
            if self.host is not None and limit:
                return self.host.match(key, limit, node, began, (key.namespace.id, tokens, request))
            if node is not tree.root:
                key.place = node
            reached = node
            hit = full_hit = at // self.unit_bytes
            branch = None
            if self.auxiliary:
                node = self.deepest_usable(reached)
                if node is not reached:
                    hit = node.end
                    branch = full_hit if self.config.branching else None
            if limit:  # renews the path to the node; nodes past it keep their age
                self.tick += 1
                self.touch(node)
                for component in self.auxiliary:
                    component.refresh(node)
                if self.touch_advances:
                    self.note_touch(node)
            found = MatchResult(self, node, hit, full_hit, branch)
            if self.sink is not None:
                emit_match(self, began, (key.namespace.id, tokens, request), reached, found)
            return found
        except BaseException as error:
            self.break_off("match", error)
            raise

    def match_queue(self, keys: Iterable[RadixKey]) -> list[QueueHit]:
        """Return what the cache has of each key of a queue, and change nothing (see `cache_core.lookup`).

        With a host tier each is matched, which may split a node and renews recency.
        """
        self.require_thread()
        return match_each(self, keys) if self.host is not None else peek_each(self, keys)

    def lock(self, node: Node) -> LockReceipt:
        """Protect the path to a matched node from eviction. The root may be locked, which holds nothing.

        Raises StaleNodeError if the node has left the tree or the device, LockError if it is of another cache.
        """
        if get_ident() != self._thread:
            self.refuse_thread()
        if type(node) is not self.node_type or (node.parent is None and node is not self.tree.root):
            raise absent(self, node)
        if self.host is not None:
            self.host.require_resident(node)
        try:
            receipt = hold(self, node)
            self.receipts.add(receipt)
            return receipt
        except BaseException as error:
            self.break_off("lock", error)
            raise

    def unlock(self, receipt: LockReceipt) -> None:
        """Undo one lock. Raises LockError, changing nothing, if the receipt was used or is another cache's."""
        if get_ident() != self._thread:
            self.refuse_thread()
        require_held(self, receipt)
        try:
            self.receipts.discard(receipt)
            let_go(self, receipt)
        except BaseException as error:
            self.break_off("unlock", error)
            raise

    def insert(
        self,
        key: RadixKey,
        slots: Iterable[int],
        owned_tokens: int = 0,
        swa_from: int = 0,
        priority: int = 0,
        state_slot: int = 0,
    ) -> InsertResult:
        """Write a key's whole pages into the tree; `slots[i]` holds position i.

        The first `owned_tokens` are the tree's own slots; the others must come from `allocate` and are the
        cache's from here on: adopted by nodes, or given back where the tree had the tokens already. Below
        `swa_from` the window is not kept. Slots behind the last whole page stay the caller's. `state_slot`, of
        `allocate_state`, holds the recurrent state at the end of the last whole page.

        Raises KeyRangeError for lengths that do not fit and DoubleFreeError for slots the caller does not own.
        """
        if get_ident() != self._thread:
            self.refuse_thread()
        if type(priority) is not int or not -MOST <= priority <= MOST:
            priority = checked_priority(priority)
        if type(owned_tokens) is not int or type(swa_from) is not int:
            owned_tokens, swa_from = checked_count("owned_tokens", owned_tokens), checked_count("swa_from", swa_from)
        given = slots if type(slots) is array and slots.typecode == "i" else as_slots(slots)
        page = self.page
        units = len(key.tokens) // TOKEN_BYTES - self.unit_overlap
        end = units - units % page if units > 0 else 0
        if len(given) < end or not 0 <= owned_tokens <= end or swa_from < 0 or owned_tokens % page or swa_from % page:
            require_range(self, end, len(given), owned_tokens, swa_from)
        if state_slot:
            state_slot = self.lent_state(state_slot)
        try:
            loan = self.loans.claim(given[owned_tokens:end])
            if state_slot:
                self.state_loans.discard(state_slot)
            job = Write(key, end, loan.slots, loan.peers)
            job.base = job.owned = owned_tokens
            job.live_from, job.priority, job.state_slot = swa_from, priority, state_slot
            try:
                if loan.pierced:
                    require_windows(loan, max(owned_tokens, swa_from), owned_tokens)
                node, present = self.write(job)
            except DoubleFreeError:
                self.loans.lend(loan.slots, loan.peers, loan.pierced)
                self.state_loans.update({state_slot} - {0})
                raise
            if swa_from > owned_tokens and self.window is not None and loan.peers is not None:
                self.window.pool.give(live_peers(loan, min(swa_from, end) - owned_tokens))
            return InsertResult(present, node, None, job.adopted or NOTHING)
        except BaseException as error:
            self.break_off("insert", error)
            raise

    def evict(self, full_tokens: int = 0, swa_tokens: int = 0, mamba_states: int = 0) -> EvictResult:
        """Free at least so many tokens or states of each kind, in whole nodes, as far as locks allow."""
        self.require_thread()
        asked = {"full": index(full_tokens), "swa": index(swa_tokens), "mamba": index(mamba_states)}
        try:
            return evict_each(self, [asked[component.name] for component in self.components])
        except BaseException as error:
            self.break_off("evict", error)
            raise

    @guarded
    def reset(self) -> None:
        """Forget everything. Raises LockError, changing nothing, while requests, receipts or transfers are alive.

        Those of a broken cache are ended, and it starts clean: every call works again, the old nodes' are stale.
        """
        if self._broken is not None:
            abandon(self, self._broken)
        else:
            self.require_thread()
            require_unused(self)
        self.node_type = self._new_node_type()
        self.tree.clear(self.node_type)
        for component in self.components:
            component.reset()
        if self.host is not None:
            self.host.reset()
        self.loans.clear()
        self.state_loans.clear()
        if self.watcher is not None:
            self.watcher.cleared()
        emit_reset(self)
        self.mend()

    def admit(self, key: RadixKey, priority: int = 0, request_id: int | None = None) -> Request:
        """Start a request: match all but the last token and lock what hits."""
        self.require_thread()
        if not isinstance(key, RadixKey) or not len(key):
            raise KeyRangeError("a request needs a RadixKey of at least one token")
        priority = checked_priority(priority)
        number = next(self._request_ids) if request_id is None else checked_request_id(request_id)
        if number in self.requests:
            raise LockError(f"request {number} is alive; end it before another takes its id")
        try:
            request = self.requests[number] = self.request_class(self, key, priority, number)
            return request
        except BaseException as error:
            self.break_off("admit", error)
            raise

    def stats(self) -> Stats:
        """Return slots per component and the shape of the tree. Walks the tree for its depth."""
        self.require_whole()
        return stats_of(self)

    # -- what components and requests call ---------------------------------------------------------------------

    def split(self, lower: Node, length: int, during: int = events.INSERT) -> Node:
        """Cut the first `length` bytes off a node, with the ages that the configuration asks for.

        `during` says which operation that is part of.
        """
        began = self.clock() if self.times is not None else 0
        upper = self.tree.split(lower, length) if self.host is None else self.host.split(lower, length)
        if self.watcher is not None:
            self.watcher.split(upper, lower)
        if self._reference_splits:
            self.tick += 2
            if self.auxiliary:
                upper.access, lower.access = self.tick - 1, self.tick
            else:
                lower.access, upper.created = self.tick - 1, self.tick
            self.note_touch(lower)
        if self.times is not None:
            self.times.split(during, self.clock() - began)
        return upper

    def live_mask(self, node: Node) -> int:
        """Return a bit per component that has state on a node."""
        mask = int(self.full.is_live(node))
        for component in self.auxiliary:
            if component.is_live(node):
                mask |= 1 << component.number
        return mask

    def deepest_usable(self, node: Node) -> Node:
        """Return the deepest node on the path to `node` that every component accepts, or the root."""
        if len(self.auxiliary) == 1:
            return self.auxiliary[0].deepest_usable(node)
        settled = None
        while node is not settled:
            settled = node
            for component in self.auxiliary:
                node = component.deepest_usable(node)
        return node

    def touch(self, node: Node) -> None:
        """Stamp a path with the tick of now.

        Only leaves are ever ranked. So the end of the path gets the stamp, and a parent takes over its child's when
        that leaves the tree (`remove_leaf`). Where inner nodes are ranked or split ones stamped, the path is stamped.
        """
        tick = node.access = self.tick
        if self.stamps_paths:
            while node.parent is not None:
                node = node.parent
                node.access = tick

    def note_touch(self, node: Node) -> None:
        """Tell the victim queue that a node was touched, where that makes it more urgent."""
        if self.touch_advances and node.is_evictable:
            self.full.evictor.touched(node)
