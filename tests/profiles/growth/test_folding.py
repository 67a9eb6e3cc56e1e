"""A run without end takes bounded memory: what is gone and weighs little is folded, and no token is lost."""

from __future__ import annotations

import random

import pytest

from cache_core import CacheConfig
from cache_core.events import Record
from profiles.forest import Forest
from profiles.growth import folding
from profiles.growth.cuts import Cuts
from profiles.growth.forest_builder import ForestBuilder, grow
from profiles.pruned import prune
from tests.support.cache_runs import RUNS, CacheRun
from tests.support.sinks import Sink
from tests.support.totals import Totals
from tests.support.tree_script import Script


def churn(count: int, kept: str = "k" * 50) -> list[Record]:
    """Content that is asked for once and evicted, behind a prefix that stays, and behind nothing."""
    script = Script()
    script.insert(kept)
    dice = random.Random(1)
    for number in range(count):
        text = dice.choice((kept, "")) + f"{number:04d}" + "t" * dice.randint(1, 9)
        script.request(text, hit=script.known_tokens(text))
        script.insert(text)
        script.evict(text)
    return script.records


def grown(records: list[Record], fold_at: int) -> tuple[Forest, Cuts]:
    cuts = Cuts()
    cuts.fold_at = fold_at
    builder = ForestBuilder(cuts=cuts)
    for record in records:
        builder.apply(record)
    return builder.forest(), cuts


def wholes(forest: Forest) -> dict[str, int]:
    return {weight: forest.whole(weight) for weight in forest.weights}


@pytest.fixture(autouse=True)
def few_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """What holds less than a twentieth is small, so that small runs have something to fold."""
    monkeypatch.setattr(folding, "PARTS", 20)


def test_nothing_is_lost_and_what_stays_is_what_it_was() -> None:
    records = churn(6_000)
    folded, cuts = grown(records, 500)
    whole = grow(records)
    assert len(whole) > 6_000
    assert len(cuts) < 2_000
    assert wholes(folded) == wholes(whole)
    kept = next(frame for frame in whole.frames if frame.end == 50)
    assert [frame for frame in folded.frames if frame.key == kept.key and frame.label == kept.label]
    for weight in ("tokens", "hits"):
        place, before = (
            next(place for place, frame in enumerate(forest.frames) if frame.key == kept.key)
            for forest in (folded, whole)
        )
        assert folded.weights[weight][place] == whole.weights[weight][before]
        assert folded.totals(weight)[place] == whole.totals(weight)[before]


def test_folds_count_the_frames_that_went_into_them() -> None:
    records = churn(2_000)
    folded, _ = grown(records, 500)
    whole = grow(records)
    for forest in (folded, whole):
        top = [row for row in prune(forest) if row.parent == -1]
        assert sum(row.nodes for row in top) == sum(row.nodes for row in prune(whole) if row.parent == -1)
    rows = list(prune(folded, None))
    assert [row.label for row in rows if row.frame is None]
    assert len(rows) == len(folded)


def test_memory_does_not_grow_with_the_run() -> None:
    cuts = Cuts()
    cuts.fold_at = 500
    builder = ForestBuilder(cuts=cuts)
    most = 0
    for record in churn(9_000):
        builder.apply(record)
        most = max(most, len(cuts))
    assert 400 < most <= 500


def test_names_of_what_was_folded_are_forgotten() -> None:
    cuts = Cuts()
    cuts.fold_at = 500
    builder = ForestBuilder(cuts=cuts)
    script = Script()
    for number in range(3_000):
        script.insert(f"{number:04d}", ((0, f"question {number}"),))
        script.evict(f"{number:04d}")
    for record in script.records:
        builder.apply(record)
    forest = builder.forest()
    assert len(forest.frames[0].label) < 40
    assert len(builder._names) + len(builder._mirror.labels) < 2_500


@pytest.mark.parametrize(("kind", "config"), RUNS)
def test_any_run_adds_up_folded_as_well(kind: str, config: CacheConfig) -> None:
    folds = 0
    for seed in range(4):
        sink = Sink()
        run = CacheRun(config, sink, seed, kind)
        cuts = Cuts()
        cuts.fold_at = 25
        builder, totals = ForestBuilder(run.cache.config.components, cuts=cuts), Totals(run.cache.config.components)
        for _ in range(300):
            run.step()
        run.cache.emit_pools()
        run.cache.flush_sink(sink)
        for record in sink.flushed:
            builder.apply(record)
            totals.apply(record)
        forest = builder.forest()
        folds += len(cuts.folded)
        assert wholes(forest) == totals.by_weight()
        assert all(own >= 0 for weight in forest.weights for own in forest.weights[weight])
    assert folds
