"""What a change is said to give agrees with what it gives: the same load, served again under that change."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from profiles.evidence.evidence import Evidence, Work
from profiles.evidence.gather import evidence_of_file
from profiles.finding import Gain
from profiles.profile import RecordedProfile
from profiles.ranking import diagnose
from profiles.replay.requests import RecordedRequests
from radixtop.why.rerun import serve, serving_of
from radixtop.why.what_if import Replays, measured
from tests.support.faults.causes import plant_of
from tests.support.faults.plant import Plant
from tests.support.faults.serving import write

POINTS = 3.0
REPLAYED = (("swa_pool", 1), ("branching", 2), ("capacity", 3), ("fallback", 1), ("windows_by_age", 2), ("chunks", 1))


def what_if(path: Path) -> tuple[Evidence, tuple[tuple[str, int | str | bool | None], ...], Gain]:
    """Return the evidence of a recording, the change of its first finding, and what that is said to give."""
    evidence = evidence_of_file(path)
    with RecordedProfile(path) as profile:
        first = measured(profile, evidence, diagnose(evidence)[:1], Replays(120, lambda said: None))[0]
    assert first.change is not None and first.gain is not None, first.name
    return evidence, first.change.settings, first.gain


def really(plant: Plant, settings: tuple[tuple[str, object], ...], path: Path, *, real: bool = False) -> float:
    """Serve a plant under other settings and return its hit rate."""
    rate = evidence_of_file(write(plant.with_run(**dict(settings)), path, real=real)).hit_rate
    assert rate is not None
    return rate


@pytest.mark.parametrize(("fault", "seed"), REPLAYED)
def test_a_gain_is_that_of_the_load_served_again(fault: str, seed: int, tmp_path: Path) -> None:
    plant = plant_of((fault,), seed)
    evidence, settings, gain = what_if(write(plant, tmp_path / "run.rtrec"))
    assert evidence.hit_rate is not None
    assert 100 * abs(gain.before - evidence.hit_rate) <= POINTS
    assert 100 * abs(gain.after - really(plant, settings, tmp_path / "again.rtrec")) <= POINTS
    assert gain.points > 1


@pytest.mark.needs("torch")
@pytest.mark.parametrize("fault", ["branching", "swa_pool"])
def test_a_gain_is_that_of_the_model_serving_again(fault: str, tmp_path: Path) -> None:
    plant = plant_of((fault,), 1, "heavy").with_run(requests=80)
    _, settings, gain = what_if(write(plant, tmp_path / "run.rtrec", real=True))
    assert 100 * abs(gain.after - really(plant, settings, tmp_path / "again.rtrec", real=True)) <= POINTS


def test_requests_are_those_of_the_load(tmp_path: Path) -> None:
    plant = plant_of(("chat",), 1)
    path = write(plant, tmp_path / "run.rtrec")
    with RecordedProfile(path) as profile:
        requests = RecordedRequests(profile).requests()
    evidence = evidence_of_file(path)
    assert len(requests) == evidence.requests
    assert sum(len(request.prompt) for request in requests) == evidence.prompt_tokens


def test_a_load_at_a_rate_comes_at_its_own_times(tmp_path: Path) -> None:
    path = write(plant_of(("chat",), 1).with_run(rate=20.0, requests=60), tmp_path / "run.rtrec")
    evidence = evidence_of_file(path)
    serving = serving_of(evidence.config, evidence.work)
    with RecordedProfile(path) as profile:
        served = serve(RecordedRequests(profile).requests(), serving, lambda: False)
    assert serving.is_paced
    assert served.hit_rate == pytest.approx(evidence.hit_rate, abs=0.01)


def test_a_replay_that_is_stopped_says_so(tmp_path: Path) -> None:
    path = write(plant_of(("chat",), 1).with_run(requests=20), tmp_path / "run.rtrec")
    evidence = evidence_of_file(path)
    with RecordedProfile(path) as profile:
        requests = RecordedRequests(profile).requests()
    looks = iter(range(1_000))
    served = serve(requests, serving_of(evidence.config, evidence.work), lambda: next(looks) > 20)
    assert not served.is_whole and served.requests < len(requests)


def test_without_time_there_is_no_gain(tmp_path: Path) -> None:
    path = write(plant_of(("branching",), 1), tmp_path / "run.rtrec")
    evidence = evidence_of_file(path)
    with RecordedProfile(path) as profile:
        found = measured(profile, evidence, diagnose(evidence), Replays(0.0, lambda said: None))
    assert all(finding.gain is None for finding in found)


def test_an_engine_that_is_not_told_is_not_made_up() -> None:
    work = Work(10, 10, 10, 10, 10)
    with pytest.raises(Exception, match="no engine of ours"):
        serving_of({}, work)
    with pytest.raises(Exception, match="no engine of ours"):
        serving_of({"chunk_size": 512, "concurrency": 4}, replace(work, steps=0))
