"""How far a run without a screen has come is told once, in order, however short it is."""

from __future__ import annotations

import pytest

from radixtop.screenless.headless import _Narration
from radixtop.serving.child import Turn
from radixtop.serving.run_config import RunConfig

RING = {"ring": "/dev/shm/r"}
STARTING, SERVING = "starting mixed on the tiny model", "serving mixed on the tiny model"


@pytest.mark.parametrize(
    ("turns", "told"),
    [
        ([Turn("starting")], []),
        ([Turn("starting", RING)] * 3, [STARTING]),
        ([Turn("starting", RING), Turn("serving", RING), Turn("serving", RING)], [STARTING, SERVING]),
        ([Turn("finished", RING)], [STARTING, SERVING]),
        ([Turn("starting", RING), Turn("finished", RING)], [STARTING, SERVING]),
        ([Turn("failed", RING)], []),
    ],
)
def test_each_turn_is_told_once_and_none_is_left_out(
    turns: list[Turn], told: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    narration = _Narration(RunConfig())
    for turn in turns:
        narration.follow(turn)
    assert capsys.readouterr().err.splitlines() == told


def test_the_address_of_kv_events_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    narration = _Narration(RunConfig())
    published = {"endpoint": "tcp://127.0.0.1:1", "replay_endpoint": "tcp://127.0.0.1:2"}
    for _ in range(2):
        narration.follow(Turn("serving", {**RING, "kv_events": published}))
    assert capsys.readouterr().err.count("KV events at tcp://127.0.0.1:1, replay at tcp://127.0.0.1:2") == 1
