"""What one record costs in a tick, and what a node costs in memory.

    python -m probes.bench.mirror [NODES]

The stream is that of a chat load: each request matches a path, grows it by one turn, and once the tree is full an
old turn is evicted for every new one.
"""

from __future__ import annotations

import gc
import json
import random
import sys
import time
import tracemalloc
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from statistics import median

from cache_core.events import (
    EngineStep,
    Evict,
    Insert,
    Lock,
    Match,
    NodeAdded,
    NodeLabelled,
    NodeRemoved,
    NodeSplit,
    NodeTouched,
    Record,
    RequestAdmitted,
    RequestFinished,
    Unlock,
)
from probes.adapter import Adapter, Batch
from probes.aggregator import Aggregator
from probes.mirror import Mirror
from probes.snapshot import SourceState

TURN_TOKENS = 64
BATCH_RECORDS = 4096
_SPLIT_IDS = 1 << 40
"""Numbers from here on are those of the upper parts of split nodes."""

_NumberedRecord = tuple[int, Record]


@dataclass(frozen=True, slots=True)
class MirrorFigures:
    """Costs on this machine, medians over batches of BATCH_RECORDS records where they are per record.

    `sample_ns` is a tick without records; `bytes_per_node` includes the node's share of every index that it is in,
    and a label. What waits in the mirror is carried up after each batch, which counts; `ns_by_kind` has what the
    records of a kind take without that, and `carrying_ns` that of a batch.
    """

    nodes: int
    mean_depth: float
    sample_ns: float
    ns_per_record: float
    ns_per_record_mirror_alone: float
    bytes_per_node: float
    ns_per_stated_node: float
    ns_by_kind: Mapping[str, float] = field(default_factory=dict)
    carrying_ns: float = 0


class _Stream:
    """Conversations that go on from one of their late turns; each node is one turn."""

    def __init__(self, seed: int, most_nodes: int) -> None:
        self._rng = random.Random(seed)
        self._most_nodes = most_nodes
        self._nodes: dict[int, tuple[int, int]] = {}
        self._childless: dict[int, None] = {}
        self._children: dict[int, int] = {0: 0}
        self._ids = 0
        self.at = 1_000_000_000

    def records(self, requests: int) -> Iterator[Record]:
        """Yield the records of so many requests."""
        for request in range(requests):
            self.at += 1_000_000
            yield from self._request(request)

    def _request(self, request: int) -> Iterator[Record]:
        rng, at = self._rng, self.at
        node = rng.randint(max(1, self._ids - 2000), self._ids) if self._ids and rng.random() < 0.9 else 0
        if node not in self._nodes:
            node = 0
        hit = self._nodes[node][1] + TURN_TOKENS if node else 0
        yield Match(at, 9000, 0, hit + TURN_TOKENS, hit, 0, hit, -1, 3, node, node, request)
        yield RequestAdmitted(at, request, hit + TURN_TOKENS, hit, 0, 0, TURN_TOKENS, 0, 0)
        yield Lock(at, node, (hit, 0))
        grown = self._add(node, hit)
        yield NodeAdded(at, grown, node, hit, TURN_TOKENS, hash((node, grown)), 0, 3, 1, 0, 0, at)
        yield NodeTouched(node, 2, 0)
        yield Insert(at, 9000, 0, hit + TURN_TOKENS, hit, TURN_TOKENS, 0, 0, -1, grown, request)
        yield Unlock(at, node, (hit, 0))
        if len(self._nodes) > self._most_nodes:
            yield from self._evict()
        yield RequestFinished(at, request, hit + TURN_TOKENS, hit, 0, 0, TURN_TOKENS, 8, 0)
        yield EngineStep(at, 2_000_000, TURN_TOKENS, 4, 4, 2)

    def _add(self, parent: int, start: int) -> int:
        self._ids += 1
        self._nodes[self._ids] = parent, start
        self._children[self._ids] = 0
        self._children[parent] += 1
        self._childless.pop(parent, None)
        self._childless[self._ids] = None
        return self._ids

    def _evict(self) -> Iterator[Record]:
        victim = next(iter(self._childless))
        del self._childless[victim]
        parent, _ = self._nodes.pop(victim)
        self._children[parent] -= 1
        if parent and not self._children[parent]:
            self._childless[parent] = None
        yield NodeRemoved(self.at, victim)
        yield Evict(self.at, 5000, 0, TURN_TOKENS, 1, 0, 1, 0, 1, 0, (TURN_TOKENS, TURN_TOKENS))


class _ListAdapter(Adapter):
    """Hands a list out in batches."""

    def __init__(self, records: list[_NumberedRecord]) -> None:
        self._records = records
        self._next = 0

    def poll(self) -> Batch:
        """See Adapter."""
        start = self._next
        self._next += BATCH_RECORDS
        return Batch(self._records[start : self._next])

    def state(self) -> SourceState:
        """See Adapter."""
        return SourceState("bench", "live", config={"components": ["full", "swa"]})


