"""The request lifecycle of the naive model: start, prefill, decode, finish, abort, and the sliding frontier."""

from __future__ import annotations

from tests.support.naive_cache import NaiveCache
from tests.support.naive_tree import Namespace, Tokens


class NaiveRequest:
    """One request: its tokens, how many have slots, and what the tree owns of its row."""

    def __init__(self, cache: NaiveCache, prompt: Tokens, ns: Namespace = None, priority: int = 0) -> None:
        self.cache, self.prompt, self.ns, self.priority = cache, prompt, ns, priority
        self.outputs: Tokens = ()
        self.start = cache.match(prompt[:-1], ns)
        self.held = cache.lock(self.start.node)
        self.branch = self.start.branch
        self.length = self.owned = self.start.hit  # tokens with slots; tokens whose slots the tree owns
        self.swa_from = 0  # no SWA slots of this request before it
        self.counted = 0  # the furthest position inserted so far

    # ---- the frontier

    def slide(self, tokens: int, interval: int = 0) -> None:
        """Free the SWA slots that lie more than a window behind position `tokens`."""
        cache = self.cache
        if cache.window is None or not cache.config.free_behind_window:
            return
        self.swa_from = max(self.swa_from, self.owned)
        frontier = cache.down(max(self.swa_from, tokens - cache.up(max(cache.window, cache.page))))
        if frontier > self.swa_from and tokens - cache.window >= self.swa_from + interval:
            cache.swa_free += frontier - self.swa_from
            self.swa_from = frontier

    def usable(self, tokens: int) -> int:
        """Where an insert of `tokens` stops: at the branching point if that is ahead and within reach."""
        if self.branch is not None and self.owned < self.branch <= tokens:
            return self.branch
        return tokens

    # ---- steps

    def prefill(self, upto: int, cached: bool = True) -> bool:
        """Compute the prompt up to `upto`; False when the pools are short, which changes nothing but evictions.

        With nothing to compute it only writes back.
        """
        cache, start = self.cache, self.length
        if upto > start:
            cache.make_room(upto - start + (cache.page if cache.page > 1 else 0))
            if not cache.take(cache.up(upto) - cache.up(start)):
                return False
        self.length = upto
        if cached:
            self.write_back()
        return True

    def write_back(self) -> None:
        """Insert what is new, and hold the node it ends on in place of the old one."""
        cache, end = self.cache, self.usable(self.length)
        self.slide(end - 1)
        self.insert(end, whole_prompt=self.length >= len(self.prompt))
        key = self.prompt[: cache.down(end)]
        rematch = cache.match(key, self.ns)
        assert rematch.hit == len(key), "a request cannot use what it has just inserted"
        self.owned = rematch.hit
        old, self.held = self.held, cache.lock(rematch.node)
        cache.unlock(old)
        if end == self.branch:
            cache.seen["branch written"] += 1
            self.branch = None
            self.slide(self.length - 1)

    def insert(self, end: int, whole_prompt: bool) -> None:
        """Insert the first `end` tokens; by the older hit rule a part of a prompt counts no hit."""
        cache = self.cache
        count_beyond: int | None = self.counted
        if cache.config.hit_rule == "insert":
            count_beyond = 0 if whole_prompt else None
        tokens = (self.prompt + self.outputs)[: cache.down(end)]
        cache.insert(tokens, self.ns, self.owned, self.swa_from, self.priority, count_beyond)
        self.counted = len(tokens)

    def decode(self, token: int) -> bool:
        """Give one more token a slot; False when the pools are short."""
        cache = self.cache
        self.slide(self.length, cache.config.swa_free_interval)
        cache.make_room(cache.page)
        if self.length % cache.page == 0 and not cache.take(cache.page):
            return False
        self.outputs += (token,)
        self.length += 1
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
        cache.unlock(self.held)

    def finish_insert(self) -> int:
        """Insert prompt and outputs; return the position up to which the tree now owns the row."""
        cache, end = self.cache, self.usable(self.length)
        self.insert(end, whole_prompt=True)
        if end < cache.down(self.length) and cache.config.finish_branch == "both":
            self.owned, end = end, self.length
            self.insert(end, whole_prompt=True)
        prompt_end = cache.down(len(self.prompt))
        if cache.window is None and 0 < prompt_end < cache.down(self.length):
            cache.insert(self.prompt[:prompt_end], self.ns, prompt_end, 0, self.priority + 1, None)
        return cache.down(end)
