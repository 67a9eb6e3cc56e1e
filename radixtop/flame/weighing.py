"""The groves of all weights: two that the mirror keeps, three that are summed up now and then."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from probes.builtin.hit_rate import HitRateSample
from probes.mirror import Mirror
from radixtop.budget import Rest
from radixtop.flame.groves import ColumnGrove
from radixtop.flame.page import Weight
from radixtop.flame.sums import SubtreeSum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from probes.snapshot import Snapshot

BUDGET_NS = 30_000_000
"""How long one answer may add up."""


def known_weights(snapshot: Snapshot) -> tuple[Weight, ...]:
    """Return the weights that a source can tell: what requests reused only where requests are told of."""
    if snapshot.get(HitRateSample) is None:
        return ("tokens", "nodes", "idle")
    return ("tokens", "hit tokens", "recomputed", "nodes", "idle")


def token_grove(mirror: Mirror) -> ColumnGrove:
    """Return the grove of tokens, true until the next record."""
    return ColumnGrove(mirror, mirror.columns.subtree_tokens, mirror.columns.length)


class Weighing:
    """Gives the grove of a weight. `clock` returns nanoseconds."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._weight: Weight = "tokens"
        self._done: SubtreeSum | None = None
        self._running: SubtreeSum | None = None
        self._spent_ns = 0
        self._rest = Rest()

    def grove(self, mirror: Mirror, weight: Weight, now: int) -> tuple[ColumnGrove | None, int, int]:
        """Return the grove of a weight, the version of the tree that it is of, and since when; None until there is
        one. `now` is the time that idle is counted to."""
        if weight == "tokens":
            return token_grove(mirror), mirror.version, self._clock()
        if weight == "nodes":
            return ColumnGrove(mirror, mirror.columns.subtree_nodes, None), mirror.version, self._clock()
        done = self._summed(mirror, weight, now)
        if done is None:
            return None, -1, 0
        return ColumnGrove(mirror, done.totals, done.own, done.ids), done.version, done.began_at

    def _summed(self, mirror: Mirror, weight: Weight, now: int) -> SubtreeSum | None:
        """Add up for a while, and return the newest whole sum of the weight."""
        began = self._clock()
        if weight != self._weight:
            self._weight, self._done, self._running = weight, None, None
        stays = self._done is not None and self._done.version == mirror.version and weight != "idle"
        if self._running is None and not stays and (self._done is None or self._rest.is_over(began)):
            self._running = SubtreeSum(mirror, lambda tree, part: own_weight(tree, weight, now, part), began)
            self._spent_ns = 0
        if self._running is not None:
            self._running.go_on(self._clock, began + BUDGET_NS)
            ended = self._clock()
            self._spent_ns += ended - began
            if self._running.is_done:
                self._done, self._running = self._running, None
                self._rest.begin(ended, self._spent_ns)
        return self._done


def own_weight(mirror: Mirror, weight: Weight, now: int, part: slice) -> NDArray[Any]:
    """Return what some slots weigh by themselves; free ones weigh nothing."""
    import numpy as np

    view = mirror.columns.view
    if weight == "idle":
        touched_at = view("touched_at")[part]
        idle_s = np.maximum(0, now - touched_at) // 1_000_000_000
        own = np.where(touched_at >= 0, view("length")[part] * idle_s, 0)
    elif weight == "hit tokens":
        own = view("hits")[part] * view("length")[part] - view("unused_tokens")[part]
    else:
        own = view("recomputed_tokens")[part]
    return np.where(view("parent")[part] >= 0, np.maximum(own, 0), 0)
