"""How old the nodes are that are hit and evicted, and how long nobody had used them.

        added            used       used                          evicted
        |----reuse gap-----|--gap-----|---------idle----------------|
        |---------------------------lifetime------------------------|

The three distributions of a live run, since the watch began. A use is what the mirror takes for one. Of a busy cache
only a part is looked at, each node for so many: see `probes.thinning`.
"""

from __future__ import annotations

from dataclasses import dataclass

from cache_core.events import Match, NodeAdded, NodeMarked, NodeRemoved, NodeSplit, NodeTiers, Tombstoned
from probes.fold import Fold, Folds
from probes.histogram import Histogram
from probes.lives.births import Births
from probes.lives.lives import Lives, components_of
from probes.log_shape import LogShape, overlap, shape_of
from probes.mirror import Mirror
from probes.mirroring.node import MirrorNode
from probes.probe import Probe
from probes.thinning import Thinning
from probes.window import SECOND_NS

HITS_PER_S, EVICTIONS_PER_S = 4, 4
"""How many hits, each a path of nodes, and how many evictions are looked at in a second. Each look makes the mirror
settle what it else settles for many records at once."""


@dataclass(frozen=True, slots=True)
class ComponentAges:
    """One component's data when it was evicted: how old it was, how long nobody had used it.

    `thrash_index` is how much the idle times have in common with the reuse gaps (0..1): what is evicted at an age at
    which others are still reused. `idle_below_p90_reuse` is the share that had been idle for less than the reuse gap
    of nine in ten hits. Both are None before there was an eviction and a hit.
    """

    component: str
    lifetime_ns: LogShape
    idle_ns: LogShape
    thrash_index: float | None
    idle_below_p90_reuse: float | None


@dataclass(frozen=True, slots=True)
class AgesSample:
    """Nodes that requests hit, and by component what was evicted.

    `reuse_ns` is how long a node had not been used when a request hit it, `hit_age_ns` how old it was then; once for
    every node on the path of a hit. `left_out` hits and evictions came so many at once that none stands for them.
    """

    reuse_ns: LogShape
    hit_age_ns: LogShape
    components: tuple[ComponentAges, ...]
    left_out: int


class Ages(Probe):
    """Looks at nodes when they are hit and when they go. Distributions are read off once a second."""

    needs = frozenset({Match, NodeAdded, NodeRemoved, NodeSplit})

    def __init__(self, mirror: Mirror) -> None:
        super().__init__(mirror)
        self._lives = Lives(mirror, self)
        self._births = Births()
        self._reuse, self._hit_age = Histogram(), Histogram()
        self._hits = Thinning(HITS_PER_S)
        self._looks = Thinning(EVICTIONS_PER_S)
        self._weight = 0  # of what leaves next
        self._evicted: dict[int, _Evicted] = {}
        self._sample: AgesSample | None = None
        self._second = -1

    def before(self) -> Folds:
        """See Probe."""
        folds: dict[type, Fold] = {Match: self._match, **self._lives.before()}
        del folds[NodeAdded], folds[NodeMarked]  # a birth is the node's own affair
        for kind in (NodeRemoved, Tombstoned, NodeTiers):
            folds[kind] = self._sparing(folds[kind])
        return folds

    def folds(self) -> Folds:
        """See Probe."""
        return {}

    def sample(self, now: int) -> AgesSample:
        """See Probe."""
        if self._sample is None or now // SECOND_NS != self._second:
            self._second = now // SECOND_NS
            self._sample = self._read_off()
        return self._sample

    def lost(self) -> None:
        """See Probe: data may have left and come back among what is missing."""
        self.emptied()

    def born(self, record: NodeAdded, marks: NodeMarked | None) -> None:
        """See LifeWatch."""

    def back(self, node: MirrorNode, component: int, at: int) -> None:
        """See LifeWatch."""
        self._births.back(node.id, component, at)

    def gone(self, node: MirrorNode, live: int, at: int) -> None:
        """See LifeWatch."""
        for component in components_of(live):
            born_at = self._births.take(node, component)
            if self._weight:
                evicted = self._evicted.get(component)
                if evicted is None:
                    evicted = self._evicted[component] = _Evicted()
                evicted.count(born_at, node.touched_at, at, self._weight)

    def cut(self, lower: MirrorNode, record: NodeSplit) -> None:
        """See LifeWatch."""
        self._births.cut(lower.id, record.upper, record.live)

    def emptied(self) -> None:
        """See LifeWatch."""
        self._births.clear()

    def _sparing(self, fold: Fold) -> Fold:
        """Return a fold of those records alone that are looked at, or may end what came back."""

        def take(record: NodeRemoved | Tombstoned | NodeTiers) -> None:
            self._weight = self._looks.weight(record.at)
            if self._weight or self._births or type(record) is NodeTiers:
                fold(record)

        return take

    def _match(self, record: Match) -> None:
        if record.request < 0 or record.device_hit_tokens <= 0:
            return
        at = record.at
        weight = self._hits.weight(at)
        node = self.mirror.nodes.get(record.node) if weight else None
        while node is not None and node.parent is not None:
            if node.touched_at >= 0:
                self._reuse.add(at - node.touched_at, weight)
            if node.created_at >= 0:
                self._hit_age.add(at - node.created_at, weight)
            node = node.parent

    def _read_off(self) -> AgesSample:
        reuse = shape_of(self._reuse)
        return AgesSample(
            reuse_ns=reuse,
            hit_age_ns=shape_of(self._hit_age),
            components=tuple(
                self._evicted[number].sample(self.mirror.component_name(number), reuse)
                for number in sorted(self._evicted)
            ),
            left_out=self._hits.left_out + self._looks.left_out,
        )


class _Evicted:
    """The running sums of one component."""

    __slots__ = ("idle", "lifetime")

    def __init__(self) -> None:
        self.lifetime, self.idle = Histogram(), Histogram()

    def count(self, born_at: int, used_at: int, at: int, weight: int) -> None:
        """Count data that left; a time of -1 is one that nobody saw."""
        if born_at >= 0:
            self.lifetime.add(at - born_at, weight)
        if used_at >= 0:
            self.idle.add(at - used_at, weight)

    def sample(self, component: str, reuse: LogShape) -> ComponentAges:
        """Return what is known of the component."""
        idle = shape_of(self.idle)
        below = self.idle.share_below(reuse.p90)
        return ComponentAges(component, shape_of(self.lifetime), idle, overlap(idle, reuse), below)
