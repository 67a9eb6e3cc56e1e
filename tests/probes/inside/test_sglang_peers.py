"""Our probes in SGLang's real caches, on both tree cores: they say what the class returned, and change nothing."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cache_core.bench.side import Peer
from tests.support.once import made_once
from tests.support.peers import named_peers, written

pytestmark = pytest.mark.needs("peers")

Run = dict[str, Any]
ROOT = Path(__file__).parents[3]
SEEDS = (3, 8)


@pytest.fixture(scope="module", params=named_peers(), ids=lambda peer: peer.name)
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Run]]:
    """What `tests.support.inside_sglang` says of the same logs, in a peer's interpreter."""
    peer: Peer = request.param
    told = made_once(tmp_path_factory, f"inside-{peer.name}", lambda: _told_by(peer))
    return json.loads(told)  # type: ignore[no-any-return]


def _told_by(peer: Peer) -> str:
    path = os.pathsep.join(filter(None, (peer.folder, str(ROOT))))
    environment = {**os.environ, "PYTHONPATH": path, "RADIXTOP_PROBE": ""}
    order = json.dumps([written(seed) for seed in SEEDS])
    ran = subprocess.run(
        [peer.python, "-P", "-m", "tests.support.inside_sglang"],
        input=order, capture_output=True, text=True, env=environment, timeout=240,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def returned(run: Run, method: str) -> list[list[int | None]]:
    return [values for name, values in run["returned"] if name == method]


def records(run: Run, kind: str) -> list[dict[str, Any]]:
    return [record for name, record in run["ring"]["records"] if name == kind]


def sound(runs: dict[str, list[Run]]) -> list[Run]:
    """Return the probed runs without an operation that raised: that one leaves its work half done."""
    return [run for run in runs["probed"] if "error" not in run["outcome"]["ops"][-1]["out"]]


def test_every_hit_length_and_branching_point_is_what_the_class_returned(runs: dict[str, list[Run]]) -> None:
    for run in runs["probed"]:
        told = [
            [
                record["device_hit_tokens"],
                record["host_hit_tokens"],
                record["full_hit_tokens"],
                record["branching_point"],
            ]
            for record in sorted(records(run, "Match"), key=lambda record: record["at"])
        ]
        truth = [
            [
                device,
                host,
                full if len(run["ring"]["config"]["components"]) > 1 else device,
                -1 if swa is None else swa,
            ]
            for device, host, full, swa, _ in returned(run, "match_prefix")
        ]
        assert told == truth


def test_every_evicted_token_is_what_the_class_returned(runs: dict[str, list[Run]]) -> None:
    evicted = 0
    for run in runs["probed"]:
        told: dict[int, list[int]] = {}
        for record in records(run, "Evict"):
            sums = told.setdefault(record["at"], [0] * len(record["freed_tokens"]))
            told[record["at"]] = [sum(pair) for pair in zip(sums, record["freed_tokens"], strict=True)]
        truth = [values[: len(run["ring"]["config"]["components"])] for values in returned(run, "_evict")]
        assert list(told.values()) == truth
        evicted += sum(map(sum, truth))  # type: ignore[arg-type]
    assert evicted > 0


def test_every_insert_says_what_was_there_and_whether_the_branch_was_kept(runs: dict[str, list[Run]]) -> None:
    for run in runs["probed"]:
        told = [(record["present_tokens"], record["branch_inserted"] == 1) for record in records(run, "Insert")]
        assert told == [(present, kept == 1) for present, kept in returned(run, "insert")]


def test_the_tree_is_that_of_the_class_also_for_who_comes_late(runs: dict[str, list[Run]]) -> None:
    assert len(sound(runs)) >= len(SEEDS)
    for run in sound(runs):
        trees = run["ring"]["trees"]
        assert trees["told"] == trees["own"] == trees["late"], (run["core"], run["ring"]["config"])


def test_matches_name_the_node_where_their_hit_ends(runs: dict[str, list[Run]]) -> None:
    assert sum(run["ring"]["named"] for run in runs["probed"]) > 0
    for run in runs["probed"]:
        assert not run["ring"]["wrong"]
        hits = [record for record in records(run, "Match") if record["device_hit_tokens"] and record["request"] > 0]
        assert all(record["node"] > 0 for record in hits)


def test_results_are_the_same_with_and_without_probes(runs: dict[str, list[Run]]) -> None:
    plain, probed = ([(run["returned"], run["outcome"]) for run in runs[kind]] for kind in ("plain", "probed"))
    assert plain == probed


def test_without_the_switch_there_is_no_ring(runs: dict[str, list[Run]]) -> None:
    assert [run["ring"] for run in runs["plain"]] == [None] * len(runs["plain"])


def test_probes_that_raise_switch_themselves_off_and_the_engine_never_notices(runs: dict[str, list[Run]]) -> None:
    for failing, plain in zip(runs["failing"], runs["plain"], strict=False):
        assert (failing["returned"], failing["outcome"]) == (plain["returned"], plain["outcome"])
    message = runs["failing"][0]["ring"]["message"]
    assert "match: GeneratorExit: a bug of ours; after 8 errors it is told no more" in message
    assert not records(runs["failing"][0], "Match")


def test_the_ring_says_what_is_probed_and_no_token_of_a_prompt(runs: dict[str, list[Run]]) -> None:
    for run in runs["probed"]:
        config = run["ring"]["config"]
        assert (config["engine"], config["core"]) == (f"sglang {runs['version']}", run["core"])
        assert {"match_prefix", "insert", "evict", "reset"} <= set(config["probed"]) and config["not_probed"] == []
        assert run["ring"]["message"] == "" and run["ring"]["lost"] == 0
        texts = {record["text"] for record in records(run, "Namespace")}
        assert all(text == "" or text.startswith("ns-") for text in texts)


def test_leaves_and_victims_are_known_of_the_python_core_alone(runs: dict[str, list[Run]]) -> None:
    for run in runs["probed"]:
        full = [record for record in records(run, "Evict") if record["component"] == 0]
        assert all((record["leaves_considered"] >= 0) == (run["core"] == "python") for record in full)
        assert all((record["victims"] >= 0) == (run["core"] == "python") for record in full if record["duration_ns"])


def test_pools_add_up_and_locks_are_given_back(runs: dict[str, list[Run]]) -> None:
    for run in sound(runs):
        config = run["ring"]["config"]
        sizes = [config[f"{name}_slots"] for name in config["components"]]
        for pool in records(run, "Pool"):
            parts = [pool[name] for name in ("free", "evictable", "protected", "held")]
            assert sum(parts) == sizes[pool["component"]] and min(parts) >= 0
        moved = [sum(record["moved_tokens"]) for record in records(run, "Unlock")]
        assert all(tokens >= 0 for tokens in moved)


def test_requests_are_admitted_before_they_end_and_their_prompt_adds_up(runs: dict[str, list[Run]]) -> None:
    for run in runs["probed"]:
        admitted: set[int] = set()
        for record in records(run, "RequestAdmitted"):
            parts = ("device_hit_tokens", "host_hit_tokens", "recomputed_tokens", "new_tokens")
            assert sum(record[name] for name in parts) == record["prompt_tokens"]
            admitted.add(record["request"])
        ended = records(run, "RequestFinished") + records(run, "RequestRetracted")
        assert admitted and {record["request"] for record in ended} <= admitted


OLD = {"RadixCache", "SWARadixCache", "MambaRadixCache", "mamba python", "mamba rust"}
NEW = {"RadixCache", "mamba python", "mamba rust"}


def test_the_trees_of_all_other_classes_are_those_that_they_hold(runs: dict[str, Any]) -> None:
    classes = {name: told for name, told in runs["classes"].items() if name != "PrefillAdder"}
    assert set(classes) == (OLD if runs["version"] == "0.5.20" else NEW)
    for name, told in classes.items():
        assert told["own"] == told["told"] == told["late"] and told["own"][1], name
        assert told["faults"] == {} and told["config"]["not_probed"] == [] and not told["wrong"], name
        assert told["pools"] and all(min(pool[2:]) >= 0 for pool in told["pools"]), name


def test_an_admission_of_the_scheduler_is_told(runs: dict[str, Any]) -> None:
    assert runs["classes"]["PrefillAdder"] == {"chosen": 1, "told": [50], "faults": {}}
