"""The four-way comparison: figures from the engine, verdicts from the figures."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from radixtop.bench.predictions import PREDICTIONS, judge
from radixtop.serving.run_config import RunConfig

pytestmark = pytest.mark.needs("torch")


def made_up(**changes: object) -> tuple:
    """Rows that bear out every prediction, one of them changed."""
    from radixtop.bench.four_way import WAYS, Row

    rows = {
        "fcfs": Row("grouped", "fcfs", 0.85, 1_000, 100, 200, 1e4),
        "lpm + slru": Row("grouped", "lpm + slru", 0.90, 800, 90, 180, 1.1e4),
        "page 16": Row("grouped", "page 16", 0.84, 1_060, 105, 205, 1e4),
        "chunk": Row("grouped", "chunk", 0.0, 9_000, 400, 900, 2e3),
    }
    assert rows.keys() == WAYS.keys()
    way = changes.pop("way", None)
    if way is not None:
        rows[way] = replace(rows[way], **changes)  # type: ignore[index]
    return tuple(rows.values())


def confirmed(rows: tuple) -> list[bool]:
    return [verdict.confirmed for verdict in judge(rows)]


def test_figures_that_bear_out_every_prediction() -> None:
    verdicts = judge(made_up())
    assert [verdict.prediction for verdict in verdicts] == list(PREDICTIONS)
    assert confirmed(made_up()) == [True, True, True]
    assert verdicts[1].evidence == "0.80 x prefilled, 0.90 x mean TTFT of fcfs"


@pytest.mark.parametrize(
    ("way", "changes", "failing"),
    [
        ("page 16", {"hit_rate": 0.80}, 0),
        ("page 16", {"ttft_mean_ms": 120}, 0),
        ("lpm + slru", {"prefilled_tokens": 1_000}, 1),
        ("lpm + slru", {"ttft_mean_ms": 100}, 1),
        ("chunk", {"prefilled_tokens": 2_000}, 2),
        ("chunk", {"ttft_mean_ms": 104}, 2),
    ],
)
def test_a_figure_that_does_not_is_not_confirmed(way: str, changes: dict[str, float], failing: int) -> None:
    assert confirmed(made_up(way=way, **changes)) == [number != failing for number in range(3)]


def test_a_small_load_is_served_four_ways(capsys: pytest.CaptureFixture[str]) -> None:
    from radixtop.bench.four_way import ARRIVALS, WAYS, four_way
    from radixtop.bench.four_way_report import lines, write

    asked = RunConfig("few_shot", device="cpu", full_slots=2_400, concurrency=4, requests=16, seed=1)
    compared = four_way(asked, runs=1)
    rows = compared.rows
    assert [(row.arrival, row.way) for row in rows] == [(arrival, way) for arrival in ARRIVALS for way in WAYS]
    for arrival in ARRIVALS:
        fcfs, lpm, page, chunk = (row for row in rows if row.arrival == arrival)
        assert (chunk.hit_rate, chunk.prefilled_tokens) == (0, 16 * 936)
        assert lpm.prefilled_tokens <= fcfs.prefilled_tokens <= page.prefilled_tokens < chunk.prefilled_tokens
        assert arrival == "grouped" or 2 * lpm.prefilled_tokens < fcfs.prefilled_tokens
        assert all(row.prefilled_tokens == round((1 - row.hit_rate) * 16 * 936) for row in (fcfs, lpm, page))
        assert all(0 < row.ttft_mean_ms <= row.ttft_p99_ms for row in (fcfs, lpm, page, chunk))
    narrated = capsys.readouterr().err.splitlines()
    assert narrated == [f"run 1 of 1: {arrival}, {way}, 16 requests" for arrival in ARRIVALS for way in WAYS]
    write(compared, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert (len(told["rows"]), len(told["predictions"]), told["time"]) == (8, 6, "cpu")
    assert sum("confirmed (" in line for line in lines(compared)) == 6
