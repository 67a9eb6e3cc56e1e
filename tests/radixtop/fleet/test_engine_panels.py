"""What a server's metrics tell, on the overview: whose it is, what is not told, and in which tier hits were."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from probes.builtin.engine import EngineRank, EngineSample
from probes.scrapes.figures import SERVER
from probes.snapshot import Snapshot, SourceState
from radixtop.fleet.shown import ShownEngine, shown_engine
from radixtop.panel import PANELS, Canvas
from radixtop.render.chrome import Status, Tabs, header
from radixtop.render.lines import plain
from radixtop.scene import status_of
from radixtop.words.engine import hits
from tests.support.fleets import NOW, engine, engine_rank, fleet, fleet_source, names
from tests.support.golden import assert_golden
from tests.support.screen import dashboard
from tests.support.watched import FakeSource

GOLDENS = Path(__file__).parent.parent / "goldens" / "fleet"
RANK = engine_rank(0, names()[0])
TOGETHER = replace(RANK, rank=SERVER)


def painted(name: str, rank: EngineRank, together: EngineRank | None = None, width: int = 56) -> list[list[str]]:
    lines = PANELS.load(name)().paint(ShownEngine("", rank, together), Canvas(width, 20, NOW))
    return [line.split() for line in plain(lines)]


def shown(**samples: object) -> ShownEngine | None:
    return shown_engine(Snapshot(0, NOW, NOW, SourceState("x", "live"), samples))


def test_the_metrics_are_those_of_the_rank_that_is_followed() -> None:
    followed = shown(engine=engine(), fleet=replace(fleet(), followed=names()[3]))
    assert followed is not None
    assert (followed.rank.server, followed.rank.rank) == names()[3]
    assert followed.name == "rank 1 of gpu2"


def test_what_a_server_tells_of_all_is_shown_where_no_rank_tells_its_own_and_said_to_be() -> None:
    of_all = shown(engine=EngineSample((TOGETHER,)), fleet=fleet(2))
    assert of_all is not None
    assert of_all.name.startswith("all of gpu1")


def test_a_rank_of_which_the_page_tells_next_to_nothing_gives_way_to_its_server() -> None:
    bare = replace(RANK, gauges={}, hits_minute=None)
    of_all = shown(engine=EngineSample((TOGETHER, bare)), fleet=fleet(2))
    assert of_all is not None and of_all.rank is TOGETHER


def test_of_one_rank_nobody_needs_to_say_whose_it_is() -> None:
    only = shown(engine=engine(1, 1), fleet=fleet(1, 1))
    assert only is not None and only.name == ""
    assert shown(fleet=fleet(1, 1)) is None


def hits_line(sample: EngineSample) -> str:
    snapshot = Snapshot(0, NOW, NOW, SourceState("x", "live"), {"engine": sample, "fleet": fleet(8, 8)})
    return plain([hits(snapshot)])[0]


def test_the_headline_of_hits_says_of_how_many_ranks_it_is() -> None:
    of_eight = engine(8, 8)
    assert hits_line(of_eight).startswith("all 8 ranks, last 60s: 66.3% of prompt tokens were hits")
    assert hits_line(EngineSample(of_eight.ranks[:1])).startswith("1 of 8 ranks, last 60s: ")
    whole = replace(of_eight.ranks[0], rank=SERVER)
    assert hits_line(EngineSample((whole,))).startswith("server as a whole, last 60s: ")


def test_the_title_of_every_view_says_which_rank_is_shown() -> None:
    for sample, said in (
        (fleet(8, 8), "rank 0 of 8"),
        (replace(fleet(8, 8), followed=names(8, 8)[6]), "rank 6 of 8"),
        (replace(fleet(), followed=names()[3]), "rank 1 of gpu2"),
        (fleet(1, 1), ""),
        (replace(fleet(), followed=None), ""),
    ):
        snapshot = Snapshot(0, NOW, NOW, SourceState("x", "live"), {"fleet": sample})
        assert status_of(Status("sglang://gpu1:30000", "live"), snapshot).shown == said
    lines, _ = header(Status("sglang://gpu1:30000", "live", shown="rank 6 of 8"), Tabs(("tree",), "tree"), 80)
    assert plain(lines)[0].startswith(" radixtop  sglang://gpu1:30000 · rank 6 of 8")


def test_hits_are_told_by_tier_and_add_up() -> None:
    rows = {line[-4] if len(line) > 3 else "": line[-3:] for line in painted("engine_hits", RANK, width=44)}
    assert rows["hit"] == ["65.6%", "66.0%", "65.6%"]
    assert rows["device"] == ["57.7%", "58.5%", "58.3%"] and rows["host"] == ["7.9%", "7.5%", "7.3%"]
    assert "storage" not in rows


def test_a_window_in_which_nothing_is_known_is_a_dash() -> None:
    line = painted("engine_hits", replace(RANK, hits_10s=None), width=44)[1]
    assert line == ["hit", "-", "66.0%", "65.6%"]


def test_every_pool_that_is_told_of_has_a_bar() -> None:
    lines = painted("engine_pools", RANK)
    assert [line[0] for line in lines if line and line[0] in ("full", "swa", "mamba", "host")][:4] == [
        "full", "swa", "mamba", "host",
    ]  # fmt: skip
    assert "83.0%" in next(line for line in lines if line and line[0] == "swa")
    only = painted("engine_pools", replace(RANK, gauges={"usage": 0.4, "full_usage": 0.4}))
    assert only[0][0] == "full" and only[0][-1] == "40.0%" and only[1] == ["-", "-", "-", "-"]


def test_what_is_told_of_all_ranks_at_once_is_marked() -> None:
    bare = replace(RANK, spreads_minute={}, spreads_total={}, rates_10s={}, rates_minute={}, rates_total={})
    assert painted("engine_latency", bare, TOGETHER)[1][:4] == ["Σ", "first", "token", "118ms"]
    assert painted("engine_moves", bare, TOGETHER)[1][:3] == ["Σ", "evicted", "1,210/s"]
    assert painted("engine_moves", bare)[1][:2] == ["evicted", "-"]


def test_a_time_of_which_only_a_bound_is_known_says_so() -> None:
    spread = RANK.spreads_minute["ttft_seconds"]
    assert spread.p99 is not None
    beyond = replace(spread, p99=replace(spread.p99, side="more than"))
    line = painted("engine_latency", replace(RANK, spreads_minute={"ttft_seconds": beyond}))[1]
    assert line[:5] == ["first", "token", "118ms", "283ms", ">484ms"]


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60), (40, 12)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_overview_of_a_server_looks_as_accepted(size: tuple[int, int]) -> None:
    async def main() -> None:
        async with dashboard(*size, fleet_source(1, 1), title="sglang://gpu1:30000") as running:
            await running.tick()
            assert_golden(running.text(), GOLDENS / f"overview-{size[0]}x{size[1]}.txt")

    asyncio.run(main())


def test_a_server_whose_metrics_come_late_changes_the_panels_and_a_cache_keeps_its_own() -> None:
    async def main() -> None:
        source = FakeSource()
        async with dashboard(120, 40, source) as running:
            assert "cache operations" not in running.text() and "branching points" in running.text()
            source.samples = {**source.samples, "engine": engine(1, 1)}
            await running.tick()
            await running.tick()
            assert "branching points" not in running.text() and "how long it takes" in running.text()

    asyncio.run(main())
