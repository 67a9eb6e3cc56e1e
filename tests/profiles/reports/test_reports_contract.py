"""What every report promises, for each entry of the table."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from cache_core import CacheConfig
from cache_core.events import Record
from profiles.profile import RecordedProfile
from profiles.report import REPORTS, document, read
from tests.support.cache_runs import RUNS
from tests.support.hostile import write_hostile
from tests.support.listed_profile import ListedProfile
from tests.support.reporting import random_run, report_of


def json_of(name: str, result: object) -> str:
    return json.dumps(document(name, result), allow_nan=False)


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize(("kind", "config"), RUNS)
def test_a_random_run_becomes_a_document(name: str, kind: str, config: CacheConfig) -> None:
    _, records = random_run(config, seed=7, steps=300, kind=kind)
    result = report_of(REPORTS.load(name), records, config.components, config.describe())
    loaded = json.loads(json_of(name, result))
    assert (loaded["report"], loaded["version"]) == (name, 1)


@pytest.mark.parametrize("name", REPORTS)
def test_the_same_records_make_the_same_document(name: str) -> None:
    config = CacheConfig(window=6, full_slots=120, swa_slots=60)
    _, records = random_run(config, seed=2, steps=400)
    made = [report_of(REPORTS.load(name), records, config.components, config.describe()) for _ in range(2)]
    assert made[0] == made[1]


@pytest.mark.parametrize("name", REPORTS)
def test_nothing_is_a_report_too(name: str) -> None:
    json_of(name, report_of(REPORTS.load(name), []))


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("seed", range(12))
def test_nonsense_is_a_report_too(name: str, seed: int, tmp_path: Path) -> None:
    path = tmp_path / "hostile.radixtop"
    write_hostile(path, seed)
    with RecordedProfile(path) as profile:
        json_of(name, read(profile, REPORTS.load(name)))


class _Repeated(ListedProfile):
    """A profile that is one run over and over, and holds it once. The run ends with an empty tree."""

    times = 1

    def records(self, kinds: Collection[type[Record]] | None = None) -> Iterator[Record]:
        for _ in range(self.times):
            yield from super().records(kinds)


@pytest.mark.parametrize("name", REPORTS)
def test_what_is_kept_does_not_grow_with_the_length_of_the_stream(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("profiles.tallies.branch_sums.MOST_POINTS", 50)
    monkeypatch.setattr("probes.lives.returns.MOST_FOLLOWED", 50)
    config = CacheConfig(window=6, full_slots=120, swa_slots=60)
    run, records = random_run(config, seed=4, steps=160)
    run.reset()
    run.cache.flush_sink(run.cache.sink)  # type: ignore[arg-type]
    profile = _Repeated(records, config.components, config.describe())
    most = []
    for profile.times in (30, 120):  # past the point where the collector of garbage sets in
        tracemalloc.start()
        read(profile, REPORTS.load(name))
        most.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert most[1] < 1.5 * most[0]
