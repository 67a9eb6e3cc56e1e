"""Figures of one moment that several views show: they are the same, they add up, and losses make none of them up."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from probes.builtin.branching import BranchingSample
from probes.builtin.evictions import EvictionSample
from probes.builtin.ghosts import GhostSample
from probes.builtin.hit_rate import HitRateSample, HitTotals
from probes.builtin.occupancy import OccupancySample
from probes.builtin.request_log import RequestLogSample
from probes.builtin.requests import RequestsSample
from probes.builtin.tree_shape import TreeShapeSample
from probes.builtin.windows import WindowsSample
from probes.lives.gap_causes import GapCauses
from probes.lives.misses import PromptTokens
from probes.snapshot import Snapshot
from radixtop.comparison.counts import counts_of
from radixtop.playing.saved_run import SavedRun
from radixtop.screenless.telling import line_of
from tests.support.fixed_recording import unpacked

S = TypeVar("S")
SECOND = 1_000_000_000
MOMENTS_S = (5, 30, 50, 66, 200)
"""The last one is after the end: nobody is alive there."""


@pytest.fixture(scope="module", params=["whole", "records are missing"])
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recording, and one in which a stretch cannot be read."""
    path = unpacked(tmp_path_factory.mktemp("agree"))
    if request.param != "whole":
        raw = bytearray(path.read_bytes())
        at = len(raw) * 4 // 10
        raw[at : at + 60_000] = bytes(60_000)
        path.write_bytes(raw)
    return path


def moments(path: Path) -> Iterator[tuple[SavedRun, Snapshot]]:
    run = SavedRun(path, clock=lambda: 0)
    run.begin(0, 1.0, is_paused=True)
    try:
        for _ in range(3):
            run.tick(0)
        assert run.moment is not None
        for after_s in MOMENTS_S:
            run.seek(run.moment.start + after_s * SECOND)
            while run.is_busy:
                run.tick(0)
            yield run, run.tick(0)
    finally:
        run.close()


def test_views_say_the_same_of_a_moment(path: Path) -> None:
    for run, snapshot in moments(path):
        hits, log, requests = (known(snapshot, of) for of in (HitRateSample, RequestLogSample, RequestsSample))
        told, compared = json.loads(line_of(snapshot)), counts_of(snapshot).sums
        assert told["hit_rate"] == hits.total.hit_rate == compared["hit"] / compared["queried"]
        assert told["totals"]["admitted"] == requests.admitted == hits.total.queries == compared["queries"]
        assert told["dropped"] == snapshot.source.dropped_records
        assert known(snapshot, BranchingSample).recomputed_tokens == hits.total.gap_tokens == compared["recomputed"]
        assert known(snapshot, WindowsSample).recomputed_total_tokens == hits.total.gap_tokens
        for prompts, causes in ((log.total, log.gaps), (log.last_minute, log.gaps_last_minute)):
            assert adds_up(prompts)
            assert causes_add_up(prompts, causes)
        assert decided_is_part(log.total, hits.total)
        tree = snapshot.get(TreeShapeSample)
        assert tree is None or tree.nodes == len(run.mirror.nodes) - 1
        for pool in known(snapshot, OccupancySample).pools:
            assert pool.free + pool.evictable + pool.protected <= pool.total


def test_at_rest_every_prompt_is_decided(path: Path) -> None:
    *_, (_, snapshot) = moments(path)
    hits, log = known(snapshot, HitRateSample), known(snapshot, RequestLogSample)
    assert (log.total.requests, log.total.prompt) == (hits.total.queries, hits.total.queried_tokens)
    assert log.total.device == hits.total.device_hit_tokens
    assert log.total.window_gone == hits.total.gap_tokens


def test_what_came_back_is_part_of_what_left_and_shares_after_a_loss_are_least_ones(path: Path) -> None:
    for _, snapshot in moments(path):
        evicted, ghosts = known(snapshot, EvictionSample), known(snapshot, GhostSample)
        has_lost = snapshot.source.dropped_records > 0
        assert bool(ghosts.unfollowed_tokens) == has_lost
        for each in ghosts.components:
            freed = evicted.freed_tokens[each.component]
            assert each.total.evicted_tokens <= freed
            assert each.total.evicted_tokens == freed or has_lost
            assert [*each.total.returned_tokens] == sorted(each.total.returned_tokens)
            assert each.total.returned_tokens[-1] <= freed
        log = known(snapshot, RequestLogSample)
        assert log.remembers_all is not has_lost
        assert log.gaps.unknown == 0 or has_lost


def known(snapshot: Snapshot, of: type[S]) -> S:
    sample = snapshot.get(of)
    assert sample is not None
    return sample


def adds_up(prompts: PromptTokens) -> bool:
    parts = (
        getattr(prompts, name) for name in PromptTokens.__dataclass_fields__ if name not in ("requests", "prompt")
    )
    return sum(parts) == prompts.prompt


def causes_add_up(prompts: PromptTokens, causes: GapCauses) -> bool:
    parts = causes.never, causes.early, causes.late, causes.unknown, causes.states
    return sum(parts) == prompts.window_gone


def decided_is_part(decided: PromptTokens, hits: HitTotals) -> bool:
    return (
        decided.requests <= hits.queries
        and decided.prompt <= hits.queried_tokens
        and decided.device <= hits.device_hit_tokens
        and decided.window_gone <= hits.gap_tokens
    )
