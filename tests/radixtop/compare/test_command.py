"""`radixtop compare` from the command line to its table, document, picture and exit code."""

from __future__ import annotations

import inspect
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from profiles import simulation
from profiles.simulation import sampled_curve
from radixtop import cli
from radixtop.commands.compare import compare
from radixtop.commands.replay import replay
from radixtop.compare.jobs.curve import curve as curve_job
from tests.support.fixed_recording import unpacked
from tests.support.made_traces import MADE
from tests.support.traces_made import write_trace

VARIED = ("--vary", "policy=lru,slru", "--vary", "full_slots=8k,16k")


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trace(tmp_path_factory.mktemp("traces") / "chat.jsonl")


def ran(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> str:
    assert cli.main(["compare", *map(str, arguments)]) == code
    return capsys.readouterr().out


def document(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    found = json.loads(ran(capsys, *arguments, "--json"))
    assert isinstance(found, dict)
    return found


def test_every_combination_is_a_row_and_every_size_has_its_bounds(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = document(capsys, trace, *VARIED)
    assert [row["name"] for row in found["rows"]] == [
        "policy=lru full_slots=8,000", "policy=lru full_slots=16,000",
        "policy=slru full_slots=8,000", "policy=slru full_slots=16,000",
    ]  # fmt: skip
    for row in found["rows"]:
        assert 0 < row["hit_tokens"] < row["queried_tokens"]
        assert sum(row["missed_tokens"].values()) == row["queried_tokens"] - row["hit_tokens"]
        assert row["ttft_ms"]["mean"] > 0
    sizes = {(each["name"], each["slots"]) for each in found["references"]}
    assert sizes == {(name, size) for name in ("optimal", "lru", "block hash") for size in (8000, 16_000)} | {
        ("ceiling", None), ("chunk", None),
    }  # fmt: skip
    rates = {(each["name"], each["slots"]): each["hit_rate"] for each in found["references"]}
    assert 0 == rates["chunk", None] < rates["lru", 8000] <= rates["optimal", 8000] <= rates["ceiling", None]


def test_rows_that_refuse_requests_are_of_the_same_prompts_as_the_others(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = document(capsys, trace, "--vary", "full_slots=1k,16k")
    small, large = found["rows"]
    assert small["refused"] > 0 == large["refused"]
    assert small["requests"] == large["requests"] == found["trace"]["requests"]
    assert small["queried_tokens"] == large["queried_tokens"]
    for row in (small, large):
        assert sum(row["missed_tokens"].values()) == row["queried_tokens"] - row["hit_tokens"]
    [ceiling] = [each["hit_rate"] for each in found["references"] if each["name"] == "ceiling"]
    assert small["hit_rate"] < large["hit_rate"] <= ceiling
    assert (found["best"], large["missed_tokens"]["refused"]) == (1, 0)
    assert any("count as missed" in note for note in found["notes"])


def test_pools_that_change_along_with_the_full_one_are_named(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ("--window=128", "--limit=20", "--no-misses", "--no-references", "--vary=full_slots=8k,16k")
    (note,) = [note for note in document(capsys, trace, *flags)["notes"] if "ratio" in note]
    assert note.startswith("swa_slots keep their ratio to full_slots: ")
    assert not [note for note in document(capsys, trace, *flags, "--vary=swa_slots=4k")["notes"] if "ratio" in note]


def test_a_row_is_what_replay_says(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, trace, "--vary", "page_size=16", "--vary", "full_slots=8000", "--no-references")
    assert cli.main(["replay", str(trace), "--page-size", "16", "--full-slots", "8000", "--json"]) == 0
    replayed = json.loads(capsys.readouterr().out)
    (row,) = found["rows"]
    assert (row["hit_tokens"], row["queried_tokens"]) == (replayed["hit_tokens"], replayed["prompt_tokens"])
    assert row["ttft_ms"]["p99"] == replayed["ttft_ns"]["p99"] / 1e6


def test_the_number_of_workers_changes_nothing(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    alone = ran(capsys, trace, *VARIED, "--json", "--workers", "1")
    assert ran(capsys, trace, *VARIED, "--json", "--workers", "3") == alone


def test_the_table_fits_80_columns_and_says_what_is_best_without_colour(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ran(capsys, trace, *VARIED, "--vary", "branching=on,off", "--preset", "llama-3-8b").splitlines()
    assert [line for line in lines if len(line) > 80 or "\x1b" in line] == []
    assert [line for line in lines if line.startswith("   * ")]
    assert any("optimal" in line and "ceiling" in line for line in lines)
    assert any("GiB" in line for line in lines)


def test_settings_that_have_no_room_in_the_table_are_told_below_it(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    many = [f"--vary={key}" for key in ("page_size=16", "swa_eviction=lru", "chunk_size=512", "schedule=fcfs,lpm")]
    text = ran(capsys, trace, *many, "--vary", "full_slots=16k", "--window", "128", "--no-references", "--no-misses")
    assert all(f"schedule={name}" in " ".join(text.split()) for name in ("fcfs", "lpm"))
    assert "row 2" in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_recording_has_a_row_as_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recording = unpacked(tmp_path)
    found = document(capsys, recording, "--vary", "full_slots=half", "--no-references", "--no-misses")
    half, own = found["rows"]
    assert (half["recorded"], own["recorded"]) == (False, True)
    assert own["slots"]["full"] == 2 * half["slots"]["full"]
    assert half["hit_rate"] < own["hit_rate"]
    assert abs(found["trace"]["recorded"]["hit_rate"] - own["hit_rate"]) < 0.04


def test_a_recording_is_on_the_line_of_its_sizes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "sizes.svg"
    found = document(
        capsys, unpacked(tmp_path), "--vary=full_slots=half,1x", "--no-references", "--no-misses", "-o", out
    )
    assert [(row["name"], row["recorded"]) for row in found["rows"]] == [
        ("full_slots=4,500", False), ("full_slots=9,000", True),
    ]  # fmt: skip
    assert ">as it is<" not in out.read_text("utf-8")


def test_flags_that_a_recording_answers_itself_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["compare", str(unpacked(tmp_path)), "--page-size", "16"]) == 2
    assert "--vary page_size=" in capsys.readouterr().err


@pytest.mark.parametrize("ending", ["svg", "html"])
def test_a_picture_has_a_series_for_each_choice(
    ending: str, trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / f"what-if.{ending}"
    ran(capsys, trace, *VARIED, "-o", out)
    text = out.read_text("utf-8")
    assert all(word in text for word in ("policy=lru", "policy=slru", "optimal", "ceiling"))


def test_between_its_sizes_a_sweep_has_the_curve_of_lru(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, trace, *VARIED)
    curve = {each["slots"]: each["hit_rate"] for each in found["curve"]}
    rates = {each["slots"]: each["hit_rate"] for each in found["references"] if each["name"] == "lru"}
    assert (min(curve), max(curve), len(curve) > 100) == (8000, 16_000, True)
    assert rates == {slots: curve[slots] for slots in rates}
    text = ran(capsys, trace, *VARIED, "--preset", "llama-3-8b")
    assert "filled LRU on blocks" in text
    assert "1.953 GiB" in text
    assert text.count("●") > 2


def test_the_curve_is_the_simulation_at_every_size(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    curve = document(capsys, trace, "--curve", "--full-slots", "8000")
    (now,) = (size for size in curve["sizes"] if size["factor"] == 1)
    table = document(capsys, trace, "--full-slots", "8000")
    (lru,) = (each for each in table["references"] if each["name"] == "lru")
    (ceiling,) = (each for each in table["references"] if each["name"] == "ceiling")
    assert now["hit_tokens"] == lru["hit_tokens"]
    assert curve["ceiling"]["hit_tokens"] == ceiling["hit_tokens"]
    rates = [size["hit_rate"] for size in curve["sizes"]]
    assert rates == sorted(rates)


def test_a_sampled_curve_tells_its_error(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sampled = partial(sampled_curve, exact_blocks=8)
    monkeypatch.setattr(simulation, "sampled_curve", sampled)
    job = {"path": str(trace), "format": None, "limit": None, "warm_up": 0, "slots": [8000, 16_000], "sample": 0.5}
    exact, found = curve_job({**job, "sample": None}, print_nothing), curve_job(job, print_nothing)
    assert isinstance(found["at"], list) and isinstance(exact["at"], list) and isinstance(found["errors_at"], list)
    assert max(found["errors_at"]) > 0
    for (_, hits), (_, truth) in zip(found["at"], exact["at"], strict=True):
        assert hits == pytest.approx(truth, rel=0.4)
    out = tmp_path / "curve.svg"
    told = document(capsys, trace, "--curve", "--full-slots=8000", "--sample=0.5", "-o", out)
    assert told["sample"] == 0.5
    assert all(size["hit_rate_error"] >= 0 for size in told["sizes"])
    assert "+2 errors" in out.read_text("utf-8")
    lines = ran(capsys, trace, "--curve", "--full-slots=8000", "--sample=0.5").splitlines()
    assert max(map(len, lines)) <= 80
    assert any("±" in line for line in lines)


def print_nothing(requests: int) -> None:
    """Take no note of how far a job is."""


def test_the_curve_is_told_and_drawn(trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "curve.svg"
    lines = ran(capsys, trace, "--curve", "--full-slots", "8000", "-o", out).splitlines()
    assert [line for line in lines if line.strip().startswith("now ")]
    assert any("now 8,000" in line for line in lines)
    assert [line for line in lines if len(line) > 80] == []
    assert "ceiling" in out.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--vary", "polcy=lru"], "choose from: page_size"),
        (["--vary", "policy=lru,nope"], "choose from: lru"),
        (["--curve", *VARIED], "leave --vary out"),
        (["-o", "what-if.pdf"], "choose from: .svg, .html, .png"),
        (["--engine", "cloud"], "local, ray"),
        (["--address", "10.0.0.1:6379"], "--engine ray"),
        (["--vary", "full_slots=20GiB"], "--preset"),
        (["--speed", "2", "--closed-loop", "4"], "--speed does nothing"),
        (["--swa-slots", "100"], "--swa-slots does nothing"),
        (["--sample", "0.1"], "--sample does nothing without --curve"),
        (["--vary", "page_size=0"], "page_size is 0"),
        (["--vary", "concurrency=0"], "concurrency is 0"),
        (["--vary", "chunk_size=-1"], "chunk_size is -1"),
    ],
)
def test_usage_errors_say_what_would_do(
    arguments: list[str], said: str, trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["compare", str(trace), *arguments]) == 2
    assert said in " ".join(capsys.readouterr().err.replace("│", " ").split())


def test_flags_of_what_is_varied_do_something(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ("--swa-slots=2048", "--window=64", "--speed=2", "--limit=20", "--warm-up=50%")
    found = document(capsys, trace, *flags, "--vary=closed_loop=none,4", "--no-references", "--no-misses")
    assert [row["requests"] for row in found["rows"]] == [10, 10]
    assert found["rows"][0]["ttft_ms"] != found["rows"][1]["ttft_ms"]


def test_ids_of_no_one_length_are_compared_as_blocks(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, MADE / "ragpulse.jsonl")
    assert found["settings"]["tokens"] == "blocks"
    assert "--tokens blocks" in found["notes"][0]
    tokens = document(capsys, MADE / "ragpulse.jsonl", "--vary", "page_size=1,16", "--no-references")
    assert [row["failed"] for row in tokens["rows"]] == [None, None]
    assert tokens["settings"]["tokens"] == "all"


def test_what_is_no_trace_is_one_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("hello\n")
    assert cli.main(["compare", str(path)]) == 1
    assert capsys.readouterr().err.startswith("radixtop: ")


def test_flags_are_those_of_replay() -> None:
    ours, theirs = (inspect.signature(command).parameters for command in (compare, replay))
    assert {name: str(theirs[name]) for name in theirs.keys() - {"record", "trace"}} == {
        name: str(ours[name]) for name in theirs.keys() - {"record", "trace"}
    }
