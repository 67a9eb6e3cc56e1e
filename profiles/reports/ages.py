"""How old cached prefixes get, how long nobody uses them, and whether what is evicted was still wanted.

        added            used       used                          evicted
        |----reuse gap-----|--gap-----|---------idle----------------|
        |---------------------------lifetime------------------------|

A component's data leaves a node that is removed, tombstoned, or on the host alone from then on, and comes to one that
is added, recovered or loaded back; each component has lives of its own. A use is what the mirror takes for one: a
match or an insert through the node. The thrash index is the share of evicted tokens whose content was there again
within `within_ns` (see `probes.lives.returns`). It knows what came back, not what was asked for: a prompt that is
sent again and refused does not show.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass

from cache_core.events import Insert, Match, Namespace, NodeAdded, NodeMarked, NodeSplit
from probes.fold import Folds
from probes.lives.births import Births
from probes.lives.lives import Lives, components_of
from probes.lives.returns import Returns, Stretch
from probes.mirroring.node import MirrorNode
from profiles.report import STRUCTURE, Report, Stream
from profiles.tallies.ages import NamespaceAges, Tally
from profiles.tallies.distribution import distribution

WITHIN_NS = 60_000_000_000
"""How soon content must be back for its eviction to have been a mistake."""

MOST_NAMESPACES = 256
"""How many namespaces have sums of their own; those met later share one."""

EVERYTHING = "all"
PLAIN = "(plain)"
OTHERS = "(others)"


@dataclass(frozen=True, slots=True)
class AgeReport:
    """Ages of all nodes, and of those of each namespace where that was asked for, the largest first.

    `unfollowed_tokens` were evicted among so many others that nobody looked whether they came back.
    """

    span_ns: int
    within_ns: int
    unfollowed_tokens: int
    overall: NamespaceAges
    namespaces: tuple[NamespaceAges, ...]


class Ages(Report[AgeReport]):
    """Watches nodes come, be hit and go.

    Keeps the mirror, when recovered data came back, what was evicted in the last `within_ns` up to a bound (see
    Returns), and four histograms per namespace and component.
    """

    mirrored = STRUCTURE | {Namespace, Match, Insert}

    def __init__(self, stream: Stream, within_ns: int = WITHIN_NS, by_namespace: bool = False) -> None:
        super().__init__(stream)
        self._within_ns = within_ns
        self._by_namespace = by_namespace
        self._overall = Tally()
        self._tallies: dict[str, Tally] = {}
        self._returns = Returns(within_ns)
        self._births = Births(most=sys.maxsize)
        self._lives = Lives(self.mirror, self)

    def before(self) -> Folds:
        """See Report."""
        return {Match: self._match, **self._lives.before()}

    def after(self) -> Folds:
        """See Report."""
        return {}

    def result(self) -> AgeReport:
        """See Report."""
        self._lives.settle()
        alive, tokens = Counter[str](), Counter[str]()
        for node in self.mirror.nodes.values():
            if node.parent is not None:
                space = self._name_of(node.namespace)
                alive[space] += 1
                tokens[space] += node.length
        overall = self._frozen(EVERYTHING, self._overall, (alive.total(), tokens.total()), None)
        spaces = [
            self._frozen(name, tally, (alive[name], tokens[name]), name)
            for name, tally in self._tallies.items()
            if tally.hit_nodes or tally.components or alive[name]
        ]
        spaces.sort(key=lambda each: (-each.hit_nodes, -each.alive_tokens, each.namespace))
        unfollowed = self._returns.unfollowed_tokens
        return AgeReport(self.stream.span_ns, self._within_ns, unfollowed, overall, tuple(spaces))

    def _match(self, record: Match) -> None:
        if record.request < 0 or record.device_hit_tokens <= 0:
            return
        at = record.at
        node = self.mirror.nodes.get(record.node)
        while node is not None and node.parent is not None:
            for tally in self._tallies_of(node.namespace):
                tally.hit(node.created_at, node.touched_at, at)
            node = node.parent

    def born(self, record: NodeAdded, marks: NodeMarked | None) -> None:
        """See LifeWatch."""
        for tally in self._tallies_of(record.namespace):
            tally.unseen_births += record.at < 0
        self._comes(record, record.live, record.at, marks)

    def back(self, node: MirrorNode, component: int, at: int) -> None:
        """See LifeWatch."""
        self._births.back(node.id, component, at)
        self._comes(node, 1 << component, at)

    def gone(self, node: MirrorNode, live: int, at: int) -> None:
        """See LifeWatch."""
        self._returns.left(node, live, at, self._lives.marks.inside(node))
        for component in components_of(live):
            born_at = self._births.take(node, component)
            for tally in self._tallies_of(node.namespace):
                tally.component(component).evict(node.length, born_at, node.touched_at, at)

    def cut(self, lower: MirrorNode, record: NodeSplit) -> None:
        """See LifeWatch."""
        self._returns.split(lower.content_key, record.content_key, record.start + record.length)
        self._births.cut(lower.id, record.upper, record.live)

    def emptied(self) -> None:
        """See LifeWatch."""
        self._births.clear()
        self._returns.clear()

    def _comes(self, stretch: Stretch, live: int, at: int, marks: NodeMarked | None = None) -> None:
        for back in self._returns.came(stretch, live, at, marks):
            for tally in self._tallies_of(stretch.namespace):
                for component in components_of(back.live):
                    tally.component(component).returned_tokens += back.tokens

    def _tallies_of(self, space: int) -> tuple[Tally, ...]:
        if not self._by_namespace:
            return (self._overall,)
        name = self._name_of(space)
        tally = self._tallies.get(name)
        if tally is None:
            tally = self._tallies[name] = Tally()
        return (self._overall, tally)

    def _name_of(self, space: int) -> str:
        """Return under which name the sums of a namespace go."""
        if not self._by_namespace:
            return EVERYTHING
        name = self.mirror.namespaces.get(space, "") or PLAIN
        return name if name in self._tallies or len(self._tallies) < MOST_NAMESPACES else OTHERS

    def _frozen(self, name: str, tally: Tally, alive: tuple[int, int], only: str | None) -> NamespaceAges:
        numbers = sorted(tally.components)
        return NamespaceAges(
            namespace=name,
            hit_nodes=tally.hit_nodes,
            reuse_ns=distribution(tally.reuse),
            hit_age_ns=distribution(tally.hit_age),
            alive_nodes=alive[0],
            alive_tokens=alive[1],
            unseen_births=tally.unseen_births,
            components=tuple(
                tally.ages(number, self.mirror.component_name(number), self._undecided(number, only))
                for number in numbers
            ),
        )

    def _undecided(self, component: int, only: str | None) -> int:
        """Return the tokens evicted so late that they may still come back in time; of one namespace, or of all."""
        by_space = self._returns.undecided_tokens(self.stream.last_at, component)
        return sum(tokens for space, tokens in by_space.items() if only in (None, self._name_of(space)))
