"""The live curve is that of the recording afterwards, where prompts are whole pages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cache_core import CacheConfig, PrefixCache
from cache_core.event_codec import decode
from cache_core.events import KIND_MASK, MARK_TOKENS, CacheReset, Match, Pool, RequestAdmitted, RequestFinished
from probes.builtin.capacity import Capacity, CapacityHits, CapacitySample
from probes.curves.one_pass import OnePass
from probes.mirror import Mirror
from profiles.profile import RecordedProfile
from profiles.simulation import capacity_curve
from profiles.trace_format import open_trace
from profiles.workload import Prompt
from tests.support.curved import in_blocks, live_curve, page_prompts, recorded_run, serve
from tests.support.observing import S, feed
from tests.support.records import added, record
from tests.support.sinks import Sink

PAGE = 32


def config(slots: int, page: int = PAGE) -> CacheConfig:
    return CacheConfig(components=("full",), full_slots=slots, page_size=page)


@pytest.mark.parametrize("concurrency", [1, 3])
@pytest.mark.parametrize("slots", [20 * PAGE, 60 * PAGE, 1000 * PAGE])
def test_of_whole_pages_it_is_the_curve_of_the_recording(tmp_path: Path, slots: int, concurrency: int) -> None:
    recorded_run(tmp_path / "run", page_prompts(slots, 400, PAGE), config(slots), concurrency)
    live, after = live_curve(tmp_path / "run"), capacity_curve(in_blocks(open_trace(tmp_path / "run"), PAGE))
    assert (live.block_tokens, live.total.requests) == (PAGE, 400)
    assert live.total.queried_tokens == after.queried_tokens
    expected = [after.hit_tokens(tokens // PAGE) for tokens in live.capacities]
    assert [*live.total.hit_tokens] == expected


def test_answers_are_held_as_far_as_they_were_stored(tmp_path: Path) -> None:
    prompts = page_prompts(7, 200, PAGE, answer_tokens=2 * PAGE + 1)
    recorded_run(tmp_path / "run", prompts, config(60 * PAGE), concurrency=1)
    live, after = live_curve(tmp_path / "run"), OnePass(None)
    for request in open_trace(tmp_path / "run"):
        (prompt,) = in_blocks([request], PAGE)
        whole = replace(request, path=request.path + request.answer, prompt_tokens=request.prompt_tokens + 2 * PAGE)
        after.serve(prompt, is_counted=True)
        after.serve(*in_blocks([whole], PAGE), is_counted=False)
    curve = after.curve()
    assert [*live.total.hit_tokens] == [curve.hit_tokens(tokens // PAGE) for tokens in live.capacities]


@pytest.mark.parametrize("slots", [800, 2_000, 40_000])
def test_where_prompts_part_anywhere_it_is_off_by_less_than_a_mark_for_each(tmp_path: Path, slots: int) -> None:
    prompts = [shorter(number, each) for number, each in enumerate(page_prompts(3, 300, 11))]
    recorded_run(tmp_path / "run", prompts, config(slots, page=1), concurrency=2)
    live, after = live_curve(tmp_path / "run"), capacity_curve(open_trace(tmp_path / "run"))
    off = [
        hits - after.hit_tokens(tokens) for tokens, hits in zip(live.capacities, live.total.hit_tokens, strict=True)
    ]
    assert max(map(abs, off)) < 300 * MARK_TOKENS
    assert live.total.hit_tokens[-1] > 0.9 * after.hit_tokens(live.capacities[-1])


def shorter(number: int, prompt: Prompt) -> Prompt:
    """Return a prompt that ends anywhere."""
    return replace(prompt, tokens=prompt.tokens[: max(1, len(prompt.tokens) - number % 13)])


def test_what_the_cache_hit_is_told_beside_it(tmp_path: Path) -> None:
    recorded_run(tmp_path / "run", page_prompts(5, 300, PAGE), config(60 * PAGE), concurrency=1)
    with RecordedProfile(tmp_path / "run") as profile:
        measured = sum(each.device_hit_tokens for each in profile.records([RequestAdmitted]))  # type: ignore[union-attr]
    live = live_curve(tmp_path / "run")
    now = live.hit_tokens(60 * PAGE, live.total)
    assert live.total.measured_tokens == measured
    assert now is not None
    assert (
        measured <= now <= measured + 300 * PAGE
    )  # the last page of a prompt that is there is computed all the same


def test_a_late_watch_begins_with_what_the_cache_holds() -> None:
    prompts, sink = page_prompts(9, 60, PAGE), Sink()
    cache = PrefixCache(config(1000 * PAGE), sink=sink)
    serve(cache, prompts, concurrency=1)
    probe = Capacity(Mirror(("full",)))
    probe.configured(cache.config.describe())
    probe.lost()
    stated = cache.snapshot_records()
    feed(probe, (found for head, *words in stated if (found := decode(head & KIND_MASK, (*words,))) is not None))
    sink.flushed.clear()
    probe.whole()
    serve(cache, prompts, concurrency=1)
    feed(probe, sink.flushed)
    sample = probe.sample(0)
    assert not sample.is_whole
    whole = sum(len(each.tokens) for each in prompts)
    assert sample.hit_tokens(1000 * PAGE, sample.total) == sample.total.queried_tokens == whole


HITS = CapacityHits(4, 1_000, 490, 480, (100, 300, 500, 700, 800))
SAMPLE = CapacitySample(400, 1, (100, 200, 400, 800, 1_600), HITS, None, 0, None, 1 << 20, True)


def test_a_size_is_told_with_what_it_saves_over_half_of_it() -> None:
    size = SAMPLE.size(2, HITS)
    assert size is not None
    assert (size.slots, size.hit_rate, size.doubling, size.tokens_per_1k) == (800, 0.7, pytest.approx(0.2), 500)
    assert (size.tokens_per_gib, size.memory_bytes) == (512, 800 << 20)


def test_between_its_points_the_curve_is_straight_and_beyond_what_is_known_it_is_not() -> None:
    assert [SAMPLE.hit_tokens(tokens, HITS) for tokens in (0, 50, 150, 1_600, 1_601)] == [None, 50, 200, 800, None]
    assert replace(SAMPLE, known_tokens=800).size(4, HITS) is None
    assert replace(SAMPLE, now_tokens=None, capacities=()).size(1, HITS) is None


def test_recent_sums_are_of_the_last_five_minutes() -> None:
    told = [record(Pool, free=100), added(1, 0, 10, content_key=9)]
    for number in range(12):
        at = (number + 1) * 60 * S
        told.append(record(Match, at=at, request=number, node=1, full_node=1, full_hit_tokens=10))
        told.append(record(RequestAdmitted, at=at, request=number, prompt_tokens=10, device_hit_tokens=10))
    probe = Capacity(Mirror(("full",)))
    feed(probe, told[: 2 + 2 * 5])
    assert probe.sample(5 * 60 * S).recent is None
    feed(probe, told[2 + 2 * 5 :])
    sample = probe.sample(12 * 60 * S)
    assert sample.recent is not None
    assert (sample.total.requests, sample.recent.requests, sample.recent_ns) == (12, 5, 5 * 60 * S)
    assert sample.recent.hit_tokens[-1] == sample.recent.queried_tokens == sample.recent.measured_tokens == 50


def test_a_reset_empties_every_size() -> None:
    told = [record(Pool, free=100), added(1, 0, 10, content_key=9)]
    asked = [
        record(Match, request=1, node=1, full_node=1, full_hit_tokens=10),
        record(RequestAdmitted, request=1, prompt_tokens=10),
        record(RequestFinished, request=1),
    ]
    probe = Capacity(Mirror(("full",)))
    feed(probe, [*told, *asked, *asked])
    assert probe.sample(0).total.hit_tokens[-1] == 10
    feed(probe, [record(CacheReset), *told, *asked])
    assert probe.sample(0).total.hit_tokens[-1] == 10


def test_until_the_tree_is_known_no_request_counts() -> None:
    asked = [record(Match, request=1, node=7, full_node=7, full_hit_tokens=10)]
    asked += [record(RequestAdmitted, request=1, prompt_tokens=10), record(RequestFinished, request=1)]
    probe = Capacity(Mirror(("full",)))
    probe.lost()
    feed(probe, [record(Pool, free=100), *asked])
    assert probe.sample(0).total.requests == 0
    feed(probe, [added(7, 0, 10, content_key=9)])
    probe.whole()
    feed(probe, asked)
    total = probe.sample(0).total
    assert (total.requests, total.hit_tokens[-1]) == (1, 10)
