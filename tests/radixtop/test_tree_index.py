"""Which nodes of a mirror are rows, and in which order."""

from __future__ import annotations

from dataclasses import replace

from cache_core.events import NodeAdded, NodeRemoved
from probes.mirror import Mirror
from radixtop.tree.index import TreeIndex
from radixtop.tree.rows import TreePage, TreeRequest
from tests.support.watched import NOW, mirror, node

ALL = TreeRequest(count=1_000, depth=2)


class Clock:
    """Time that passes when told, and `cost_ns` at each look."""

    def __init__(self, cost_ns: int = 0) -> None:
        self.now = 0
        self.cost_ns = cost_ns

    def __call__(self) -> int:
        self.now += self.cost_ns
        return self.now


def page(tree: Mirror, request: TreeRequest = ALL) -> TreePage:
    return TreeIndex(Clock()).page(tree, request)


def shape(page: TreePage) -> list[tuple[int, int]]:
    """Return (level, node) of the rows."""
    return [(row.level, row.node) for row in page.rows]


def test_the_first_two_levels_are_open_by_default() -> None:
    rows = page(mirror(prompts=1, questions=1), TreeRequest(count=9)).rows
    assert [(row.level, row.is_open) for row in rows] == [(0, True), (1, True), (2, False)]


def test_the_first_level_is_open_and_the_heaviest_comes_first() -> None:
    rows = page(mirror(prompts=2, questions=2)).rows
    assert [(row.level, row.subtree_tokens) for row in rows] == [
        (0, 2264),
        (1, 112),
        (1, 97),
        (0, 2164),
        (1, 112),
        (1, 97),
    ]
    assert [row.is_open for row in rows] == [True, False, False, True, False, False]


def test_a_page_counts_the_whole_tree() -> None:
    tree = mirror()
    assert page(tree).tokens == sum(node.length for node in tree.nodes.values())
    assert page(tree).nodes == len(tree.nodes) - 1


def test_a_node_is_opened_and_closed_by_its_number() -> None:
    tree = mirror(prompts=1, questions=2)
    assert shape(page(tree, ALL.with_open(2))) == [(0, 1), (1, 2), (2, 1_002), (1, 3)]
    assert shape(page(tree, ALL.with_closed(1))) == [(0, 1)]
    assert shape(page(tree, ALL.with_closed(1).with_open(1))) == [(0, 1), (1, 2), (1, 3)]


def test_depth_opens_levels_and_forgets_single_nodes() -> None:
    tree = mirror(prompts=1, questions=2)
    assert shape(page(tree, ALL.with_closed(1).deeper(1))) == [(0, 1), (1, 2), (2, 1_002), (1, 3)]
    assert shape(page(tree, ALL.deeper(-5))) == [(0, 1)]


def test_siblings_are_ordered_by_hits_or_by_last_use() -> None:
    tree = mirror(prompts=3, questions=0)
    tree.nodes[2].hits = 9
    by_hits = ALL.next_order()
    assert [row.node for row in page(tree, by_hits).rows] == [2, 1, 3]
    tree.nodes[3].touched_at = NOW
    assert [row.node for row in page(tree, by_hits.next_order()).rows] == [3, 1, 2]
    assert by_hits.next_order().next_order() == ALL


def test_guides_run_where_a_sibling_follows() -> None:
    rows = page(mirror(prompts=2, questions=2), ALL.deeper(1)).rows
    assert [(row.level, bin(row.guides)) for row in rows[:5]] == [
        (0, "0b1"), (1, "0b11"), (2, "0b11"), (1, "0b1"), (0, "0b0"),
    ]  # fmt: skip


def test_a_window_is_cut_out_of_the_rows() -> None:
    tree = mirror()
    everything = page(tree).rows
    window = page(tree, replace(ALL, first=5, count=4))
    assert (window.first, window.total, window.rows) == (5, 24, everything[5:9])
    beyond = page(tree, replace(ALL, first=500, count=4))
    assert (beyond.first, beyond.rows) == (20, everything[20:])


def test_the_row_of_the_cursors_node_is_found() -> None:
    tree = mirror()
    assert page(tree, replace(ALL, cursor=3)).cursor_row == [row.node for row in page(tree).rows].index(3)
    assert page(tree, replace(ALL, cursor=1_002)).cursor_row == -1


def test_a_filter_keeps_matches_and_the_ways_to_them() -> None:
    tree = mirror(prompts=2, questions=2)
    assert shape(page(tree, ALL.filtered("PROMPT 1"))) == [(0, 4)]
    assert shape(page(tree, ALL.filtered("#1002"))) == [(0, 1), (1, 2), (2, 1_002)]
    assert [row.is_match for row in page(tree, ALL.filtered("#1002")).rows] == [False, False, True]
    assert shape(page(tree, ALL.filtered("nothing like it"))) == []


def test_a_filter_finds_hashes_and_namespaces() -> None:
    tree = mirror(prompts=2, questions=1)
    tree.namespaces[7] = "tenant a"
    tree.apply(node(77, 0, 0, 5)._replace(namespace=7, content_key=0x0ABC_DEF0_1234_5678))
    assert shape(page(tree, ALL.filtered("abcdef01"))) == [(0, 77)]
    assert shape(page(tree, ALL.filtered("tenant"))) == [(0, 77)]


def test_what_a_filter_found_can_be_opened() -> None:
    tree = mirror(prompts=2, questions=2)
    assert shape(page(tree, ALL.filtered("prompt 1").with_open(4))) == [(0, 4), (1, 5), (1, 6)]
    assert shape(page(tree, ALL.filtered("#1002").with_closed(1))) == [(0, 1)]


def test_a_removed_node_is_shown_as_gone_until_rows_are_laid_out_again() -> None:
    tree = mirror(prompts=1, questions=2)
    clock = Clock(cost_ns=1)
    index = TreeIndex(clock)
    index.page(tree, ALL)
    tree.apply(NodeRemoved(NOW, 3))
    assert [row.is_gone for row in index.page(tree, ALL).rows] == [False, False, True]
    clock.now += 1_000
    assert shape(index.page(tree, ALL)) == [(0, 1), (1, 2)]


def test_a_costly_layout_is_followed_by_a_rest_of_19_times_its_cost() -> None:
    tree = mirror(prompts=1, questions=0)
    clock = Clock(cost_ns=1_000)
    index = TreeIndex(clock)
    index.page(tree, ALL)
    clock.cost_ns = 0
    tree.apply(NodeAdded(NOW, 9, 0, 0, 5, 0, 0, 3, 0, 0, 0, NOW))
    clock.now += 18_000
    assert index.page(tree, ALL).total == 1
    clock.now += 1_000
    assert index.page(tree, ALL).total == 2
