"""What was evicted and came back soon: ghosts, told by the content keys of what left.

A component's data that left a node is followed for the longest of HORIZONS_NS. When data with its content key is
there again, on whatever node, that is a ghost hit: it was computed again, and would have been a hit otherwise.
See `probes.lives.returns` for what this cannot see.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cache_core.events import CacheReset, NodeAdded, NodeMarked, NodeRemoved, NodeSplit
from probes.fold import Folds
from probes.lives.lives import Lives, components_of
from probes.lives.returns import Return, Returns
from probes.mirror import Mirror
from probes.mirroring.node import MirrorNode
from probes.probe import Probe
from probes.window import HISTORY_SECONDS, SECOND_NS, Counters

HORIZONS_NS = tuple(seconds * SECOND_NS for seconds in (10, 30, 60, 300))
"""How soon is soon: a screen chooses among these."""

MOST_FOLLOWED = 1 << 15
"""How many evicted nodes are followed at once, at about 250 bytes each, and 100 for each of the keys inside them."""

RECENT_HITS = 100
"""How many ghost hits the feed keeps."""

_MOST_WAITING = 64
_EVICTED, _RETURNED = range(2)
_BY_HORIZON = 2  # the first of a column for each horizon: what was gone for longer than the horizon before


class GhostHit(NamedTuple):
    """Tokens that are back, on which node, how long they were gone at most; without a `label` it is gone again."""

    at: int
    component: str
    node: int
    tokens: int
    gap_ns: int
    label: str | None


@dataclass(frozen=True, slots=True)
class GhostTokens:
    """Tokens that were evicted, and how many came back within each of HORIZONS_NS."""

    evicted_tokens: int
    returned_tokens: tuple[int, ...]

    def thrash_index(self, horizon: int) -> float | None:
        """Return what came back within a horizon, as a share (0..1) of what was evicted; None of nothing."""
        if not self.evicted_tokens:
            return None
        return min(1.0, self.returned_tokens[horizon] / self.evicted_tokens)


@dataclass(frozen=True, slots=True)
class ComponentGhosts:
    """One component: since the watch began, in the last minute, and tokens a second, oldest first.

    The last minute sets what came back in it against what was evicted in it, which are not the same tokens.
    """

    component: str
    total: GhostTokens
    last_minute: GhostTokens
    evicted_per_s: tuple[float | None, ...]
    returned_per_s: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class GhostSample:
    """Ghosts by component, and the newest hits first.

    `followed` evicted nodes are looked out for; `unfollowed_tokens` had to be given up before their time was over, so
    that the shares are too low. `watched_ns` is how long evictions were watched for without a loss.
    """

    components: tuple[ComponentGhosts, ...]
    followed: int
    unfollowed_tokens: int
    watched_ns: int
    recent: tuple[GhostHit, ...]


class Ghosts(Probe):
    """Follows what left."""

    needs = frozenset({NodeAdded, NodeRemoved, NodeSplit})

    def __init__(self, mirror: Mirror) -> None:
        super().__init__(mirror)
        self._lives = Lives(mirror, self)
        self._returns = Returns(HORIZONS_NS[-1], MOST_FOLLOWED)
        self._sums: dict[int, _Sums] = {}
        self._unnamed: dict[tuple[int, int], tuple[int, int, int]] = {}  # by time and component: node, gap, tokens
        self._recent: deque[GhostHit] = deque(maxlen=RECENT_HITS)
        self._first_at: int | None = None
        self._second = 0
        self._waiting: dict[int, int] = {}  # tokens that left in that second, by the components that did together

    def before(self) -> Folds:
        """See Probe."""
        return self._lives.before()

    def folds(self) -> Folds:
        """See Probe."""
        return {CacheReset: self._began}

    def advance(self, records: int, since: int, until: int) -> None:
        """See Probe."""
        if self._first_at is None and since:
            self._first_at = since

    def _began(self, record: CacheReset) -> None:
        """Note that nothing was there: all that leaves is told from then on, though that may have been long ago."""
        if self._first_at is not None:
            self._first_at = min(self._first_at, record.at)

    def sample(self, now: int) -> GhostSample:
        """See Probe."""
        self._lives.settle()
        self._add_waiting()
        self._recent.extendleft(self._named(*place, *hit) for place, hit in self._unnamed.items())
        self._unnamed.clear()
        return GhostSample(
            components=tuple(
                self._sums[number].sample(self.mirror.component_name(number), now) for number in sorted(self._sums)
            ),
            followed=len(self._returns),
            unfollowed_tokens=self._returns.unfollowed_tokens,
            watched_ns=0 if self._first_at is None else max(0, now - self._first_at),
            recent=tuple(self._recent),
        )

    def lost(self) -> None:
        """See Probe: what left may have come back among what is missing, so it was followed in vain."""
        self._lives.marks.clear()
        self._returns.give_up()
        self._first_at = None

    def born(self, record: NodeAdded, marks: NodeMarked | None) -> None:
        """See LifeWatch."""
        back = self._returns.came(record, record.live, record.at, marks)
        if back:
            self._haunts(record.node, back, record.at)

    def back(self, node: MirrorNode, component: int, at: int) -> None:
        """See LifeWatch."""
        back = self._returns.came(node, 1 << component, at)
        if back:
            self._haunts(node.id, back, at)

    def gone(self, node: MirrorNode, live: int, at: int) -> None:
        """See LifeWatch."""
        self._returns.left(node, live, at, self._lives.marks.inside(node))
        second = at // SECOND_NS
        if second != self._second or len(self._waiting) > _MOST_WAITING:
            self._add_waiting()
            self._second = second
        self._waiting[live] = self._waiting.get(live, 0) + node.length

    def cut(self, lower: MirrorNode, record: NodeSplit) -> None:
        """See LifeWatch."""
        self._returns.split(lower.content_key, record.content_key, record.start + record.length)

    def emptied(self) -> None:
        """See LifeWatch."""
        self._returns.clear()

    def _add_waiting(self) -> None:
        """Count what left in a second, which takes less than to count each node."""
        for live, tokens in self._waiting.items():
            for component in components_of(live):
                self._sums_of(component).evict(tokens, self._second * SECOND_NS)
        self._waiting.clear()

    def _sums_of(self, component: int) -> _Sums:
        sums = self._sums.get(component)
        if sums is None:
            sums = self._sums[component] = _Sums()
        return sums

    def _haunts(self, node: int, back: Sequence[Return], at: int) -> None:
        """Count what is back, and note one hit for each component of it; what one operation brings is one hit."""
        waiting = self._unnamed
        for gap_ns, tokens, live in back:
            for component in components_of(live):
                self._sums_of(component).came_back(gap_ns, tokens, at)
                _, longest_ns, so_far = waiting.pop((at, component), (node, 0, 0))
                waiting[at, component] = node, max(longest_ns, gap_ns), so_far + tokens
                if len(waiting) > RECENT_HITS:
                    del waiting[next(iter(waiting))]

    def _named(self, at: int, component: int, node: int, gap_ns: int, tokens: int) -> GhostHit:
        found = self.mirror.nodes.get(node)
        label = None if found is None else self.mirror.describe(found)
        return GhostHit(at, self.mirror.component_name(component), node, tokens, gap_ns, label)


class _Sums:
    """The ghosts of one component."""

    __slots__ = ("evicted_tokens", "returned_tokens", "seconds")

    def __init__(self) -> None:
        self.seconds = Counters(_BY_HORIZON + len(HORIZONS_NS))
        self.evicted_tokens = 0
        self.returned_tokens = [0] * len(HORIZONS_NS)

    def evict(self, tokens: int, at: int) -> None:
        """Count what left."""
        self.evicted_tokens += tokens
        self.seconds.row(at)[_EVICTED] += tokens

    def came_back(self, gap_ns: int, tokens: int, at: int) -> None:
        """Count what came back, under the first horizon that it is within."""
        row = self.seconds.row(at)
        horizon = bisect_left(HORIZONS_NS, gap_ns)
        self.returned_tokens[horizon] += tokens
        row[_BY_HORIZON + horizon] += tokens
        row[_RETURNED] += tokens

    def sample(self, component: str, now: int) -> ComponentGhosts:
        """Return what is known of the component."""
        minute = self.seconds.sums(now, HISTORY_SECONDS)
        return ComponentGhosts(
            component=component,
            total=GhostTokens(self.evicted_tokens, _running(self.returned_tokens)),
            last_minute=GhostTokens(minute[_EVICTED], _running(minute[_BY_HORIZON:])),
            evicted_per_s=self.seconds.rates(now, _EVICTED),
            returned_per_s=self.seconds.rates(now, _RETURNED),
        )


def _running(tokens: Sequence[int]) -> tuple[int, ...]:
    """Return for each horizon what came back within it: its own and what came back sooner."""
    sums: list[int] = []
    for each in tokens:
        sums.append(each + (sums[-1] if sums else 0))
    return tuple(sums)
