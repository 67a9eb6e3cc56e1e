"""Reports as text, each of a small case that was looked at."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from probes.histogram import Histogram
from profiles.reports.ages import AgeReport
from profiles.reports.evict import ComponentEvictions, EvictionCosts
from profiles.tallies.ages import ComponentAges, NamespaceAges
from profiles.tallies.branch_point import BranchPoint
from profiles.tallies.branch_sums import BranchingReport
from profiles.tallies.course import Chronicle
from profiles.tallies.distribution import distribution
from profiles.tallies.evictor_comparison import Calls, EvictorComparison, clouds
from profiles.tallies.leaf_costs import LeafCosts
from radixtop.render.lines import plain
from radixtop.reports.texts import ages, branching, evict, evictors
from tests.support.golden import assert_golden

GOLDENS = Path(__file__).parent / "goldens" / "reports"
S, MS, US = 1_000_000_000, 1_000_000, 1_000


def histogram(*values: int) -> Histogram:
    counted = Histogram()
    for value in values:
        counted.add(value)
    return counted


def component(name: str, scale: int) -> ComponentEvictions:
    costs, calls, victims = LeafCosts(), Histogram(), Histogram()
    for step in range(1, 200):
        ns = (4 + step % 7) * US * scale
        costs.add(step * step, 2, 2 * ns, ns // 2)
        calls.add(2 * ns)
        victims.add(ns)
    freed = {"full": 9_000 // scale, "swa": 4_000}
    return ComponentEvictions(
        component=name, calls=204, unmeasured_calls=2, empty_calls=3, victims=398, cascades=17, asked_tokens=9_500,
        freed_tokens=freed, leaves_considered=1_592, pops=640, stale_pops=242, build_ns=240 * US, rest_ns=2_100 * US,
        call_ns=distribution(calls), victim_ns=distribution(victims), cost=costs.cloud(),
    )  # fmt: skip


def costs() -> EvictionCosts:
    chronicle = Chronicle("calls", "victims", "ns", "unmeasured")
    for second in range(100):
        chronicle.add(second * S, 1 + second % 5, 3, (second % 9) * 20 * MS, 40 <= second < 44)
    both = (component("full", 1), component("swa", 3))
    return EvictionCosts(100 * S, 408, 4, 796, 34, {"full": 12_000, "swa": 8_000}, both, chronicle.course())


def comparison() -> EvictorComparison:
    leaves = [step * step for step in range(1, 200)]
    ones = [1] * len(leaves)
    slow = Calls(leaves, ones, [US + 300 * each for each in leaves], [250 * each for each in leaves], ones)
    fast = Calls(leaves, ones, [6 * US + each % 500 for each in leaves], [0] * len(leaves), ones)
    rebuild, incremental, ratios = clouds(slow, fast)
    return EvictorComparison(
        calls=199, victims=199, first_difference=None, whole=False, requests=400, operations=4_100, refused=2,
        recorded_tokens=84_000, hit_tokens=83_500, hit_agreement=0.992, rebuild_ns=sum(slow.ns),
        incremental_ns=sum(fast.ns), rebuild=rebuild, incremental=incremental, ratios=ratios,
    )  # fmt: skip


def points() -> BranchingReport:
    found = (
        BranchPoint(2 * S, 17, "", "system prompt 2", 2_055, 0, 2_055, "kept", 3 * S, S, None, 40, 82_200, 6_850.0),
        BranchPoint(9 * S, 41, "adapter a", "document 12 + question 7", 12_800, 12_000, 800, "window evicted", 10 * S,
                    412 * MS, 72 * S, 3, 2_400, 200.0),
        BranchPoint(95 * S, 88, "", "", 640, 512, 128, "open"),
        BranchPoint(96 * S, 89, "", "document 4", 530, 424, 106, "filled again", 97 * S, 90 * MS, 178 * S),
    )  # fmt: skip
    return BranchingReport(
        sort="gap", opened=7, filled=5, lost=4, open_now=1, kept=1,
        outcomes={"window evicted": 3, "request ended": 1, "open": 1, "kept": 1, "filled again": 1},
        gap_tokens=3_400, recomputed_tokens=3_900, later_requests=44, saved_tokens=85_000, saved_ms=7_083.0,
        prefill_tokens_per_s=12_000.0, prefill_steps=310, prefill_alone=True,
        fill_delay_ns=distribution(histogram(S, 412 * MS, 90 * MS)), kept_ns=distribution(histogram(62 * S, 9 * S)),
        points_left_out=3, points=found,
    )  # fmt: skip


def old() -> AgeReport:
    reuse = histogram(*(step * 40 * MS for step in range(1, 120)))
    idle = histogram(*(step * 300 * MS for step in range(1, 90)))
    life = histogram(*(step * 900 * MS for step in range(1, 90)))
    full = ComponentAges("full", 89, 21_000, 1_900, 400, 1_900 / 21_000, distribution(life), distribution(idle),
                         0.09, 0.16, 0.31)  # fmt: skip
    swa = replace(full, component="swa", evicted_tokens=9_000, returned_tokens=4_100, thrash_index=4_100 / 9_000)
    every = NamespaceAges("all", 119, distribution(reuse), distribution(life), 64, 40_000, 3, (full, swa))
    plain_one = replace(every, namespace="(plain)", hit_nodes=100, alive_nodes=50)
    return AgeReport(212 * S, 60 * S, 0, every, (plain_one, replace(every, namespace="adapter a", components=())))


TEXTS = {
    "evict": lambda width: evict.lines(costs(), "chat", width),
    "evictors": lambda width: evictors.lines(comparison(), width),
    "branching": lambda width: branching.lines(points(), "mixed", width),
    "ages": lambda width: ages.lines(old(), "mixed", width),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_report_reads_well_at_80_columns(name: str) -> None:
    assert_golden("\n".join(plain(TEXTS[name](80))), GOLDENS / f"{name}.txt")


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("width", [64, 100, 120])
def test_a_report_keeps_to_the_width_it_is_given(name: str, width: int) -> None:
    assert max(map(len, plain(TEXTS[name](width)))) <= width


def test_points_are_written_as_csv() -> None:
    assert_golden(branching.as_csv(points()).rstrip("\n"), GOLDENS / "branching.csv")
