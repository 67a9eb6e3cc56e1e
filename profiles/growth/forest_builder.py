"""Grows a forest from the records of a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from sys import maxsize

from cache_core.events import (
    CacheReset,
    EngineStep,
    Evict,
    Insert,
    Match,
    NodeAdded,
    NodeRemoved,
    NodeSplit,
    NodeTiers,
    Record,
    RequestAdmitted,
    RequestFinished,
    RequestPrefilled,
    RequestRefused,
    RequestRetracted,
    Timing,
)
from probes.fold import Folds
from probes.mirror import Mirror
from probes.mirroring.segments import MOST_SEGMENTS, Segments, labels_in_use
from probes.prefill_rate import PrefillRate
from profiles.columns import Column
from profiles.forest import Forest
from profiles.growth.cuts import Cuts
from profiles.growth.folding import fold_small
from profiles.growth.holdings import Components
from profiles.growth.losses import EVICTED, LOST, Losses
from profiles.growth.marks import Marks
from profiles.growth.moments import Moment
from profiles.growth.node_columns import node_columns
from profiles.growth.operation_times import OperationTimes
from profiles.growth.planting import SourceNames
from profiles.growth.request_hits import RequestHits
from profiles.prices import Prices

_OWN_PRICES = Prices()


class ForestBuilder:
    """Takes records in their order; `forest` says what they amount to so far.

    A weight lies on a span of positions: a hit on [0, hit), a gap between the two hits, an eviction on the node
    that left. Cuts may come later than weights, so weights are marks on stretches (`marks.py`) until the forest is
    asked for. Hits are those that the screens count: of requests, at their first admission.

    Runs that are to be compared are given the same `cuts`, and their forests asked for when both are taken in: then
    they have the same frames.
    """

    def __init__(
        self, components: Sequence[str] = (), prices: Prices = _OWN_PRICES, cuts: Cuts | None = None
    ) -> None:
        self._mirror = Mirror(components, spare_names=maxsize)  # what was evicted keeps its name
        self._components = Components(tuple(components))
        self._prices = prices
        self.cuts = Cuts() if cuts is None else cuts
        self.marks = Marks(self.cuts)
        self._names: dict[int, Segments] = {}
        self._hits = RequestHits(self.marks, self._mirror)
        self._losses = Losses(self.marks, self._components.full.bit_length() - 1)
        self._times = OperationTimes()
        self._rate = PrefillRate()
        self._before: Folds = {NodeRemoved: self._leaves, NodeTiers: self._moves, CacheReset: self._all_leave}
        self._after: Folds = {
            NodeAdded: self._enters,
            NodeSplit: self._splits,
            Match: self._matches,
            Insert: self._inserts,
            Evict: self._evicts,
            Timing: self._times.timing,
            EngineStep: self._rate.step,
            RequestAdmitted: self._hits.admitted,
            RequestRetracted: self._hits.retracted,
            RequestPrefilled: self._hits.told,
            RequestFinished: self._hits.finished,
            RequestRefused: self._hits.refused,
        }
        self.cuts.layers.add(self)

    def apply(self, record: Record) -> None:
        """Take in one record."""
        kind = type(record)
        if kind in self._before:
            self._before[kind](record)
        self._mirror.apply(record)
        if kind in self._after:
            self._after[kind](record)

    def moment(self, title: str = "") -> Moment:
        """Return everything taken in so far, to have its forest later; the builder may go on."""
        nodes = node_columns(self._mirror)
        for key, segments in nodes.labelled():
            self._keep_names(key, segments)
        marks = self.marks.copy()
        lost = marks.columns.pop(LOST, None)
        if lost is not None and not self._losses.evicts:
            marks.columns[EVICTED] = lost
        for weight in ("hits", "recomputed", EVICTED):  # nothing of it is a figure, too
            marks.mark(weight, 0, 0)
        mirror = self._mirror
        count = len(mirror.components) or max((int(nodes.live.max(initial=0))).bit_length(), 1)
        components = tuple(map(mirror.component_name, range(count)))
        return Moment(
            cuts=self.cuts,
            marks=marks,
            tree=nodes,
            segments=self._names.copy(),
            names=SourceNames(dict(mirror.namespaces), dict(mirror.labels), components, title),
            prices=self._known_prices(),
            operations=self._times.rows(mirror.namespaces),
        )

    def _known_prices(self) -> Prices:
        """Return the prices, with the rate of the run itself where none was given."""
        if self._prices.prefill_ns_per_token is not None:
            return self._prices
        return replace(self._prices, prefill_ns_per_token=self._rate.ns_per_token)

    def forest(self, title: str = "") -> Forest:
        """Return the forest of everything taken in."""
        return self.moment(title).forest()

    def resident_keys(self) -> Column:
        """Return the content keys of the nodes in the tree."""
        columns = self._mirror.columns
        keys: Column = columns.view("content_key")[columns.alive]
        return keys

    def forget_names(self) -> None:
        """Drop the names of content that has no stretch any more."""
        rows, mirror = self.cuts.rows, self._mirror
        self._names = {key: segments for key, segments in self._names.items() if key in rows}
        used = {label for segments in self._names.values() for _, label in segments}
        used |= labels_in_use(mirror.columns)
        for label in [label for label in mirror.labels if label not in used]:
            del mirror.labels[label]

    def _enters(self, record: NodeAdded) -> None:
        self._note(record.node)

    def _splits(self, record: NodeSplit) -> None:
        self._note(record.upper)
        self._note(record.node)

    def _note(self, id_: int) -> None:
        node = self._mirror.nodes.get(id_)
        if node is not None and node is not self._mirror.root:
            self.cuts.note(node)
            if len(self.cuts) >= self.cuts.fold_at:
                fold_small(self.cuts)

    def _leaves(self, record: NodeRemoved) -> None:
        node = self._mirror.nodes.get(record.node)
        if node is not None and node is not self._mirror.root:
            self._keep_names(node.content_key, node.segments)
            if node.live & self._components.full:
                self._losses.left(node.content_key, node.start, node.end)

    def _moves(self, record: NodeTiers) -> None:
        node = self._mirror.nodes.get(record.node)
        if node is not None and node.live & ~record.live & self._components.full:
            self._losses.left(node.content_key, node.start, node.end)

    def _all_leave(self, _: CacheReset) -> None:
        """Keep what was counted, of an empty cache or for a stream that states the whole tree again after a gap."""
        self._losses.nothing_evicted()
        for key, segments in node_columns(self._mirror).labelled():
            self._keep_names(key, segments)

    def _keep_names(self, key: int, segments: Segments) -> None:
        """Keep the names of a node's segments beside those that its content had when it was cut elsewhere."""
        if segments:
            known = self._names.get(key)
            if known is None or known == segments:
                self._names[key] = segments
            elif len(known) < MOST_SEGMENTS:
                self._names[key] = tuple(sorted((dict(known) | dict(segments)).items()))

    def _matches(self, match: Match) -> None:
        self._losses.nothing_evicted()
        self._times.match(match)
        self._hits.matched(match)

    def _inserts(self, record: Insert) -> None:
        self._losses.nothing_evicted()
        self._times.insert(record)

    def _evicts(self, record: Evict) -> None:
        self._losses.evicted(record)
        self._times.evict(record)


def grow(
    records: Iterable[Record], components: Sequence[str] = (), title: str = "", prices: Prices = _OWN_PRICES
) -> Forest:
    """Return the forest of a whole stream of records."""
    builder = ForestBuilder(components, prices)
    for record in records:
        builder.apply(record)
    return builder.forest(title)
