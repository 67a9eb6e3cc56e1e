"""The life of one request: admitted, prefilled in chunks, decoded, finished or retracted.

        0       protected     window_from          length
        |--tree's---|--freed-----|--live window slots--|
        |           |------- the request's own --------|

`slots` maps positions to Full slots, `peers` to window slots. The tree owns those of [0, protected) and the request's
lock keeps them; the rest is the request's. Its window slots below `window_from` have been given back.
"""

from __future__ import annotations

from array import array
from operator import index
from threading import get_ident
from typing import TYPE_CHECKING

from cache_core import events
from cache_core.branching import ceil_page, floor_page, insert_length, window_frontier, window_span
from cache_core.checks import checked_reason
from cache_core.emission import ADMITTED, FINISHED, PREFILLED, RETRACTED, emit_free_window, emit_request
from cache_core.errors import KeyRangeError, LockError, OutOfSlotsError
from cache_core.eviction import make_room
from cache_core.fault import guarded
from cache_core.insertion import Write
from cache_core.key import MAX_TOKEN, TOKEN_BYTES, RadixKey, checked_token
from cache_core.lock import LockReceipt, hold, let_go, move_lock, release_auxiliary
from cache_core.results import gather, gather_windows
from cache_core.states import States

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache
    from cache_core.node import Node


