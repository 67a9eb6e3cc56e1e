"""The same workload through the tree and through hashed blocks: where hit rates must agree, and where they part.

Both rates of each comparison are kept as properties of the test (`--junit-xml`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cache_core import CacheConfig, check_integrity
from cache_core.control import build
from cache_core.event_codec import decode
from cache_core.events import KIND_MASK, RawRecord, RequestAdmitted
from profiles.driving.drive import drive
from profiles.driving.pace import Pace
from profiles.workload import WORKLOADS, WorkloadConfig
from tests.support.modelless_engine import ModellessEngine

ROOMY = 400_000
WINDOWS = {"window": 128, "full_slots": ROOMY, "swa_slots": ROOMY}
WITHOUT_WINDOWS = {"components": ("full",), "full_slots": ROOMY}

Note = Callable[[str, object], None]


class Admissions:
    """A sink that keeps what each request hit, of how many tokens; requests that were not retracted."""

    def __init__(self) -> None:
        self.records: list[RawRecord] = []
        self.read: list[RequestAdmitted] = []

    def flush(self) -> None:
        records = (decode(raw[0] & KIND_MASK, raw[1:]) for raw in self.records)
        self.read += [record for record in records if isinstance(record, RequestAdmitted)]
        self.records.clear()


def hits(kind: str, workload: str, settings: dict[str, Any]) -> list[tuple[int, int]]:
    """Serve a workload through a cache and return, per request, the tokens hit and the tokens of the prompt."""
    sink = Admissions()
    cache = build(kind, CacheConfig(page_size=16, **settings), sink=sink)
    engine = ModellessEngine(cache)
    prompts = WORKLOADS.load(workload)(WorkloadConfig(seed=3))
    drive(prompts, engine, lambda prompt: prompt, Pace(requests=120))
    check_integrity(cache)
    assert engine.retractions == 0
    sink.flush()
    return [(record.device_hit_tokens, record.prompt_tokens) for record in sink.read]


def compare(
    workload: str, settings: dict[str, Any], note: Note
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the hits of the tree and of the block-hash cache, and note both rates."""
    both = hits("prefix", workload, settings), hits("block_hash", workload, settings)
    for name, found in zip(("prefix", "block_hash"), both, strict=True):
        note(name, round(rate(found), 3))
    return both


def rate(found: list[tuple[int, int]]) -> float:
    """Return the hit rate."""
    return sum(hit for hit, _ in found) / sum(prompt for _, prompt in found)


@pytest.mark.parametrize("workload", WORKLOADS)
def test_without_windows_and_evictions_a_tree_of_pages_hits_what_blocks_hit(
    workload: str, record_property: Note
) -> None:
    tree, blocks = compare(workload, WITHOUT_WINDOWS, record_property)
    assert tree == blocks and rate(tree) > 0.5


@pytest.mark.parametrize("workload", WORKLOADS)
def test_with_room_for_every_window_blocks_lose_none(workload: str, record_property: Note) -> None:
    tree, blocks = compare(workload, WINDOWS, record_property)
    assert blocks == hits("block_hash", workload, WITHOUT_WINDOWS)
    assert all(ours[0] <= theirs[0] for ours, theirs in zip(tree, blocks, strict=True))


def test_where_windows_are_scarce_the_blocks_behind_them_cost_hits(record_property: Note) -> None:
    """The tree gives back what lies behind a window; blocks there take their turn with everybody's windows."""
    tree, blocks = compare("mixed", WINDOWS | {"swa_slots": 4800}, record_property)
    assert rate(tree) > rate(blocks) > 0
