"""What evictions freed, what they cost, and how the cost grows with the leaves there are to choose from.

A call leaves one record per component that had to free something, after the records of what left the tree. Leaves
are those of the whole tree as it was before the call took any: a locked one cannot go and counts all the same.

    leaves before --> NodeRemoved, NodeRemoved, Tombstoned ... Evict(full) ... Tombstoned ... Evict(swa)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cache_core.events import Evict, NodeAdded, NodeRemoved, NodeSplit
from probes.fold import Folds
from probes.histogram import Histogram
from probes.plausible import measured
from profiles.report import STRUCTURE, Report, Stream
from profiles.tallies.course import Chronicle, Course
from profiles.tallies.distribution import Distribution, distribution
from profiles.tallies.leaf_costs import CostCloud, LeafCosts


@dataclass(frozen=True, slots=True)
class ComponentEvictions:
    """The share of one component in all calls. `victims` are the nodes that it gave up, `freed_tokens` by component
    what went with them. Of the measured calls `build_ns` went into queues and `rest_ns` into everything else.

    `unmeasured_calls` have no duration, because the clock had been dropped: they count everywhere but in the costs.
    `empty_calls` freed nothing, as everything was locked: they have a cost per call and none per victim.
    A count that some call left unknown is None.
    """

    component: str
    calls: int
    unmeasured_calls: int
    empty_calls: int
    victims: int | None
    cascades: int | None
    asked_tokens: int
    freed_tokens: Mapping[str, int]
    leaves_considered: int | None
    pops: int | None
    stale_pops: int | None
    build_ns: int | None
    rest_ns: int
    call_ns: Distribution
    victim_ns: Distribution
    cost: CostCloud


@dataclass(frozen=True, slots=True)
class EvictionCosts:
    """All calls of a recording, by component. `course` has calls, victims, ns and calls without those per slot."""

    span_ns: int
    calls: int
    unmeasured_calls: int
    victims: int | None
    cascades: int | None
    freed_tokens: Mapping[str, int]
    components: tuple[ComponentEvictions, ...]
    course: Course


_MAYBE_UNTOLD = ("victims", "cascades", "leaves_considered", "pops", "stale_pops")


def added(total: int | None, count: int | None) -> int | None:
    """Return a sum with one count more; None once any of them was not told, which is what a negative one says."""
    return None if total is None or count is None or count < 0 else total + count


def summed(counts: Iterable[int | None]) -> int | None:
    """Return the sum of counts; None where one of them was not told."""
    total: int | None = 0
    for count in counts:
        total = added(total, count)
    return total


class _Component:
    """The running sums of one component."""

    def __init__(self) -> None:
        self.calls = self.unmeasured = self.empty = self.asked = self.rest_ns = 0
        self.counts: dict[str, int | None] = dict.fromkeys(_MAYBE_UNTOLD, 0)
        self.build_ns: int | None = 0
        self.freed: list[int] = []
        self.call_ns = Histogram()
        self.victim_ns = Histogram()
        self.costs = LeafCosts()

    def take(self, record: Evict, leaves: int) -> None:
        """Take in one call that found so many leaves."""
        self.calls += 1
        self.asked += record.asked_tokens
        for name in _MAYBE_UNTOLD:
            self.counts[name] = added(self.counts[name], getattr(record, name))
        self.freed.extend([0] * (len(record.freed_tokens) - len(self.freed)))
        for component, tokens in enumerate(record.freed_tokens):
            self.freed[component] += tokens
        if not record.victims or (record.victims < 0 and not any(record.freed_tokens)):
            self.empty += 1
        if measured(record.duration_ns):
            self._measure(record, leaves)
        else:
            self.unmeasured += 1

    def _measure(self, record: Evict, leaves: int) -> None:
        build_ns = max(0, min(record.queue_build_ns, record.duration_ns))
        self.build_ns = added(self.build_ns, min(record.queue_build_ns, build_ns))
        self.rest_ns += record.duration_ns - build_ns
        self.call_ns.add(record.duration_ns)
        if record.victims > 0:
            self.victim_ns.add(record.duration_ns // record.victims)
            self.costs.add(leaves, record.victims, record.duration_ns, build_ns)


class Evictions(Report[EvictionCosts]):
    """Adds up evict calls. Keeps a few hundred counters per component, and the shape of the tree."""

    mirrored = STRUCTURE

    def __init__(self, stream: Stream) -> None:
        super().__init__(stream)
        self._components: dict[int, _Component] = {}
        self._chronicle = Chronicle("calls", "victims", "ns", "unmeasured")
        self._leaves: int | None = None

    def before(self) -> Folds:
        """See Report."""
        return {NodeRemoved: self._leaves_go, NodeAdded: self._others_change, NodeSplit: self._others_change}

    def after(self) -> Folds:
        """See Report."""
        return {Evict: self._evict}

    def result(self) -> EvictionCosts:
        """See Report."""
        components = tuple(self._frozen(number, sums) for number, sums in sorted(self._components.items()))
        freed: dict[str, int] = {}
        for component in components:
            for name, tokens in component.freed_tokens.items():
                freed[name] = freed.get(name, 0) + tokens
        return EvictionCosts(
            span_ns=self.stream.span_ns,
            calls=sum(component.calls for component in components),
            unmeasured_calls=sum(component.unmeasured_calls for component in components),
            victims=summed(component.victims for component in components),
            cascades=summed(component.cascades for component in components),
            freed_tokens=freed,
            components=components,
            course=self._chronicle.course(),
        )

    def _leaves_go(self, record: NodeRemoved) -> None:
        if self._leaves is None:
            self._leaves = self.mirror.leaves

    def _others_change(self, record: NodeAdded | NodeSplit) -> None:
        self._leaves = None

    def _evict(self, record: Evict) -> None:
        sums = self._components.get(record.component)
        if sums is None:
            sums = self._components[record.component] = _Component()
        sums.take(record, self.mirror.leaves if self._leaves is None else self._leaves)
        self._leaves = None
        self._chronicle.begin(self.stream.first_at)
        took_ns = record.duration_ns if measured(record.duration_ns) else 0
        self._chronicle.add(record.at, 1, max(0, record.victims), took_ns, not measured(record.duration_ns))

    def _frozen(self, number: int, sums: _Component) -> ComponentEvictions:
        return ComponentEvictions(
            component=self.mirror.component_name(number),
            calls=sums.calls,
            unmeasured_calls=sums.unmeasured,
            empty_calls=sums.empty,
            victims=sums.counts["victims"],
            cascades=sums.counts["cascades"],
            asked_tokens=sums.asked,
            freed_tokens={self.mirror.component_name(place): tokens for place, tokens in enumerate(sums.freed)},
            leaves_considered=sums.counts["leaves_considered"],
            pops=sums.counts["pops"],
            stale_pops=sums.counts["stale_pops"],
            build_ns=sums.build_ns,
            rest_ns=sums.rest_ns,
            call_ns=distribution(sums.call_ns),
            victim_ns=distribution(sums.victim_ns),
            cost=sums.costs.cloud(),
        )