class Request:
    """A request on a cache, made by `PrefixCache.admit`. Every call after its end raises LockError.

    Lengths count tokens; what is in the tree counts units, which are pairs of tokens in a bigram cache.
    """

    __slots__ = (
        "branching_point", "cache", "counted_tokens", "full_hit_tokens", "hit_tokens", "host_hit_tokens", "key",
        "length", "loaded_tokens", "outputs", "peers", "priority", "protected_tokens", "receipt", "request_id",
        "slots", "states", "window_from",
    )  # fmt: skip

    def __init__(self, cache: PrefixCache, key: RadixKey, priority: int, request_id: int) -> None:
        self.cache = cache
        self.key = key
        self.priority = priority
        self.request_id = request_id
        self.outputs = array("i")
        found = cache.match_prefix(key, len(key) - 1, request_id)
        node = found.node
        self.receipt: LockReceipt | None = hold(cache, node)
        self.hit_tokens = found.hit_tokens
        self.host_hit_tokens = found.host_hit_tokens
        self.loaded_tokens = 0
        self.full_hit_tokens = found.full_hit_tokens
        self.branching_point = found.branching_point
        self.length = found.hit_tokens
        self.protected_tokens = found.hit_tokens
        self.window_from = 0
        self.counted_tokens = 0
        self.slots = found.slots()
        self.peers = None if cache.window is None else array("i", bytes(4 * self.length))
        mamba = cache.mamba
        usable = self.hit_tokens + self.host_hit_tokens
        self.states = None if mamba is None else States(cache, mamba, node, self.full_hit_tokens, usable)  # type: ignore[arg-type]
        if cache.sink is not None:
            gap = found.full_hit_tokens - found.hit_tokens - found.host_hit_tokens
            emit_request(self, ADMITTED, recomputed=gap, new=len(key) - found.full_hit_tokens)

    @property
    def tokens(self) -> array[int]:
        """Prompt and outputs so far."""
        tokens = array("i", self.key.tokens)
        tokens.extend(self.outputs)
        return tokens

    @property
    def units(self) -> int:
        """How many positions of the tree the tokens with slots make."""
        return max(0, self.length - self.cache.unit_overlap)

    @property
    def state_slot(self) -> int:
        """The slot of the working recurrent state, 0 before the first prefill."""
        return 0 if self.states is None else self.states.slot

    @property
    def state_source(self) -> int:
        """The slot to copy into `state_slot` before the first forward; 0 for the zero state, and after it."""
        return 0 if self.states is None else self.states.source

    @property
    def checkpoint_due(self) -> int:
        """The position, inside the tokens just taken, whose state must be stored; 0 for none."""
        return 0 if self.states is None else self.states.due

    @property
    def checkpoint_slot(self) -> int:
        """Where the state of `checkpoint_due` must be stored."""
        return 0 if self.states is None else self.states.checkpoint_slot

    def row(self) -> array[int]:
        """Return the Full slot of each position; read it anew after every call, write-back may replace slots."""
        self.cache.require_whole()
        return self.slots[: self.length]

    def swa_row(self, start: int = 0) -> array[int]:
        """Return the window slot of each position from `start` on, 0 where there is none."""
        self.cache.require_whole()
        if self.peers is None:
            return array("i", bytes(4 * max(0, self.length - start)))
        owned = self.protected_tokens
        own = self.peers[max(start, owned) : self.length]
        if start >= owned or self.receipt is None:
            return own
        assert self.cache.window is not None
        return gather_windows(self.cache.window, self.receipt.node, start) + own

    @guarded
    def load_back(self) -> int:
        """Load what the host has beyond the hit, before the first prefill; return the tokens gained.

        0 if there is nothing, or too little, or no room. The hit is the larger one at once: the transfer that fills
        its slots is queued (`HostTier.take_transfers`) and must be made before the next forward.
        """
        self._require_alive()
        host = self.cache.host
        if host is None or not self.host_hit_tokens or self.length > self.hit_tokens:
            return 0
        node = host.load_back(self)
        if node is None:
            return 0
        gained = node.end - self.hit_tokens
        assert self.receipt is not None
        self.receipt = move_lock(self.cache, self.receipt, node)
        self.loaded_tokens += gained
        self.hit_tokens = self.length = self.protected_tokens = node.end
        self.slots = gather(node)
        if self.peers is not None:
            self.peers = array("i", bytes(4 * self.length))
        if self.states is not None:
            self.states.source = node.mamba_slot  # type: ignore[attr-defined]
        return gained

    def prefill(self, upto: int, cache: bool = True) -> None:
        """Take slots up to position `upto` and, unless `cache` is False, write back what is new.

        Called again with the same `upto` it only writes back. Raises OutOfSlotsError, with the length as it was.
        """
        self._require_alive()
        prompt, upto = len(self.key), index(upto)
        if not self.length <= upto <= prompt:
            raise KeyRangeError(f"prefill up to {upto}: {self.length} tokens have slots, the prompt has {prompt}")
        computed = upto - self.length
        try:
            if computed:
                self._take_chunk(upto, computed)
            if cache:
                self._write_back()
            if self.cache.sink is not None and computed:
                emit_request(self, PREFILLED, new=computed)
        except BaseException as error:
            self.cache.break_off("prefill", error)
            raise

    def decode(self, token: int) -> None:
        """Give an output token a slot; its KV is written there. Raises OutOfSlotsError, with the length as it was."""
        cache = self.cache  # in line what is asked for every token: a step decodes one for each that runs
        if get_ident() != cache._thread or self.receipt is None:
            self._require_alive()
        if type(token) is not int or not 0 <= token <= MAX_TOKEN:
            token = checked_token(token)
        length = self.length
        if length < len(self.key.tokens) // TOKEN_BYTES:
            raise KeyRangeError(f"decode after {length} of {len(self.key)} prompt tokens; prefill the rest first")
        page = cache.page
        try:
            if cache.window is not None and self._slid_out() >= cache.config.swa_free_interval_tokens:
                self._free_behind(self.units)
            for component in cache.components:
                if component.per_token and not component.pool.bases:
                    make_room(cache, page, 0, self)
                    break
            if length % page == 0:
                self._take(page)
            self.outputs.append(token)
            self.length = length + 1
            if self.states is not None:
                self.states.forget_source()
                self.states.plan(length, length + 1, self)
        except BaseException as error:
            self.cache.break_off("decode", error)
            raise

    @guarded
    def release_window(self) -> bool:
        """Give up the window half of the lock early; says whether there was one that ends inside the path."""
        self._require_alive()
        assert self.receipt is not None
        return release_auxiliary(self.cache, self.receipt)

    @guarded
    def finish(self, insert: bool = True) -> None:
        """End the request; with `insert`, what it computed stays in the cache."""
        self._require_alive()
        kept = self._insert_all() if insert else self.protected_tokens
        self._end(kept, 0 if insert else events.ABORTED)

    @guarded
    def retract(self, reason: int = events.ABORTED) -> None:
        """End the request and lose what it has not written back; what it has stays in the cache.

        `reason` is a key of `events.REASONS` other than 0. Raises KeyRangeError for anything else.
        """
        self._require_alive()
        self._end(self.protected_tokens, checked_reason(reason))

    # -- inside --------------------------------------------------------------------------------------------------

    def _require_alive(self) -> None:
        self.cache.require_thread()
        if self.receipt is None:
            raise LockError(f"request {self.request_id} has ended; admit it again")

    def _take_chunk(self, upto: int, computed: int) -> None:
        page = self.cache.page
        states = self.states
        room = computed + (page if page > 1 else 0)
        make_room(self.cache, room, int(states is not None and not states.slot), self)
        new = states is not None and states.require_working_slot()
        try:
            self._take(ceil_page(upto, page) - ceil_page(self.length, page))
        except OutOfSlotsError:
            if new and states is not None:
                states.give_up_working_slot()
            raise
        start, self.length = self.length, upto
        if states is not None:
            states.plan(start, upto, self)

    def _take(self, tokens: int) -> None:
        if tokens:
            slots, peers = self.cache.take(tokens)
            self.slots.extend(slots)
            if self.peers is not None and peers is not None:
                self.peers.extend(peers)

    def _slid_out(self) -> int:
        """Tokens that left the window since window slots were last given back."""
        config = self.cache.config
        return self.units - (config.window or 0) - max(self.window_from, self.protected_tokens)

    def _free_behind(self, length: int) -> None:
        """Give back the window slots that the token after `length` others can no longer see."""
        window, config = self.cache.window, self.cache.config
        if window is None or config.window is None or not config.free_behind_window:
            return
        page = self.cache.page
        reach = length - self._span(config.window, page)
        if self.states is not None and self.states.kept > self.protected_tokens:
            # The checkpoint will be the end of an insert, which needs its window.
            reach = min(reach, self.states.kept - config.window)
        begin = max(self.window_from, self.protected_tokens)
        frontier = window_frontier(
            evicted=self.window_from,
            protected=self.protected_tokens,
            reach=reach,
            page=page,
        )
        self.window_from = frontier
        if frontier > begin:
            assert self.peers is not None
            window.pool.give(self.peers[begin:frontier])
            self.peers[begin:frontier] = array("i", bytes(4 * (frontier - begin)))
            emit_free_window(self.cache, self.request_id, begin, frontier)

    def _span(self, window: int, page: int) -> int:
        """Tokens that stay live behind the newest: a full window must be left for the next match to end on."""
        return window_span(window, page)

    def _reach(self) -> int:
        """Return up to where the request can be written back: the branching point first, or the checkpoint only."""
        if self.states is None:
            units = max(self.units, self.protected_tokens)
            return insert_length(units, self.protected_tokens, self.branching_point)
        return max(self.states.kept, self.protected_tokens)

    def _write_back(self) -> None:
        """Insert what is new, up to the branching point if that comes first, and lock its end instead."""
        reach = self._reach()
        if self.states is not None:
            self.states.forget_source()
            if reach <= self.protected_tokens:
                self._free_behind(self.length - 1)
                return
        self._free_behind(reach - 1)
        end = floor_page(reach, self.cache.page)
        filled = self._fills_branch(reach)
        if end > 0:
            whole = self.cache.config.hit_rule == "request" or self.length == len(self.key)
            begin = self.protected_tokens
            node, present = self._insert(self.key, end, whole, filled)
            self._adopt(node, begin, present)
        if filled and self.states is None:
            self.branching_point = None
        if reach < self.units:
            self._free_behind(self.units - 1)

    def _fills_branch(self, reach: int) -> bool:
        """Say whether an insert up to `reach` leaves at the branching point what the next request needs there."""
        if self.branching_point is None:
            return False
        return reach == self.branching_point if self.states is None else self.states.fills_branch()

    def _insert(self, key: RadixKey, end: int, counts: bool, filled: bool) -> tuple[Node, int]:
        """Insert the first `end` units. Returns the node they end on and how many were present."""
        job = Write(key, end, self.slots, self.peers)
        job.owned, job.live_from, job.priority = self.protected_tokens, self.window_from, self.priority
        job.request = self.request_id
        if not counts:
            job.counted = None
        elif self.cache.config.hit_rule == "request":
            job.counted = self.counted_tokens
        if self.branching_point is not None:
            job.branch = int(filled)
        if self.states is not None:
            job.state_slot = self.states.donate()
        written = self.cache.write(job)
        self.protected_tokens = self.counted_tokens = end
        return written

    def _adopt(self, node: Node, begin: int, present: int) -> None:
        """Take the tree's slots for what was present from `begin` on, and move the lock to the insert's end."""
        assert self.receipt is not None
        if present > begin:
            self.slots[begin : node.end] = gather(node, begin)
        self.receipt = move_lock(self.cache, self.receipt, node)

    def _insert_all(self) -> int:
        """Insert everything at the end of a request; returns up to where the row's slots are the tree's."""
        page = self.cache.page
        key = RadixKey(self.tokens[: self.length + self.cache.unit_overlap], segments=self.key.segments)
        key.namespace = self.key.namespace
        assert self.receipt is not None
        key.place = self.receipt.node
        reach = self._reach()
        end = floor_page(reach, page)
        if self.states is not None and reach <= self.protected_tokens:
            return self.protected_tokens
        filled = self._fills_branch(reach)
        if end > 0:
            self._insert(key, end, True, filled)
        whole = floor_page(max(self.units, self.protected_tokens), page)
        if end < whole and self.states is None and self.cache.config.finish_branch == "both":
            self.branching_point = None
            end = whole
            self._insert(key, end, True, False)
        if not self.cache.auxiliary:
            self._part_prompt(key, end)
        return end

    def _part_prompt(self, key: RadixKey, end: int) -> None:
        """Make prompt and outputs separate nodes, the prompt of higher priority: outputs are rarely shared."""
        prompt = floor_page(len(self.key) - self.cache.unit_overlap, self.cache.page)
        if 0 < prompt < end:
            job = Write(key, prompt, self.slots, self.peers)
            job.owned, job.priority, job.counted = prompt, self.priority + 1, None
            job.live_from, job.request = self.window_from, self.request_id
            self.cache.write(job)

    def _end(self, kept: int, reason: int) -> None:
        """Give back the slots from `kept` on, and the lock; with a reason the request is retracted."""
        cache = self.cache
        assert self.receipt is not None
        cache.full.pool.give(self.slots[kept:])
        if cache.window is not None:
            assert self.peers is not None
            cache.window.pool.give(self.peers[max(kept, self.window_from) :])
        if self.states is not None:
            self.states.end()
        let_go(cache, self.receipt)
        self.receipt = None
        del cache.requests[self.request_id]
        if cache.sink is not None:
            lost = self.length - kept if reason else 0
            emit_request(self, RETRACTED if reason else FINISHED, recomputed=lost, reason=reason)
