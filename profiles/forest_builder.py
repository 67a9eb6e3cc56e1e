"""Grows a forest from the records of a run, or takes one from the mirror of a cache that still runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from sys import maxsize
from typing import NamedTuple

from cache_core.events import (
    CacheReset,
    Match,
    NodeAdded,
    NodeRemoved,
    NodeSplit,
    Record,
    RequestAdmitted,
    RequestFinished,
    RequestPrefilled,
    RequestRefused,
    RequestRetracted,
)
from probes.admissions import FirstAdmissions
from probes.fold import Folds
from probes.loads import Loads, Told
from probes.mirror import Mirror
from probes.mirror_node import MirrorNode
from profiles.cuts import Cuts
from profiles.forest import WEIGHTS, Forest
from profiles.frames import make_forest

_ON_HOST = "on host"
"""What a match found there, until it is known how much of that was loaded."""


class Span(NamedTuple):
    """Positions [first, last) on the path of a key."""

    key: int
    first: int
    last: int


class ForestBuilder:
    """Takes records in their order; `forest` says what they amount to so far.

    A weight lies on a span of positions: a hit on [0, hit), a gap between the two hits, an eviction on the node
    that left. Cuts may come later than weights, so spans are kept, equal ones counted, and laid over the stretches
    when the forest is asked for. Hits are those that the screens count: of requests, at their first admission.
    """

    def __init__(self, components: Sequence[str] = ()) -> None:
        self._mirror = Mirror(components, spare_names=maxsize)  # what was evicted keeps its name
        self._cuts = Cuts()
        self._names: dict[int, dict[int, int]] = {}
        self._spans: dict[str, Counter[Span]] = {weight: Counter() for weight in WEIGHTS}
        self._matched: dict[int, tuple[tuple[str, Span], ...]] = {}
        self._loads: Loads[Span] = Loads()
        self._admissions = FirstAdmissions()
        self._before: Folds = {NodeRemoved: self._leaves, CacheReset: self._all_leave}
        self._after: Folds = {
            NodeAdded: self._enters,
            NodeSplit: self._splits,
            Match: self._matches,
            RequestAdmitted: self._admits,
            RequestRetracted: self._retracts,
            RequestPrefilled: self._told,
            RequestFinished: self._finishes,
            RequestRefused: self._ends,
        }

    def apply(self, record: Record) -> None:
        """Take in one record."""
        kind = type(record)
        if kind in self._before:
            self._before[kind](record)
        self._mirror.apply(record)
        if kind in self._after:
            self._after[kind](record)

    def clear(self) -> None:
        """Forget which nodes there are, for a stream that states the whole tree again; weights stay."""
        self._all_leave(None)
        self._mirror.clear()

    def forest(self, title: str = "") -> Forest:
        """Return the forest of everything taken in."""
        nodes = [node for node in self._mirror.nodes.values() if node is not self._mirror.root]
        for node in nodes:
            self._keep_names(node)
        resident = Counter(Span(node.content_key, node.start, node.end) for node in nodes)
        spans = {**self._spans, "tokens": resident}
        own = {weight: lay(self._cuts, spans[weight]) for weight in WEIGHTS}
        return make_forest(self._cuts, self._names, own, self._mirror, title)

    def _enters(self, record: NodeAdded) -> None:
        self._note(record.node)

    def _splits(self, record: NodeSplit) -> None:
        self._note(record.upper)
        self._note(record.node)

    def _note(self, id_: int) -> None:
        node = self._mirror.nodes.get(id_)
        if node is not None and node is not self._mirror.root:
            self._cuts.note(node)

    def _leaves(self, record: NodeRemoved) -> None:
        node = self._mirror.nodes.get(record.node)
        if node is not None:
            self._keep_names(node)
            self._spans["evicted"][Span(node.content_key, node.start, node.end)] += 1

    def _all_leave(self, _: object) -> None:
        for node in self._mirror.nodes.values():
            self._keep_names(node)

    def _keep_names(self, node: MirrorNode) -> None:
        self._names.setdefault(node.content_key, {}).update(node.segments)

    def _matches(self, match: Match) -> None:
        """Keep what a request's match found until the request is admitted with it; a bare match reuses nothing."""
        if match.request >= 0:
            hit, full_hit = match.device_hit_tokens, match.full_hit_tokens
            usable = hit + match.host_hit_tokens
            found = (
                ("hits", match.node, 0, hit),
                (_ON_HOST, match.full_node, hit, usable),
                ("recomputed", match.full_node, usable, full_hit),
            )
            nodes = self._mirror.nodes
            self._matched[match.request] = tuple(
                (weight, Span(nodes[id_].content_key, first, last))
                for weight, id_, first, last in found
                if id_ in nodes and first < last
            )

    def _admits(self, record: RequestAdmitted) -> None:
        """Count the hit and the gap of a request at its first admission; what is on the host once that is loaded."""
        spans = self._matched.pop(record.request, ())
        if self._admissions.admitted(record.request):
            for weight, span in spans:
                if weight == _ON_HOST:
                    self._loads.expect(record.request, span)
                else:
                    self._spans[weight][span] += 1

    def _told(self, record: Told) -> None:
        """Count what a request loaded from the host as a hit, and what it did not load as recomputed."""
        news = self._loads.told(record)
        if news is not None and news[1] >= 0:
            span, loaded = news
            middle = min(span.last, span.first + loaded)
            self._spans["hits"][span._replace(last=middle)] += 1
            self._spans["recomputed"][span._replace(first=middle)] += 1

    def _retracts(self, record: RequestRetracted) -> None:
        self._told(record)
        self._matched.pop(record.request, None)
        self._admissions.retracted(record.request)

    def _finishes(self, record: RequestFinished) -> None:
        self._told(record)
        self._ends(record)

    def _ends(self, record: RequestFinished | RequestRefused) -> None:
        self._matched.pop(record.request, None)
        self._admissions.ended(record.request)


def lay(cuts: Cuts, spans: Counter[Span]) -> Counter[int]:
    """Return, by content key, how many tokens of each stretch the spans cover, each as often as it is counted."""
    own: Counter[int] = Counter()
    for (key, first, last), times in spans.items():
        for stretch in cuts.up(key):
            if stretch.end <= first:
                break
            own[stretch.key] += times * max(0, min(last, stretch.end) - max(first, stretch.start))
    return own


def grow(records: Iterable[Record], components: Sequence[str] = (), title: str = "") -> Forest:
    """Return the forest of a whole stream of records."""
    builder = ForestBuilder(components)
    for record in records:
        builder.apply(record)
    return builder.forest(title)


def from_mirror(mirror: Mirror, title: str = "") -> Forest:
    """Return the forest of a running cache. What was evicted is unknown there: that weight is missing."""
    cuts = Cuts()
    nodes = [node for node in mirror.root.walk() if node is not mirror.root]
    for node in nodes:
        cuts.note(node)
    own = {
        "tokens": {node.content_key: node.length for node in nodes},
        "hits": {node.content_key: node.hit_tokens for node in nodes},
        "recomputed": {node.content_key: node.recomputed_tokens for node in nodes},
    }
    return make_forest(cuts, {node.content_key: dict(node.segments) for node in nodes}, own, mirror, title)
