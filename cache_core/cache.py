"""The prefix cache: the one writer of the tree and the one emitter of records.

The tree decides nothing about slots and the pool knows no node; this module brings them together. Components
return what is to be done, the cache does it, then it emits: first what changed, then the operation itself.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterable
from itertools import count
from threading import get_ident

from cache_core import events
from cache_core.branching import ceil_page, floor_page
from cache_core.checks import (
    absent,
    checked_priority,
    checked_request_id,
    require_held,
    require_range,
    require_room,
    require_windows,
)
from cache_core.component import COMPONENTS, Component
from cache_core.components.full import Full
from cache_core.components.mamba import Mamba
from cache_core.components.swa import SlidingWindow
from cache_core.config import CacheConfig
from cache_core.emission import emit_match, emit_reset
from cache_core.errors import (
    DoubleFreeError,
    KeyRangeError,
    LockError,
    OutOfSlotsError,
)
from cache_core.eviction import evict_each, make_room
from cache_core.insertion import Write, write
from cache_core.key import TOKEN_BYTES, RadixKey
from cache_core.loans import Loans, live_peers
from cache_core.lock import LockReceipt, hold, let_go
from cache_core.node import Node, node_class
from cache_core.observed import Observed
from cache_core.registry import Registry
from cache_core.request import Request
from cache_core.results import EvictResult, InsertResult, MatchResult
from cache_core.stats import Stats, stats_of
from cache_core.tree import RadixTree


class PrefixCache(Observed):
    """A radix-tree KV cache with one or more components in one tree.

    It belongs to the thread that made it; `claim` moves it to another. With no sink attached no record is built.
    """

    request_class: type[Request] = Request
    component_table: Registry[type[Component[Node]]] = COMPONENTS

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
        classes = [self.component_table.load(name) for name in config.components]
        self.components: tuple[Component[Node], ...] = tuple(cls(self, number) for number, cls in enumerate(classes))
        self.auxiliary = self.components[1:]
        """The components but the base."""
        full = self.components[0]
        assert isinstance(full, Full)
        self.full = full
        self.window = next((c for c in self.components if isinstance(c, SlidingWindow)), None)
        self.mamba = next((c for c in self.components if isinstance(c, Mamba)), None)
        fields = tuple(field for cls in classes for field in cls.node_fields)
        arrays = tuple(field for cls in classes for field in cls.node_arrays)
        self.node_family = node_class(fields, arrays, self.unit_bytes)
        self._start_generation()
        hooks = tuple(component.split for component in self.auxiliary)
        self.tree = RadixTree(self.page, self._make_node, hooks, self.unit_bytes)
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
        self.touch_advances = full.evictor.policy.touch_advances
        super().__init__(clock)
        self.evict_head = events.head(events.Evict, len(self.components))
        self.lock_head = events.head(events.Lock, len(self.components))
        self.unlock_head = events.head(events.Unlock, len(self.components))
        if sink is not None:
            self.attach_sink(sink)

    def write(self, job: Write) -> tuple[Node, int]:
        """Do the insert of a checked job: returns the node the key ends on, and how many tokens were present."""
        return write(self, job)

    def _start_generation(self) -> None:
        """Give the nodes from now on a type of their own: a node of before a reset is known by its type."""
        self.node_type: type[Node] = type("CacheNode", (self.node_family,), {"__slots__": ()})

    def _make_node(self) -> Node:
        node: Node = self.node_type()
        for component in self.auxiliary:
            component.make(node)
        return node

    def units_of(self, key: RadixKey) -> bytes:
        """Return the packed units that the tree knows a key by: its tokens, or its pairs of tokens."""
        return key.pairs() if self.unit_overlap else key.tokens

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
        page = self.page
        units = tokens - self.unit_overlap
        limit = (units - units % page) * self.unit_bytes if units > 0 else 0
        path, at, inside, agreed = self.tree.walk(self.units_of(key), key.namespace, limit)
        if inside is not None:
            path.append(self.split(inside, agreed))
            at += agreed
        deepest = len(path) - 1
        best = self._deepest_usable(path, deepest) if self.auxiliary else deepest
        if best >= 0:
            node = path[best]
            hit = node.start + len(node.edge) // self.unit_bytes
        else:
            node, hit = self.tree.root, 0
        if limit:
            self._renew(path, best, node)
        full_hit = at // self.unit_bytes
        branch = full_hit if full_hit > hit and self.config.branching else None
        found = MatchResult(self, node, hit, full_hit, branch)
        if sink is not None:
            emit_match(self, began, (key.namespace.id, tokens, request), path, found)
        return found

    def lock(self, node: Node) -> LockReceipt:
        """Protect the path to a matched node from eviction. The root may be locked, which holds nothing.

        Raises StaleNodeError if the node has left the tree, LockError if it is of another cache.
        """
        if get_ident() != self._thread:
            self._refuse_thread()
        if type(node) is not self.node_type or (node.parent is None and node is not self.tree.root):
            raise absent(self, node)
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
        slots, peers = self.take(tokens)
        self.loans.lend(slots, peers)
        return slots[:]

    def take(self, tokens: int) -> tuple[array[int], array[int] | None]:
        """Take slots off the pools, whole pages: one of each kind per token.

        Raises OutOfSlotsError, and takes nothing, when a pool is short.
        """
        slots = self.full.pool.take(tokens)
        if self.window is None:
            return slots, None
        try:
            return slots, self.window.pool.take(tokens)
        except OutOfSlotsError:
            self.full.pool.give(slots)
            raise

    def free(self, slots: Iterable[int]) -> None:
        """Give back slots of `allocate` that were not inserted. Raises DoubleFreeError and changes nothing."""
        self.require_thread()
        loan = self.loans.claim(slots if isinstance(slots, array) else array("i", slots))
        self.full.pool.give(loan.slots)
        if self.window is not None and loan.peers is not None:
            self.window.pool.give(live_peers(loan))

    def free_window(self, slots: Iterable[int]) -> None:
        """Give back the window peers of slots of `allocate`; the Full slots stay the caller's.

        Raises DoubleFreeError, changing nothing, when one of them was given back before.
        """
        self.require_thread()
        loan = self.loans.claim(slots if isinstance(slots, array) else array("i", slots))
        gone = array("i", bytes(4 * len(loan.slots)))
        if loan.pierced and loan.peers is not None and 0 in loan.peers:
            self.loans.lend(loan.slots, loan.peers, pierced=True)
            slot = loan.slots[loan.peers.index(0)]
            raise DoubleFreeError(f"swa pool: the window slot beside full slot {slot} is given back twice")
        if self.window is not None and loan.peers is not None:
            self.window.pool.give(loan.peers)
        self.loans.lend(loan.slots, gone if self.window is not None else None, pierced=True)

    def allocate_state(self) -> int:
        """Hand out a slot for a recurrent state, evicting one if it must. Raises OutOfSlotsError."""
        self.require_thread()
        if self.mamba is None:
            raise OutOfSlotsError("the cache has no component 'mamba', so there are no states")
        make_room(self, 0, 1)
        slot = self.mamba.take_slot()
        if not slot:
            raise OutOfSlotsError(f"mamba pool: 1 slot wanted, none of {self.mamba.pool.total} free or evictable")
        self.state_loans.add(slot)
        return slot

    def free_state(self, slot: int) -> None:
        """Give back a slot of `allocate_state`. Raises DoubleFreeError and changes nothing."""
        self.require_thread()
        self._claim_state(slot)
        assert self.mamba is not None
        self.mamba.give_slot(slot)

    def _claim_state(self, slot: int) -> None:
        if slot not in self.state_loans:
            raise DoubleFreeError(f"state slot {slot} is not the caller's; only slots of allocate_state can be given")
        self.state_loans.discard(slot)

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
        self.require_thread()
        priority = checked_priority(priority)
        given = slots if isinstance(slots, array) else array("i", slots)
        end = floor_page(max(0, len(key) - self.unit_overlap), self.page)
        require_range(self, end, len(given), owned_tokens, swa_from)
        if state_slot:
            self._claim_state(state_slot)
        try:
            loan = self.loans.claim(given[owned_tokens:end])
        except DoubleFreeError:
            self.state_loans.update({state_slot} - {0})
            raise
        job = Write(key, end, loan.slots, loan.peers)
        job.base = job.owned = owned_tokens
        job.live_from, job.priority, job.state_slot = swa_from, priority, state_slot
        try:
            require_windows(loan, max(owned_tokens, swa_from), owned_tokens)
            node, present = self.write(job)
        except DoubleFreeError:
            self.loans.lend(loan.slots, loan.peers, loan.pierced)
            self.state_loans.update({state_slot} - {0})
            raise
        if self.window is not None and loan.peers is not None and swa_from > owned_tokens:
            self.window.pool.give(live_peers(loan, min(swa_from, end) - owned_tokens))
        return InsertResult(present, node, None, job.adopted)

    def evict(self, full_tokens: int = 0, swa_tokens: int = 0, mamba_states: int = 0) -> EvictResult:
        """Free at least so many tokens or states of each kind, in whole nodes, as far as locks allow."""
        self.require_thread()
        asked = {"full": full_tokens, "swa": swa_tokens, "mamba": mamba_states}
        return evict_each(self, [asked[component.name] for component in self.components])

    def reset(self) -> None:
        """Forget everything. Raises LockError while requests or receipts are alive, changing nothing."""
        self.require_thread()
        if self.requests or self.receipts:
            raise LockError(
                f"{len(self.requests)} requests and {len(self.receipts)} receipts are alive; end them before a reset"
            )
        self._start_generation()
        self.tree.clear()
        for component in self.components:
            component.reset()
        self.loans.clear()
        self.state_loans.clear()
        if self.watcher is not None:
            self.watcher.cleared()
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

    # -- what components and requests call ---------------------------------------------------------------------

    def split(self, lower: Node, length: int) -> Node:
        """Cut the first `length` bytes off a node, with the ages that the configuration asks for."""
        upper = self.tree.split(lower, length)
        if self.watcher is not None:
            self.watcher.split(upper, lower)
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
        if self.touch_advances:
            self.note_touch(node)

    def note_touch(self, node: Node) -> None:
        """Tell the victim queue that a node was touched, where that makes it more urgent."""
        if self.touch_advances and not node.children and not node.lock:
            self.full.evictor.touched(node)
