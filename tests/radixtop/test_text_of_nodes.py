"""Where text is wanted, rows, details and frames go by it; it cannot drive a terminal, and stays on the screen."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from probes.mirror import Mirror
from probes.node_texts.node_texts import NodeTexts
from radixtop.flame.answerer import FlameAnswerer
from radixtop.flame.page import FlamePage, FlameQuestion
from radixtop.naming import name_of
from radixtop.printable import one_line
from radixtop.render.lines import plain, width_of
from radixtop.render.node_lines import node_lines
from radixtop.tree.biggest import standing_of_all
from radixtop.tree.detail import node_detail
from radixtop.tree.index import TreeIndex
from radixtop.tree.request import TreeRequest
from radixtop.tree.rows import TreePage
from radixtop.view_export import View, export_view
from tests.support.records import added
from tests.support.watched import NOW, SECOND, FakeSource

SNAPSHOT = FakeSource().tick(NOW)
HOSTILE = "You are\r\n\n  a \x1b[31mred\x07 ‮helper\t日本語" + " and so on" * 200


class Told(NodeTexts):
    """Texts that are known, and which nodes were asked about."""

    is_on = True

    def __init__(self, texts: dict[int, str]) -> None:
        self.texts = texts
        self.asked: list[int] = []
        self.searched: list[tuple[int, int]] = []

    @property
    def version(self) -> int:
        return len(self.texts)

    def beginning(self, node: int, start: int) -> str:
        self.asked.append(node)
        return self.texts.get(node, "")[:600]

    def whole(self, node: int, start: int) -> str:
        return self.texts.get(node, "")

    def search(self, nodes: Iterable[tuple[int, int]]) -> None:
        self.searched += nodes

    def matching(self, text: str) -> dict[int, int]:
        return {node: 0 for node, told in self.texts.items() if text.casefold() in told.casefold()}


def grown(texts: NodeTexts | None = None) -> Mirror:
    """Return a tree of three branches below the root, and a chain of two nodes."""
    mirror = Mirror()
    if texts is not None:
        mirror.texts = texts
    for record in (added(1, 0, 64), added(2, 0, 32), added(3, 0, 16), added(4, 3, 16, start=16)):
        mirror.apply(record)
    return mirror


def page(mirror: Mirror, pattern: str = "", count: int = 10) -> TreePage:
    request = TreeRequest(first=0, count=count, pattern=pattern)
    return TreeIndex(lambda: 0).page(mirror, request)


def labels(found: TreePage) -> list[str]:
    return [row.label for row in found.rows]


def test_rows_begin_with_text_where_it_is_known_and_with_what_they_had_where_not() -> None:
    plain_rows = labels(page(grown()))
    rows = labels(page(grown(Told({1: "You are", 3: "One", 4: "two"}))))
    assert rows == ["You are", plain_rows[1], "One … two"]


def test_only_rows_in_sight_are_asked_about() -> None:
    texts = Told({})
    page(grown(texts), count=1)
    standing_of_all(grown(texts))
    assert set(texts.asked) == {1}


def test_text_is_one_printable_line() -> None:
    mirror = grown(Told({1: HOSTILE}))
    found = name_of(mirror, mirror.nodes[1])
    assert found.startswith("You are⏎a ·[31mred· ·helper 日本語 and so")
    assert found.isprintable()
    assert len(found) <= 400
    assert one_line(" \n\t") == ""


def test_a_filter_finds_text_unless_the_node_begins_elsewhere_by_now() -> None:
    assert labels(page(grown(Told({1: "You are", 4: "you were"})), "YOU")) == ["You are"]  # node 4 is told of as at 0
    assert labels(page(grown(), "you")) == []


def test_a_filter_has_what_is_out_of_sight_read_the_heaviest_first() -> None:
    texts = Told({})
    page(grown(texts), "you", count=1)
    assert texts.searched == [(1, 0), (2, 0), (3, 0), (4, 16)]
    page(grown(texts), count=1)
    assert len(texts.searched) == 4


def test_a_detail_shows_the_text_in_lines_that_fit_and_says_where_it_is_hidden_or_not_known() -> None:
    for texts, said in (
        (None, "text hidden"),
        (Told({}), "not known yet"),
        (Told({1: HOSTILE}), "a ·[31mred· ·helper"),
    ):
        found = node_detail(grown(texts), SNAPSHOT, 1)
        assert found is not None
        lines = node_lines(found, 40, NOW, ("full",))
        assert any(said in line for line in plain(lines))
        assert all(line.isprintable() for line in plain(lines))
        shown = lines[plain(lines).index("text") + 1 :][:14] if texts is not None else []
        assert all(width_of(line) <= 40 for line in shown)


def test_frames_take_the_text_once_it_is_known_though_the_tree_does_not_change() -> None:
    texts = Told({})
    source = FakeSource()
    source.mirror = grown(texts)
    now = 0
    answerer = FlameAnswerer(lambda: now)

    def names(seconds: range) -> set[str]:
        nonlocal now
        for second in seconds:
            now = second * SECOND
            found = answerer.answer(source, source.tick(now), FlameQuestion(80, 8))
            assert isinstance(found, FlamePage)
        return {box.facts.label for row in found.rows for box in row if box.facts is not None}

    assert "You are" not in names(range(20))
    texts.texts[1] = "You are"
    assert "You are" in names(range(20, 40))


def test_an_export_of_the_tree_holds_no_text(tmp_path: Path) -> None:
    mirror = grown(Told(dict.fromkeys(range(1, 5), "SECRET")))
    for view in ("tree", "overview"):
        path = export_view(View(view, (), SNAPSHOT), mirror, tmp_path, datetime(2020, 1, 1))
        assert "SECRET" not in path.read_text()
    assert json.loads(path.read_text())["view"] == "overview"
