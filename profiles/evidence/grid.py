"""What the distance of places for recurrent states costs: what lies past the last place that a hit can end at.

places    0            512           1024
          |-------------|-------------|
asked     |---- system prompt ----|- question -)
          |---- hit ----|~~known~~|

What is known and past the last place is lost for want of a nearer one. Of a prompt that is known up to its own last
place nobody knows what follows, for it is never stored: half of that.
"""

from __future__ import annotations

from collections.abc import Mapping

from probes.lives.misses import MissClass
from probes.lives.request_life import Life
from profiles.evidence.evidence import StateLosses
from profiles.evidence.scope import Scope
from profiles.judging import number_of

FINE_TOKENS = 64
"""What places this far apart cost nobody can save: kernels of recurrent layers work on so many tokens at a time."""

_NEW: tuple[MissClass, ...] = ("first_seen", "diverged", "other_namespace")


def fine_chunk(config: Mapping[str, object]) -> int:
    """Return the distance of states that wastes least: at most FINE_TOKENS, in whole pages."""
    page = number_of(config, "page_size") or 1
    return max(page, FINE_TOKENS - FINE_TOKENS % page)


class Grid:
    """Counts what places for states would save that were as near as they can be."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._grid = self._fine = 1
        self._known = self._tails = self._requests = 0
        self._since: int | None = None

    def take(self, life: Life, at: int) -> None:
        """Look at a request that ended."""
        grid, fine = life.rounding.grid_tokens, fine_chunk(self._scope.config)
        self._grid, self._fine = grid, fine
        if grid <= fine:
            return
        known = max(0, life.below_grid - min(life.below_grid, life.full_boundary % fine))
        tail = max(0, life.past_grid(grid) - life.below_grid - self._least_tail(life, fine))
        if any(life.decided(miss) for miss in _NEW):
            tail = 0
        if known or tail:
            self._known += known
            self._tails += tail // 2
            self._requests += 1
            self._since = at if self._since is None else self._since

    def _least_tail(self, life: Life, fine: int) -> int:
        return life.past_grid(fine) - min(life.gap, life.full_boundary % fine)

    def losses(self, nodes: int, since: int | None) -> StateLosses:
        """Return what is known of it, and that so many nodes lost a state that stay."""
        scope = self._scope
        return StateLosses(
            nodes=nodes,
            since_ns=scope.since(since),
            grid_tokens=self._grid,
            fine_tokens=self._fine,
            known_tokens=self._known,
            tail_tokens=self._tails,
            requests=self._requests,
            grid_since_ns=scope.since(self._since),
        )
