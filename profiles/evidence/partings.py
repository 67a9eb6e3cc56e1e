"""Known tokens that no window was kept for, by whether a branching point would have kept one.

stored    |-------------- document ------------------|- question 1 -)
first     |---- hit ----|--------- fresh ------------|- question 2 -)   nobody left it here before
second    |---- hit ----|--------- again ------------|- question 3 -)   a branching point would be here by now

What lies before a place where an earlier prompt left the same path is told apart from what lies behind the last one.
"""

from __future__ import annotations

from probes.lives.request_life import Life
from probes.newest import forget_oldest
from profiles.evidence.evidence import Gaps
from profiles.evidence.scope import Scope

_MOST_PLACES = 1 << 16


class Partings:
    """Remembers where prompts left what was stored without a window there, by content."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._places: dict[int, None] = {}
        self._again = self._again_requests = 0
        self._again_since: int | None = None
        self._fresh_since: int | None = None
        self._requests: list[int] = []
        self._tokens: list[int] = []

    def take(self, life: Life, tokens: int, at: int) -> None:
        """Look at a request that ended; the last so many of the tokens that were known had no window, or no state."""
        if not tokens:
            return
        known = life.full_boundary - life.below_grid
        parted = self._last_parting(life, known - tokens, known)
        again = parted - (known - tokens)
        if again:
            self._again += again
            self._again_requests += 1
            self._again_since = at if self._again_since is None else self._again_since
        if tokens > again:
            self._add_fresh(tokens - again)
            self._fresh_since = at if self._fresh_since is None else self._fresh_since

    def frozen(self) -> Gaps:
        """Return the sums."""
        since = self._scope.since
        return Gaps(
            self._again,
            self._again_requests,
            since(self._again_since),
            tuple(zip(self._requests, self._tokens, strict=True)),
            since(self._fresh_since),
        )

    def _last_parting(self, life: Life, start: int, known: int) -> int:
        """Note this parting; return the last place in (start, known] where a prompt left this path, else `start`."""
        node = self._scope.mirror.nodes.get(life.last_node)
        parted, here = start, None
        grid = life.rounding.grid_tokens
        while node is not None and node.parent is not None and node.end > start:
            if node.end <= life.full_boundary:
                here = node.content_key if here is None and node.end == life.full_boundary else here
                if node.content_key in self._places:
                    parted = max(start, min(known, node.end - node.end % grid))
                    break
            node = node.parent
        if here is not None:
            self._places[here] = None
            if len(self._places) > _MOST_PLACES:
                forget_oldest(self._places)
        return parted

    def _add_fresh(self, tokens: int) -> None:
        place = tokens.bit_length() - 1
        more = place + 1 - len(self._tokens)
        self._requests += [0] * more
        self._tokens += [0] * more
        self._requests[place] += 1
        self._tokens[place] += tokens
