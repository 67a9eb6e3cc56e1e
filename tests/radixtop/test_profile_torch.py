"""`radixtop profile torch`: a trace on one clock, a table, and what can go wrong."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cache_core.engine.ranges import DECODE, MATCH, PREFILL, STEP, no_ranges
from cache_core.events import EngineStep
from profiles.dates import Origin
from profiles.timelines.timeline import PIDS
from profiles.timelines.torch_trace import TorchTrace
from radixtop import cli
from radixtop.errors import RadixtopError
from radixtop.serving import embedded
from radixtop.torch_profile.report import document, lines, remarks
from radixtop.torch_profile.run import Profiled
from radixtop.torch_profile.span import ProfiledSpan

if TYPE_CHECKING:
    from cache_core.engine.profiling import OperatorTime

COMMAND = [sys.executable, "-m", "radixtop", "profile", "torch"]


def run(*arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == code, done.stderr
    return done


@pytest.fixture(scope="module")
def profiled(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[dict[str, Any]], Any]:
    """The events of a trace and the report beside it."""
    trace = tmp_path_factory.mktemp("torch") / "run.trace.json.gz"
    done = run("--steps", "12", "--skip", "2", "--seed", "3", "--device", "cpu", "--json", "-o", str(trace))
    return json.loads(gzip.decompress(trace.read_bytes()))["traceEvents"], json.loads(done.stdout)


@pytest.mark.needs("torch")
def test_as_many_steps_are_profiled_as_were_asked_for(profiled: tuple[list[dict[str, Any]], Any]) -> None:
    events, report = profiled
    names = [event["name"] for event in events if event.get("cat") == "user_annotation"]
    assert (names.count(STEP), report["steps"]) == (12, 12)
    assert {PREFILL, DECODE, MATCH} & {*names} >= {MATCH}


@pytest.mark.needs("torch")
def test_our_steps_stand_inside_those_that_torch_saw(profiled: tuple[list[dict[str, Any]], Any]) -> None:
    events, report = profiled
    slices = [event for event in events if event.get("ph") == "X"]
    ours = [span(event) for event in slices if event["name"] == "step" and event["pid"] > PIDS]
    theirs = [span(event) for event in slices if event["name"] == STEP]
    assert len(ours) == len(theirs)
    common = sum(max(0.0, min(a[1], b[1]) - max(a[0], b[0])) for a in ours for b in theirs)
    assert common > 0.9 * sum(end - start for start, end in ours)
    assert report["clock_error_us"] < 0.2 * max(end - start for start, end in ours)


def span(event: dict[str, Any]) -> tuple[float, float]:
    return event["ts"], event["ts"] + event["dur"]


@pytest.mark.needs("torch")
def test_operators_requests_and_pools_are_in_one_trace(profiled: tuple[list[dict[str, Any]], Any]) -> None:
    events, _ = profiled
    assert "aten::mm" in {event["name"] for event in events if event.get("cat") == "cpu_op"}
    named = {
        event["name"] for event in events if event.get("pid", 0) != "" and event.get("cat") in ("request", "gauge")
    }
    assert {"request", "full pool", "swa pool"} <= named


@pytest.mark.needs("torch")
def test_the_report_names_the_operators_that_took_longest(profiled: tuple[list[dict[str, Any]], Any]) -> None:
    _, report = profiled
    times = [operator["self_cpu_us"] for operator in report["operators"]]
    assert times == sorted(times, reverse=True)
    assert "aten::mm" in [operator["name"] for operator in report["operators"]]
    assert report["operators"][0]["self_device_us"] is None


@pytest.mark.needs("torch")
def test_without_an_output_there_is_a_table_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["profile", "torch", "--steps", "2", "--device", "cpu", "--top", "3"]) == 0
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 5
    assert "self ms" in said.out
    assert "device ms" not in said.out
    assert said.err == "profiling mixed on the tiny model\n"


@pytest.mark.needs("torch")
def test_a_run_that_is_over_too_soon_says_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run.trace.json"
    flags = ["--requests", "1", "--skip", "500", "--device", "cpu", "-o", str(out)]
    assert cli.main(["profile", "torch", *flags]) == 1
    said = capsys.readouterr()
    assert "before a step was profiled" in said.err
    assert "--skip" in said.err
    assert not out.exists()


@pytest.mark.needs("torch")
def test_a_trace_that_cannot_be_written_stops_the_run_before_it_begins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["profile", "torch", "--steps", "1", "-o", str(tmp_path / "nowhere" / "x")]) == 1
    said = capsys.readouterr()
    assert "nowhere" in said.err
    assert said.out == ""


def test_without_torch_it_is_said_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert cli.main(["profile", "torch"]) == 1
    assert "pip install 'radixtop[live]'" in capsys.readouterr().err


SWALLOWS = """
import os, signal
try:
    os.kill(os.getpid(), signal.SIGINT)
