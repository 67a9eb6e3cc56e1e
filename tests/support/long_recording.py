"""Recordings of any length, written fast: what a cache of a fixed size emits while it serves requests.

python -m tests.support.long_recording FILE [RECORDS]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from cache_core.event_codec import head
from cache_core.events import (
    FLUSH_RECORDS,
    Evict,
    Insert,
    Lock,
    Match,
    NodeAdded,
    NodeRemoved,
    NodeTouched,
    Pool,
    RawRecord,
    RequestAdmitted,
    RequestFinished,
    Unlock,
)
from probes.blocks import SLICE, SNAPSHOT_BEGIN, SNAPSHOT_END, encode_block, open_block
from probes.recordings.writer import RecordingWriter

CONFIG = {
    "components": ["full", "swa"], "page_size": 1, "window": 128, "full_slots": 100_000, "swa_slots": 20_000,
    "workload": "long", "target": "embedded", "anchor": [0, 1_700_000_000 * 10**9], "started": 1_700_000_000 * 10**9,
}  # fmt: skip
SNAPSHOT_RECORDS = 1_000_000
"""A snapshot comes after so many records."""

_HUBS, _LEAVES, _CONTENTS = 50, 2_000, 5_000
_REQUEST_NS = 100_000
_STARTED = 10**12
_MATCH, _ADMITTED, _LOCK, _ADDED, _TOUCHED, _INSERT, _UNLOCK, _FINISHED, _REMOVED, _EVICT, _POOL = (
    head(Match), head(RequestAdmitted), head(Lock, 2), head(NodeAdded), head(NodeTouched), head(Insert),
    head(Unlock, 2), head(RequestFinished), head(NodeRemoved), head(Evict, 2), head(Pool),
)  # fmt: skip


def write_long(path: Path, records: int, snapshot_every: int = SNAPSHOT_RECORDS) -> None:
    """Write a recording of about `records` records."""
    writer = RecordingWriter(path, CONFIG)
    seq, next_snapshot, now = 0, 0, _STARTED
    for number, run in enumerate(_runs(records)):
        now = run[-1][1] if run[-1][0] != _TOUCHED else now
        if seq >= next_snapshot:
            _state(writer, seq, now, number)
            next_snapshot += snapshot_every
        writer.append(encode_block(open_block(number + 1, seq, now), run), run)
        seq += len(run)
    writer.close("the workload is done", now)


def _runs(records: int) -> Iterator[list[RawRecord]]:
    """Yield the records a flush at a time."""
    run = [_node(_STARTED, -hub, 0) for hub in range(1, _HUBS + 1)]
    request = written = 0
    while written < records:
        if len(run) >= FLUSH_RECORDS:
            yield run
            written += len(run)
            run = []
        _serve(run, request)
        request += 1


def _node(at: int, node: int, content: int) -> RawRecord:
    """Return the record of a leaf, or of one of the hubs above them: these have numbers below zero."""
    if node < 0:
        return (_ADDED, at, node & 0xFFFF, 0, 0, 96, node, 0, 3, 1, 0, 0, at)
    hub = -(1 + content % _HUBS) & 0xFFFF
    return (_ADDED, at, node, hub, 96, 64, content * 0x9E3779B97F4A7C15 >> 2 & (1 << 62) - 1, 0, 3, 1, 0, 0, at)


def _serve(run: list[RawRecord], request: int) -> None:
    """Append what a request of 160 tokens, 64 of them new, makes a cache emit; its leaf goes after _LEAVES others."""
    at, node, content = _STARTED + request * _REQUEST_NS, (1 << 16) + request, request * 7919 % _CONTENTS
    hub = -(1 + content % _HUBS) & 0xFFFF
    append = run.append
    append((_MATCH, at, 9_000, 0, 160, 96, 0, 96, -1, 1, hub, hub, request))
    append((_ADMITTED, at, request, 160, 96, 0, 0, 64, 0, 0))
    append((_LOCK, at, hub, 96, 0))
    append(_node(at, node, content))
    append((_TOUCHED, hub, request, 0))
    append((_INSERT, at, 8_000, 0, 160, 96, 64, 0, 0, -1, node, request))
    append((_UNLOCK, at, hub, 96, 0))
    append((_FINISHED, at, request, 160, 96, 0, 0, 64, 20, 0))
    if request >= _LEAVES:
        append((_EVICT, at, 5_000, 0, 64, 10, 0, 1, 0, 1, 0, 64, 64))
        append((_REMOVED, at, node - _LEAVES))
    if request % 50 == 0:
        append((_POOL, at, 0, 1_000, 98_000, 1_000, 0))
        append((_POOL, at, 1, 100, 19_000, 900, 0))


def _state(writer: RecordingWriter, seq: int, now: int, number: int) -> None:
    """Write a snapshot of about what is there; who lost nothing skips it."""
    request = number * FLUSH_RECORDS // 10
    nodes = [_node(now, -hub, 0) for hub in range(1, _HUBS + 1)]
    nodes += [
        _node(now, (1 << 16) + one, one * 7919 % _CONTENTS) for one in range(max(0, request - _LEAVES), request)
    ]
    for kind, records in ((SNAPSHOT_BEGIN, []), (SLICE, nodes[:500]), (SLICE, nodes[500:]), (SNAPSHOT_END, [])):
        for at in range(0, max(1, len(records)), 500):
            writer.append(encode_block(open_block(0, seq, now, kind), records[at : at + 500]))


if __name__ == "__main__":
    write_long(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10_000_000)
