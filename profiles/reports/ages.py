"""How old cached prefixes get, how long nobody uses them, and whether what is evicted was still wanted.

        added            used       used                          evicted
        |----reuse gap-----|--gap-----|---------idle----------------|
        |---------------------------lifetime------------------------|

A component's data leaves a node that is removed, tombstoned, or on the host alone from then on, and comes to one that
is added, recovered or loaded back; each component has lives of its own. A use is what the mirror takes for one: a
match or an insert through the node. The thrash index is the share of evicted tokens whose content was there again
within `within_ns` (see `probes.returns`). It knows what came back, not what was asked for: a prompt that is
sent again and refused does not show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from cache_core.events import (
    MAX_COMPONENTS,
    CacheReset,
    Insert,
    Match,
    Namespace,
    NodeAdded,
    NodeRemoved,
    NodeSplit,
    NodeTiers,
    Recovered,
    Tombstoned,
)
from probes.fold import Folds
from probes.mirror_node import MirrorNode
from probes.returns import Returns
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
        self._known = False
        self._returns: dict[int, Returns] = {}
        self._back_at: dict[tuple[int, int], int] = {}

    def before(self) -> Folds:
        """See Report."""
        return {
            Match: self._match, NodeAdded: self._looks, NodeRemoved: self._removed, Tombstoned: self._tombstoned,
            NodeTiers: self._moves, Recovered: self._recovers, CacheReset: self._reset,
        }  # fmt: skip

    def after(self) -> Folds:
        """See Report."""
        return {NodeAdded: self._added, NodeSplit: self._split}

    def result(self) -> AgeReport:
        """See Report."""
        alive, tokens = Counter[str](), Counter[str]()
        for node in self.mirror.nodes.values():
            if node.parent is not None:
                space = self._name(node)
                alive[space] += 1
                tokens[space] += node.length
        overall = self._frozen(EVERYTHING, self._overall, (alive.total(), tokens.total()), None)
        spaces = [
            self._frozen(name, tally, (alive[name], tokens[name]), name)
            for name, tally in self._tallies.items()
            if tally.hit_nodes or tally.components or alive[name]
        ]
        spaces.sort(key=lambda each: (-each.hit_nodes, -each.alive_tokens, each.namespace))
        unfollowed = sum(returns.unfollowed_tokens for returns in self._returns.values())
        return AgeReport(self.stream.span_ns, self._within_ns, unfollowed, overall, tuple(spaces))

    def _match(self, record: Match) -> None:
        if record.request < 0 or record.device_hit_tokens <= 0:
            return
        at = record.at
        node = self.mirror.nodes.get(record.node)
        while node is not None and node.parent is not None:
            for tally in self._tallies_of(node):
                tally.hit(node.created_at, node.touched_at, at)
            node = node.parent

    def _looks(self, record: NodeAdded) -> None:
        self._known = record.node in self.mirror.nodes

    def _added(self, record: NodeAdded) -> None:
        node = self.mirror.nodes.get(record.node)
        if node is None or self._known:
            return
        for tally in self._tallies_of(node):
            tally.unseen_births += node.created_at < 0
        for component in _bits(node.live):
            self._comes(node, component, record.at)

    def _split(self, record: NodeSplit) -> None:
        lower, upper = self.mirror.nodes.get(record.node), self.mirror.nodes.get(record.upper)
        if lower is None or upper is None or lower.parent is not upper:
            return
        for component, returns in self._returns.items():
            returns.split(lower, upper)
            back_at = self._back_at.get((component, lower.id))
            if back_at is not None:
                self._back_at[component, upper.id] = back_at

    def _removed(self, record: NodeRemoved) -> None:
        node = self.mirror.nodes.get(record.node)
        if node is not None and node.parent is not None:
            for component in _bits(node.live):
                self._goes(node, component, record.at)

    def _tombstoned(self, record: Tombstoned) -> None:
        node = self.mirror.nodes.get(record.node)
        if node is not None and node.live >> record.component & 1:
            self._goes(node, record.component, record.at)

    def _moves(self, record: NodeTiers) -> None:
        node = self.mirror.nodes.get(record.node)
        if node is None or node.parent is None:
            return
        for component in _bits(node.live & ~record.live):
            self._goes(node, component, record.at)
        for component in _bits(record.live & ~node.live):
            self._comes_back(node, component, record.at)

    def _recovers(self, record: Recovered) -> None:
        node = self.mirror.nodes.get(record.node)
        if node is not None and node.parent is not None and not node.live >> record.component & 1:
            self._comes_back(node, record.component, record.at)

    def _reset(self, record: CacheReset) -> None:
        self._back_at.clear()
        for returns in self._returns.values():
            returns.clear()

    def _goes(self, node: MirrorNode, component: int, at: int) -> None:
        born_at = self._back_at.pop((component, node.id), node.created_at)
        for tally in self._tallies_of(node):
            tally.component(component).evict(node.length, born_at, node.touched_at, at)
        returns = self._returns.get(component)
        if returns is None:
            returns = self._returns[component] = Returns(self._within_ns)
        returns.left(node, at)

    def _comes_back(self, node: MirrorNode, component: int, at: int) -> None:
        self._back_at[component, node.id] = at
        self._comes(node, component, at)

    def _comes(self, node: MirrorNode, component: int, at: int) -> None:
        returns = self._returns.get(component)
        tokens = 0 if returns is None else returns.came(node, at)
        if tokens:
            for tally in self._tallies_of(node):
                tally.component(component).returned_tokens += tokens

    def _tallies_of(self, node: MirrorNode) -> tuple[Tally, ...]:
        if not self._by_namespace:
            return (self._overall,)
        name = self._name(node)
        tally = self._tallies.get(name)
        if tally is None:
            tally = self._tallies[name] = Tally()
        return (self._overall, tally)

    def _name(self, node: MirrorNode) -> str:
        return self._name_of(node.namespace)

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
        returns = self._returns.get(component)
        if returns is None:
            return 0
        by_space = returns.undecided_tokens(self.stream.last_at)
        return sum(tokens for space, tokens in by_space.items() if only in (None, self._name_of(space)))


def _bits(mask: int) -> Iterator[int]:
    """Yield the components of a mask; one that is forged may be negative, which has no highest bit."""
    return (number for number in range(MAX_COMPONENTS) if mask >> number & 1)
