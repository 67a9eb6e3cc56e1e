"""SGLang's own caches as a second opinion: random operations that nobody recorded, on both, compared step by step."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from cache_core.bench.side import Side
from tests.support.peers import comparable, first_difference, open_sides, version_of, written

pytestmark = pytest.mark.one_backend("process")

LOGS = sorted((Path(__file__).parents[1] / "data" / "oplog").glob("*.json"))
SEEDS = range(1, 31)
"""More by hand: tests/cache_core/soak_peers.py."""


@pytest.fixture(scope="module")
def sides() -> Iterator[list[Side]]:
    with ExitStack() as stack:
        yield list(open_sides(stack))


@pytest.mark.needs("peers", "all-peers")
@pytest.mark.parametrize("seed", SEEDS)
def test_sglang_does_the_same_for_random_operations(seed: int, sides: list[Side]) -> None:
    log = written(seed)
    compared = [side for side in sides if comparable(log, version_of(side))]
    assert [found for side in compared if (found := first_difference(side, log))] == []


@pytest.mark.needs("peers", "all-peers")
@pytest.mark.parametrize("path", LOGS[::8], ids=lambda path: path.stem)
def test_sglang_still_does_what_was_recorded_of_it(path: Path, sides: list[Side]) -> None:
    log = json.loads(path.read_text())
    for side in (side for side in sides if comparable(log, version_of(side))):
        replayed = side.ask("replay", log=log)["ops"]
        assert [op["out"] for op in replayed] == [op["out"] for op in log["ops"]]
