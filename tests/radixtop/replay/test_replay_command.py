"""`radixtop replay`: what it prints, what it saves, and how it ends."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from cache_core.events import EngineStep, RequestFinished
from profiles.profile import RecordedProfile
from profiles.trace_format import open_trace
from radixtop import cli
from radixtop.replay import replay_file, trace_replay
from radixtop.replay.result import ReplayResult
from radixtop.replay.virtual_clock import START_NS
from tests.support.fixed_recording import unpacked
from tests.support.made_traces import MADE, write_lines

TRACE = MADE / "mooncake.jsonl"


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Return a trace of 40 requests that repeat and go on."""
    lines = (
        {"timestamp": 200 * n, "input_length": 1500, "output_length": 20, "hash_ids": [n % 5, 100 + n % 10, 1000 + n]}
        for n in range(40)
    )
    return write_lines(tmp_path / "made.jsonl.gz", lines)


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    """Return the document that a replay prints."""
    assert cli.main(["replay", *arguments, "--json"]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    document: dict[str, object] = json.loads(shown.out)
    return document


def test_the_report_is_text_with_every_time_derived(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["replay", str(trace)]) == 0
    shown = capsys.readouterr().out
    lines = {line[:13].strip(): line for line in shown.splitlines()}
    assert "made.jsonl.gz, all tokens, with outputs" in lines["trace"]
    assert "40 served, 0 refused" in lines["requests"]
    assert "prompt tokens" in lines["hit rate"]
    for topic in ("TTFT", "queued", "per token", "throughput", "time"):
        assert "derived" in lines[topic]
    assert "\x1b" not in shown


def test_the_document_is_the_result(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = told(capsys, str(trace), "--limit", "30", "--warm-up", "50%")
    assert document["trace"] == "made.jsonl.gz"
    result = ReplayResult.from_document(document)
    assert (result.requests, result.measured, result.settings.warm_up) == (30, 15, 15)
    assert result.misses is not None


def test_flags_make_the_cache(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = "--window 128 --page-size 16 --full-slots 8000 --swa-slots 2048 --policy slru --policy-option threshold=3"
    config = ReplayResult.from_document(told(capsys, str(trace), *flags.split(), "--no-branching")).settings.config
    assert (config.components, config.window, config.page_size) == (("full", "swa"), 128, 16)
    assert (config.full_slots, config.swa_slots, config.policy, config.branching) == (8000, 2048, "slru", False)
    assert config.policy_options == (("threshold", 3),)


def test_flags_make_the_costs(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--prefill-rate", "1000", "--decode-ms", "2", "--decode-request-ms", "0.5", "--overhead-ms", "0"]
    costs = ReplayResult.from_document(told(capsys, str(trace), *flags)).settings.costs
    assert (costs.prefill_tokens_per_s, costs.decode_step_ns, costs.decode_request_ns) == (1000, 2_000_000, 500_000)
    assert costs.overhead_ns == 0


def test_memory_sizes_the_pool(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = ReplayResult.from_document(told(capsys, str(trace), "--memory", "1GiB", "--page-size", "16"))
    assert result.settings.config.full_slots == (1 << 30) // 131_072


def test_a_preset_sizes_both_pools(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = [str(trace), "--preset", "deepseek-v4-flash", "--memory", "100MB"]
    config = ReplayResult.from_document(told(capsys, *asked)).settings.config
    assert (config.components, config.window, config.page_size) == (("full", "swa"), 128, 256)
    assert config.full_slots == int(100_000_000 / (3_104 + 0.1 * 22_016)) // 256 * 256
    assert config.swa_slots == round(config.full_slots * 0.1) // 256 * 256


def test_flags_go_before_a_preset(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = [str(trace), "--preset", "gemma-4-31b", "--window", "64", "--full-slots", "4000", "--swa-ratio", "0.5"]
    config = ReplayResult.from_document(told(capsys, *asked)).settings.config
    assert (config.window, config.full_slots, config.swa_slots) == (64, 4000, 2000)


def test_blocks_are_said_to_be_blocks(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["replay", str(trace), "--tokens", "blocks"]) == 0
    shown = capsys.readouterr().out
    assert "in blocks of 512 tokens, no outputs" in shown
    assert "not told apart by cause" in shown


def test_a_recording_is_in_virtual_time(trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.rtrec"
    result = ReplayResult.from_document(told(capsys, str(trace), "--record", str(path)))
    with RecordedProfile(path) as profile:
        records = [*profile.records({EngineStep, RequestFinished})]
        assert profile.config["workload"] == "made.jsonl.gz"
    ends = [record for record in records if isinstance(record, RequestFinished)]
    steps = [record for record in records if isinstance(record, EngineStep)]
    assert (len(ends), len(steps)) == (40, result.steps)
    assert max(step.at for step in steps) == START_NS + result.virtual_ns


@pytest.mark.parametrize("command", ["play {} --headless --json", "profile info {}", "profile flame {}"])
def test_other_commands_open_the_recording(
    command: str, trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.rtrec"
    told(capsys, str(trace), "--record", str(path), "--full-slots", "4000")
    assert cli.main(command.format(path).split()) == 0
    assert capsys.readouterr().out


def test_costs_are_measured_from_a_recording(trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.rtrec"
    told(capsys, str(trace), "--record", str(path), "--prefill-rate", "5000", "--decode-ms", "3")
    costs = ReplayResult.from_document(told(capsys, str(trace), "--costs-from", str(path))).settings.costs
    assert costs.prefill_tokens_per_s == pytest.approx(5000, rel=1e-3)
    assert costs.name == "measured from run.rtrec"


def test_an_interrupted_replay_says_and_saves_what_was(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = iter(range(10_000))

    def watched(self: object) -> None:
        if next(steps) == 20:
            os.kill(os.getpid(), signal.SIGINT)
        look(self)

    look = trace_replay.PoolWatch.look
    monkeypatch.setattr(trace_replay.PoolWatch, "look", watched)
    path = tmp_path / "run.rtrec"
    assert cli.main(["replay", str(trace), "--json", "--record", str(path)]) == 130
    result = ReplayResult.from_document(json.loads(capsys.readouterr().out))
    assert result.interrupted
    assert result.requests < 40
    with RecordedProfile(path) as profile:
        assert len([*profile.records({EngineStep})]) == result.steps


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--tokens", "blocks", "--page-size", "16"], "page_size 1"),
        (["--tokens", "blocks", "--outputs"], "decodes nothing"),
        (["--tokens", "blocks", "--record", "x.rtrec"], "cannot be recorded"),
        (["--memory", "1GiB", "--full-slots", "1000"], "--full-slots and --memory"),
        (["--components", "full,swa"], "needs a window"),
        (["--preset", "qwen3.5"], "KV size of qwen3.5"),
        (["--preset", "gpt-9"], "gpt-9"),
        (["--memory", "1GiB", "--window", "64"], "add --preset"),
        (["--window", "64", "--swa-slots", "100", "--swa-ratio", "0.1"], "--swa-ratio both"),
        (["--components", "full", "--window", "128"], "--window does nothing"),
        (["--swa-slots", "100"], "--swa-slots does nothing"),
        (["--speed", "2", "--closed-loop", "4"], "--speed does nothing"),
        (["--warm-up", "half"], "'half'"),
        (["--warm-up", "101%"], "'101%'"),
        (["--memory", "much"], "'much'"),
        (["--speed", "0"], "speed"),
        (["--full-slots", "1001", "--page-size", "16"], "multiple"),
    ],
)
def test_flags_that_cannot_be_meant_are_usage(
    flags: list[str], said: str, trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["replay", str(trace), *flags]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert said in " ".join(shown.err.split())


def test_ids_of_no_one_length_are_replayed_as_blocks(capsys: pytest.CaptureFixture[str]) -> None:
    document = told(capsys, str(MADE / "ragpulse.jsonl"))
    requests = list(open_trace(MADE / "ragpulse.jsonl"))
    result = ReplayResult.from_document(document)
    mean = sum(each.prompt_tokens for each in requests) / sum(each.blocks for each in requests)
    assert result.settings.tokens == "blocks"
    assert result.slot_tokens == round(mean)
    assert result.pools[0].total_slots == int(result.settings.config.full_slots / mean)
    assert "--tokens blocks" in str(document["notes"])


@pytest.mark.parametrize("flags", [["--tokens", "all"], ["--page-size", "16"], ["--outputs"], ["--misses"]])
def test_flags_that_need_tokens_get_them_and_a_note(flags: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    document = told(capsys, str(MADE / "ragpulse.jsonl"), *flags)
    assert ReplayResult.from_document(document).settings.tokens == "all"
    assert "hits no more than the first" in str(document["notes"])


def test_a_recording_brings_its_cache_and_flags_change_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(unpacked(tmp_path))
    document = told(capsys, path, "--no-misses")
    own = ReplayResult.from_document(document).settings
    other = ReplayResult.from_document(told(capsys, path, "--no-misses", "--policy=slru", "--concurrency=3")).settings
    assert (own.config.components, own.config.full_slots, own.concurrency) == (("full", "swa"), 9000, 6)
    assert other == own.changed(policy="slru", concurrency=3)
    assert document["hit_rate"] == pytest.approx(document["recorded_hit_rate"], abs=0.01)


def test_what_sizes_the_pools_of_a_trace_is_refused_for_a_recording(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["replay", str(unpacked(tmp_path)), "--memory", "1GiB"]) == 2
    assert "--full-slots N" in capsys.readouterr().err


def test_a_file_that_is_no_trace_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_lines(tmp_path / "odd.jsonl", [{"odd": 1}])
    assert cli.main(["replay", str(path)]) == 1
    assert "odd.jsonl" in capsys.readouterr().err
    assert cli.main(["replay", str(tmp_path / "none")]) == 1


def test_a_recording_that_cannot_be_written_fails(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["replay", str(trace), "--record", "/nonexistent/run.rtrec"]) == 1
    assert "cannot write" in capsys.readouterr().err


def test_a_public_trace_that_was_written_by_hand_is_replayed(capsys: pytest.CaptureFixture[str]) -> None:
    assert ReplayResult.from_document(told(capsys, str(TRACE))).requests == 4


def test_the_bar_is_for_terminals_alone(capsys: pytest.CaptureFixture[str], trace: Path) -> None:
    with replay_file.replay_bar("made", 40) as progress:
        assert progress is None
