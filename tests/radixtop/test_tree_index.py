"""Which nodes of a mirror are rows, and in which order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cache_core.events import Label, NodeLabelled, Tombstoned
from probes.mirror import Mirror
from radixtop.render.lines import plain
from radixtop.tree.index import TreeIndex
from radixtop.tree.request import MODES, ORDER_OF, ORDERS, Mode, TreeRequest
from radixtop.tree.rows import TreePage
from radixtop.words.tree import answer
from tests.support.watched import NOW, mirror, node, reuse

ALL = TreeRequest(count=1_000, depth=2, joins=False)


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


def numbers(page: TreePage) -> list[int]:
    return [row.node for row in page.rows]


def shape(page: TreePage) -> list[tuple[int, int]]:
    """Return (level, node) of the rows."""
    return [(row.level, row.node) for row in page.rows]


def test_the_first_two_levels_are_open_by_default() -> None:
    rows = page(mirror(prompts=1, questions=1), TreeRequest(count=9, joins=False)).rows
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
    assert page(tree).standing.tokens == sum(node.length for node in tree.nodes.values())
    assert page(tree).standing.nodes == len(tree.nodes) - 1


def test_a_node_is_opened_and_closed_by_its_number() -> None:
    tree = mirror(prompts=1, questions=2)
    assert shape(page(tree, ALL.with_open(2))) == [(0, 1), (1, 2), (2, 1_002), (1, 3)]
    assert shape(page(tree, ALL.with_closed(1))) == [(0, 1)]
    assert shape(page(tree, ALL.with_closed(1).with_open(1))) == [(0, 1), (1, 2), (1, 3)]


def test_depth_opens_levels_and_forgets_single_nodes() -> None:
    tree = mirror(prompts=1, questions=2)
    assert shape(page(tree, ALL.with_closed(1).deeper(1))) == [(0, 1), (1, 2), (2, 1_002), (1, 3)]
    assert shape(page(tree, ALL.deeper(-5))) == [(0, 1)]


def test_siblings_are_sorted_by_a_figure_or_the_reverse_of_it() -> None:
    tree = mirror(prompts=3, questions=0)
    reuse(tree, 2)
    by_hits = replace(ALL, order="hits")
    assert numbers(page(tree, by_hits)) == [2, 1, 3]
    assert numbers(page(tree, replace(by_hits, is_reversed=True))) == [1, 3, 2]
    assert numbers(page(tree, replace(ALL, order="idle"))) == [3, 1, 2]
    assert numbers(page(tree, replace(ALL, order="age"))) == [3, 2, 1]


def test_what_nobody_saw_comes_last_in_either_direction() -> None:
    tree = mirror(prompts=2, questions=0)
    tree.apply(node(9, 0, 0, 5, touched_at=-1))
    by_idle = replace(ALL, order="idle")
    assert numbers(page(tree, by_idle)) == [2, 1, 9]
    assert numbers(page(tree, replace(by_idle, is_reversed=True))) == [1, 2, 9]


def test_a_request_goes_through_orders_and_lists() -> None:
    orders, modes, request = [], [], ALL
    for _ in ORDERS:
        orders.append(request.order)
        request = request.next_order()
    assert tuple(orders) == ORDERS and request == ALL
    for _ in MODES:
        modes.append((request.mode, request.order))
        request = request.next_mode()
    assert dict(modes) == ORDER_OF and request == ALL
    assert ALL.sorted_by("hits") == replace(ALL, order="hits")
    assert ALL.sorted_by("subtree") == replace(ALL, is_reversed=True)


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


def test_a_filter_with_an_exclamation_mark_keeps_what_does_not_match() -> None:
    tree = mirror(prompts=2, questions=0)
    assert numbers(page(tree, ALL.filtered("!prompt 1"))) == [1]
    assert numbers(page(tree, ALL.filtered("!"))) == []


def test_a_filter_finds_every_segment_of_a_node() -> None:
    tree = mirror(prompts=2, questions=0)
    tree.apply(Label(7, "tools"))
    tree.apply(NodeLabelled(2, 900, 7))
    assert numbers(page(tree, ALL.filtered("tools"))) == [2]
    assert numbers(page(tree, ALL.filtered("prompt 1"))) == [2]


def test_the_next_match_is_found_in_either_direction_beyond_the_window() -> None:
    tree = mirror(prompts=3, questions=2)
    window = replace(ALL.filtered("·"), first=0, count=1)
    request = replace(ALL.filtered("prompt"), count=1, cursor=1, seek=1)
    assert [(page(tree, request).cursor, page(tree, request).cursor_row)] == [(4, 1)]
    assert page(tree, replace(request, cursor=7)).cursor == -1
    assert page(tree, replace(request, cursor=7, seek=-1)).cursor == 4
    assert page(tree, window).total == 0


def test_a_chain_of_single_children_is_one_row() -> None:
    tree = mirror(prompts=1, questions=1)
    row = page(tree, replace(ALL, joins=True)).rows[0]
    assert (row.node, row.joined, row.tokens, row.subtree_tokens, row.children) == (1_002, 2, 2_167, 2_167, 0)
    assert row.label == "system prompt 0 … 2,151..+16 ·452270"
    tree.apply(node(9, 2, 2_151, 5))
    rows = page(tree, replace(ALL, joins=True, depth=1)).rows
    assert [(row.node, row.joined, row.is_open, row.children) for row in rows] == [(2, 1, False, 2)]


def test_a_chain_is_live_where_all_of_it_is() -> None:
    tree = mirror(prompts=1, questions=1)
    tree.apply(Tombstoned(NOW, 2, 1))
    assert page(tree, replace(ALL, joins=True)).rows[0].live == 0b01


@pytest.mark.parametrize(
    ("mode", "listed", "words"),
    [
        ("tree", [1, 4, 7], "biggest: system prompt 0 · 2,264 tokens (34.9%) · reused by 3 requests"),
        ("big", [1, 4, 7], "2 nodes of 12 hold 61.8% of all tokens"),
        (
            "hot",
            [1, 2],
            "1 node of 2 reused accounts for 98.5% of all reused tokens · 6,261 since they were first seen",
        ),
        ("cold", [3, 6, 9], "3 nodes with 4.5% of all tokens lie unused for 60 s or longer · 291 tokens"),
        ("dead", [3, 6, 9], "3 branches with 4.5% of all tokens were never reused · 291 tokens"),
    ],
)
def test_a_list_says_what_it_amounts_to(mode: Mode, listed: list[int], words: str) -> None:
    tree = mirror(prompts=3, questions=2)
    reuse(tree, 2)
    reuse(tree, 1)
    reuse(tree, 1)
    found = TreeIndex(Clock()).page(tree, replace(ALL, depth=1).in_mode(mode), NOW)
    assert numbers(found)[: len(listed)] == listed
    assert plain([answer(found.standing, 200)]) == [words]
    if mode == "hot":
        assert plain([answer(found.standing, 76)]) == [words.partition(" · ")[0]]


def test_a_list_is_filtered_and_cut_to_its_first_rows() -> None:
    tree = mirror(prompts=300, questions=1)
    big = TreeIndex(Clock()).page(tree, ALL.in_mode("big"), NOW)
    assert (big.total, big.standing.listed) == (200, 900)
    found = TreeIndex(Clock()).page(tree, ALL.in_mode("big").filtered("prompt 29"), NOW)
    assert [row.label[-3:] for row in found.rows] == [" 29", *(str(number) for number in range(290, 300))]


def test_a_costly_order_is_followed_by_a_rest_of_19_times_its_cost() -> None:
    tree = mirror(prompts=2, questions=0)
    clock = Clock(cost_ns=1_000)
    index = TreeIndex(clock)
    by_hits = replace(ALL, order="hits")
    index.page(tree, by_hits)
    clock.cost_ns = 0
    reuse(tree, 2)
    clock.now += 18_000
    assert numbers(index.page(tree, by_hits)) == [1, 2]
    clock.now += 100_000
    assert numbers(index.page(tree, by_hits)) == [2, 1]
