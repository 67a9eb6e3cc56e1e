"""From pages to figures: recorded ones by hand, and the traps of ranks, shards, versions and processes."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probes.ranks import MOST_RANKS
from probes.scrapes.figures import SERVER, EngineFigures
from probes.scrapes.metric import ENGINES
from probes.scrapes.page import Page, Series, read_page
from probes.scrapes.reading import MOST_BOUNDS, Origin, read_figures
from tests.support.metrics_pages import figures, figures_of, line, lines, recorded_page

SCHEDULER = {"tp_rank": 0, "pp_rank": 0}


def counters(text: str, engine: str = "sglang", **told: int) -> Mapping[str, float]:
    """Return the counters of a page of a server with one rank."""
    return figures(text, engine, **told).counters


class TestRecordedPages:
    def test_sglang_tells_hits_in_three_ways(self) -> None:
        told = counters(recorded_page("sglang_0.5.23_t0"))
        assert told["scheduler_queried_tokens"] == 143621 + 188466 + 28482 + 11358
        assert told["scheduler_device_hit_tokens"] == 188466
        assert told["scheduler_host_hit_tokens"] == 28482
        assert told["scheduler_storage_hit_tokens"] == 11358
        assert (told["prefill_cached_tokens"], told["prefill_computed_tokens"]) == (228306, 143621)
        assert told["frontend_queried_tokens"] == 378483
        assert (told["frontend_device_hit_tokens"], told["frontend_host_hit_tokens"]) == (146940, 20936)

    def test_sglang_tells_what_moves_between_tiers(self) -> None:
        told = counters(recorded_page("sglang_0.5.23_t1"))
        assert (told["evicted_tokens"], told["backup_tokens"], told["dropped_tokens"]) == (99591, 99591, 2176)
        assert (told["load_back_tokens"], told["load_back_bytes"]) == (8578, 1124335616)
        assert (told["storage_hit_tokens"], told["storage_prefetched_tokens"]) == (9200, 8192)

    def test_sglang_tells_of_its_pools(self) -> None:
        told = figures(recorded_page("sglang_0.5.23_t1")).gauges
        parts = ("total", "used", "available", "evictable")
        assert [told[f"full_{part}_tokens"] for part in parts] == [131072, 53740, 6330, 71002]
        assert (told["host_used_tokens"], told["host_total_tokens"]) == (180224, 262144)
        assert (told["running_requests"], told["waiting_requests"], told["page_tokens"]) == (17, 5, 16)

    def test_a_pool_of_which_all_is_zero_is_not_there(self) -> None:
        told = figures(recorded_page("sglang_0.5.23_t1")).gauges
        assert not [role for role in told if role.startswith(("swa", "mamba"))]

    def test_the_gauge_of_one_batch_is_no_figure(self) -> None:
        text = recorded_page("sglang_0.5.23_t1")
        assert "sglang:cache_hit_rate{" in text
        assert figures(text) == figures(text.replace("sglang:cache_hit_rate{", "sglang:other{"))

    def test_vllm_tells_hits_by_where_they_were(self) -> None:
        told = counters(recorded_page("vllm_0.33.0_t1"), "vllm")
        assert (told["scheduler_queried_tokens"], told["scheduler_device_hit_tokens"]) == (745803, 300656)
        assert told["scheduler_host_hit_tokens"] == told["scheduler_remote_hit_tokens"] == 0
        assert (told["frontend_device_hit_tokens"], told["prefill_computed_tokens"]) == (300656, 445147)
        assert told["external_queried_tokens"] == told["external_hit_tokens"] == 0

    @pytest.mark.parametrize("name", ["vllm_0.33.0_t1", "vllm_0.12.0_t1"])
    def test_the_size_of_vllms_pool_follows_from_its_blocks(self, name: str) -> None:
        told = figures(recorded_page(name), "vllm").gauges
        assert told["full_total_tokens"] == (8192 - 1) * 16
        assert told["full_used_tokens"] == pytest.approx(0.41 * 131056)
        assert told["prefix_caching"] == 1

    def test_what_an_older_version_does_not_tell_is_absent(self) -> None:
        told = counters(recorded_page("vllm_0.12.0_t1"), "vllm")
        assert "scheduler_host_hit_tokens" not in told
        assert told["scheduler_remote_hit_tokens"] == 0

    def test_blocks_of_vllm_tell_how_long_they_live(self) -> None:
        told = figures(recorded_page("vllm_0.33.0_t1"), "vllm").histograms
        assert {told[f"block_{what}_seconds"].count for what in ("lifetime", "idle", "reuse_gap")} == {240}

    def test_an_exporter_may_write_an_underscore_for_the_colon(self) -> None:
        text = recorded_page("sglang_0.5.23_t1")
        assert figures(text.replace("sglang:", "sglang_")) == figures(text)


class TestRanks:
    def test_each_data_parallel_rank_has_its_figures_and_the_server_what_has_no_rank(self) -> None:
        told = figures_of(
            lines(
                line("sglang:evicted_tokens_total", 5, dp_rank=0, tp_rank=0),
                line("sglang:evicted_tokens_total", 7, dp_rank=1, tp_rank=1),
                line("sglang:prompt_tokens_total", 100, is_streaming="true"),
            ),
            "sglang",
        )
        assert {rank: dict(each.counters) for rank, each in told.items()} == {
            SERVER: {"prompt_tokens": 100, "frontend_queried_tokens": 100},
            0: {"evicted_tokens": 5},
            1: {"evicted_tokens": 7},
        }

    def test_with_one_rank_everything_is_of_it(self) -> None:
        page = lines(
            line("sglang:evicted_tokens_total", 5, dp_rank=3, tp_rank=0), line("sglang:prompt_tokens_total", 9)
        )
        assert set(figures_of(page, "sglang")) == {3}

    def test_one_rank_told_of_several_is_not_the_server(self) -> None:
        page = lines(
            line("sglang:evicted_tokens_total", 5, dp_rank=0, tp_rank=0), line("sglang:prompt_tokens_total", 9)
        )
        assert set(figures_of(page, "sglang", dp_ranks=2)) == {SERVER, 0}

    def test_ranks_of_vllm_are_its_engines(self) -> None:
        page = lines(*(line("vllm:num_requests_running", rank, engine=rank) for rank in range(64)))
        told = figures_of(page, "vllm")
        assert [each.gauges["running_requests"] for each in told.values()] == [*range(64)]

    def test_tokens_are_read_off_one_tensor_parallel_rank_of_each(self) -> None:
        page = lines(
            *(line("sglang:evicted_tokens_total", 50, dp_rank=tp // 2, tp_rank=tp, pp_rank=0) for tp in range(4)),
            *(line("sglang:evicted_tokens_total", 50, dp_rank=tp // 2, tp_rank=tp, pp_rank=1) for tp in range(4)),
        )
        assert [each.counters["evicted_tokens"] for each in figures_of(page, "sglang").values()] == [50, 50]

    def test_bytes_are_of_a_part_and_summed(self) -> None:
        page = lines(*(line("sglang:load_back_bytes_total", 100, tp_rank=tp) for tp in range(4)))
        assert counters(page)["load_back_bytes"] == 400

    def test_more_ranks_than_there_can_be_are_left_out(self) -> None:
        page = lines(*(line("vllm:num_requests_running", 1, engine=rank) for rank in range(MOST_RANKS + 10)))
        assert len(figures_of(page, "vllm")) == MOST_RANKS

    @pytest.mark.parametrize("rank", ["x", "-1", "1e9", "9" * 40, "²"])
    def test_a_rank_that_is_no_number_is_left_out(self, rank: str) -> None:
        page = lines(
            line("vllm:num_requests_running", 1, engine=rank), line("vllm:num_requests_running", 2, engine=0)
        )
        assert figures(page, "vllm").gauges["running_requests"] == 2


class TestVersions:
    def test_an_old_name_serves_where_the_new_one_is_missing(self) -> None:
        old = line("vllm:gpu_prefix_cache_queries_total", 10, engine=0)
        new = line("vllm:prefix_cache_queries_total", 12, engine=0)
        assert counters(lines(old), "vllm")["scheduler_queried_tokens"] == 10
        assert counters(lines(old, new), "vllm")["scheduler_queried_tokens"] == 12

    def test_hits_without_a_tier_are_in_none(self) -> None:
        told = counters(lines(line("sglang:cached_tokens_total", 40), line("sglang:prompt_tokens_total", 50)))
        assert told["frontend_untold_hit_tokens"] == 40
        assert "frontend_device_hit_tokens" not in told

    def test_a_tier_that_was_never_hit_has_no_series_and_no_hits(self) -> None:
        told = counters(lines(line("sglang:cached_tokens_total", 40, cache_source="device")))
        assert (told["frontend_device_hit_tokens"], told["frontend_host_hit_tokens"]) == (40, 0)

    def test_some_requests_tell_a_tier_and_others_do_not(self) -> None:
        told = counters(
            lines(
                line("sglang:cached_tokens_total", 40, cache_source="device"),
                line("sglang:cached_tokens_total", 3, cache_source="total"),
            )
        )
        assert (told["frontend_device_hit_tokens"], told["frontend_untold_hit_tokens"]) == (40, 3)

    def test_streaming_or_not_is_summed(self) -> None:
        told = counters(
            lines(
                line("sglang:prompt_tokens_total", 40, is_streaming="true"),
                line("sglang:prompt_tokens_total", 2, is_streaming="false"),
            )
        )
        assert told["prompt_tokens"] == 42

    def test_a_host_pool_of_windows_is_not_counted_as_kv(self) -> None:
        told = counters(
            lines(
                line("sglang:load_back_tokens_total", 40, pool="kv", **SCHEDULER),
                line("sglang:load_back_tokens_total", 9, pool="swa", **SCHEDULER),
            )
        )
        assert told["load_back_tokens"] == 40

    def test_counts_of_all_tensor_parallel_ranks_in_one_series_are_divided_where_these_are_known(self) -> None:
        page = lines(line("sglang:evicted_tokens_total", 400, cache_type="RadixCache"))
        known, unknown = figures(page, tp_ranks=4), figures(page)
        assert (known.counters["evicted_tokens"], known.notes) == (100, ())
        assert unknown.counters["evicted_tokens"] == 400
        assert "once for each tensor-parallel rank" in unknown.notes[0]

    def test_a_size_that_is_not_known_yet_is_none(self) -> None:
        page = lines(line("vllm:cache_config_info", 1.0, block_size=16, num_gpu_blocks="None", engine=0))
        told = figures(page, "vllm").gauges
        assert told == {"page_tokens": 16}

    def test_the_size_in_tokens_goes_before_that_in_blocks(self) -> None:
        labels = {"block_size": 16, "num_gpu_blocks": 100, "kv_cache_size_tokens": 777, "engine": 0}
        assert (
            figures(lines(line("vllm:cache_config_info", 1.0, **labels)), "vllm").gauges["full_total_tokens"] == 777
        )


class TestValues:
    def test_a_gauge_of_a_model_that_was_served_before_is_not_added(self) -> None:
        page = lines(*(line("sglang:page_size", 16, model_name=name) for name in ("old", "new")))
        assert figures(page).gauges["page_tokens"] == 16

    def test_of_the_processes_that_tell_a_gauge_the_newest_counts(self) -> None:
        page = lines(
            *(line("sglang:num_paused_reqs", value, pid=pid) for pid, value in ((900, 3), (1100, 1), (95, 7)))
        )
        assert figures(page).gauges["paused_requests"] == 1

    @pytest.mark.parametrize("value", ["NaN", "+Inf", "-1"])
    def test_a_count_that_is_none_is_not_known(self, value: str) -> None:
        page = lines(line("sglang:evicted_tokens_total", value, **SCHEDULER), line("sglang:num_queue_reqs", 1))
        assert dict(counters(page)) == {}

    def test_a_gauge_that_is_no_number_is_not_known(self) -> None:
        assert (
            "usage" not in figures(lines(line("sglang:token_usage", "NaN"), line("sglang:num_queue_reqs", 1))).gauges
        )

    def test_a_histogram_without_its_last_bucket_has_its_count(self) -> None:
        name = "sglang:time_to_first_token_seconds"
        page = lines(line(f"{name}_bucket", 3, le="0.1"), line(f"{name}_count", 5), line(f"{name}_sum", 2.5))
        ttft = figures(page).histograms["ttft_seconds"]
        assert (ttft.bounds, ttft.counts, ttft.total) == ((0.1,), (3, 5), 2.5)

    def test_counts_that_fall_from_bucket_to_bucket_are_raised(self) -> None:
        name = "sglang:time_to_first_token_seconds_bucket"
        page = lines(line(name, 3, le="1"), line(name, 2, le="2"), line(name, 5, le="+Inf"))
        assert figures(page).histograms["ttft_seconds"].counts == (3, 3, 5)

    @pytest.mark.parametrize("bound", ["NaN", "-Inf", "much", ""])
    def test_a_histogram_with_a_bound_that_is_none_is_not_known(self, bound: str) -> None:
        name = "sglang:time_to_first_token_seconds_bucket"
        page = lines(line(name, 3, le=bound), line(name, 5, le="+Inf"), line("sglang:num_queue_reqs", 1))
        assert dict(figures(page).histograms) == {}

    def test_a_histogram_of_endless_buckets_is_not_known(self) -> None:
        name = "sglang:time_to_first_token_seconds_bucket"
        many = (line(name, 3, le=bound) for bound in range(MOST_BOUNDS + 1))
        assert dict(figures(lines(*many, line("sglang:num_queue_reqs", 1))).histograms) == {}


LABELS = st.dictionaries(
    st.sampled_from(["dp_rank", "engine", "tp_rank", "pid", "le", "mode", "cache_source", "pool", "block_size"]),
    st.sampled_from(["0", "1", "-1", "x", "", "None", "1e400", "+Inf", "device", "kv", "True"]),
)
SERIES = st.builds(Series, LABELS, st.floats())


@given(st.sampled_from(ENGINES.names), st.data())
def test_no_series_upset_a_reader(engine: str, data: st.DataObject) -> None:
    metrics = ENGINES.load(engine)
    names = st.sampled_from(sorted(metrics.wanted))
    families = data.draw(st.dictionaries(names, st.lists(SERIES, min_size=1, max_size=4).map(tuple), max_size=8))
    for each in read_figures(Page(families), metrics, Origin("here"), 7):
        assert isinstance(each, EngineFigures)
        assert all(value >= 0 for value in each.counters.values())
        assert all(value == value for value in each.gauges.values())


def test_nothing_told_is_no_figures() -> None:
    assert figures_of("", "sglang") == {}
    assert (
        read_figures(read_page("python_info 1\n", ENGINES.load("vllm").wanted), ENGINES.load("vllm"), Origin("x"), 0)
        == []
    )
