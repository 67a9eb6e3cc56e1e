"""Admission arithmetic: whether a request can be served at all, and whether it can start now.

    total = free + evictable + protected + held            room = free + evictable: what an allocation may get

A request that starts needs, in the Full pool, every token it has to compute and a reserve for its output; in the
sliding-window pool, what it holds at once: a window and a page to move on by; in the pool of recurrent states, which
counts states and not tokens, one to work on. Requests that still prefill have the first claim on the room.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cache_core.branching import ceil_page
from cache_core.engine.sequence import Sequence

STATES = "mamba"
"""The pool whose slots are whole states."""


@dataclass(frozen=True, slots=True)
class PoolRoom:
    """One pool: what can be had now, and what there is at all. In tokens, in the pool `STATES` in states."""

    room_tokens: int
    total_tokens: int


@dataclass(frozen=True, slots=True)
class Geometry:
    """What turns tokens into claims. `window` is None for a cache without a sliding window."""

    page_size: int
    window: int | None
    reserve_tokens: int

    def claim(self, pool: str, compute_tokens: int, final_tokens: int) -> int:
        """Return what `pool` must give a request that computes `compute_tokens` and ends at `final_tokens`."""
        if pool == STATES:
            return 1
        output = min(self.reserve_tokens, final_tokens)
        if pool == "full" or self.window is None:
            return ceil_page(compute_tokens + output, self.page_size)
        return ceil_page(min(compute_tokens + output, self.window), self.page_size) + self.page_size

    def ever_fits(self, pools: Mapping[str, PoolRoom], final_tokens: int) -> bool:
        """Return whether a request of `final_tokens` could run alone in empty pools."""
        for pool, state in pools.items():
            if pool == STATES:
                continue
            held = final_tokens if pool == "full" or self.window is None else min(final_tokens, self.window)
            if ceil_page(held, self.page_size) > state.total_tokens:
                return False
        return True

    def fits_now(
        self, pools: Mapping[str, PoolRoom], running: list[Sequence], compute_tokens: int, final_tokens: int
    ) -> bool:
        """Return whether a request may start beside those that run."""
        return all(
            self.claim(pool, compute_tokens, final_tokens) + self._claimed(pool, running) <= state.room_tokens
            for pool, state in pools.items()
        )

    def _claimed(self, pool: str, running: list[Sequence]) -> int:
        """Return what running requests will still ask of `pool`; their own reserves are part of it."""
        total = 0
        if pool == STATES:
            return sum(not sequence.has_state for sequence in running)
        for sequence in running:
            left = max(0, sequence.final_tokens - sequence.length)
            compute = sequence.missing_tokens if sequence.prefilling else 0
            if compute or pool == "full" or self.window is None:
                total += self.claim(pool, compute, left - compute)
        return total
