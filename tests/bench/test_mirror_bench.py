"""The mirror's costs must not grow with the tree; asserted as ratios inside one run."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import pytest

from probes.bench.blocks import measure as follow_blocks
from probes.bench.event_load import batches
from probes.bench.mirror import MirrorFigures, measure
from probes.kv.wire import decode
from probes.kv_mirror.rank import RankMirror
from radixtop import cli
from radixtop.bench.blocks import PeerFigures, follow, of_radixview
from radixtop.bench.mirror import events_text, least, text
from radixtop.errors import RadixtopError


@pytest.fixture
def few_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace few blocks where only the form of the figures counts."""
    monkeypatch.setattr("radixtop.bench.blocks.CHURN_BLOCKS", 1_200)


def test_neither_a_record_nor_a_sample_costs_more_in_a_larger_tree() -> None:
    small = measure(nodes=600, requests=1_000)
    large = measure(nodes=12_000, requests=1_000)
    assert large.nodes > 15 * small.nodes
    assert large.ns_per_record < 4 * small.ns_per_record
    assert large.sample_ns < 4 * small.sample_ns
    assert large.bytes_per_node < 420, "200 bytes a slot, and arrays that grow by doubling"


def test_the_command_prints_both_trees_and_the_growth_of_each_figure(
    capsys: pytest.CaptureFixture[str], few_blocks: None
) -> None:
    assert cli.main(["bench", "mirror", "--nodes", "2000", "--requests", "1000", "--runs", "1", "--json"]) == 0
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert found["large"]["nodes"] > 9 * found["small"]["nodes"]
    for name, growth in found["growth"].items():
        assert growth == pytest.approx(found["large"][name] / found["small"][name])
    assert "2,000 nodes" in told.err


def test_a_block_costs_as_much_in_a_large_cache_as_in_a_small_one() -> None:
    small, large = (follow_blocks(blocks, 4_000) for blocks in (1_000, 20_000))
    assert large.blocks > 15 * small.blocks
    assert large.ns_count < 4 * small.ns_count
    assert large.ns_tree < 4 * small.ns_tree
    assert large.bytes_per_block <= 250


def test_the_load_of_events_is_what_a_complete_stream_is() -> None:
    rank = RankMirror()
    rank.joined(0, 0)
    for seq, payload in enumerate(batches(3_000, 3_000)):
        rank.apply(seq, decode(payload), seq)
    assert (rank.badge.word, rank.blocks.places[0].blocks) == ("complete", 3_000)


def test_figures_of_events_are_told_beside_those_of_a_peer_and_a_peer_that_is_none_is_named(few_blocks: None) -> None:
    events = follow(6_000, None)
    told = events_text(replace(events, radixview=PeerFigures(6_000, 12_000, 5e8, 900)))
    assert "RadixView: its view after one change" in told and "500 ms" in told
    assert events.describe()["radixview"] is None
    with pytest.raises(RadixtopError, match="RadixView does not run in"):
        of_radixview(sys.executable, 120, 120)


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
