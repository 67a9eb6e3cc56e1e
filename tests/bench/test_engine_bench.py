"""The speed of a model as the command prints it: one document, or a table with what each request more brings."""

from __future__ import annotations

import json

import pytest

from radixtop import cli

pytestmark = pytest.mark.needs("torch")


def test_the_command_prints_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = ["--prompt-tokens", "32", "--output-tokens", "2"]
    assert cli.main(["bench", "engine", "--device", "cpu", *sizes, "--json"]) == 0
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert (found["model"], found["device"]) == ("tiny", "cpu")
    assert found["parameters"] > 1e6
    speeds = found["decode_tokens_per_s"]
    assert found["decode_gain"] == {count: pytest.approx(speeds[count] / speeds["1"]) for count in ("1", "4", "8")}
    assert "prompts of 32 tokens" in told.err


def test_a_table_compares_requests_at_once_with_one_alone() -> None:
    from cache_core.engine.bench import SpeedFigures
    from radixtop.bench.engine import text

    shown = text(SpeedFigures("tiny", "cpu", 2_688_128, 20_000, {1: 500, 4: 1_000, 8: 1_250}))
    assert shown.startswith("tiny, 2,688,128 weights, on cpu\n")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in shown.splitlines() if "|" in line]
    assert rows[2:] == [
        ["prefill, one prompt at a time", "20,000", "-"],
        ["decode, 1 at once", "500", "x1.00"],
        ["decode, 4 at once", "1,000", "x2.00"],
        ["decode, 8 at once", "1,250", "x2.50"],
    ]
