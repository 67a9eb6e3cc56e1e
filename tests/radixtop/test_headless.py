"""`radixtop live --headless`: one report on stdout, and nothing else there."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cache_core.events import NodeAdded
from probes.lives.misses import MISS_CLASSES
from profiles.recording import Recording
from radixtop import cli, needs
from tests.support.processes import child_of, rings_of

RADIXTOP = (sys.executable, "-m", "radixtop")
LIVE = (*RADIXTOP, "live", "--headless")
MODELLESS = (sys.executable, "-m", "tests.support.modelless_live", "live", "--headless")
"""A run whose worker has no model, for what does not depend on one."""


def run(*flags: str, command: tuple[str, ...] = LIVE) -> subprocess.CompletedProcess[str]:
    """Run a headless workload to its end."""
    return subprocess.run([*command, *flags], capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="module")
def ran() -> subprocess.CompletedProcess[str]:
    """A run of a dozen requests, by a schedule that never gives way."""
    return run("--requests", "12", "--seed", "3", "--schedule", "lpm", "--schedule-limit", "none", "--json")


@pytest.fixture(scope="module")
def report(ran: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """What that run printed."""
    document: dict[str, Any] = json.loads(ran.stdout)
    return document


@pytest.mark.needs("torch")
class TestReport:
    """The document of a bounded run."""

    def test_it_ends_well(self, ran: subprocess.CompletedProcess[str]) -> None:
        assert ran.returncode == 0

    def test_narration_goes_to_stderr(self, ran: subprocess.CompletedProcess[str]) -> None:
        assert "serving mixed" in ran.stderr

    def test_every_request_is_counted_once(self, report: dict[str, Any]) -> None:
        totals = report["totals"]
        assert [totals[name] for name in ("admitted", "finished", "queries", "refused")] == [12, 12, 12, 0]

    def test_the_hit_rate_is_hits_over_queries(self, report: dict[str, Any]) -> None:
        totals = report["totals"]
        assert report["hit_rate"] == totals["hit_tokens"] / totals["queried_tokens"]
        assert 0 < report["hit_rate"] <= report["full_hit_rate"] < 1

    def test_every_missed_token_is_of_one_class(self, report: dict[str, Any]) -> None:
        total = report["misses"]["total"]
        missed = total["prompt"] + total["retracted"] - total["device"] - total["loaded"]
        assert sum(total[miss] for miss in MISS_CLASSES) == missed > 0 == total["unknown"]
        assert total["prompt"] == sum(each["prompt"] for each in report["misses"]["by_namespace"])

    def test_a_schedule_without_a_limit_never_gives_way(self, report: dict[str, Any]) -> None:
        assert report["config"]["schedule"] == "lpm"
        assert report["schedule"]["passes"] > report["schedule"]["fallbacks"] == 0

    def test_ttft_is_a_distribution_in_milliseconds(self, report: dict[str, Any]) -> None:
        ttft = report["ttft_ms"]
        assert ttft["count"] == 12
        assert 0 < ttft["p50"] <= ttft["p99"] < 60_000

    def test_each_pool_adds_up(self, report: dict[str, Any]) -> None:
        assert report["pools"].keys() == {"full", "swa"}
        for pool in report["pools"].values():
            assert pool["total"] == sum(pool[state] for state in ("free", "evictable", "protected", "held"))

    def test_pools_that_were_not_asked_for_hold_everything(self, report: dict[str, Any]) -> None:
        assert report["evictions"]["calls"] == 0
        assert report["config"]["full_slots"] == report["pools"]["full"]["total"]

    def test_the_tree_is_described(self, report: dict[str, Any]) -> None:
        nodes = report["nodes"]
        assert nodes["total"] > nodes["leaves"] > 1
        assert nodes["tokens"] == report["pools"]["full"]["evictable"]

    def test_no_ring_is_left(self, report: dict[str, Any]) -> None:
        assert rings_of(report["config"]["pid"]) == []

    def test_the_cache_is_intact_and_no_record_is_missing(self, report: dict[str, Any]) -> None:
        assert (report["integrity"], report["dropped"], report["torn_blocks"]) == ("ok", 0, 0)


@pytest.mark.needs("torch")
def test_a_duration_ends_the_run() -> None:
    report = json.loads(run("--duration", "0.2", "--json", command=MODELLESS).stdout)
    assert (report["totals"]["stopped_by"], report["integrity"]) == ("duration", "ok")


@pytest.mark.needs("torch")
def test_tight_pools_evict() -> None:
    flags = ("--requests", "30", "--full-slots", "2500", "--swa-slots", "900", "--json")
    report = json.loads(run(*flags, command=MODELLESS).stdout)
    assert report["evictions"]["victims"] > 0
    assert report["integrity"] == "ok"


@pytest.mark.needs("torch")
def test_the_chunk_cache_reuses_nothing() -> None:
    report = json.loads(run("--requests", "6", "--cache", "chunk", "--json", command=MODELLESS).stdout)
    assert (report["hit_rate"], report["integrity"]) == (0.0, "ok")


@pytest.mark.needs("torch")
def test_a_schedule_that_gave_way_is_counted() -> None:
    report = json.loads(run("--requests", "4", "--schedule", "lpm", "--schedule-limit", "0", "--json").stdout)
    assert report["schedule"]["fallbacks"] == report["schedule"]["passes"] > 0


@pytest.mark.needs("torch")
def test_the_block_hash_cache_is_served_and_recorded_like_the_tree(tmp_path: Path) -> None:
    path = tmp_path / "run.rec"
    load = ("--workload", "chat", "--requests", "10", "--page-size", "16", "--json")
    report = json.loads(run(*load, "--cache", "block_hash", "--record", str(path), command=MODELLESS).stdout)
    assert (report["integrity"], report["totals"]["finished"]) == ("ok", 10)
    assert report["hit_rate"] > 0.2
    with Recording(path) as recording:
        lengths = {record.length for record in recording.records() if isinstance(record, NodeAdded)}
    assert lengths == {16}


@pytest.mark.needs("torch")
def test_with_a_host_tier_hits_and_nodes_are_told_apart_by_where_they_are() -> None:
    flags = ("--requests", "25", "--full-slots", "2500", "--host-slots", "20000", "--json")
    report = json.loads(run(*flags).stdout)
    hits, host, totals = report["hits"], report["hits"]["host"], report["totals"]
    assert 0 < host["loaded_tokens"] <= host["admitted_tokens"]
    assert host["unloaded_tokens"] == host["admitted_tokens"] - host["loaded_tokens"]
    assert hits["device_tokens"] + host["loaded_tokens"] == totals["hit_tokens"]
    assert host["share"] == host["loaded_tokens"] / totals["queried_tokens"] < report["hit_rate"]
    nodes = report["nodes"]
    assert nodes["device"] + nodes["host_only"] == nodes["total"] and nodes["host_only"] > 0
    assert nodes["device"] == nodes["live_nodes"]["full"] == nodes["tombstones"] + nodes["live_nodes"]["swa"]


@pytest.mark.needs("torch")
def test_a_run_whose_every_request_is_refused_has_failed() -> None:
    ran = run("--requests", "3", "--full-slots", "10", "--json")
    assert ran.returncode == 1
    assert json.loads(ran.stdout)["totals"]["refused"] == 3
    assert "enlarge --full-slots" in ran.stderr


@pytest.mark.needs("torch")
def test_without_json_a_person_can_read_it() -> None:
    shown = run("--requests", "3").stdout
    assert re.search(r"^requests +3 finished", shown, re.M)
    assert re.search(r"^schedule +fcfs, \d+ passes, 0 deferrals, 0 fallbacks$", shown, re.M)
    assert re.search(r"^TTFT +mean [\d.]+m?s, p50 [\d.]+m?s, p99 [\d.]+m?s$", shown, re.M)
    assert "\x1b" not in shown


@pytest.mark.needs("torch")
def test_ctrl_c_reports_what_was_served_and_says_so() -> None:
    with subprocess.Popen(
        [*MODELLESS, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        while "serving" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        shown, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert json.loads(shown)["totals"]["stopped_by"] == "stop"


@pytest.mark.parametrize(
    ("flags", "code", "words"),
    [
        (("--page-size", "16", "--full-slots", "100"), 2, "use 96 or 112"),
        (("--record", "/no/such/folder/run.radixtop"), 1, "cannot write the recording"),
        (("--record", "/dev/full"), 1, "No space left on device"),
        (("--policy", "clairvoyant"), 2, "lru, mru, fifo, filo, lfu, slru, priority, tlru"),
        (("--workload", "quiet"), 2, "shared_prompt, few_shot, chat, agent, rag, mixed"),
        (("--schedule", "sjf"), 2, "fcfs, lpm, dfs_weight, lof, random, routing_key, hrrn, shortest_prefill_first"),
        (("--schedule-limit", "few"), 2, "neither a number nor none"),
        (("--page-size", "0"), 2, "--page-size"),
        (("--concurrency", "many"), 2, "--concurrency"),
    ],
)
@pytest.mark.needs("torch")
def test_what_cannot_work_is_said_with_its_way_out(
    flags: tuple[str, ...], code: int, words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["live", "--headless", "--requests", "1", *flags]) == code
    shown = capfd.readouterr()
    assert shown.out == ""
    assert words in shown.err
    assert "Traceback" not in shown.err
    assert "starting" not in shown.err


@pytest.mark.needs("torch")
def test_an_engine_that_is_killed_fails_the_run() -> None:
    with subprocess.Popen(
        [*MODELLESS, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        while "serving" not in process.stderr.readline():
            assert process.poll() is None
        os.kill(child_of(process.pid), signal.SIGKILL)
        shown, said = process.communicate(timeout=30)
    assert (process.returncode, shown) == (1, "")
    assert "ended by SIGKILL" in said


def test_without_torch_the_message_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(needs, "find_spec", lambda name: None)
    assert cli.main(["live", "--headless", "--requests", "1"]) == 1
    assert "pip install 'radixtop[live]'" in capsys.readouterr().err
