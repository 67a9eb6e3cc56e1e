"""An answer about the tree costs what its window does, not what the tree does; asserted as ratios inside one run."""

from __future__ import annotations

import pytest

from radixtop.bench.tree_screen import Shape, tree_screen


@pytest.mark.parametrize("shape", ["chat", "flat"])
def test_scrolling_and_a_new_node_cost_no_more_in_a_larger_tree(shape: Shape) -> None:
    small, large = tree_screen(shape, 2_000, runs=9), tree_screen(shape, 30_000, runs=9)
    assert (small.nodes, large.nodes) == (2_000, 30_000)
    assert large.rows > 5 * small.rows
    assert large.scroll.median_ms < 4 * small.scroll.median_ms
    assert large.new_node.median_ms < 4 * small.new_node.median_ms
    assert large.sort.median_ms < 8 * small.sort.median_ms