except KeyboardInterrupt:
    pass
"""


def test_ctrl_c_is_heard_though_the_import_of_torch_swallows_it(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text(SWALLOWS)
    main = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from radixtop.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", main, "profile", "torch"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.needs("torch")
def test_the_environment_asks_a_live_run_for_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(embedded.NVTX_VARIABLE, raising=False)
    assert embedded.ranges() is no_ranges
    monkeypatch.setenv(embedded.NVTX_VARIABLE, "1")
    assert embedded.ranges() is not no_ranges


class Profiler:
    """Says when it was told to start and to stop."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def start(self) -> None:
        self.told.append("start")

    def stop(self) -> None:
        self.told.append("stop")


@pytest.mark.parametrize(
    ("skipped", "most", "ran", "profiled"), [(0, 2, 1, 1), (0, 2, 2, 2), (3, 2, 9, 2), (3, 9, 5, 2)]
)
def test_a_span_begins_and_ends_between_steps(skipped: int, most: int, ran: int, profiled: int) -> None:
    profiler = Profiler()
    span = ProfiledSpan(profiler, skipped, most)  # type: ignore[arg-type]
    for _ in range(ran):
        if not span.is_over:
            span.stepped()
    span.close()
    assert (span.steps, profiler.told) == (profiled, ["start", "stop"])


def test_a_span_that_was_interrupted_at_its_beginning_ends_nothing() -> None:
    class Interrupted(Profiler):
        def start(self) -> None:
            raise KeyboardInterrupt

    profiler = Interrupted()
    span = ProfiledSpan(profiler, 1, 1)  # type: ignore[arg-type]
    with pytest.raises(KeyboardInterrupt):
        span.stepped()
    with pytest.raises(RadixtopError, match="before a step was profiled"):
        span.close()
    assert profiler.told == []


def operator(name: str, self_cpu_ns: int, device_ns: int = 0) -> OperatorTime:
    from cache_core.engine.profiling import OperatorTime

    return OperatorTime(name, 3, self_cpu_ns, self_cpu_ns, device_ns, device_ns)


def made(device: str, *operators: OperatorTime) -> Profiled:
    trace = TorchTrace([], 0)
    config: dict[str, object] = {"workload": "mixed", "model": "tiny"}
    return Profiled(3, 1, 10**9, device, False, operators, trace, (), config, Origin(0, 0))


@pytest.mark.needs("torch")
def test_time_on_a_device_counts_and_is_shown() -> None:
    profiled = made("cuda:0", operator("aten::add", 500), operator("aten::mm", 100, device_ns=900_000))
    assert "device ms" in [*lines(profiled, 5)][1]
    names = [row["name"] for row in document(profiled, None, 5)["operators"]]  # type: ignore[attr-defined]
    assert names == ["aten::mm", "aten::add"]
    assert not [*remarks(profiled)]


@pytest.mark.needs("torch")
def test_a_device_that_torch_saw_nothing_of_is_told() -> None:
    assert any("NVreg_RestrictProfilingToAdminUsers" in said for said in remarks(made("cuda:0", operator("mm", 5))))


@pytest.mark.needs("torch")
def test_cut_slices_and_clocks_that_disagree_are_told() -> None:
    step = EngineStep(5_000_000, 1_000_000, 1, 0, 0, 0)
    event = {"ph": "X", "name": STEP, "ts": 7_500.0, "dur": 1.0, "pid": 1, "tid": 1}
    trace = TorchTrace([event], 0, cut_slices=10, most_cut_ns=2_500)
    said = [*remarks(replace(made("cpu"), trace=trace, records=(step,)))]
    assert said[0] == "10 of torch's slices overlapped and were cut, by 2.5 us at most"
    assert "3.5 ms apart" in said[1]
