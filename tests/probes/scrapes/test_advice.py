"""What is said of a page that lacks something: what is wrong, and the flag that mends it."""

from __future__ import annotations

import pytest

from probes.engines.errors import DeniedError, UnknownPathError
from probes.scrapes.advice import about_failure, about_page
from probes.scrapes.metric import ENGINES
from probes.scrapes.page import read_page
from probes.scrapes.reading import Origin, read_figures
from tests.support.metrics_pages import line, lines, recorded_page

HITS = (line("vllm:prefix_cache_queries_total", 1, engine=0), line("vllm:prefix_cache_hits_total", 1, engine=0))


def said(text: str, engine: str = "sglang", dp_ranks: int | None = None) -> str:
    metrics = ENGINES.load(engine)
    page = read_page(text, metrics.wanted)
    return about_page(page, read_figures(page, metrics, Origin("here", dp_ranks), 0), metrics, dp_ranks)


@pytest.mark.parametrize("name", ["sglang_0.5.23_t0", "vllm_0.33.0_t1", "vllm_0.12.0_t1"])
def test_nothing_is_wrong_with_a_whole_page(name: str) -> None:
    assert said(recorded_page(name), name.partition("_")[0], dp_ranks=1) == ""


def test_a_web_page_is_no_page_of_metrics() -> None:
    assert "no page of metrics; see that host, port and path" in said("<html>\n<body>It works</body>\n</html>")
    assert "no page of metrics" in said("")


def test_the_page_of_the_other_engine_is_named() -> None:
    assert "page of vllm, not of sglang; attach to it as vllm://" in said(lines(*HITS))


def test_a_page_of_the_process_alone_names_the_flag_that_is_set() -> None:
    assert "no metrics of vllm; start vLLM without --disable-log-stats" in said("python_info 1\n", "vllm")
    assert "start SGLang with --enable-metrics" in said("python_info 1\n")


def test_a_page_without_hits_names_the_flag() -> None:
    assert "tells no hits; " in said(lines(line("sglang:num_queue_reqs", 1)))
    assert "--enable-metrics" in said(lines(line("sglang:num_queue_reqs", 1)))
    assert "--disable-log-stats" in said(lines(line("vllm:num_requests_running", 1, engine=0)), "vllm")


def test_a_cache_that_is_switched_off_is_said_to_be() -> None:
    config = line("vllm:cache_config_info", 1, enable_prefix_caching="False", engine=0)
    assert said(lines(*HITS, config), "vllm") == "prefix caching is off; start vLLM with --enable-prefix-caching"


def test_ranks_that_are_missing_are_counted_and_the_flag_named() -> None:
    assert said(lines(*HITS), "vllm", dp_ranks=4).startswith("metrics of 1 of 4 ranks; ")
    assert "--enable-metrics-for-all-schedulers" in said(recorded_page("sglang_0.5.23_t1"), dp_ranks=2)
    assert said(lines(*HITS), "vllm", dp_ranks=1) == ""


def test_lines_that_cannot_be_read_are_counted() -> None:
    assert said(lines(*HITS, "vllm:what?", "<p>"), "vllm") == "2 lines of the page could not be read"


def test_a_page_that_is_not_there_names_the_flag() -> None:
    error = UnknownPathError("http://h:1/metrics is not there (404)", "see whether this is the port")
    told = about_failure(error, ENGINES.load("sglang"))
    assert told == "http://h:1/metrics is not there (404); start SGLang with --enable-metrics"


def test_other_failures_are_told_as_they_are() -> None:
    assert about_failure(DeniedError("no", "give a key"), ENGINES.load("vllm")) == "no; give a key"


def test_a_failure_that_nobody_expected_is_told_in_one_printable_line() -> None:
    told = about_failure(ValueError("a\x1b[31m\nb"), ENGINES.load("vllm"))
    assert told == "no page of metrics came: ValueError: a·[31m·b"


def test_that_metrics_tell_of_few_ranks_is_one_line_of_a_small_terminal() -> None:
    assert len(said(lines(*HITS), "sglang", dp_ranks=128)) < 80
