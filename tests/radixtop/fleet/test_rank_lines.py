"""The rows of ranks: every figure in its place, what is unknown as unknown, and no colour without a sign."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probes.builtin.engine import EngineSample
from probes.builtin.fleet import FleetRank
from probes.fleet.figures import RankState
from probes.kv_feed.happenings import FeedState
from probes.kv_mirror.turnover import Turnover
from probes.scrapes.figures import SERVER
from radixtop.fleet.rows import ORDERS, RankRow, ordered, rows_of
from radixtop.render.lines import plain, width_of
from radixtop.render.rank_lines import RankTable, detail
from tests.support.fleets import NOW, away, engine, engine_rank, fleet, names, slow_to_hit


def rows(ranks: int = 8) -> tuple[RankRow, ...]:
    return rows_of(fleet(ranks), engine(ranks))


def storing(state: RankState, tokens_per_s: float) -> FleetRank:
    return FleetRank(replace(state, turnover=Turnover(tokens_per_s, 0.0)))


@pytest.mark.parametrize("width", [36, 75, 95, 115, 135, 155, 195, 400])
def test_every_line_fills_the_width_and_no_more(width: int) -> None:
    table = RankTable(width, NOW)
    told = [*rows(), replace(rows()[0], rank=away(names()[0]))]
    lines = [table.head(), table.total(told), *map(table.line, told)]
    assert {width_of(line) for line in lines} == {width_of(lines[0])}
    assert width_of(lines[0]) <= width


def test_a_figure_that_nobody_tells_is_a_dash() -> None:
    (row,) = rows_of(fleet(1, 1), None)
    cells = plain([RankTable(195, NOW).line(row)])[0]
    assert cells.split()[:5] == ["▶", row.label, "●", "live", "●"]
    assert "-" in cells.split()[7] and " 0 " not in cells[40:140]


def test_a_server_that_is_away_says_why_in_its_row() -> None:
    line = plain([RankTable(115, NOW).line(RankRow(away(names()[0]), "gpu1"))])[0]
    assert line.split()[:4] == ["!", "gpu1", "✕", "lost"]
    assert "nothing listens at http://gpu4.prod.example:30000" in line


def test_the_sum_counts_who_is_up_and_adds_what_is_told() -> None:
    told = [*rows()[:4], RankRow(away(names()[7]), "gpu4")]
    line = plain([RankTable(75, NOW).total(told)])[0]
    assert line.split()[:4] == ["4", "of", "5", "up"]
    assert line.split()[-4:] == ["1.60M", "71", "18", "7,360"]


def test_what_a_server_tells_of_all_its_ranks_is_in_the_sum_and_marked_in_their_rows() -> None:
    together = replace(engine_rank(0, names()[0]), rank=SERVER)
    bare = tuple(replace(rank, spreads_minute={}, gauges={}) for rank in engine(2).ranks)
    told = rows_of(fleet(2), EngineSample((together, *bare)))
    assert plain([RankTable(75, NOW).total(told)])[0].split()[-3:-1] == ["Σ17", "Σ5"]
    assert "Σ118ms" in plain([RankTable(115, NOW).line(told[1])])[0]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("width", [75, 115, 200])
def test_the_title_of_the_order_is_whole_and_marked(order: str, width: int) -> None:
    for is_reversed in (False, True):
        table = RankTable(width, NOW, order, is_reversed)
        lines = [table.head(), table.total(rows()), *map(table.line, rows())]
        assert {width_of(line) for line in lines} == {width_of(lines[0])} and width_of(lines[0]) <= width
        title = next((text for text, role in lines[0] if role == "accent"), "")
        there = any(each.order == order for each in table.columns)
        assert "…" not in title and title.strip().endswith(("▴", "▾")) == there


@pytest.mark.parametrize("order", ORDERS)
def test_rows_are_ordered_by_every_column_behind_those_that_are_away(order: str) -> None:
    told = [RankRow(away(names()[7]), "gpu4"), *rows()]
    lines = ordered(told, order, False)
    assert {row.name for row in lines} == {row.name for row in told}
    assert lines[0].label == "gpu4" and ordered(told, order, True)[0].label == "gpu4"


@pytest.mark.parametrize("order", [order for order in ORDERS if order != "name"])
def test_a_rank_of_which_a_figure_is_not_known_comes_last(order: str) -> None:
    told = rows()
    bare = replace(told[0].rank.state, badge=None, feed=None, turnover=Turnover())
    unknown = RankRow(FleetRank(bare), "gpu0")
    for is_reversed in (False, True):
        assert ordered([unknown, *told], order, is_reversed)[-1].label == "gpu0"


def test_ranks_that_are_written_alike_keep_their_order() -> None:
    told = [replace(row, rank=storing(row.rank.state, 640.0 + row.rank.name.rank / 8)) for row in rows()]
    assert [row.label for row in ordered(told, "in", False)] == [row.label for row in told]


def test_a_sum_to_which_not_every_rank_told_its_part_is_at_least_that() -> None:
    told = rows_of(fleet(8, 8), EngineSample(engine(8, 8).ranks[:1]))
    line = plain([RankTable(75, NOW).total(told)])[0].split()
    assert line[:2] == ["all", "8"] and line[-3:] == [">17", ">5", ">1,840"]
    assert line[2].startswith(">6")


def test_a_pool_of_which_nothing_is_known_is_one_dash() -> None:
    (row,) = rows_of(fleet(1, 1), None)
    assert "--" not in plain([RankTable(195, NOW).line(row)])[0]


def test_what_is_with_the_server_marks_no_rank_of_it() -> None:
    (row,) = rows_of(fleet(1, 1), engine(1, 1))
    state = replace(row.rank.state, remark="the page tells of 1 of 8 ranks")
    noted = replace(row, rank=replace(row.rank, state=state))
    assert "!" not in plain([RankTable(75, NOW).line(noted)])[0]
    assert "the page tells of 1 of 8 ranks" in plain(detail(noted, NOW))


def test_the_worst_hit_rate_is_first_when_the_order_is_turned_round() -> None:
    told = rows_of(fleet(), slow_to_hit(engine(), 5))
    assert ordered(told, "hit", True)[0].label == "gpu3/1"


def test_a_title_is_where_its_figures_are() -> None:
    table = RankTable(195, NOW)
    head = plain([table.head()])[0]
    assert table.order_at(head.index("wait") + 1) == "waiting"
    assert table.order_at(head.index("since")) == ""


def test_how_far_a_rank_can_be_believed_is_said_with_the_reason() -> None:
    partial, unsure = (plain(detail(rows()[place], NOW)) for place in (5, 7))
    assert partial[-1].startswith("◇ partial since 3m20s ago: what was stored before is not known")
    assert "batches 12 to 14 never came" in unsure[-1] and "1 gap of 3 batches" in unsure[-1]


def test_a_server_that_never_answered_is_away_and_one_that_was_just_asked_is_not() -> None:
    lost = away(names()[0])
    never, asked = (replace(lost.state, state="starting", is_waiting=is_waiting) for is_waiting in (False, True))
    table = RankTable(75, NOW)
    lines = [plain([table.line(RankRow(replace(lost, state=state), "gpu1"))])[0] for state in (never, asked)]
    assert "✕ away" in lines[0] and "◌ starting" in lines[1]


def test_of_when_the_newest_batch_is_is_not_said_before_a_live_one() -> None:
    state = replace(rows()[0].rank.state, told_at=None, feed=FeedState(is_connected=True, is_dated=False))
    lines = plain(detail(replace(rows()[0], rank=FleetRank(state)), NOW))
    assert lines[-1].endswith("newest batch from before the watch, ages are at least what they say")
