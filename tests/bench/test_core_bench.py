"""The benchmark of the cache's operations: it runs, compares like with like, and no cost grows with the tree."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cache_core.bench.core import OWN, TREE_OPERATIONS, Bench, run_bench
from cache_core.bench.plan import QUICK, WINDOWS, Plan
from cache_core.bench.report import tables
from cache_core.bench.same_work import DifferentWorkError, require_same
from cache_core.bench.side import Peer, Side, SideError
from radixtop.bench.core import run
from radixtop.errors import RadixtopError, UsageError
from tests.support.peers import named_peers

SMALL = replace(QUICK, runs=3, scale=0.02, memory_keys=1_000, traced_keys=300)
TRIES = 3
"""Other jobs disturb a measurement; they never make it better. So the best of a few counts."""


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return run_bench(SMALL)


def test_every_workload_is_measured_on_both_kinds_of_cache(document: dict[str, Any]) -> None:
    done = {(each["workload"], each["page_size"], each["components"]) for each in document["requests"]}
    kinds = ("full", "full+swa")
    assert done == {(workload, page, kind) for workload, page in SMALL.requests for kind in kinds}
    assert len(document["long_match"]) == len(SMALL.prefixes) * len(SMALL.prefix_pages) * len(WINDOWS)


def test_tree_operations_add_up(document: dict[str, Any]) -> None:
    for each in document["requests"]:
        figures = each["figures"][OWN]
        total = sum(figures[operation]["p50_us"] for operation in TREE_OPERATIONS)
        assert figures["tree_ops"]["p50_us"] == pytest.approx(total, rel=0.5)


def test_the_document_is_json_and_its_tables_name_every_operation(document: dict[str, Any]) -> None:
    assert json.loads(json.dumps(document))["columns"].keys() == {OWN}
    shown = tables(document)
    assert all(name in shown for name in ("match+lock+insert+unlock", "evict 300 tokens", "RSS bytes/node"))


def test_what_sets_the_lives_of_requests_apart_is_noted_beside_peers_alone(document: dict[str, Any]) -> None:
    note = "ours decodes the replies of W2 token by token"
    assert note not in tables(document)
    assert note in tables({**document, "columns": {**document["columns"], "another": {}}})


def growths() -> dict[tuple[str, str], float]:
    """Return how many times as long evictions of each kind take in a tree ten times as large."""
    plan = Plan(runs=3, scale=0.01, requests=(), leaves=((1_000, 60), (10_000, 60)), prefixes=(), memory_keys=0)
    times: dict[tuple[str, str], list[float]] = {}
    for case in run_bench(plan)["evict"]:
        kind = (case["evicted"], case["components"])
        times.setdefault(kind, []).append(case["figures"][OWN]["evict"]["p50_us"])
    return {kind: large / small for kind, (small, large) in times.items()}


def test_an_eviction_takes_no_longer_in_a_larger_tree() -> None:
    least = growths()
    for _ in range(TRIES - 1):
        if max(least.values()) > 2.5:
            least = {kind: min(least[kind], growth) for kind, growth in growths().items()}
    assert {kind: growth <= 2.5 for kind, growth in least.items()} == {
        ("full", "full"): True,
        ("full", "full+swa"): True,
        ("swa", "full+swa"): True,
    }


def test_a_long_match_costs_less_a_token_than_a_short_one(document: dict[str, Any]) -> None:
    times = {case["tokens"]: case["figures"][OWN]["match"]["p50_us"] for case in document["long_match"]}
    short, long = min(times), max(times)
    assert times[long] / times[short] < long / short


def test_a_peer_that_cannot_be_loaded_is_named_with_what_to_do_and_the_others_go_on() -> None:
    told: list[str] = []
    plan = Plan(runs=1, scale=0.01, requests=(("W1", 1),), leaves=(), prefixes=(), memory_keys=0)
    found = Bench(plan, [Peer("gone", "/no/such/python"), Peer("bare", sys.executable)], told.append).run()
    assert found["columns"].keys() == {OWN}
    assert found["requests"][0]["figures"].keys() == {OWN}
    assert found["failures"].keys() == {"gone rust", "gone python", "bare rust", "bare python"}
    assert "/no/such/python cannot be run" in found["failures"]["gone rust"]
    for word in ("sglang", sys.executable, "pip install --no-deps"):
        assert word in found["failures"]["bare python"]
    assert sum("left out" in line for line in told) == 4


def script(folder: Path, *lines: str) -> Peer:
    """Return a peer whose interpreter is a shell script."""
    path = folder / "h.sh"
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(0o755)
    return Peer("h", str(path))


@pytest.mark.parametrize("line", ["exec sleep 300", "printf '{'; exec sleep 300"])
def test_a_peer_that_does_not_start_in_time_is_given_up_with_what_to_do(line: str, tmp_path: Path) -> None:
    peer = script(tmp_path, line)
    with pytest.raises(SideError, match=r"^h: it gave no answer within 0\.2 s\. .*pip install --no-deps"):
        Side("h", OWN, peer, start_seconds=0.2)


def test_a_peer_that_closes_its_output_and_goes_on_is_given_up(tmp_path: Path) -> None:
    with pytest.raises(SideError, match=r"^h: the worker closed its output and went on: oh dear"):
        Side("h", OWN, script(tmp_path, "echo oh dear >&2", "exec sleep 300 >&-"))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("echo garbage", "'garbage'"),
        ("printf garbage", "'garbage'"),
        ("printf '\\377\\376\\n'", "'\ufffd\ufffd'"),
        ("echo '[]'", "'[]'"),
        ("echo '{}'", "'{}'"),
        ("head -c 500 /dev/zero | tr '\\0' x", f"'{'x' * 80}'..."),
        ("head -c 100000 /dev/zero | tr '\\0' '['", f"'{'[' * 80}'..."),
    ],
)
def test_a_peer_that_says_what_is_no_answer_is_left_out(line: str, said: str, tmp_path: Path) -> None:
    told: list[str] = []
    plan = Plan(runs=1, scale=0.01, requests=(), leaves=(), prefixes=(), memory_keys=0)
    found = Bench(plan, [script(tmp_path, line)], told.append).run()
    assert found["columns"].keys() == {OWN}
    assert found["failures"]["h rust"].startswith(
        f"h rust: it said {said}, which is no answer. The peer's interpreter"
    )
    assert [line for line in told if line.startswith("left out: h ")] == [
        f"left out: {reason}" for reason in found["failures"].values()
    ]


def test_a_peer_that_babbles_without_end_is_left_out(tmp_path: Path) -> None:
    peer = script(tmp_path, "exec cat /dev/zero")
    with pytest.raises(SideError, match=r"^h: it said .*\.\.\., which is no answer"):
        Side("h", OWN, peer)


@pytest.mark.parametrize("line", ["garbage", "[]", '"error"', "7", "\\377"])
def test_a_later_answer_that_is_none_is_refused(line: str, tmp_path: Path) -> None:
    peer = script(tmp_path, """echo '{"cache": "h"}'""", "read asked", f"printf '{line}\\n'", "exec sleep 300")
    with Side("h", OWN, peer) as side, pytest.raises(SideError, match=r"^h: it said '.*', which is no answer$"):
        side.ask("rest")


def test_answers_that_come_at_once_are_read_one_by_one(tmp_path: Path) -> None:
    peer = script(tmp_path, """printf '{"cache": "h"}\\n{"one": 1}\\n{"two": 2}\\n'""", "exec sleep 300")
    with Side("h", OWN, peer) as side:
        assert [side.ask("rest"), side.ask("rest")] == [{"one": 1}, {"two": 2}]


def test_times_of_sides_that_did_different_work_are_not_compared() -> None:
    require_same("hits", {OWN: 3, "another": 3})
    with pytest.raises(DifferentWorkError, match="hits differs: radixtop 3, another 4"):
        require_same("hits", {OWN: 3, "another": 4})


def test_a_worker_answers_what_it_cannot_do_and_goes_on() -> None:
    with Side("ours", OWN) as side:
        with pytest.raises(SideError, match=r"ours: AttributeError: .*'juggle'"):
            side.ask("juggle")
        assert side.ask("rest") == {}


def test_a_worker_that_dies_says_so() -> None:
    with Side("ours", OWN) as side, pytest.raises(SideError, match="ours: the worker ended with -9"):
        os.kill(side.process_id, 9)
        side.ask("rest")


def test_our_own_worker_that_dies_is_told_without_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise SideError(f"{OWN}: the worker ended with -9: it said nothing")

    monkeypatch.setattr("radixtop.bench.core.run_bench", fail)
    with pytest.raises(RadixtopError) as raised:
        run([], runs=1, quick=True, as_json=False)
    assert raised.value.message == "the worker ended with -9: it said nothing"


def test_a_peer_with_the_name_of_our_own_column_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="'radixtop' is the name of our own column") as raised:
        run(["radixtop=/no/such/python"], runs=1, quick=True, as_json=False)
    assert "another" in raised.value.hint


@pytest.mark.parametrize("text", ["sglang", "=python", "sglang="])
def test_a_peer_that_is_not_named_right_is_a_usage_error(text: str) -> None:
    command = [sys.executable, "-m", "radixtop", "bench", "core", "--peer", text]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "NAME=PYTHON" in ran.stderr


BESIDE_PEERS = replace(
    SMALL,
    runs=1,
    requests=(("W1", 1), ("W3", 16)),
    leaves=((1_000, 20),),
    prefixes=(4_096,),
    prefix_pages=(64,),
    memory_keys=0,
)
"""Most of the time of peers goes into their imports."""


@pytest.mark.needs("peers")
def test_the_newest_peer_does_the_same_work_and_takes_longer() -> None:
    peers = named_peers()[-1:]
    document = run_bench(BESIDE_PEERS, peers)
    assert document["failures"] == {}
    assert len(document["columns"]) == 1 + 2 * len(peers)
    for case in document["requests"]:
        assert all(ratios["tree_ops"] > 1 for ratios in case["ratios"].values())
