"""What each probe costs a reader: the records it takes, and a sample of it.

    python -m probes.bench.each

The stream is that of a bare cache that evicts all the time, with a step of an engine for every request. Each record
is timed by itself, and of all runs its best time counts. The mirror is timed along: figures are also given as
multiples of its own, which other machines share.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import islice

from cache_core.event_codec import decode
from cache_core.events import KIND_MASK, EngineStep, ProbeCost, RawRecord, Record
from probes.bench.core import bare_load
from probes.fold import Folds
from probes.mirror import Mirror
from probes.probe import PROBES

RUNS = 5
REQUESTS = 300
_SETTLED_RECORDS = 1024
"""Somebody reads the mirror after so many."""

MIRROR = "mirror"
"""The name of the row that is not a probe: what every reader pays for the tree."""


@dataclass(frozen=True, slots=True)
class ProbeFigures:
    """One probe on the stream.

    `taken` is the share of the records that it takes, `ns_per_taken` what one of those costs it, `ns_per_record` that
    spread over all records, `sample_ns` what a sample costs. `ratio` and `sample_ratio` are a taken record and a
    sample in multiples of a record that the mirror takes.
    """

    name: str
    taken: float
    ns_per_taken: float
    ns_per_record: float
    sample_ns: float
    ratio: float
    sample_ratio: float


def each_probe(runs: int = RUNS, requests: int = REQUESTS, names: Sequence[str] | None = None) -> list[ProbeFigures]:
    """Measure the probes of these names, all of the table unless told, and the mirror first."""
    records = _stream(requests)
    clock_ns = _clock_ns()
    timed = {name: _Timed(len(records)) for name in (MIRROR, *(PROBES.names if names is None else names))}
    for _ in range(runs):
        for name, times in timed.items():
            _run(name, records, times)
    mirror_ns, _ = timed[MIRROR].per_taken(clock_ns)
    return [_figures(name, times, clock_ns, mirror_ns) for name, times in timed.items()]


class _Timed:
    """The best times of one probe: of each record, None for those it does not take, of a sample, and of `advance`."""

    def __init__(self, records: int) -> None:
        self.records: list[int | None] = [None] * records
        self.sample_ns = self.advance_ns = sys.maxsize

    def note(self, place: int, took_ns: int) -> None:
        """Keep the least of what a record took."""
        best = self.records[place]
        if best is None or took_ns < best:
            self.records[place] = took_ns

    def per_taken(self, clock_ns: int) -> tuple[float, int]:
        """Return the mean time of a taken record, the clock not counted, and how many were taken.

        What a probe does with a batch once it is whole is a part of it.
        """
        taken = [max(0, took_ns - clock_ns) for took_ns in self.records if took_ns is not None]
        return (sum(taken) + self.advance_ns) / len(taken) if taken else 0.0, len(taken)


def _figures(name: str, times: _Timed, clock_ns: int, mirror_ns: float) -> ProbeFigures:
    ns, taken = times.per_taken(clock_ns)
    share = taken / len(times.records)
    return ProbeFigures(name, share, ns, ns * share, times.sample_ns, ns / mirror_ns, times.sample_ns / mirror_ns)


def _run(name: str, records: Sequence[Record], times: _Timed) -> None:
    clock = time.perf_counter_ns
    mirror = Mirror(("full", "swa"))
    probe = None if name == MIRROR else PROBES.load(name)(mirror)
    folds = mirror.folds if probe is None else probe.folds()
    before: Folds = {} if probe is None else probe.before()
    apply = (lambda record: None) if probe is None else mirror.apply
    for place, record in enumerate(records):
        first, fold = before.get(type(record)), folds.get(type(record))
        took_ns = 0
        if first is not None:
            began = clock()
            first(record)
            took_ns = clock() - began
        apply(record)
        if fold is not None:
            began = clock()
            fold(record)
            if probe is None and not place % _SETTLED_RECORDS:
                mirror.columns.ways.settle()
            took_ns += clock() - began
        if probe is not None:
            mirror.columns.ways.settle()  # what waits there is the mirror's cost, whoever reads it
        if first is not None or fold is not None:
            times.note(place, took_ns)
    if probe is None:
        times.sample_ns = times.advance_ns = 0
        return
    now = _newest(records)
    began = clock()
    probe.advance(len(records), now - 1, now)
    times.advance_ns = min(times.advance_ns, clock() - began)
    for _ in range(20):
        began = clock()
        probe.sample(now)
        times.sample_ns = min(times.sample_ns, clock() - began)


def _clock_ns() -> int:
    """Return what two readings of the clock take by themselves."""
    clock = time.perf_counter_ns
    pairs = []
    for _ in range(1_000):
        began = clock()
        pairs.append(clock() - began)
    return min(pairs)


def _stream(requests: int) -> list[Record]:
    sink = _Kept()
    serve = bare_load(sink)
    for number, request in enumerate(islice(serve, requests)):
        request()
        sink.flush()
        at = _newest(sink.kept)
        sink.kept.append(EngineStep(at, 2_000_000, 64, 4, 4, number % 3))
        if number % 50 == 0:
            sink.kept.append(ProbeCost(at, 5_000_000, 1_000_000_000, 0))
    return sink.kept


def _newest(records: Sequence[Record]) -> int:
    return max(record[0] for record in records[-64:] if isinstance(record[0], int))


class _Kept:
    """A sink that keeps what it is given, decoded as a reader's records are."""

    def __init__(self) -> None:
        self.records: list[RawRecord] = []
        self.kept: list[Record] = []

    def flush(self) -> None:
        """Decode what waits."""
        for head, *words in self.records:
            record = decode(head & KIND_MASK, tuple(words))
            assert record is not None
            self.kept.append(record)
        self.records.clear()


if __name__ == "__main__":
    sys.stdout.write(json.dumps([asdict(figures) for figures in each_probe()], indent=1) + "\n")
