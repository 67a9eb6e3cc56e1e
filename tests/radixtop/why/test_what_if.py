"""What a change is said to give agrees with what it gives: the same load, served again under that change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cache_core.events import EngineStep
from probes.errors import RecordingError
from profiles.evidence.evidence import Evidence
from profiles.evidence.gather import evidence_of_file
from profiles.finding import Gain
from profiles.profile import RecordedProfile
from profiles.ranking import diagnose
from profiles.replay.requests import RecordedRequests
from profiles.trace_format import open_trace
from radixtop import cli
from radixtop.replay.recorded import recorded_engine
from radixtop.replay.trace_replay import replay_trace
from radixtop.why.what_if import Replays, measured, serve
from tests.support.faults.causes import plant_of
from tests.support.faults.plant import Plant
from tests.support.faults.serving import write
from tests.support.listed_profile import ListedProfile
from tests.support.traces_made import write_trace

POINTS = 3.0
REPLAYED = (
    ("swa_pool", 1), ("branching", 2), ("capacity", 3), ("fallback", 1), ("windows_by_age", 2), ("chunks", 1),
    ("state_pool", 1),
)  # fmt: skip


def what_if(
    path: Path, name: str | None = None
) -> tuple[Evidence, tuple[tuple[str, int | str | bool | None], ...], Gain]:
    """Return the evidence of a recording, the change of its first finding, or of that name, and what it is said to
    give."""
    evidence = evidence_of_file(path)
    found = [finding for finding in diagnose(evidence) if name in (None, finding.name)]
    with RecordedProfile(path) as profile:
        first = measured(profile, evidence, found[:1], Replays(120, lambda said: None))[0]
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


def test_a_larger_pool_is_tried_beside_the_others_as_they_are(tmp_path: Path) -> None:
    plant = plant_of(("state_pool", "capacity"), 1)
    _, settings, gain = what_if(write(plant, tmp_path / "run.rtrec"), "capacity_small")
    assert dict(settings).keys() == {"full_slots"}
    assert 100 * abs(gain.after - really(plant, settings, tmp_path / "again.rtrec")) <= POINTS


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
    with RecordedProfile(path) as profile:
        engine = recorded_engine(profile)
    served = replay_trace(open_trace(path), engine.settings)
    assert engine.settings.closed_loop is None
    assert served.hit_rate == pytest.approx(evidence_of_file(path).hit_rate, abs=0.002)


def test_a_load_that_keeps_some_outstanding_does_so_again(tmp_path: Path) -> None:
    path = write(plant_of(("chat",), 1), tmp_path / "run.rtrec")
    with RecordedProfile(path) as profile:
        settings = recorded_engine(profile).settings
        faster = recorded_engine(profile, settings.changed(closed_loop=None, speed=2.0), ["speed"]).settings
    assert settings.closed_loop == settings.concurrency == 6
    assert (faster.closed_loop, faster.speed) == (None, 2.0)
    served = replay_trace(open_trace(path), settings)
    assert served.hit_rate == pytest.approx(evidence_of_file(path).hit_rate, abs=0.002)


def test_a_replay_that_was_recorded_is_served_alike(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "replay.rtrec"
    trace = write_trace(tmp_path / "chat.jsonl")
    assert cli.main(["replay", str(trace), "--full-slots=9000", f"--record={path}"]) == 0
    evidence = evidence_of_file(path)
    with RecordedProfile(path) as profile:
        settings = recorded_engine(profile).settings
    assert settings.closed_loop is None
    assert replay_trace(open_trace(path), settings).hit_rate == pytest.approx(evidence.hit_rate, abs=0.005)


@pytest.mark.parametrize("fault", ["swa_pool", "branching"])
def test_compare_says_what_why_says(fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(plant_of((fault,), 1), tmp_path / "run.rtrec")
    _, settings, gain = what_if(path)
    vary = [f"--vary={name}={str(value).lower()}" for name, value in settings]
    assert cli.main(["compare", str(path), *vary, "--no-references", "--no-misses", "--json", "--workers=1"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["recorded"]: row["hit_rate"] for row in rows} == {True: gain.before, False: gain.after}


def test_a_replay_that_is_stopped_says_so(tmp_path: Path) -> None:
    path = write(plant_of(("chat",), 1).with_run(requests=20), tmp_path / "run.rtrec")
    with RecordedProfile(path) as profile:
        requests, settings = RecordedRequests(profile).requests(), recorded_engine(profile).settings
    looks = iter(range(1_000))
    served = serve(requests, settings, lambda: next(looks) > 20)
    assert served.interrupted and served.finished < len(requests)


def test_without_time_there_is_no_gain(tmp_path: Path) -> None:
    path = write(plant_of(("branching",), 1), tmp_path / "run.rtrec")
    evidence = evidence_of_file(path)
    with RecordedProfile(path) as profile:
        found = measured(profile, evidence, diagnose(evidence), Replays(0.0, lambda said: None))
    assert all(finding.gain is None for finding in found)


def test_an_engine_that_is_not_told_is_not_made_up(tmp_path: Path) -> None:
    path = write(plant_of(("branching",), 1), tmp_path / "run.rtrec")
    evidence = evidence_of_file(path)
    with RecordedProfile(path) as profile:
        config = {name: value for name, value in profile.config.items() if name != "chunk_size"}
        untold_records = [each for each in profile.records() if not isinstance(each, EngineStep)]
        untold = ListedProfile(untold_records, profile.components, config)
    with pytest.raises(RecordingError, match="no engine of ours"):
        measured(untold, evidence, diagnose(evidence), Replays(120, lambda said: None))
