"""Rows of the tree and the detail of a node as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from cache_core.events import NodeTiers
from radixtop.render.lines import plain, width_of
from radixtop.render.node_lines import node_lines
from radixtop.render.tree_line import TreeTable
from radixtop.tree.detail import node_detail
from radixtop.tree.index import TreeIndex
from radixtop.tree.request import TreeRequest
from radixtop.tree.rows import TreeRow
from tests.support.golden import assert_golden
from tests.support.records import record
from tests.support.watched import NOW, FakeSource, mirror

COMPONENTS = ("full", "swa")
SNAPSHOT = FakeSource().tick(NOW)
GOLDENS = Path(__file__).parent / "goldens" / "tree"


def table(width: int, depth: int = 2) -> list[str]:
    page = TreeIndex(lambda: 0).page(mirror(prompts=2, questions=2), TreeRequest(count=100, depth=depth, joins=False))
    drawn = TreeTable(width, NOW, page.standing.tokens, COMPONENTS)
    lines = [drawn.head(), *(drawn.line(row) for row in page.rows)]
    assert {width_of(line) for line in lines} == {width}
    return plain(lines)


@pytest.mark.parametrize("width", [37, 78, 118, 198])
def test_rows_look_as_accepted(width: int) -> None:
    assert_golden("\n".join(table(width, depth=3)), GOLDENS / f"rows-{width}.txt")


@pytest.mark.parametrize("width", [37, 56, 96, 118, 198])
def test_a_row_has_its_label_and_its_marks_at_any_width(width: int) -> None:
    lines = table(width)
    assert lines[1].startswith("▾ sys") and lines[1].endswith("FS")


def test_columns_of_use_are_left_out_where_nobody_tells_of_it() -> None:
    row = TreeRow(1, 0, 0, False, 0, "0..+1,024 ·2f3eec", 1, 1, None, None, None, None, 3, 0, NOW - 1, -1)
    for width in (56, 78, 198):
        drawn = TreeTable(width, NOW, 1, COMPONENTS, tells_use=False)
        titles, cells = (line.split() for line in plain([drawn.head(), drawn.line(row)]))
        assert not {"hits", "hit", "recomp", "lock", "idle"} & {*titles}
        assert "-" not in cells
        assert width_of(drawn.head()) == width_of(drawn.line(row)) == width


def test_the_next_order_is_one_that_is_told() -> None:
    requests = [TreeRequest()]
    for _ in range(3):
        requests.append(requests[-1].next_order(tells_use=False))
    assert [request.order for request in requests] == ["subtree", "age", "tokens", "subtree"]


def test_a_very_deep_row_keeps_the_end_of_its_guides() -> None:
    row = TreeRow(1, 40, 0, False, 0, "leaf", 1, 1, 0, 0, 0, 0, 3, 0, NOW, NOW)
    text = plain([TreeTable(78, NOW, 1, COMPONENTS).line(row)])[0]
    assert text.startswith("40‥") and "└╴· leaf" in text


def test_the_detail_names_the_way_and_the_children() -> None:
    tree = mirror(prompts=1, questions=2)
    detail = node_detail(tree, SNAPSHOT, 2)
    assert detail is not None
    text = "\n".join(plain(node_lines(detail, 80, NOW, COMPONENTS)))
    assert "positions               2,055..2,151" in text
    assert "full: live  swa: live" in text
    assert "      #1          0    2,055 FS    system prompt 0" in text
    assert "children: 1" in text and "#1002" in text


def test_a_tombstone_says_so_in_words() -> None:
    tree = mirror(prompts=1, questions=2)
    detail = node_detail(tree, SNAPSHOT, 3)
    assert detail is not None
    assert "swa: † tombstone" in "\n".join(plain(node_lines(detail, 60, NOW, COMPONENTS)))


def test_there_is_no_detail_of_a_node_that_is_gone() -> None:
    assert node_detail(mirror(), SNAPSHOT, 4_711) is None


@pytest.mark.parametrize(
    ("live", "copied", "marks", "words"),
    [
        (3, 3, "FS", "full: live, and on the host  swa: live, and on the host"),
        (1, 3, "Fs", "full: live, and on the host  swa: on the host alone"),
        (0, 3, "fs", "full: on the host alone  swa: on the host alone"),
        (0, 1, "f†", "full: on the host alone  swa: † tombstone"),
        (0, 0, "↓↓", "full: ↓ on its way to the host"),
    ],
)
def test_marks_and_words_say_on_which_tier_a_node_is(live: int, copied: int, marks: str, words: str) -> None:
    tree = mirror(prompts=1, questions=1)
    tree.apply(record(NodeTiers, node=2, live=live, copied=copied))
    detail = node_detail(tree, SNAPSHOT, 2)
    assert detail is not None
    text = "\n".join(plain(node_lines(detail, 80, NOW, COMPONENTS)))
    assert words in text and f"   96 {marks}    " in text
    page = TreeIndex(lambda: 0).page(tree, TreeRequest(count=100, depth=3, joins=False))
    drawn = TreeTable(78, NOW, page.standing.tokens, COMPONENTS)
    assert [plain([drawn.line(row)])[0][-2:] for row in page.rows if row.node == 2] == [marks]
