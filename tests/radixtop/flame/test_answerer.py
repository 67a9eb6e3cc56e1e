"""Pages of the icicle: what they say of frames, when they are laid out, and who holds the cache."""

from __future__ import annotations

from cache_core.events import Namespace, NodeRemoved, NodeTouched
from probes.mirror import Mirror
from probes.snapshot import Snapshot
from radixtop.budget import REST
from radixtop.flame.answerer import CALM_NS, FlameAnswerer, Hues
from radixtop.flame.layout import FOLD
from radixtop.flame.page import FlamePage, FlameQuestion
from tests.support.watched import NOW, FakeSource, mirror, node

ASK = FlameQuestion(100, 9)


class Clock:
    """Time that passes when told, and `cost_ns` at each look."""

    def __init__(self, cost_ns: int = 0) -> None:
        self.now = 0
        self.cost_ns = cost_ns

    def __call__(self) -> int:
        self.now += self.cost_ns
        return self.now


def answered(
    tree: Mirror, question: FlameQuestion = ASK, by: FlameAnswerer | None = None, now: int = NOW
) -> FlamePage:
    source = FakeSource(tree)
    snapshot = Snapshot(1, now, now, source.state, {})
    page = (by or FlameAnswerer(Clock())).answer(source, snapshot, question)
    assert page is not None
    return page


def nodes(page: FlamePage) -> list[list[int]]:
    return [[box.node for box in row] for row in page.rows]


def test_rows_are_depths_and_the_first_is_the_whole() -> None:
    page = answered(mirror(prompts=2, questions=2))
    assert nodes(page) == [[0], [1, 4], [2, 3, 5, 6], [FOLD, FOLD]]
    assert (page.total, page.whole, page.nodes, page.hidden_levels) == (4_428, 4_428, 8, 0)
    assert page.rows[1][0].facts is not None and page.rows[1][0].facts.label == "system prompt 0"
    assert page.rows[3][0].folded == 1


def test_a_node_without_its_window_is_a_tombstone() -> None:
    facts = {box.node: box.facts for row in answered(mirror(prompts=1, questions=2)).rows for box in row}
    tombstones = {number for number, known in facts.items() if known is not None and known.lacks_state}
    assert tombstones == {3}


def test_a_zoom_fills_the_width_and_knows_its_way() -> None:
    page = answered(mirror(prompts=2, questions=2), FlameQuestion(100, 9, zooms=(1, 2)))
    assert page.way == ((0, "all"), (1, "system prompt 0"), (2, page.way[-1][1]))
    assert nodes(page) == [[2], [1_002]] and page.rows[0][0].cells == 100
    assert (page.total, page.whole) == (112, 4_428)


def test_a_zoomed_node_that_leaves_gives_way_to_the_one_before() -> None:
    tree = mirror(prompts=2, questions=2)
    answerer, question = FlameAnswerer(Clock()), FlameQuestion(100, 9, zooms=(1, 3))
    assert answered(tree, question, answerer).way[-1][0] == 3
    tree.apply(NodeRemoved(NOW, 3))
    assert answered(tree, question, answerer).way[-1][0] == 1


def test_levels_without_a_row_are_counted() -> None:
    assert answered(mirror(), FlameQuestion(100, 2)).hidden_levels == 2


def test_the_holders_are_the_prefixes_of_a_hundredth_or_more() -> None:
    tree = Mirror(("full", "swa"))
    for number, length in enumerate((500, 300, 150, 9, 8, 8, 8, 8, 9), start=1):
        tree.apply(node(number, 0, 0, length))
    holders = answered(tree).holders
    assert (holders.prefixes, holders.total, holders.heaviest_total, holders.node) == (3, 950, 500, 0)


def test_holders_are_looked_for_below_what_nearly_all_prefixes_share() -> None:
    tree = Mirror(("full", "swa"))
    tree.apply(node(1, 0, 0, 10))
    tree.apply(node(2, 1, 10, 600))
    tree.apply(node(3, 1, 10, 390))
    holders = answered(tree).holders
    assert (holders.node, holders.prefixes, holders.heaviest_total) == (1, 2, 600)


def test_an_empty_tree_has_no_frames() -> None:
    page = answered(Mirror())
    assert page.rows == () and page.holders.prefixes == 0


def test_a_tree_that_stays_is_laid_out_once_and_one_that_changes_after_a_rest() -> None:
    tree, clock = mirror(), Clock(cost_ns=10)
    answerer = FlameAnswerer(clock)
    first = answered(tree, ASK, answerer)
    assert answered(tree, ASK, answerer).rows is first.rows
    tree.apply(node(500, 0, 0, 9_000))
    late = answered(tree, ASK, answerer, NOW + CALM_NS)
    assert late.rows is first.rows and late.behind_ns > 0
    clock.now += REST * 20
    assert answered(tree, ASK, answerer, NOW + CALM_NS - 1).rows is first.rows
    fresh = answered(tree, ASK, answerer, NOW + CALM_NS)
    assert fresh.rows[1][0].node == 500 and fresh.behind_ns == 0


def test_a_step_back_in_time_is_laid_out_at_once() -> None:
    tree, answerer = mirror(), FlameAnswerer(Clock())
    answered(tree, ASK, answerer)
    tree.apply(node(500, 0, 0, 9_000))
    assert answered(tree, ASK, answerer, NOW - CALM_NS).rows[1][0].node == 500


def test_where_the_moment_stands_still_the_newest_tree_is_laid_out_after_a_while() -> None:
    tree, clock = mirror(), Clock()
    answerer = FlameAnswerer(clock)
    first = answered(tree, ASK, answerer)
    tree.apply(node(500, 0, 0, 9_000))
    assert answered(tree, ASK, answerer).rows is first.rows
    clock.now += CALM_NS
    assert answered(tree, ASK, answerer).rows[1][0].node == 500


def test_another_question_is_answered_at_once() -> None:
    tree, answerer = mirror(), FlameAnswerer(Clock(cost_ns=1_000))
    answered(tree, ASK, answerer)
    tree.apply(node(500, 0, 0, 9_000))
    narrow = FlameQuestion(50, 9)
    assert answered(tree, narrow, answerer).rows[1][0].node == 500


def test_what_changes_no_frame_makes_no_new_layout() -> None:
    tree, answerer = mirror(), FlameAnswerer(Clock())
    first = answered(tree, ASK, answerer)
    tree.apply(NodeTouched(1, 5, 0))
    assert answered(tree, ASK, answerer).way == first.way


def test_namespaces_give_the_hues_where_there_are_several() -> None:
    tree = Mirror(("full", "swa"))
    for number, namespace in ((1, 7), (2, 8), (3, 7)):
        tree.apply(Namespace(namespace, f"tenant {namespace}"))
        tree.apply(node(number, 0, 0, 100)._replace(namespace=namespace))
    row = answered(tree).rows[1]
    assert [box.hue for box in row] == [0, 1, 0]
    assert row[1].facts is not None and row[1].facts.namespace == "tenant 8"


def test_a_branch_keeps_its_hue_when_others_come() -> None:
    hues = Hues()
    assert hues.of([1, 2, 3]) == [0, 1, 2]
    assert hues.of([9, 3, 1]) == [0, 2, 0]
