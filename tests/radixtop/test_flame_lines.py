"""The lines of the icicle: the answer, frames that read without colours, and the facts of the selected one."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from rich.style import Style

from cache_core.events import Label, NodeLabelled
from probes.mirror import Mirror
from radixtop.flame.page import FlamePage, FlameQuestion
from radixtop.render.flame_frames import HATCH, Paint
from radixtop.render.flame_lines import Spot, flame_lines, row_at, rows_in
from radixtop.render.flame_styles import frame_style
from radixtop.render.palette import palette
from tests.radixtop.flame.test_answerer import answered
from tests.support.watched import mirror, node

TOP = Spot(1, 0)


def page(width: int = 100, height: int = 24, tree: Mirror | None = None, zooms: tuple[int, ...] = ()) -> FlamePage:
    return answered(tree or mirror(), FlameQuestion(width, rows_in(height), zooms))


def texts(shown: FlamePage | None, spot: Spot = TOP, width: int = 100, height: int = 24) -> list[str]:
    lines = flame_lines(shown, spot, width, height, ("full", "swa"))
    return ["".join(text for text, _ in line).rstrip() for line in lines]


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (36, 7), (76, 18), (196, 54)], ids=str)
def test_the_lines_fill_the_room_and_frames_its_width(size: tuple[int, int]) -> None:
    shown = page(*size)
    lines = flame_lines(shown, TOP, *size, ("full", "swa"))
    assert len(lines) == size[1]
    for y, line in enumerate(lines):
        if 0 <= row_at(shown, y, size[1]) < len(shown.rows) and y < size[1] - 2:
            assert sum(cell_len(text) for text, _ in line) == size[0]


def test_the_first_line_says_what_holds_the_cache() -> None:
    assert texts(page())[0] == "4 prefixes hold 100% of 9,644 tokens; heaviest: system prompt 0 (2,561, 27%)"
    narrow = "4 prefixes hold 100% of 9,644 tokens; heaviest: syst… (2,561, 27%)"
    assert texts(page(66), width=66)[0] == narrow
    assert texts(page(60), width=60)[0] == "4 prefixes hold 100% of 9,644 tokens"
    zoomed = "in system prompt 0 (27% of all): 5 prefixes hold 20% of 2,561 tokens"
    assert texts(page(zooms=(1,)))[0].startswith(zoomed)


def test_nothing_cached_and_nothing_known_are_told_apart() -> None:
    assert texts(page(tree=Mirror()))[0] == "the cache is empty"
    assert texts(None)[0] == "- the tree is not known"


def test_a_cache_of_crumbs_has_no_holders() -> None:
    tree = Mirror()
    for number in range(1, 201):
        tree.apply(node(number, 0, 0, 10))
    assert texts(page(tree=tree))[0] == "no prefix holds 1% of 2,000 tokens"
    assert "+200" in texts(page(tree=tree))[2]


def test_wide_characters_stay_in_their_frame() -> None:
    tree = mirror(prompts=3, questions=0)
    tree.apply(Label(7, "系统提示词系统提示词系统提示词\x1b[31m"))
    tree.apply(NodeLabelled(1, 0, 7))
    for width in range(8, 60):
        for line in flame_lines(page(width, tree=tree), TOP, width, 24, ())[1:3]:
            assert sum(cell_len(text) for text, _ in line) == width
            assert "\x1b" not in "".join(text for text, _ in line)


def test_tombstones_are_hatched() -> None:
    frames = texts(page(tree=mirror(prompts=1, questions=3), zooms=(1,)))[2]
    assert frames.count("▏") == 4
    assert [HATCH in frame for frame in frames.split("▏")[1:4]] == [False, True, False] or HATCH in frames


def test_the_foot_has_everything_about_the_selected_frame() -> None:
    foot = " ".join(texts(page(200), width=200)[-2:])
    assert foot.startswith("#1 system prompt 0  2,561 tokens 27%  own 2,055 from 0  hits 0  reused 0  recomputed 0")
    assert "used 1.0s ago  locks 1  live FS" in foot


def test_a_fold_says_how_many_it_stands_for() -> None:
    foot = texts(page(76), Spot(2, 0), width=76)[-2:]
    assert foot[0].startswith("+5 prefixes, each narrower than a cell  506 tokens 5.2%")


def test_the_line_of_a_row_leads_back_to_it() -> None:
    shown = page(height=24)
    lines = texts(shown)
    for y, line in enumerate(lines):
        if line.startswith("▏system"):
            assert row_at(shown, y, 24) == 1
    assert (row_at(shown, 0, 24), row_at(shown, 1, 24)) == (-1, 0)


@pytest.mark.parametrize("theme", ["dark", "light", "colorblind"])
def test_grounds_differ_by_branch_shade_and_selection(theme: str) -> None:
    base = Style.parse("#c3ccdb on #10141b")
    paints = [Paint(hue, shade) for hue in range(4) for shade in range(2)] + [Paint(-1, 0), Paint(0, 0, True)]
    grounds = {frame_style(paint, palette(theme, "rgb"), base).bgcolor for paint in paints}
    assert len(grounds) == len(paints)


def test_frames_are_reversed_where_a_terminal_has_its_own_colours() -> None:
    style = frame_style(Paint(1, 0), palette("dark", "ansi"), Style.parse("default on default"))
    assert style.reverse
    assert not frame_style(Paint(-1, 0), palette("dark", "ansi"), Style.parse("default on default")).reverse
