"""The request lifecycle of the naive model: start, prefill, decode, finish, abort, and the sliding frontier.

Lengths are tokens; what is inserted is counted in units (see `NaiveState.units`).
"""

from __future__ import annotations

from tests.support.naive_cache import NaiveCache
from tests.support.naive_results import NaiveHit
from tests.support.naive_tree import Namespace, Node, Tokens


class NaiveRequest:
    """One request: its tokens, how many have slots, what the tree owns of its row, and its states.

    `working`: it has a slot for its running state. `checkpoint`: the position whose state its other slot holds, 0
    for none; it waits there to be inserted. `due`: where the forward has to store that state, 0 for nowhere.
    """

    def __init__(self, cache: NaiveCache, prompt: Tokens, ns: Namespace = None, priority: int = 0) -> None:
        self.cache, self.prompt, self.ns, self.priority = cache, prompt, ns, priority
        self.outputs: Tokens = ()
        self.start = cache.match(prompt[:-1], ns)
        self.held = cache.lock(self.start.node)
        self.branch, self.state_branch = self.start.branch, self.start.state_branch
        self.length = self.owned = self.hit = self.start.hit  # tokens with slots; tokens whose slots the tree owns
        self.has_source = cache.mamba and self.hit > 0  # the state to begin with is that of the hit
        self.swa_from = 0  # no SWA slots of this request before it
        self.counted = 0  # the furthest position inserted so far
        self.working = False
        self.checkpoint = self.due = 0

    @property
    def states(self) -> int:
        """How many state slots it holds."""
        return self.working + (self.checkpoint > 0)

    def load_back(self) -> int:
        """Load what the host has beyond the hit, right after the start; return the tokens gained."""
        cache = self.cache
        if not self.start.host or self.length > self.hit:
            return 0
        found: NaiveHit = cache.match(self.prompt[:-1], self.ns)
        assert found.best is not None
        ends = iter(found.best.path)
        if found.best.end <= self.owned or not cache.load(found):
            ends = (node for node in found.best.path if cache.is_usable(node, with_host=False))
        end = next(ends, None)
        gained = 0 if end is None else end.end - self.owned
        if end is None or gained <= 0:
            return 0
        old, self.held = self.held, cache.lock(end)
        cache.unlock(old)
        self.length = self.owned = self.hit = end.end
        self.has_source = cache.mamba
        return gained

    # ---- the frontier

    def slide(self, tokens: int, interval: int = 0) -> None:
        """Free the SWA slots that lie more than a window behind position `tokens`, or behind a waiting checkpoint."""
        cache = self.cache
        if cache.window is None or not cache.config.free_behind_window:
            return
        self.swa_from = max(self.swa_from, self.owned)
        frontier = cache.down(max(self.swa_from, tokens - cache.up(max(cache.window, cache.page))))
        if self.checkpoint:
            frontier = max(self.swa_from, min(frontier, cache.down(self.checkpoint - cache.window)))
        if frontier > self.swa_from and tokens - cache.window >= self.swa_from + interval:
            cache.swa_free += frontier - self.swa_from
            self.swa_from = frontier

    def reach(self) -> int:
        """Where an insert stops: where the checkpoint is; else at a branching point that is ahead, or at the end."""
        if self.cache.mamba:
            return max(self.checkpoint, self.owned)
        units = max(self.owned, self.cache.unit_count(self.length))
        if self.branch is not None and self.owned < self.branch <= units:
            return self.branch
        return units

    # ---- steps

    def prefill(self, upto: int, cached: bool = True) -> bool:
        """Compute the prompt up to `upto`; False when the pools are short, which changes nothing but evictions.

        With nothing to compute it only writes back.
        """
        cache, start, self.due = self.cache, self.length, 0
        if upto > start:
            states = int(cache.mamba and not self.working)
            cache.make_room(upto - start + (cache.page if cache.page > 1 else 0), states)
            if not cache.take(cache.up(upto) - cache.up(start), states):
                return False
            self.working = cache.mamba
            self.length = upto
            self.plan_checkpoint(start)
        if cached:
            self.write_back()
        return True

    def plan_checkpoint(self, start: int) -> None:
        """Have a state stored on the way from `start`: at the branching point, or as late as the grid allows."""
        cache, grid = self.cache, self.cache.config.grid
        if not cache.mamba:
            return
        at = self.length // grid * grid
        if self.state_branch is not None and start < self.state_branch <= self.length:
            at = self.state_branch
        if at <= start:
            return
        if not self.checkpoint:
            cache.make_room(0, states=1, window_tokens=0)
            if not cache.take(0, states=1, window_tokens=0):
                cache.seen["no slot for a checkpoint"] += 1
                return
        cache.seen["state at a branch"] += at == self.state_branch
        self.checkpoint = self.due = at

    def write_back(self) -> None:
        """Insert what is new, and hold the node it ends on in place of the old one."""
        cache, end = self.cache, self.reach()
        self.has_source = self.has_source and not self.working
        if not cache.mamba or self.checkpoint:
            self.slide(end - 1)
            node = self.insert(end, whole_prompt=self.length >= len(self.prompt))
            slid_past = self.swa_from > max(0, node.end - (cache.window or 0))
            assert slid_past or cache.is_usable(node, with_host=False), "it cannot use what it has just inserted"
            self.owned = node.end
            old, self.held = self.held, cache.lock(node)
            cache.unlock(old)
        if end == self.branch and not cache.mamba:
            cache.seen["branch written"] += 1
            self.branch = None
        if end < cache.unit_count(self.length):
            self.slide(cache.unit_count(self.length) - 1)

    def insert(self, end: int, whole_prompt: bool) -> Node:
        """Insert the first `end` units, return their node; by the older hit rule a part of a prompt counts no hit."""
        cache = self.cache
        count_beyond: int | None = self.counted
        if cache.config.hit_rule == "insert":
            count_beyond = 0 if whole_prompt else None
        units = cache.units(self.prompt + self.outputs)[: cache.down(end)]
        state, self.checkpoint = self.checkpoint > 0, 0
        _, node = cache.insert_units(units, self.ns, self.owned, self.swa_from, self.priority, count_beyond, state)
        self.counted = len(units)
        return node

    def decode(self, token: int) -> bool:
        """Give one more token a slot; False when the pools are short."""
        cache, self.due = self.cache, 0
        self.slide(cache.unit_count(self.length), cache.config.swa_free_interval)
        cache.make_room(cache.page)
        if self.length % cache.page == 0 and not cache.take(cache.page):
            return False
        self.outputs += (token,)
        self.length += 1
        self.has_source = False
        self.plan_checkpoint(self.length - 1)
        return True

    def release_window(self) -> bool:
        """Give the SWA half of the lock back early."""
        return self.cache.release_swa(self.held)

    # ---- ends

    def finish(self, insert: bool = True) -> None:
        """End the request; what can be cached is, the rest of the row is freed."""
        cache, kept = self.cache, self.owned
        if insert:
            kept = self.finish_insert()
        cache.give_back(kept, cache.up(self.length), self.swa_from)
        cache.state_free += self.states
        cache.unlock(self.held)

    def finish_insert(self) -> int:
        """Insert prompt and outputs; return the position up to which the tree now owns the row."""
        cache, end = self.cache, self.reach()
        whole = cache.down(max(end, cache.unit_count(self.length)))
        if cache.mamba:
            if self.checkpoint:
                self.insert(end, whole_prompt=True)
            return end
        self.insert(end, whole_prompt=True)
        if end < whole and cache.config.finish_branch == "both":
            self.owned, end = end, whole
            self.insert(end, whole_prompt=True)
        prompt_end = cache.down(cache.unit_count(len(self.prompt)))
        if cache.full_alone and 0 < prompt_end < whole:
            units = cache.units(self.prompt)[:prompt_end]
            cache.insert_units(units, self.ns, prompt_end, 0, self.priority + 1, None)
        return cache.down(end)
