"""Forests of large trees: files stay small and exact, costs grow with the tree and no faster, full files stream."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from itertools import cycle
from time import thread_time_ns
from typing import BinaryIO

import pytest

from profiles.bench.forests import PRICES, formats, measure, tree
from profiles.exporter import ExportOptions, export
from profiles.forest import TOP, WEIGHTS, Forest, Frame
from profiles.growth.live_forest import from_mirror
from profiles.growth.planting import forest_of
from profiles.labels import label
from profiles.profile import ForestProfile
from profiles.pruned import prune
from radixtop import cli
from tests.support.exporting import exported

NODES = 50_000
BUFFER_BYTES = 1 << 19
"""What an exporter may gather before it writes, however large the forest."""
MOST_BYTES = 1_000_000


@pytest.fixture(scope="module")
def forest() -> Forest:
    return from_mirror(tree(NODES), prices=PRICES)


def test_pruned_rows_hold_every_token_of_every_weight(forest: Forest) -> None:
    assert set(forest.weights) == set(WEIGHTS) - {"evicted", "time_ns"}
    rows = list(prune(forest))
    assert 500 < len(rows) < 5_000
    for column, weight in enumerate(forest.weights):
        assert sum(row.own[column] for row in rows) == forest.whole(weight) == sum(forest.weights[weight])
        assert sum(row.total[column] for row in rows if row.parent == TOP) == forest.whole(weight) > 0
    assert sum(row.nodes for row in rows if row.parent == TOP) == NODES


@pytest.mark.parametrize("format", formats())
def test_a_pruned_file_is_small(forest: Forest, format: str) -> None:
    assert 1_000 < len(exported(ForestProfile(forest), format)) < MOST_BYTES


def test_pruned_files_say_the_whole(forest: Forest) -> None:
    speedscope = json.loads(exported(ForestProfile(forest), "speedscope"))
    wholes = [forest.whole(weight) for weight in forest.weights]
    assert [profile["endValue"] for profile in speedscope["profiles"]] == wholes
    assert [sum(profile["weights"]) for profile in speedscope["profiles"]] == wholes
    lines = exported(ForestProfile(forest), "collapsed").decode().splitlines()
    assert sum(int(line.rpartition(" ")[2]) for line in lines) == forest.whole("tokens")


def wide(names: Iterator[str]) -> list[Frame]:
    return [Frame(TOP, key, label(next(names), key), "x", 0, 9) for key in range(3_000)]


def deep(names: Iterator[str]) -> list[Frame]:
    return [Frame(key - 1, key, label(next(names), key), "x", key, key + 1) for key in range(1_500)]


@pytest.mark.parametrize("format", formats())
@pytest.mark.parametrize("shape", [wide, deep])
@pytest.mark.parametrize("text", ["a", "\N{CJK UNIFIED IDEOGRAPH-5B57}" * 70, "<&>\"'\\" * 20])
def test_a_pruned_file_is_small_whatever_the_frames_are(format: str, shape: object, text: str) -> None:
    assert callable(shape)
    frames = shape(cycle([text]))
    weighs = {weight: [10**12 + number for number in range(len(frames))] for weight in WEIGHTS}
    made = forest_of(frames, weighs)
    assert len(exported(ForestProfile(made), format)) < MOST_BYTES


def test_costs_grow_with_the_tree_and_no_faster() -> None:
    times, slack = 8, 3
    small, large = (measure(tree(nodes), 3, thread_time_ns) for nodes in (2_000, times * 2_000))
    assert large.forest_ns < slack * times * small.forest_ns
    for name, file in large.files.items():
        assert file.ns < slack * times * small.files[name].ns
        assert file.size_bytes < MOST_BYTES


class _Nowhere(BinaryIO):
    """Counts what is written to it."""

    def __init__(self) -> None:
        self.size_bytes = 0

    def write(self, raw: object) -> int:  # type: ignore[override]
        assert isinstance(raw, bytes | bytearray | memoryview)
        self.size_bytes += len(raw)
        return len(raw)


@pytest.mark.parametrize(("format", "nodes"), [("collapsed", 8_000), ("speedscope", 4_000), ("pprof", 8_000)])
def test_a_full_file_streams_with_the_forest_in_memory_once(format: str, nodes: int) -> None:
    tracemalloc.start()
    try:
        mirror = tree(nodes)
        before = tracemalloc.get_traced_memory()[0]
        forest = from_mirror(mirror, prices=PRICES)
        forest_bytes = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        out = _Nowhere()
        export(ForestProfile(forest), format, ExportOptions(parts=None), out)
        peak_bytes = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    assert out.size_bytes > 20 * nodes
    assert peak_bytes < forest_bytes / 2 + BUFFER_BYTES


def test_the_command_prints_both_trees(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "profiles", "--nodes", "3000", "--runs", "1", "--json"]) == 0
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert (found["small"]["nodes"], found["large"]["nodes"]) == (300, 3_000)
    assert set(found["large"]["files"]) == set(formats())
    assert "3,000 nodes" in told.err
