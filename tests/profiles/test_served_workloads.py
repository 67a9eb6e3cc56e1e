"""Workloads through the real cache, recorded to a file and read back: the forest says what the cache says."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from cache_core import CacheConfig, PrefixCache, check_integrity
from cache_core.events import Evict, Insert, Match, Record, RequestAdmitted, Tombstoned
from cache_core.registry import UnknownNameError
from probes.recorder import FlightRecorder, RecorderOptions
from profiles.driving.drive import drive
from profiles.driving.pace import Pace
from profiles.forest import Forest
from profiles.growth.forest_builder import grow
from profiles.recording import Recording
from profiles.workload import WORKLOADS, WorkloadConfig
from tests.support.exporting import forest_text, recording_text
from tests.support.modelless_engine import ModellessEngine
from tests.support.totals import count

SLOTS = {
    "shared_prompt": (6_000, 4_000), "few_shot": (6_000, 4_000), "chat": (5_000, 2_500), "agent": (9_000, 4_000),
    "rag": (7_000, 3_500), "mixed": (7_000, 3_500),
}  # fmt: skip


@dataclass(frozen=True)
class Served:
    """A run that is over."""

    name: str
    cache: PrefixCache
    engine: ModellessEngine
    path: Path
    records: list[Record]
    forest: Forest


@pytest.fixture(scope="module", params=WORKLOADS)
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Served:
    name = request.param
    folder = tmp_path_factory.mktemp(name)
    full_slots, swa_slots = SLOTS[name]
    config = CacheConfig(window=128, full_slots=full_slots, swa_slots=swa_slots)
    options = RecorderOptions(folder=folder / "ring", recording=folder / "run.rec")
    recorder = FlightRecorder({**config.describe(), "workload": name}, options)
    cache = PrefixCache(config, sink=recorder)
    recorder.follow(cache)
    engine = ModellessEngine(cache)
    drive(WORKLOADS.load(name)(WorkloadConfig(seed=3)), engine, lambda prompt: prompt, Pace(requests=150))
    recorder.close()
    with Recording(folder / "run.rec") as recording:
        assert recording.title == name
        records = list(recording.records())
        assert recording.remarks == ()
        forest = grow(records, recording.components, recording.title)
    return Served(name, cache, engine, folder / "run.rec", records, forest)


def test_the_cache_is_sound_after_the_run(served: Served) -> None:
    check_integrity(served.cache)


def test_tokens_are_what_the_full_pool_holds(served: Served) -> None:
    full = served.cache.stats()["components"]["full"]
    assert sum(served.forest.weights["tokens"]) == full["evictable"] + full["protected"] > 0


def test_hits_are_those_of_first_admissions(served: Served) -> None:
    first: dict[int, RequestAdmitted] = {}
    for record in served.records:
        if isinstance(record, RequestAdmitted):
            first.setdefault(record.request, record)
    assert len(first) == 150
    assert sum(served.forest.weights["hits"]) == sum(record.device_hit_tokens for record in first.values()) > 0
    assert sum(served.forest.weights["recomputed"]) == sum(record.recomputed_tokens for record in first.values())


def test_evicted_tokens_are_those_that_the_evictions_freed(served: Served) -> None:
    freed = sum(record.freed_tokens[0] for record in served.records if isinstance(record, Evict))
    assert sum(served.forest.weights["evicted"]) == freed > 0


def test_every_frame_has_a_name(served: Served) -> None:
    assert "tokens" not in {frame.segment for frame in served.forest.frames}


def test_what_all_prompts_begin_with_is_the_frame_that_is_hit_most(served: Served) -> None:
    totals = Counter(dict(enumerate(served.forest.weights["hits"])))
    begins = ("system prompt", "tools")
    assert served.forest.frames[totals.most_common(1)[0][0]].segment.startswith(begins)


@pytest.mark.parametrize(
    ("served", "format"), [("agent", "svg"), ("mixed", "collapsed"), ("chat", "speedscope")], indirect=["served"]
)
def test_a_recording_renders_in_every_format(served: Served, format: str) -> None:
    for weight in served.forest.weights:
        assert recording_text(served.path, format, weight) == (forest_text(served.forest, format, weight), ())


@pytest.mark.parametrize("served", ["mixed"], indirect=True)
def test_a_mixed_load_shows_everything_worth_watching(served: Served) -> None:
    kinds = Counter(type(record) for record in served.records)
    assert kinds[Tombstoned] > 0
    matches = [record for record in served.records if isinstance(record, Match)]
    assert any(record.branching_point >= 0 for record in matches)
    assert any(isinstance(record, Insert) and record.branch_inserted == 1 for record in served.records)


def test_a_recording_that_was_cut_short_says_so(served: Served, tmp_path: Path) -> None:
    cut = tmp_path / "cut.rec"
    cut.write_bytes(served.path.read_bytes()[:-100])
    _, remarks = recording_text(cut, "collapsed")
    assert len(remarks) == 1
    assert "cut short" in remarks[0] or "not closed" in remarks[0]


def test_a_damaged_block_is_left_out_and_counted(served: Served, tmp_path: Path) -> None:
    raw = bytearray(served.path.read_bytes())
    raw[len(raw) // 2] ^= 0xFF
    damaged = tmp_path / "damaged.rec"
    damaged.write_bytes(raw)
    [remark] = recording_text(damaged, "collapsed")[1]
    assert "1 damaged block left out" in remark


def test_an_unknown_weight_lists_the_known_ones(served: Served) -> None:
    with pytest.raises(UnknownNameError, match="unknown weight 'colour'; choose from: tokens, bytes"):
        recording_text(served.path, "svg", "colour")


def test_an_unknown_format_lists_the_known_ones(served: Served) -> None:
    with pytest.raises(UnknownNameError, match="unknown export format 'png'; choose from: html, svg, collapsed"):
        recording_text(served.path, "png")


def test_every_weight_adds_up_to_what_the_counters_say(served: Served) -> None:
    wholes = {weight: served.forest.whole(weight) for weight in served.forest.weights}
    assert wholes == count(served.records, ("full", "swa"))
    assert min(wholes[weight] for weight in ("tokens", "hits", "evicted", "time_ns")) > 0
