"""The layout of one weight: order, places, and folding that loses nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from profiles.forest import TOP
from profiles.icicle import layout
from tests.support.forests import flat_forest, small_forest


def test_the_heaviest_sibling_comes_first() -> None:
    icicle = layout(flat_forest(["a", "b", "c"], [5, 30, 10]), "tokens")
    assert [(bar.total, bar.offset) for bar in icicle.bars] == [(30, 0), (10, 30), (5, 40)]


def test_a_bar_covers_what_hangs_below_it_and_its_own() -> None:
    icicle = layout(small_forest(), "tokens")
    for place, bar in enumerate(icicle.bars):
        below = [child for child in icicle.bars if child.parent == place]
        assert bar.total == bar.own + sum(child.total for child in below)
        assert [child.offset for child in below[:1]] in ([], [bar.offset])
        assert all(child.depth == bar.depth + 1 for child in below)


def test_what_has_no_weight_has_no_bar() -> None:
    icicle = layout(small_forest(), "evicted")
    assert [bar.label.partition(" ·")[0] for bar in icicle.bars] == ["system prompt 1", "document 2", "question 1"]
    assert icicle.total == 3


def test_small_siblings_fold_into_the_last_bar() -> None:
    icicle = layout(flat_forest(["a", "b", "c", "d"], [3, 9_000, 1, 2]), "tokens")
    assert [bar.total for bar in icicle.bars] == [9_000, 3, 3]
    assert [bar.label for bar in icicle.bars if bar.frame is None] == ["(+2 nodes)"]
    assert icicle.bars[-1].frame is None


def test_a_fold_of_one_is_singular() -> None:
    assert [bar.label for bar in layout(flat_forest(["a", "b"], [1, 9_000]), "tokens").bars][1:] == ["(+1 node)"]


def test_a_frame_of_exactly_one_part_is_kept() -> None:
    assert layout(flat_forest(["a", "b"], [1, 3_999]), "tokens").bars[1].frame is not None


@given(st.lists(st.integers(0, 10**6), max_size=30), st.integers(1, 50))
def test_folding_keeps_every_token(weights: list[int], parts: int) -> None:
    icicle = layout(flat_forest([f"text {number}" for number in range(len(weights))], weights), "tokens", parts)
    assert sum(bar.own for bar in icicle.bars) == icicle.total == sum(weights)
    assert sum(bar.nodes for bar in icicle.bars if bar.parent == TOP) == sum(own > 0 for own in weights)
    assert len(icicle.bars) <= parts + 1


def test_a_stack_goes_from_the_top_down() -> None:
    icicle = layout(small_forest(), "tokens")
    deepest = max(icicle.bars, key=lambda bar: bar.depth)
    texts = [label.partition(" ·")[0] for label in icicle.stack(deepest)]
    assert texts == ["system prompt 1", "document 2", "question 2"]
