"""Recorded operation logs replay exactly through the real cache: outputs, state after each operation, final tree."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cache_core.oplog import check, replay
from cache_core.registry import UnknownNameError
from tests.support.oplog_author import Author
from tests.support.oplog_naive import NaiveReplay

LOGS = sorted((Path(__file__).parents[1] / "data" / "oplog").glob("*.json"))


def load(path: Path) -> dict[str, Any]:
    """Return a log as it was recorded."""
    log: dict[str, Any] = json.loads(path.read_text())
    return log


@pytest.mark.parametrize("evictor", ["incremental", "rebuild"])
@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_the_cache_replays_the_log_exactly(path: Path, evictor: str) -> None:
    assert check(load(path), evictor) is None


@pytest.mark.parametrize("name", ["swa-000", "full-003"])
def test_a_log_of_inputs_alone_is_enough(name: str) -> None:
    log = load(LOGS[0].with_name(f"{name}.json"))
    inputs = {field: value for field, value in log.items() if field != "tree"}
    inputs["ops"] = [{field: value for field, value in op.items() if field not in ("out", "st")} for op in log["ops"]]
    assert replay(inputs) == NaiveReplay(log).run()


@pytest.mark.parametrize(
    ("field", "value"),
    [("out", {"hit": 1, "full": 0, "branch": None}), ("st", [9, 0, 152, 0, 0, 121, 0])],
)
def test_the_check_names_the_first_difference(field: str, value: object) -> None:
    log = load(LOGS[0].with_name("swa-000.json"))
    log["ops"][0][field] = value
    difference = check(log)
    assert difference is not None
    assert "op 0" in difference and field in difference and str(value) in difference


def test_the_check_compares_the_tree() -> None:
    log = load(LOGS[0].with_name("swa-000.json"))
    log["tree"][3][5] += 1
    assert "tree row 3" in (check(log) or "")


@pytest.mark.parametrize("name", ["state", "_match", "lock ", ""])
def test_an_operation_that_no_log_has_is_refused_with_those_that_there_are(name: str) -> None:
    log = load(LOGS[0])
    log["ops"][2]["op"] = name
    with pytest.raises(UnknownNameError, match=f"op 2: unknown operation '{name}'; choose from: match, lock, "):
        replay(log)


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the replayer as a user does."""
    call = [sys.executable, "-m", "cache_core.oplog", *arguments]
    return subprocess.run(call, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.one_backend("process")
def test_the_command_prints_one_document() -> None:
    path = LOGS[0]
    log = load(path)
    done = command(str(path))
    printed = json.loads(done.stdout)
    assert done.returncode == 0
    assert list(printed) == ["id", "ops", "tree"]
    assert printed["ops"] == [{"out": op["out"], "st": op["st"]} for op in log["ops"]]
    assert printed["tree"] == log["tree"]


@pytest.mark.one_backend("process")
def test_the_command_checks_and_says_so_in_its_exit_code(tmp_path: Path) -> None:
    assert command(str(LOGS[0]), "--check").returncode == 0
    wrong = load(LOGS[0])
    wrong["ops"][5]["st"][0] += 1
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(wrong))
    done = command(str(path), "--check")
    assert (done.returncode, "op 5" in done.stdout + done.stderr) == (1, True)


@pytest.mark.one_backend("process")
def test_a_file_that_is_no_log_is_refused_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text('{"format": 1}')
    done = command(str(path))
    assert (done.returncode, done.stdout, "other.json" in done.stderr) == (2, "", True)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("seed", range(60))
def test_logs_that_nobody_recorded_replay_as_the_model_says(seed: int) -> None:
    log = Author(seed).write(150)
    assert [check(log, evictor) for evictor in ("incremental", "rebuild")] == [None, None]
