"""The detail of a node: where its pages are, who holds it, how often it was hit, what lies below it."""

from __future__ import annotations

import pytest

from cache_core.events import Insert, Label, Lock, Match, NodeLabelled, NodeSplit, Record, RequestAdmitted
from probes.aggregator import Aggregator
from probes.mirror import Mirror
from radixtop.render.lines import plain, width_of
from radixtop.render.node_lines import node_lines
from radixtop.render.page_map import page_map
from radixtop.tree import detail as detail_of
from radixtop.tree.detail import node_detail
from radixtop.tree.history import History
from radixtop.tree.node import NodeDetail, Run
from tests.support.records import record
from tests.support.scripted_adapter import ScriptedAdapter
from tests.support.watched import NOW, SECOND, FakeSource, mirror, node

COMPONENTS = ("full", "swa")
SNAPSHOT = FakeSource().tick(NOW)
RUNS = (Run(0, 64, 3, 0, 12), Run(64, 96, 1, 2, 2), Run(96, 112, 1, 0, 0), Run(112, 128, 0, 0, 0))


def seen(tree: Mirror, number: int) -> NodeDetail:
    found = node_detail(tree, SNAPSHOT, number)
    assert found is not None
    return found


def lines_of(found: NodeDetail, width: int = 80) -> list[str]:
    return plain(node_lines(found, width, NOW, COMPONENTS))


def test_a_page_is_a_cell_that_says_where_each_component_is() -> None:
    assert plain(page_map(RUNS, 16, 80, COMPONENTS)) == [
        "0..128, a cell is a page of 16 tokens",
        "full   FFFFFFF↓",
        "swa    SSSSss†↓",
        "locks  ++++22··",
    ]


def test_of_a_long_path_a_cell_is_several_pages() -> None:
    assert plain(page_map(RUNS, 16, 10, COMPONENTS)) == [
        "0..128, a cell is 3 pages of 16 tokens",
        "full   FF~",
        "swa    S~~",
        "locks  ++·",
    ]


def test_a_map_of_nothing_and_of_unheard_of_components_is_drawn() -> None:
    assert plain(page_map((), 16, 80, COMPONENTS)) == ["no page"]
    assert plain(page_map(RUNS, 1, 0, ()))[1:] == ["locks  +"]


def test_neighbours_that_do_not_differ_are_one_run() -> None:
    tree = mirror(prompts=1, questions=1)
    tree.apply(NodeSplit(NOW, 1, 50, 0, 0, 1_000, 5, 0, 3, 0, 0))
    assert seen(tree, 1_002).runs == (Run(0, 2_151, 3, 0, 1), Run(2_151, 2_167, 3, 0, 0))


def test_requests_that_run_below_a_node_hold_it() -> None:
    records: list[Record] = [node(1, 0, 0, 9), node(2, 1, 9, 9), node(3, 1, 9, 5)]
    for request, place in ((7, 2), (8, 3)):
        records += [
            record(Match, request=request, node=place, full_node=place, queried_tokens=9),
            record(RequestAdmitted, request=request, prompt_tokens=9),
            Lock(NOW, place, ()),
        ]
    records.append(record(Insert, request=8, node=2, key_tokens=9))
    adapter = ScriptedAdapter()
    adapter.send(records)
    aggregator = Aggregator(adapter)
    snapshot = aggregator.tick(NOW)
    held = [node_detail(aggregator.mirror, snapshot, number) for number in (1, 2, 3)]
    assert [found and found.holders for found in held] == [(7, 8), (7, 8), ()]


@pytest.mark.parametrize(
    ("locks", "holders", "words"),
    [
        (0, (), "nobody holds it"),
        (1, None, "locked once at or below, by whom is not known"),
        (2, (), "locked 2 times at or below, by no request that is known"),
        (9, tuple(range(9)), "locked 9 times at or below, by request #0, #1, #2, #3, #4, #5, #6, #7 and 1 more"),
    ],
)
def test_who_holds_a_node_is_said_as_far_as_it_is_known(
    locks: int, holders: tuple[int, ...] | None, words: str
) -> None:
    assert words in lines_of(seen(mirror(), 1)._replace(locks=locks, holders=holders), 100)


def test_hits_are_counted_second_by_second_from_when_a_node_was_opened() -> None:
    history = History()
    seen_then = [history.with_hits(int(at * SECOND), hits) for at, hits in ((5, 40), (5.5, 41), (6, 41), (8, 44))]
    assert seen_then == [(0,), (1,), (1, 0), (1, 0, None, 3)]
    assert history.with_hits(9 * SECOND, 2) == (0,)
    assert len(history.with_hits(9_000 * SECOND, 3)) == 120


def test_a_node_with_very_many_children_lists_the_heaviest(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = mirror(prompts=1, questions=5)
    few = seen(tree, 1).children
    monkeypatch.setattr(detail_of, "MANY", 2)
    assert seen(tree, 1).children == few
    assert [child.node for child in few] == [2, 6, 5, 4, 3]


def test_a_very_long_way_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detail_of, "STEPS_SHOWN", 2)
    found = seen(mirror(), 1_002)
    assert ([step.node for step in found.way], found.way_count) == ([2, 1_002], 3)
    assert "1 more above" in lines_of(found)


@pytest.mark.parametrize("width", [20, 36, 44, 72, 100])
def test_it_fits_any_width_whatever_is_in_a_label(width: int) -> None:
    tree = mirror(prompts=1, questions=1)
    tree.apply(Label(9, "日本語のラベル\x1b[31m\r\n" * 9))
    tree.apply(NodeLabelled(2, 2_055, 9))
    found = replace_holders(seen(tree, 2))
    lines = node_lines(found, width, NOW, COMPONENTS, (0, 3, None, 1))
    assert not [text for text in plain(lines) if "\x1b" in text or "\r" in text]
    assert max(map(width_of, lines[:12])) <= max(width, 36)


def replace_holders(found: NodeDetail) -> NodeDetail:
    return found._replace(locks=3, holders=tuple(range(300)))
