"""The mirror's costs must not grow with the tree; asserted as ratios inside one run."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from probes.bench.mirror import MirrorFigures, measure
from radixtop import cli
from radixtop.bench.mirror import least, text


def test_neither_a_record_nor_a_sample_costs_more_in_a_larger_tree() -> None:
    small = measure(nodes=1_000, requests=3_000)
    large = measure(nodes=20_000, requests=3_000)
    assert large.nodes > 15 * small.nodes
    assert large.ns_per_record < 4 * small.ns_per_record
    assert large.sample_ns < 4 * small.sample_ns
    assert large.bytes_per_node < 420, "200 bytes a slot, and arrays that grow by doubling"


def test_the_command_prints_both_trees_and_the_growth_of_each_figure(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "mirror", "--nodes", "2000", "--requests", "1000", "--runs", "1", "--json"]) == 0
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert found["large"]["nodes"] > 9 * found["small"]["nodes"]
    for name, growth in found["growth"].items():
        assert growth == pytest.approx(found["large"][name] / found["small"][name])
    assert "2,000 nodes" in told.err


def test_each_figure_is_the_least_of_its_runs() -> None:
    one = MirrorFigures(1_000, 5.5, 700_000, 1_500, 900, 500, 3_000)
    other = replace(one, ns_per_record=1_200, sample_ns=800_000)
    assert least([one, other]) == replace(one, ns_per_record=1_200)


def test_a_table_has_a_row_for_each_figure_with_its_unit() -> None:
    small = MirrorFigures(1_000, 5.5, 700_000, 1_500, 900, 500, 3_000)
    lines = text(small, replace(small, nodes=10_000, ns_per_record=3_000)).splitlines()
    rows = {cells[0]: cells[1:] for cells in ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines)}
    assert rows["what it costs"] == ["1,000 nodes", "10,000 nodes", "growth"]
    assert rows["a record in a tick, all probes"] == ["1.50 us", "3.00 us", "x2.00"]
    assert rows["a node in memory, with its indices"] == ["500 bytes", "500 bytes", "x1.00"]
