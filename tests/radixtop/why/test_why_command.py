"""`radixtop why`: text and JSON of a recording, its exit codes, and what cannot be looked at."""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import radixtop
from cache_core import CacheConfig, PrefixCache, RadixKey
from profiles.evidence.evidence import Evidence
from profiles.finding import FINDINGS, Gain
from profiles.profile import RecordedProfile
from profiles.ranking import diagnose
from radixtop import cli
from radixtop.replay.recorded import recorded_engine
from radixtop.replay.settings import ReplaySettings
from radixtop.serving.run_config import RunConfig
from radixtop.why import what_if
from radixtop.why.looking import look_at_target
from radixtop.why.telling import document_of, lines_of
from tests.support.evidences import HEALTHY, SHOWN
from tests.support.faults.make import make
from tests.support.faults.plant import Plant
from tests.support.faults.serving import write
from tests.support.fixed_recording import unpacked


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield unpacked(tmp_path_factory.mktemp("why"))


@pytest.fixture(scope="module")
def unbranched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(("branching",), 1, "mild", tmp_path_factory.mktemp("unbranched") / "run.rtrec")


def told(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> str:
    assert cli.main(["why", *map(str, arguments)]) == code
    return capsys.readouterr().out


def document(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> dict[str, Any]:
    found = json.loads(told(capsys, *arguments, "--json", code=code))
    assert isinstance(found, dict)
    return found


def recorded_settings(path: Path) -> ReplaySettings:
    with RecordedProfile(path) as profile:
        return recorded_engine(profile).settings


def reason_of(found: dict[str, Any]) -> str:
    """Return why the first finding that a replay could try has no gain."""
    first = next(each for each in found["findings"] if each["change"] and each["change"]["settings"])
    assert first["gain"] is None
    return str(first["gain_refused"])


def test_a_report_is_plain_text_of_80_columns(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = told(capsys, recording, "--no-what-if").splitlines()
    assert lines[0].startswith("mixed.rtrec: 430 requests, 174,358 prompt tokens, 58.2% hit")
    assert lines[2].startswith("1. WARN   The pool of sliding windows is too small")
    assert [line for line in lines if len(line) > 80 or "\x1b" in line] == []


@pytest.mark.parametrize("name", FINDINGS.names)
def test_every_finding_can_be_told(name: str) -> None:
    lines = [*lines_of("a run", SHOWN[name], diagnose(SHOWN[name]))]
    assert any(line.endswith(name) for line in lines)
    assert [line for line in lines if len(line) > 80] == []


@pytest.mark.parametrize("name", FINDINGS.names)
def test_every_finding_is_json(name: str) -> None:
    found = document_of("a run", SHOWN[name], diagnose(SHOWN[name]), "alarm")
    assert json.loads(json.dumps(found, allow_nan=False)) == found


@pytest.mark.parametrize(("after", "topics"), [(0.7, ("change", "gain")), (0.38, ("tried", "gain"))])
def test_a_change_that_was_tried_in_vain_is_not_advised(after: float, topics: tuple[str, str]) -> None:
    (first, *_) = diagnose(SHOWN["capacity_small"])
    found = replace(first, gain=Gain(0.4, after, "replay"))
    lines = [*lines_of("a run", SHOWN["capacity_small"], (found,))]
    assert [line.split()[0] for line in lines if line.split()[:1] in (["change"], ["tried"], ["gain"])] == [*topics]
    assert any("does not help" in line for line in lines) is (after < 0.4)


def test_what_gains_changed_is_said_in_text_and_in_json() -> None:
    evidence = SHOWN["tail_windows_lost"]
    gains = {"tail_windows_lost": Gain(0.4, 0.39, "replay"), "swa_pool_small": Gain(0.4, 0.5, "replay")}
    found = diagnose(evidence, gains)
    text = " ".join(" ".join(lines_of("a run", evidence, found)).split())
    assert "costs nothing beyond what swa_pool_small costs" in text and "0ns" not in text
    told = document_of("a run", evidence, found, None)["findings"]
    assert isinstance(told, list)
    assert [(each["name"], each["explained_by"]) for each in told] == [
        ("swa_pool_small", None), ("tail_windows_lost", "swa_pool_small"),
    ]  # fmt: skip


def test_a_severity_that_a_gain_lowered_is_said_to_be() -> None:
    evidence = SHOWN["capacity_small"]
    found = diagnose(evidence, {"capacity_small": Gain(0.4, 0.4, "replay")})
    text = " ".join(" ".join(lines_of("a run", evidence, found)).split())
    assert "rated warn, not alarm: its change was tried and does not help" in text


def test_nothing_wrong_is_said_to_be_so() -> None:
    assert [*lines_of("a run", HEALTHY, ())][-1] == "nothing to complain about"
    assert "nothing to judge by" in [*lines_of("a run", Evidence(), ())][-1]


def test_names_from_outside_cannot_drive_a_terminal() -> None:
    assert "\x1b" not in "".join(lines_of("\x1b[31m", HEALTHY, ()))


def test_the_document_has_the_findings_in_their_order(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, recording, "--no-what-if")
    first = found["findings"][0]
    assert (first["name"], first["severity"], first["gain"]) == ("swa_pool_small", "warn", None)
    assert first["change"]["flag"] == "--swa-slots"
    assert found["hit_tokens"] + sum(found["computed_tokens"].values()) == found["prompt_tokens"]


@pytest.mark.parametrize(("level", "code"), [("note", 3), ("warn", 3), ("alarm", 0)])
def test_the_exit_code_is_3_at_the_threshold(
    level: str, code: int, recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = document(capsys, recording, "--no-what-if", "--threshold", level, code=code)
    assert found["reached"] == (code == 3)


def test_a_change_that_a_replay_can_make_has_a_gain(unbranched: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = document(capsys, unbranched)["findings"][0]
    assert first["name"] == "branching_off"
    assert first["gain"]["points"] > 10
    assert first["gain"]["before"] == pytest.approx(
        document(capsys, unbranched, "--no-what-if")["hit_rate"], abs=0.02
    )


def test_a_recording_of_no_engine_is_not_replayed(
    recording: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = what_if.recorded_engine
    monkeypatch.setattr(what_if, "recorded_engine", lambda profile: replace(told(profile), is_told=False))
    assert reason_of(document(capsys, recording)) == "the recording is of no engine of ours"
    assert cli.main(["why", str(recording)]) == 0
    assert "nothing is replayed: the recording is of no engine of ours" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--from", "62s"), "leave out --from and --to"),
        (("--limit", "0.1"), "--limit gives more"),
        (("--no-what-if",), ""),
    ],
    ids=lambda given: given if isinstance(given, str) else " ".join(given),
)
def test_of_a_gain_that_is_not_measured_it_is_said_why(
    arguments: tuple[str, ...], reason: str, recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = reason_of(document(capsys, recording, *arguments))
    assert reason in said and bool(reason) is bool(said)


def test_a_change_that_cannot_be_is_said_to_be_no_change(
    recording: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    serve, before = what_if.serve, recorded_settings(recording)

    def served(requests: Any, settings: ReplaySettings, *rest: Any) -> Any:
        return serve(requests[:20], settings if settings == before else settings.changed(page_size=0), *rest)

    monkeypatch.setattr(what_if, "serve", served)
    monkeypatch.setattr(what_if.Load, "check", lambda *_: None)
    assert "cannot be replayed" in reason_of(document(capsys, recording))


def test_a_part_of_a_recording_is_compared_with_what_was_before(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = document(capsys, recording, "--from", "62s")
    fall = next(finding for finding in found["findings"] if finding["name"] == "hit_drop")
    assert found["requests"] < 200
    assert fall["since_ns"] == 0


@pytest.mark.parametrize(
    "arguments",
    [("--from", "2m"), ("--from", "40s", "--to", "20s"), ("--threshold", "panic"), ("--seconds", "3s")],
    ids=" ".join,
)
def test_what_cannot_be_meant_is_a_usage_error(arguments: tuple[str, ...], recording: Path) -> None:
    assert cli.main(["why", str(recording), *arguments]) == 2


@pytest.mark.parametrize("slots", [700, 900], ids=["all", "the largest"])
def test_requests_that_no_pool_could_hold_are_the_first_finding(
    slots: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Prompts of 753 to 945 tokens."""
    run = RunConfig("rag", full_slots=slots, swa_slots=slots, requests=20)
    path = write(Plant(run), tmp_path / "run.rtrec")
    found = document(capsys, path, "--no-what-if", "--threshold", "alarm", code=3)
    first = found["findings"][0]
    assert first["name"] == "requests_refused"
    assert first["change"]["flag"] == "--full-slots"
    assert first["cost"]["unserved"] == found["unserved"]["refused"] > 0
    assert "nothing to judge by" not in told(capsys, path, "--no-what-if")


def test_moments_are_those_of_a_recording(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["why", "shm:1", "--from", "2s"]) == 2


def test_a_server_tells_no_requests(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["why", "sglang://127.0.0.1:30000"]) == 2
    assert "radixtop run -- COMMAND" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["missing.rtrec", f"shm:{os.getpid()}"], ids=["a file", "a process"])
def test_what_is_not_there_is_a_failure(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["why", text]) == 1
    assert "Traceback" not in capsys.readouterr().err


def test_a_file_that_is_no_recording_is_a_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.rtrec"
    path.write_bytes(b"\x00" * 5_000)
    assert cli.main(["why", str(path)]) == 1
    assert "Traceback" not in capsys.readouterr().err


def test_a_process_is_watched(capsys: pytest.CaptureFixture[str]) -> None:
    cache = PrefixCache(CacheConfig(components=("full",), full_slots=4_000))
    recorder = radixtop.attach(cache)
    try:
        for number in range(10):
            request = cache.admit(RadixKey(array("i", range(300)), cache_salt=str(number)), request_id=number)
            request.prefill(300)
            request.finish()
        recorder.flush()
        found = document(capsys, f"shm:{os.getpid()}", "--seconds", "0.2")
    finally:
        recorder.close()
    assert found["requests"] == 10
    assert found["findings"][0]["name"] == "salted_requests"


def test_a_request_that_is_evidence_is_told_by_its_number() -> None:
    (first, *_) = diagnose(SHOWN["long_waits"])
    assert any("of: request #" in line for line in lines_of("a run", SHOWN["long_waits"], (first,)))


def test_what_a_process_says_of_itself_holds_from_its_first_record_on() -> None:
    """Prompts of 200 tokens part at 150, inside the third page of 64."""
    cache = PrefixCache(CacheConfig(page_size=64, components=("full",), full_slots=6_400))
    recorder = radixtop.attach(cache)
    try:
        for number in range(10):
            tokens = array("i", [*range(150), *range(1_000 * number, 1_000 * number + 50)])
            request = cache.admit(RadixKey(tokens), request_id=number)
            request.prefill(200)
            request.finish()
        recorder.flush()
        looked = look_at_target(f"shm:{os.getpid()}", 0.2)
    finally:
        recorder.close()
    assert looked.evidence.page.forks == 10


def test_requests_that_stand_still_do_so_until_the_watch_ends() -> None:
    cache = PrefixCache(CacheConfig(components=("full",), full_slots=4_000))
    recorder = radixtop.attach(cache)
    try:
        cache.admit(RadixKey(array("i", range(300))), request_id=1)
        recorder.flush()
        looked = look_at_target(f"shm:{os.getpid()}", 0.3)
    finally:
        recorder.close()
    assert (looked.evidence.unserved.running, looked.evidence.requests) == (1, 0)
    assert looked.evidence.unserved.oldest_ns >= 200_000_000
