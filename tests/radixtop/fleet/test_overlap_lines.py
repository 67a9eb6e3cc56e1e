"""What ranks have in common: each pair by its share, in any width, and prefixes that one of them lacks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probes.fleet.figures import Overlap, Prefix, RankName
from radixtop.fleet.names import hex_of
from radixtop.render import overlap_lines, prefix_lines
from radixtop.render.lines import plain, width_of
from radixtop.render.overlap_lines import OverlapTable
from radixtop.render.prefix_lines import PrefixTable
from tests.support.fleets import names, overlap

TWO = Overlap((RankName("a", 0), RankName("b", 0)), ((400, 100), (100, 100)), (300, 0), 400)


def labels(ranks: int) -> list[str]:
    return [f"gpu{rank}" for rank in range(ranks)]


def test_a_cell_is_the_share_of_the_tokens_of_its_row() -> None:
    table = OverlapTable(TWO, ["a", "b"], 76)
    assert plain([table.line(0)])[0].split() == ["1", "a", "400", "75.0%", "▪", "▒", "25"]
    assert plain([table.line(1)])[0].split() == ["2", "b", "100", "0.0%", "█100", "▪"]


@pytest.mark.parametrize(("ranks", "width", "has_figures"), [(8, 75, True), (31, 195, True), (12, 75, False)])
def test_percentages_are_there_where_they_fit(ranks: int, width: int, has_figures: bool) -> None:
    table = OverlapTable(overlap(names(ranks)), labels(ranks), width)
    assert table.has_figures == has_figures
    assert all(width_of(line) <= width for line in (*table.head()[1:], table.line(0)))


def test_64_ranks_are_a_sign_each_in_80_columns() -> None:
    table = OverlapTable(overlap(names(64)), labels(64), 75)
    line = plain([table.line(0)])[0]
    assert len(line.split()[-1]) == 64 and line.split()[-1][:6] == "▪▓▓▒░░"


def test_the_columns_around_the_cursor_are_shown_where_not_all_have_room() -> None:
    last = OverlapTable(overlap(names(200)), labels(200), 75, cursor=199)
    assert last.first > 100 and plain([last.line(199)])[0].endswith("▪")


def test_a_rank_without_tokens_shares_nothing_and_divides_by_nothing() -> None:
    nothing = replace(TWO, shared=((0, 0), (0, 100)), alone=(0, 100))
    table = OverlapTable(nothing, ["a", "b"], 76)
    assert plain([table.line(0)])[0].split() == ["1", "a", "0", "-", "▪", "·"]
    assert "nothing on the device" in plain(overlap_lines.in_words(nothing, ["a", "b"], 0))[0]


def test_what_a_rank_has_alone_and_with_whom_it_shares_most_is_said() -> None:
    said = plain(overlap_lines.in_words(TWO, ["a", "b"], 0))[0]
    assert said == "a has 400 tokens; 75.0% of them alone, in common with b 25.0%"


def test_who_lacks_a_prefix_is_named_and_no_copies_are_claimed() -> None:
    """Below a beginning that ranks share they may differ: sums of it do not tell what is there twice."""
    prefix = Prefix(0xABC, (500, 0, 500, 400))
    assert hex_of(prefix) == "0000000000000abc"
    said = plain(prefix_lines.in_words(prefix, labels(4)))[0]
    assert said.endswith("1,400 tokens on 3 ranks; lacking on gpu1")
    assert plain(prefix_lines.in_words(Prefix(-1, (5, 0, 0)), labels(3)))[0].endswith("; only on gpu0")


@pytest.mark.parametrize(("ranks", "width"), [(8, 75), (8, 115), (64, 75), (64, 195)])
def test_a_prefix_keeps_to_its_room_and_a_lacking_rank_to_its_sign(ranks: int, width: int) -> None:
    told = overlap(names(ranks))
    table = PrefixTable(told, width)
    lines = [*table.head()[1:], *map(table.line, told.prefixes)]
    assert all(width_of(line) <= width for line in lines)
    assert "·" in plain([table.line(told.prefixes[1])])[0]


def test_columns_have_the_numbers_of_the_ranks_of_one_server_else_those_before_the_rows() -> None:
    one, several = overlap(names(8, 8)), overlap(names(8))
    table = OverlapTable(one, [f"rank {rank}" for rank in range(8)], 75)
    assert plain(table.head())[1].split() == ["rank", "tokens", "alone", *map(str, range(8))]
    assert plain([table.line(6)])[0].startswith(" rank 6 ")
    assert plain(PrefixTable(one, 115).head())[1].split()[-8:] == [*map(str, range(8))]
    numbered = OverlapTable(several, labels(8), 75)
    assert plain(numbered.head())[1].split()[3:] == [*map(str, range(1, 9))]
    assert plain([numbered.line(6)])[0].split()[0] == "7"
    assert "by rank as in overlap" in plain(PrefixTable(several, 115).head())[0]
