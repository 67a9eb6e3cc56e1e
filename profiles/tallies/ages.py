"""Ages and idle times of nodes, added up for one namespace or for all, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass

from probes.histogram import Histogram
from profiles.tallies.distribution import Distribution, distribution


@dataclass(frozen=True, slots=True)
class ComponentAges:
    """One component's data on nodes: how old it got, how long nobody had used it when it went, what came back.

    `lifetime_ns` and `idle_ns` are at eviction. `thrash_index` is `returned_tokens` over `evicted_tokens`; of these
    `undecided_tokens` were evicted so late that they could still have come back in time after the end.
    """

    component: str
    evicted_nodes: int
    evicted_tokens: int
    returned_tokens: int
    undecided_tokens: int
    thrash_index: float | None
    lifetime_ns: Distribution
    idle_ns: Distribution
    idle_below_median_reuse: float | None
    idle_below_p90_reuse: float | None
    younger_than_median_hit: float | None


@dataclass(frozen=True, slots=True)
class NamespaceAges:
    """The nodes of one namespace, or of all of them.

    `reuse_ns` is how long a node had not been used when a request hit it, `hit_age_ns` how old it was then; once for
    every node on the path of a hit. `alive_nodes` were still there at the end, with lives of unknown length;
    `unseen_births` nodes were there before the recording was, so that their age is not known.
    """

    namespace: str
    hit_nodes: int
    reuse_ns: Distribution
    hit_age_ns: Distribution
    alive_nodes: int
    alive_tokens: int
    unseen_births: int
    components: tuple[ComponentAges, ...]


class ComponentTally:
    """The running sums of one component."""

    __slots__ = ("evicted_nodes", "evicted_tokens", "idle", "lifetime", "returned_tokens")

    def __init__(self) -> None:
        self.lifetime, self.idle = Histogram(), Histogram()
        self.evicted_nodes = self.evicted_tokens = self.returned_tokens = 0

    def evict(self, tokens: int, born_at: int, used_at: int, at: int) -> None:
        """Count data that left; a time of -1 is one that nobody saw."""
        self.evicted_nodes += 1
        self.evicted_tokens += tokens
        if born_at >= 0:
            self.lifetime.add(at - born_at)
        if used_at >= 0:
            self.idle.add(at - used_at)


class Tally:
    """The running sums of one namespace."""

    __slots__ = ("components", "hit_age", "hit_nodes", "reuse", "unseen_births")

    def __init__(self) -> None:
        self.reuse, self.hit_age = Histogram(), Histogram()
        self.hit_nodes = self.unseen_births = 0
        self.components: dict[int, ComponentTally] = {}

    def component(self, number: int) -> ComponentTally:
        """Return the sums of a component."""
        sums = self.components.get(number)
        if sums is None:
            sums = self.components[number] = ComponentTally()
        return sums

    def hit(self, born_at: int, used_at: int, at: int) -> None:
        """Count a node that a request hit."""
        self.hit_nodes += 1
        if used_at >= 0:
            self.reuse.add(at - used_at)
        if born_at >= 0:
            self.hit_age.add(at - born_at)

    def ages(self, number: int, name: str, undecided_tokens: int) -> ComponentAges:
        """Return what the sums of a component come to."""
        sums = self.components.get(number) or ComponentTally()
        evicted = sums.evicted_tokens
        return ComponentAges(
            component=name,
            evicted_nodes=sums.evicted_nodes,
            evicted_tokens=evicted,
            returned_tokens=sums.returned_tokens,
            undecided_tokens=undecided_tokens,
            thrash_index=sums.returned_tokens / evicted if evicted else None,
            lifetime_ns=distribution(sums.lifetime),
            idle_ns=distribution(sums.idle),
            idle_below_median_reuse=sums.idle.share_below(self.reuse.quantile(0.5)),
            idle_below_p90_reuse=sums.idle.share_below(self.reuse.quantile(0.9)),
            younger_than_median_hit=sums.lifetime.share_below(self.hit_age.quantile(0.5)),
        )
