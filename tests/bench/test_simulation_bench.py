"""A curve in one pass costs few runs, a long trace bounded memory; asserted as ratios inside one run."""

from __future__ import annotations

import json
import sys
import tracemalloc
from pathlib import Path

import pytest

from profiles.bench.simulation import POLICIES, long_pass, measure
from profiles.simulation import capacity_curve
from profiles.simulation.made_up import MadeUpChats
from radixtop import cli
from radixtop.bench.simulate import of_peers, text, write_trace
from radixtop.errors import RadixtopError
from tests.support.drawn_traces import request


def test_the_curve_of_all_capacities_costs_at_most_three_runs_at_one() -> None:
    figures = measure(list(MadeUpChats(3_000)), capacity_blocks=2_000, runs=5)
    assert figures.curve_in_lru_runs < 3


def test_ten_times_the_trace_takes_no_more_memory_than_its_capacity() -> None:
    peaks = []
    for requests in (4_000, 40_000):
        tracemalloc.start()
        capacity_curve(MadeUpChats(requests), largest_blocks=2_000)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]


def test_a_long_pass_is_about_as_long_as_was_asked_for() -> None:
    found = long_pass(60_000, capacity_blocks=1_000)
    assert found.block_refs == pytest.approx(60_000, rel=0.1)
    assert 0 < found.early_rss_bytes <= found.peak_rss_bytes


def test_a_made_up_trace_is_the_same_every_time() -> None:
    trace = MadeUpChats(300)
    assert list(trace) == list(trace)
    assert len(list(trace)) == len(trace)
    assert list(MadeUpChats(300, seed=2)) != list(trace)


def test_the_command_measures_every_policy_on_a_made_up_trace(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RADIXTOP_TRACES", raising=False)
    monkeypatch.setattr("radixtop.bench.simulate.MADE_UP_REQUESTS", 200)
    assert cli.main(["bench", "simulate", "--runs", "1", "--long", "30000", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["trace"], found["requests"]) == ("made-up chats", 200)
    assert set(found["requests_per_s"]) == {*POLICIES, "one-pass curve"}
    assert found["peers"] == {"kvcache-simulator": None, "libcachesim": None}
    assert found["long"]["block_refs"] > 20_000


def test_the_table_says_who_was_not_run_and_what_others_hit() -> None:
    figures = measure(list(MadeUpChats(50)), capacity_blocks=100, runs=1)
    told = {"kvcache-simulator": {"version": "0.1.3", "hit_tokens": 512, "python_s": 0.5}}
    shown = text(figures, told, None)
    assert "kvcache-simulator 0.1.3: LRU, its Python | 100 " in shown
    assert "libcachesim: LRU" in shown
    assert "not run" in shown
    assert "kvcache-simulator hits 512 there" in shown


def test_an_interpreter_with_no_other_simulator_runs_none() -> None:
    assert of_peers(sys.executable, [request([1, 2])], 10, 1) == {}


def test_an_interpreter_that_is_none_is_refused_with_what_it_must_have() -> None:
    with pytest.raises(RadixtopError, match="do not run in /no/such/python") as raised:
        of_peers("/no/such/python", [request([1])], 10, 1)
    assert "pip install kvcache-simulator libcachesim" in raised.value.hint


def test_others_are_given_blocks_by_their_place_and_tokens_by_block(tmp_path: Path) -> None:
    write_trace(tmp_path, [request([7, 8]), request([8, 8], rest=1), request([7, 9])])
    lines = [json.loads(line) for line in (tmp_path / "requests.jsonl").read_text().splitlines()]
    assert [line["hash_ids"] for line in lines] == [[1, 2], [3, 4], [1, 5]]
    assert lines[1]["block_tokens"] == [4, 1]
    assert (tmp_path / "blocks.txt").read_text().split() == ["1", "2", "3", "4", "1", "5"]
