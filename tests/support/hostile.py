"""Recordings that nobody writes but someone may send: whole blocks, valid checksums, nonsense in the records."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from typing import get_args

from cache_core import events
from cache_core.event_codec import head, text_record
from cache_core.events import RawRecord
from probes.blocks import DELTAS, SLICE, encode_block, open_block
from probes.recordings.writer import RecordingWriter

LARGEST = 2**63 - 1
CLASSES = get_args(events.Record)
USUAL = tuple(range(9))
ODD = (-1, -2, 63, 64, 65, 2**31, 2**32, 10**12, 2**62, -(2**62), LARGEST, -LARGEST - 1)
TEXTS = (
    "\x1b[31mred\x1b]0;title\x07", "<script>&\"'", "a\x00b", "\ud800", "\u202eturned", "x;y 5\n", "", "\x9b2J",
    "system prompt 1",
)  # fmt: skip
CONFIGS: tuple[dict[str, object], ...] = (
    {"components": ["full", "swa"], "page_size": 1, "window": 128},
    {"components": ["f\x1b[31m", "<b>"], "workload": "\x1b[1m<x>", "target": 5},
    {},
    {"components": 5, "page_size": "x\x1b"},
    {"components": ["full"], "anchor": ["x", None], "started": 1},
    {"anchor": [1, 2], "started": -5, "workload": "\ud800"},
)


def write_hostile(path: Path, seed: int) -> None:
    """Write a recording that is not closed, the same one for the same seed."""
    rng = Random(seed)
    recording = RecordingWriter(path, rng.choice(CONFIGS))
    values = rng.choice((USUAL, USUAL, USUAL + ODD, ODD))
    seq, at = rng.choice((0, 0, 5, LARGEST - 1000)), rng.choice((0, 10**12, LARGEST, -5))
    for number in range(1, rng.randrange(2, 9)):
        records = [_record(rng, values) for _ in range(rng.randrange(60))]
        kind = rng.choice((DELTAS,) * 6 + (SLICE, 2, 3, 7))
        recording.append(encode_block(open_block(number, seq, at, kind), records))
        seq = min(LARGEST, seq + len(records))
        at = max(-LARGEST, min(LARGEST, at + rng.choice((0, 10**6, 10**9, -(10**9), 2**61))))
    os.close(recording._fd)


def _record(rng: Random, values: tuple[int, ...]) -> RawRecord:
    cls = rng.choice(CLASSES)
    if cls in (events.Namespace, events.Label):
        return text_record(cls, rng.choice(USUAL), rng.choice(TEXTS))
    first = head(cls, rng.choice((0, 1, 2, 70)))
    return (first, *(rng.choice(values) for _ in range(first >> events.WORDS_SHIFT)))
