"""The table of metrics: names as Prometheus has them, values as the samples have them, unknown as no value."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import cast

import pytest

from probes.builtin.capacity import CapacityHits, CapacitySample
from probes.builtin.fleet import FleetRank, FleetSample
from probes.builtin.hit_rate import HitRateSample, HitTotals
from probes.builtin.overhead import OverheadSample
from probes.builtin.request_log import RequestLogSample
from probes.fleet.figures import Overlap, RankName, RankState
from probes.kv_mirror.badge import Badge
from probes.lives.gap_causes import GapCauses
from probes.lives.misses import MISS_CLASSES, PromptTokens
from probes.lives.request_log import RequestLog
from probes.probe import PROBES
from probes.snapshot import Snapshot, SourceState
from profiles.metric import METRICS, UNITS, Metric, Seen, all_metrics, bound_ns
from tests.support.watched import FakeSource

TABLE = {metric.name: metric for metric in all_metrics()}
NAME = re.compile(r"radixtop(_[a-z]+)+")
NOTHING_KNOWN = Snapshot(-1, 0, 0, SourceState("quiet", "starting"), {})


def values(name: str, snapshot: Snapshot | None, age_ns: int = 0) -> dict[tuple[str, ...], object]:
    """Return the known values of a metric."""
    read = TABLE[name].read(Seen(snapshot, age_ns, "1.0"))
    return {labels: value for labels, value in read.items() if value is not None}


def busy(**source: object) -> Snapshot:
    """Return the snapshot of a made-up busy cache."""
    snapshot = FakeSource().tick(0)
    return replace(snapshot, source=replace(snapshot.source, **source))  # type: ignore[arg-type]


@pytest.mark.parametrize("metric", TABLE.values(), ids=TABLE)
class TestEveryMetric:
    """What holds of each metric of the table."""

    def test_its_name_is_one_that_prometheus_knows(self, metric: Metric) -> None:
        assert NAME.fullmatch(metric.name)
        assert metric.name.endswith("_total") == (metric.kind == "counter")

    def test_a_histogram_is_of_seconds(self, metric: Metric) -> None:
        assert metric.kind != "histogram" or metric.unit == "seconds"

    def test_no_unit_stands_anywhere_but_at_the_end_of_its_name(self, metric: Metric) -> None:
        words = metric.name.removesuffix("_total").split("_")
        assert (
            not set(words[:-1]) & (set(UNITS) | {"ms", "us", "ns", "kb", "mb", "percent"})
            or "token_bytes" in metric.name
        )

    def test_its_help_is_one_sentence_or_two(self, metric: Metric) -> None:
        assert metric.help.endswith(".")
        assert "\n" not in metric.help

    def test_each_value_has_every_label(self, metric: Metric) -> None:
        assert all(len(labels) == len(metric.labels) for labels in metric.read(Seen(busy())))

    def test_before_anything_is_known_it_has_no_value_unless_it_is_of_the_source(self, metric: Metric) -> None:
        if metric.sample:
            assert values(metric.name, NOTHING_KNOWN) == values(metric.name, None) == {}


def test_no_two_metrics_have_one_name() -> None:
    assert len(TABLE) == len(all_metrics())


def test_every_probe_but_those_that_list_has_a_group_of_its_name() -> None:
    has_its_own_page = {"engine"}
    for_screens_alone = {"tree_mirror", "event_log", "windows", "ghosts", "ages", "miss_kinds"} | has_its_own_page
    assert set(METRICS.names) - {"source"} == set(PROBES.names) - for_screens_alone


def test_the_hit_rate_can_be_had_from_the_counters() -> None:
    hits = HitTotals(3, 1000, 600, 800, host_hit_tokens=300, loaded_tokens=200)
    sample = HitRateSample(hits, hits, hits, (), (), has_host_tier=True)
    snapshot = replace(busy(), samples={"hit_rate": sample})
    assert values("radixtop_hit_tokens_total", snapshot) == {("device",): 400, ("host",): 200}
    assert values("radixtop_queried_tokens_total", snapshot) == {(): 1000}
    assert values("radixtop_hit_ratio", snapshot) == {("10s",): 0.6, ("60s",): 0.6}


def test_without_a_host_tier_there_is_nothing_of_it() -> None:
    known = {name for name in TABLE if values(name, busy())}
    assert {name for name in known if "host" in name or "copied" in name or "transfer" in name} == set()
    assert values("radixtop_hit_tokens_total", busy()) == {("device",): 1_990_750}


def test_a_rate_of_nothing_is_no_rate() -> None:
    sample = HitRateSample(HitTotals(), HitTotals(), HitTotals(), (), ())
    assert values("radixtop_hit_ratio", replace(busy(), samples={"hit_rate": sample})) == {}


@pytest.mark.parametrize(
    ("state", "up"), [("live", 1), ("replay", 1), ("starting", 0), ("stale", 0), ("ended", 0), ("lost", 0)]
)
def test_what_is_silent_or_gone_is_not_up(state: str, up: int) -> None:
    assert values("radixtop_up", busy(state=state)) == {(): up}
    assert values("radixtop_source_state", busy(state=state))[state,] == 1
    assert sum(map(int, map(str, values("radixtop_source_state", busy(state=state)).values()))) == 1


def test_what_nobody_looks_at_any_more_is_not_up() -> None:
    assert values("radixtop_up", busy(), 11_000_000_000) == {(): 0}
    assert values("radixtop_snapshot_age_seconds", busy(), 11_000_000_000) == {(): 11.0}


def test_the_age_of_a_heartbeat_goes_on_while_nobody_looks() -> None:
    snapshot = busy(heartbeat_age_ns=2_000_000_000)
    assert values("radixtop_heartbeat_age_seconds", snapshot, 500_000_000) == {(): 2.5}
    assert values("radixtop_heartbeat_age_seconds", busy(heartbeat_age_ns=None)) == {}


@pytest.mark.parametrize("hostile", [10**400, -1, True, "1", None, [], 1.5])
def test_a_setting_that_is_no_number_is_left_out(hostile: object) -> None:
    config = {"started": hostile, "slot_bytes": {"full": hostile}}
    assert values("radixtop_cache_start_time_seconds", busy(config=config)) == {}
    assert values("radixtop_kv_token_bytes", busy(config=config)) == {}


def test_settings_are_labels() -> None:
    config = {"components": ["full", "swa"], "page_size": 16, "branching": False, "window": None}
    ((labels, value),) = values("radixtop_cache_info", busy(config=config)).items()
    named = dict(zip(TABLE["radixtop_cache_info"].labels, labels, strict=True))
    assert value == 1
    assert (named["components"], named["page_size"], named["branching"], named["window"]) == (
        "full+swa",
        "16",
        "false",
        "",
    )


def test_what_watching_costs_is_unknown_until_it_is_judged() -> None:
    def snapshot(sample: OverheadSample) -> Snapshot:
        return replace(busy(), samples={"overhead": sample})

    unjudged = snapshot(OverheadSample(None, None, 0, 0, "unknown"))
    assert values("radixtop_probe_overhead_ratio", unjudged) == values("radixtop_probe_detail", unjudged) == {}
    judged = snapshot(OverheadSample(0.01, 0.02, 20_000_000, 1_000_000_000, "untimed"))
    assert values("radixtop_probe_overhead_ratio", judged) == {(): 0.01}
    assert values("radixtop_probe_detail", judged) == {("full",): 0, ("untimed",): 1, ("sparse",): 0}


def test_ranks_of_servers_have_what_they_hold_and_what_they_share() -> None:
    first, away = RankName("sglang://a:30000", 0), RankName("vllm://b:8000", -1)
    held = RankState(first, "sglang", "live", badge=Badge("unsure"), device_tokens=48, stored_tokens=64)
    ranks = tuple(FleetRank(state) for state in (held, RankState(away, "vllm", "starting", "gone")))
    overlap = Overlap((first,), ((48,),), (48,), 32)
    watched = replace(busy(), samples={"fleet": FleetSample(0, ranks, first, overlap)})
    assert values("radixtop_rank_up", watched) == {(first.server, "0"): 1, (away.server, "-1"): 0}
    assert values("radixtop_rank_unsure", watched) == {(first.server, "0"): 1}
    assert values("radixtop_rank_device_tokens", watched) == {(first.server, "0"): 48}
    assert values("radixtop_rank_stored_tokens_total", watched) == {(first.server, "0"): 64}
    assert values("radixtop_fleet_duplicate_tokens", watched) == {(): 16}


def test_a_bound_is_the_greatest_value_of_its_bucket() -> None:
    assert [bound_ns(digits) for digits in (0, 1, 10)] == [0, 1, 1023]


def test_no_text_of_a_prompt_and_no_node_is_a_label() -> None:
    bounded = {"component", "state", "tier", "over", "event", "outcome", "operation", "detail", "version", "python"}
    bounded |= {"class", "for", "of"}  # of misses (see probes.lives.misses), and of namespaces without their names
    bounded |= {"size"}  # five multiples of the pool
    bounded |= {"server", "rank"}  # as the user named them, 1,024 at most of each server
    settings = set(TABLE["radixtop_cache_info"].labels)
    assert {label for metric in TABLE.values() for label in metric.labels} <= bounded | settings


def test_rates_at_other_sizes_can_be_had_from_the_counters() -> None:
    hits = CapacityHits(3, 1_000, 490, 480, (100, 300, 500, 700, 800))
    sample = CapacitySample(400, 1, (100, 200, 400, 800, 1_600), hits, None, 0, 800, None, True)
    snapshot = replace(busy(), samples={"capacity": sample})
    told = {("0.25",): 100, ("0.5",): 300, ("1",): 500, ("2",): 700}  # beyond what is known there is nothing
    assert values("radixtop_lru_hit_tokens_total", snapshot) == told
    assert values("radixtop_lru_queried_tokens_total", snapshot) == {(): 1_000}


def test_missed_and_hit_tokens_are_all_that_was_asked() -> None:
    tokens = PromptTokens(2, 100, device=40, diverged=30, evicted=20, last_token=2, unknown=8, retracted=7)
    sample = RequestLogSample(tokens, tokens, GapCauses(), GapCauses(), True, RequestLog())
    snapshot = Snapshot(1, 0, 0, SourceState("made up", "live"), {"request_log": sample})
    missed = values("radixtop_missed_tokens_total", snapshot)
    assert set(missed) == {(miss,) for miss in MISS_CLASSES}
    assert values("radixtop_asked_tokens_total", snapshot) == {(): 107}
    assert sum(cast("int", value) for value in missed.values()) == 107 - 40
