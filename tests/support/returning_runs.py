"""Random runs in which retracted requests come back, under the same number and with what they had said so far."""

from __future__ import annotations

from cache_core import CacheConfig, RadixKey, Request
from cache_core.events import OUT_OF_SLOTS, EventSink
from tests.support.cache_runs import CacheRun

MOST_REACH = 28
"""Prompts are up to twice as long."""


class ReturningRun(CacheRun):
    """Prompts are long enough for the pages and windows of the configuration, and of three namespaces."""

    def __init__(self, config: CacheConfig, sink: EventSink | None, seed: int, kind: str = "prefix") -> None:
        super().__init__(config, sink, seed, kind)
        self.reach = min(3 * max(config.page_size, config.window or 1, 6) + 5, MOST_REACH)
        self.away: list[Request] = []

    def key(self) -> RadixKey:
        rng = self.rng
        old = rng.choice(self.prompts) if self.prompts and rng.random() < 0.8 else []
        shared = old[: rng.choice([len(old), rng.randint(0, len(old))])]
        tokens = (shared + [rng.randint(1, 3) for _ in range(rng.randint(1, self.reach))])[: 2 * self.reach]
        self.prompts = [*self.prompts[-6:], tokens]
        cut = rng.randint(1, len(tokens))
        segments = ((0, f"system {tokens[0]}"), (cut, f"turn {tokens[-1]}")) if cut < len(tokens) else ()
        return RadixKey(tokens, rng.choice([None, None, "lora", "other"]), segments=segments)

    def retract(self) -> None:
        if self.requests:
            request = self.requests.pop(self.rng.randrange(len(self.requests)))
            if self.rng.random() < 0.8:
                request.retract(OUT_OF_SLOTS)
                self.away.append(request)
            else:
                request.retract()

    def admit(self) -> None:
        if not self.away or self.rng.random() < 0.4:
            super().admit()
            return
        before = self.away.pop(self.rng.randrange(len(self.away)))
        space = before.key.namespace
        key = RadixKey(before.tokens, space.extra_key, space.cache_salt, before.key.segments)
        request = self.cache.admit(key, request_id=before.request_id)
        self.requests.append(request)
        self.admitted.append(request)
