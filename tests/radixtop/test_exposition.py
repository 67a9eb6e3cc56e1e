"""The page that is scraped: both formats are ones that their parsers read, and counters never fall."""

from __future__ import annotations

import gzip
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as plain

from probes.builtin.evictions import EvictionSample
from probes.builtin.hit_rate import HitRateSample, HitTotals
from probes.builtin.occupancy import OccupancySample, PoolState
from probes.histogram import Histogram
from probes.snapshot import Snapshot
from profiles.metric import Seen, all_metrics
from radixtop.metrics.exposition import MetricsPage
from tests.support.watched import FakeSource

OPENMETRICS = "application/openmetrics-text; version=1.0.0"
Series = dict[tuple[str, tuple[tuple[str, str], ...]], float]


class Scraper:
    """A page, and the snapshot that it shows."""

    def __init__(self, snapshot: Snapshot | None) -> None:
        self.snapshot = snapshot
        self._page = MetricsPage(lambda: Seen(self.snapshot, 1_000, "1.0"))

    def body(self, **environ: str) -> str:
        status, headers, body = self._page.answer({"REQUEST_METHOD": "GET", "PATH_INFO": "/metrics", **environ})
        assert status == "200 OK"
        return (gzip.decompress(body) if ("Content-Encoding", "gzip") in headers else body).decode()

    def series(self) -> Series:
        """Return every series of the page; one that is there twice fails."""
        found = [
            ((sample.name, tuple(sorted(sample.labels.items()))), sample.value)
            for family in plain(self.body())
            for sample in family.samples
        ]
        assert len(dict(found)) == len(found)
        return dict(found)


def with_sample(sample: object) -> Snapshot:
    """Return a snapshot of this sample alone."""
    return replace(FakeSource().tick(0), samples={"it": sample})


def spread(values: list[int]) -> Histogram:
    """Return a histogram of values."""
    histogram = Histogram()
    for value in values:
        histogram.add(value)
    return histogram


def evictions(values: list[int]) -> Snapshot:
    """Return a snapshot in which evict calls took so long."""
    cost = spread(values).quantiles()
    return with_sample(EvictionSample(len(values), 0, 0, {}, 0, 0, 0, 0, cost, (), ()))


@pytest.mark.parametrize(("accept", "parse"), [("text/plain", plain), (OPENMETRICS, openmetrics)])
def test_each_format_is_one_that_its_parser_reads(accept: str, parse: object) -> None:
    families = [*parse(Scraper(FakeSource().tick(0)).body(HTTP_ACCEPT=accept))]  # type: ignore[operator]
    types = {metric.name: metric.kind for metric in all_metrics()}
    names = {sample.name for family in families for sample in family.samples}
    assert {
        "radixtop_queried_tokens_total",
        "radixtop_cache_info",
        "radixtop_time_to_first_token_seconds_bucket",
    } <= names
    for family in families:
        found = {types.get(family.name), types.get(f"{family.name}_total"), types.get(f"{family.name}_info")} - {None}
        assert family.type in found or (family.type == "gauge" and found == {"info"})


@pytest.mark.parametrize("version", ["abc", "1e9.x", ""])
def test_a_version_that_is_none_gets_a_page_as_well(version: str) -> None:
    body = Scraper(None).body(HTTP_ACCEPT=f"application/openmetrics-text; version={version}")
    assert "radixtop_up 0.0" in body


def test_units_are_told_where_the_format_has_them() -> None:
    body = Scraper(FakeSource().tick(0)).body(HTTP_ACCEPT=OPENMETRICS)
    assert "# UNIT radixtop_queried_tokens tokens" in body
    assert body.endswith("# EOF\n")


def test_a_page_is_compressed_for_those_who_can_read_it() -> None:
    scraper = Scraper(FakeSource().tick(0))
    assert scraper.body(HTTP_ACCEPT_ENCODING="gzip") == scraper.body()


def test_before_the_first_snapshot_the_page_says_that_nothing_is_up() -> None:
    series = Scraper(None).series()
    assert series["radixtop_up", ()] == 0
    assert {name for name, _ in series} == {"radixtop_up", "radixtop_build_info", "radixtop_source_state"}


def test_a_metric_can_be_asked_for_by_name() -> None:
    body = Scraper(FakeSource().tick(0)).body(QUERY_STRING="name[]=radixtop_up&name[]=radixtop_queries_total")
    assert [line.split(" ")[0] for line in body.splitlines() if line[0] != "#"] == [
        "radixtop_up",
        "radixtop_queries_total",
    ]


@given(st.lists(st.integers(0, 2**42), max_size=60))
@settings(max_examples=40)
def test_what_a_bucket_counts_is_exact(durations: list[int]) -> None:
    series = Scraper(evictions(durations)).series()
    name = "radixtop_eviction_duration_seconds"
    bounds = {labels[0][1]: count for (found, labels), count in series.items() if found == f"{name}_bucket"}
    assert bounds == {
        bound: sum(ns <= float("inf") if bound == "+Inf" else ns <= round(float(bound) * 1e9) for ns in durations)
        for bound in bounds
    }
    assert series[f"{name}_count", ()] == len(durations)
    assert series[f"{name}_sum", ()] == pytest.approx(sum(durations) / 1e9)


def test_a_counter_stays_where_it_was_when_its_source_takes_something_back() -> None:
    def hits(loaded: int) -> Snapshot:
        total = HitTotals(1, 100, 20 + loaded, 90, 50, loaded)
        return with_sample(HitRateSample(total, total, total, (), (), has_host_tier=True))

    scraper = Scraper(hits(50))
    key = ("radixtop_hit_tokens_total", (("tier", "host"),))
    seen = []
    for loaded in (50, 10, 40, 60):
        scraper.snapshot = hits(loaded)
        seen.append(scraper.series()[key])
    assert seen == [50, 50, 50, 60]


@pytest.mark.parametrize("state", ["ended", "lost"])
def test_of_a_cache_that_is_gone_only_what_was_counted_is_told(state: str) -> None:
    source = FakeSource()
    source.die(state, "gone")  # type: ignore[arg-type]
    names = {name for name, _ in Scraper(source.tick(0)).series()}
    assert {"radixtop_queried_tokens_total", "radixtop_up", "radixtop_heartbeat_age_seconds"} <= names
    assert not names & {
        "radixtop_pool_tokens",
        "radixtop_hit_ratio",
        "radixtop_requests_running",
        "radixtop_tree_nodes",
    }


@given(st.text(max_size=100), st.text(max_size=100))
@settings(max_examples=50)
def test_names_that_others_chose_break_no_page(first: str, second: str) -> None:
    pools = tuple(PoolState(name, 1, 2, 3, 4, 10) for name in (first, second, first))
    scraper = Scraper(with_sample(OccupancySample(pools, {})))
    found = {labels for name, labels in scraper.series() if name == "radixtop_pool_capacity_tokens"}
    assert 1 <= len(found) <= 2
    assert all(len(value) <= 64 for labels in found for _, value in labels)
    assert [*openmetrics(scraper.body(HTTP_ACCEPT=OPENMETRICS))]
