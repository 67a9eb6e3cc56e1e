"""Figures that cannot be are left out and named."""

from __future__ import annotations

import pytest

from probes.scrapes.advice import about_page
from probes.scrapes.metric import ENGINES
from probes.scrapes.page import Page
from tests.support.metrics_pages import figures, figures_of, line, lines, recorded_page


@pytest.mark.parametrize(
    ("name", "role", "told"),
    [
        ("num_running_reqs", "running_requests", "-5"),
        ("num_running_reqs", "running_requests", "1e19"),
        ("full_token_usage", "full_usage", "-5.0"),
        ("full_token_usage", "full_usage", "5.0"),
        ("max_total_num_tokens", "full_total_tokens", "-1"),
        ("prompt_tokens_total", "prompt_tokens", "2e18"),
    ],
)
def test_what_cannot_be_is_left_out_and_named(name: str, role: str, told: str) -> None:
    found = figures(lines(f"sglang:{name} {told}", "sglang:num_queue_reqs 3"))
    assert role not in found.gauges and role not in found.counters
    assert found.gauges["waiting_requests"] == 3
    (note,) = found.notes
    assert note.startswith("left out what cannot be: ") and f"{role} {float(told):g}" in note


@pytest.mark.parametrize(("told", "kept"), [("1.02", 1.02), ("0", 0.0), ("1", 1.0)])
def test_a_share_may_be_a_little_more_than_all(told: str, kept: float) -> None:
    found = figures(lines(f"sglang:full_token_usage {told}"))
    assert (found.gauges["full_usage"], found.notes) == (kept, ())


def test_a_histogram_of_more_values_than_can_be_is_left_out_and_an_impossible_sum_of_one() -> None:
    name = "sglang:time_to_first_token_seconds"
    page = [line(f"{name}_bucket", 2, le="1.0"), line(f"{name}_bucket", 2, le="+Inf"), line(f"{name}_sum", -3)]
    found = figures(lines(*page))
    assert found.histograms["ttft_seconds"].total is None
    assert "ttft_seconds of -3 in all" in found.notes[0]
    found = figures(lines(*page[:1], line(f"{name}_bucket", 1e19, le="+Inf"), "sglang:num_queue_reqs 3"))
    assert "ttft_seconds" not in found.histograms
    assert "ttft_seconds of 1e+19 values" in found.notes[0]


def test_the_state_of_a_server_tells_of_it() -> None:
    ranks = [*figures_of(lines("sglang:num_running_reqs -5", "sglang:prompt_tokens_total 1"), "sglang").values()]
    page = Page({}, frozenset({"sglang_num_running_reqs"}))
    assert about_page(page, ranks, ENGINES.load("sglang"), 1) == "left out what cannot be: running_requests -5"


@pytest.mark.parametrize("name", ["sglang_0.5.23_t0", "sglang_0.5.23_t1", "vllm_0.33.0_t1", "vllm_0.12.0_t1"])
def test_of_recorded_pages_nothing_is_left_out(name: str) -> None:
    assert not any("cannot be" in note for note in figures(recorded_page(name), name.partition("_")[0]).notes)