def measure(nodes: int = 100_000, requests: int = 20_000, seed: int = 1) -> MirrorFigures:
    """Fill a tree with `nodes` nodes, then time `requests` more requests on it."""
    gc.collect()  # the mirrors of an earlier measurement: what is frozen below is never collected
    stream = _Stream(seed, nodes)
    filling = list(enumerate(stream.records(nodes)))
    timed = list(enumerate(stream.records(requests), len(filling)))
    gc.freeze()  # the waiting records are the benchmark's: a real reader does not keep them
    aggregator = Aggregator(_ListAdapter(filling + timed))
    for _ in range(-(-len(filling) // BATCH_RECORDS)):
        aggregator.tick(stream.at)
    stated = _statements(aggregator.mirror)
    depth = _mean_depth(aggregator.mirror)
    by_kind, carrying_ns = _by_kind(filling, timed)
    return MirrorFigures(
        nodes=aggregator.mirror.census.nodes,
        mean_depth=depth,
        ns_per_record=_tick_ns(aggregator, len(timed), stream.at),
        sample_ns=_sample_ns(aggregator, stream.at),
        ns_per_record_mirror_alone=_mirror_alone_ns(filling, timed),
        bytes_per_node=_bytes_per_node(stated),
        ns_per_stated_node=_stating_ns(stated),
        ns_by_kind=by_kind,
        carrying_ns=carrying_ns,
    )


def _tick_ns(aggregator: Aggregator, records: int, now: int) -> float:
    costs = []
    for _ in range(records // BATCH_RECORDS - 1):
        began = time.perf_counter_ns()
        aggregator.tick(now)
        costs.append((time.perf_counter_ns() - began) / BATCH_RECORDS)
    return median(costs)


def _mirror_alone_ns(filling: list[_NumberedRecord], timed: list[_NumberedRecord]) -> float:
    mirror = Mirror()
    for _, record in filling:
        mirror.apply(record)
    costs = []
    for start in range(0, len(timed) - BATCH_RECORDS, BATCH_RECORDS):
        batch = timed[start : start + BATCH_RECORDS]
        began = time.perf_counter_ns()
        for _, record in batch:
            mirror.apply(record)
        mirror.columns.ways.settle()
        costs.append((time.perf_counter_ns() - began) / BATCH_RECORDS)
    return median(costs)


def _by_kind(filling: list[_NumberedRecord], timed: list[_NumberedRecord]) -> tuple[dict[str, float], float]:
    """Return what a record of each kind takes, some nodes split as well, and what carrying up a batch does."""
    mirror, clock = Mirror(), time.perf_counter_ns
    for _, record in filling:
        mirror.apply(record)
    times: dict[str, list[int]] = defaultdict(list)
    carried = []
    for number, record in timed:
        for each in (record, *_splits(record)):
            began = clock()
            mirror.apply(each)
            times[type(each).__name__].append(clock() - began)
        if number % BATCH_RECORDS == 0:
            began = clock()
            mirror.columns.ways.settle()
            carried.append(clock() - began)
    clock_ns = median(-(clock() - clock()) for _ in range(1_000))
    return {kind: median(all_ns) - clock_ns for kind, all_ns in times.items()}, median(carried)


def _splits(record: Record) -> Iterator[NodeSplit]:
    """Yield a split of every third new node."""
    if isinstance(record, NodeAdded) and record.node % 3 == 0:
        at, node, parent, start = record[:4]
        yield NodeSplit(at, node, _SPLIT_IDS + node, parent, start, TURN_TOKENS // 4, node, 0, 3, 1, 0)


def _sample_ns(aggregator: Aggregator, now: int) -> float:
    costs = []
    for _ in range(20):
        began = time.perf_counter_ns()
        aggregator.tick(now)
        costs.append(time.perf_counter_ns() - began)
    return median(costs)


def _mean_depth(mirror: Mirror) -> float:
    depths = {mirror.root.id: 0}
    for node in mirror.root.walk():
        if node.parent is not None:
            depths[node.id] = depths[node.parent.id] + 1
    return sum(depths.values()) / max(1, len(depths) - 1)


def _statements(mirror: Mirror) -> list[NodeAdded]:
    return [
        NodeAdded(
            node.created_at, node.id, node.parent.id, node.start, node.length, node.content_key, 0, 3, 1, 0, 0,
            node.touched_at,
        )
        for node in mirror.root.walk()
        if node.parent is not None
    ]  # fmt: skip


def _bytes_per_node(stated: list[NodeAdded]) -> float:
    gc.collect()
    tracemalloc.start()
    try:
        mirror = Mirror()
        before = tracemalloc.get_traced_memory()[0]
        for record in stated:
            mirror.apply(NodeAdded(*(int(str(value)) for value in record)))  # new integers, as from a decoder
            mirror.apply(NodeLabelled(record.node, record.start, 1_000))
        return (tracemalloc.get_traced_memory()[0] - before) / max(1, len(stated))
    finally:
        tracemalloc.stop()


def _stating_ns(stated: list[NodeAdded]) -> float:
    mirror = Mirror()
    began = time.perf_counter_ns()
    for record in stated:
        mirror.apply(record)
    return (time.perf_counter_ns() - began) / max(1, len(stated))


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asdict(measure(*map(int, sys.argv[1:]))), indent=1) + "\n")
