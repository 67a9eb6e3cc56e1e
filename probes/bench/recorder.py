"""What one record costs the cache's thread: building and appending it, its share of a flush, a recording on top.

    python -m probes.bench.recorder

The records are those of served requests, in the kinds and proportions that a cache emits.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from cache_core.event_codec import head
from cache_core.events import (
    FLUSH_RECORDS,
    Insert,
    Lock,
    Match,
    NodeAdded,
    NodeTouched,
    RawRecord,
    RequestAdmitted,
    RequestFinished,
    Unlock,
)
from probes.adapters.shm import ShmAdapter
from probes.recorder import FlightRecorder, RecorderOptions

BATCH_FLUSHES = 50
SNAPSHOT_RECORDS = 20_000
_HEADS = (
    head(Match), head(RequestAdmitted), head(Lock, 2), head(NodeAdded), head(NodeTouched), head(Insert),
    head(Unlock, 2), head(RequestFinished),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RecorderFigures:
    """Costs on this machine in ns a record, each that of the best batch, since other jobs disturb the rest.

    `record_ns` is all that a cache's thread pays: `append_ns` for building the tuple and appending it, `flush_ns`
    for its share of a flush. With a recording the same bytes also go to a file. `stated_ns` is a record of a
    snapshot on its way to a reader, the walk over the tree not counted. `read_ns` is paid by the reader, in its own
    process, for a record decoded. `words` is the mean length of a record.
    """

    record_ns: float
    append_ns: float
    flush_ns: float
    with_recording_ns: float
    stated_ns: float
    read_ns: float
    words: float


def recorder_figures(batches: int = 100) -> RecorderFigures:
    """Measure for about a second, on rings and a recording in a folder of its own."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "rings"
        plain = FlightRecorder({}, RecorderOptions(folder=folder, slice_ns=10**10, slice_share=1.0))
        taped = FlightRecorder({}, RecorderOptions(folder=folder, rank=1, recording=Path(place) / "run.rtrec"))
        try:
            append_ns, record_ns, recording_ns = _interleaved(
                [
                    lambda: _batch(plain.records, plain.records.clear),
                    lambda: _batch(plain.records, plain.flush),
                    lambda: _batch(taped.records, taped.flush),
                ],
                batches,
            )
            read_ns = _read_ns(plain)
            stated_ns = _stated_ns(plain, Path(place) / "stated.rtrec")
        finally:
            plain.close()
            taped.close()
    sample: list[RawRecord] = []
    _serve(sample, 1, 1)
    words = sum(map(len, sample)) / len(sample)
    return RecorderFigures(record_ns, append_ns, record_ns - append_ns, recording_ns, stated_ns, read_ns, words)


def _interleaved(kinds: list[Callable[[], float]], batches: int) -> list[float]:
    """Return the best of `batches` of each kind, taken in turns."""
    costs = [[kind() for kind in kinds] for _ in range(batches)]
    return [min(column) for column in zip(*costs, strict=True)]


def _batch(records: list[RawRecord], flush: Callable[[], None]) -> float:
    """Emit BATCH_FLUSHES blocks of records and return ns a record."""
    began = time.perf_counter_ns()
    for request in range(BATCH_FLUSHES * FLUSH_RECORDS // len(_HEADS)):
        _serve(records, began, request)
        if len(records) >= FLUSH_RECORDS:
            flush()
    return (time.perf_counter_ns() - began) / (BATCH_FLUSHES * FLUSH_RECORDS)


def _serve(records: list[RawRecord], at: int, request: int) -> None:
    """Append what a request of 160 tokens, 64 of them new, makes a cache emit."""
    match, admitted, lock, added, touched, insert, unlock, finished = _HEADS
    key, node, prompt, hit = at ^ request, request & 1023, 160, 96
    append = records.append
    append((match, at, hit, request, prompt, hit, 0, hit, -1, node, node, node, request))
    append((admitted, at, request, prompt, hit, 0, 0, node, 0, 0))
    append((lock, at, node, hit, 0))
    append((added, at, request, node, hit, node, key, 0, 3, 1, 0, 0, at))
    append((touched, node, request, 0))
    append((insert, at, hit, request, prompt, hit, node, 0, 0, -1, request, request))
    append((unlock, at, node, hit, 0))
    append((finished, at, request, prompt, hit, 0, 0, node, node, 0))


def _read_ns(recorder: FlightRecorder) -> float:
    """Return what a record costs a reader, the best of its polls over a full ring."""
    adapter = ShmAdapter(os.getpid(), folder=recorder.ring_path.parent)
    costs = []
    while True:
        began = time.perf_counter_ns()
        found = len(adapter.poll().records)
        if not found:
            break
        costs.append((time.perf_counter_ns() - began) / found)
    adapter.close()
    return min(costs)


def _stated_ns(recorder: FlightRecorder, path: Path) -> float:
    """Return what a record of a snapshot costs on its way into a file."""
    stated = [
        (_HEADS[3], 10**12, node, node // 2, 0, 64, node << 40, 0, 3, 1, 0, 0, 0) for node in range(SNAPSHOT_RECORDS)
    ]

    def walk() -> Iterator[RawRecord]:
        yield from stated

    recorder.flush()
    recorder.bind(snapshot=walk)
    recorder.record_to(path)
    began = time.perf_counter_ns()
    recorder.flush()
    took = time.perf_counter_ns() - began
    recorder.stop_recording()
    return took / SNAPSHOT_RECORDS


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asdict(recorder_figures()), indent=1) + "\n")
