"""The naive model replays every recorded log exactly, so it may stand for the specification elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.oplog_naive import NaiveReplay, first_difference

pytestmark = pytest.mark.one_backend("no tree")

LOGS = sorted((Path(__file__).parents[1] / "data" / "oplog").glob("*.json"))


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_the_model_replays_the_log_exactly(path: Path) -> None:
    log = json.loads(path.read_text())
    assert first_difference(log, NaiveReplay(log).run()) is None


def test_every_recorded_log_is_here() -> None:
    assert len(LOGS) == 66
