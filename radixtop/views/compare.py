"""A marked moment against now."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.widget import Widget

from probes.builtin.evictions import EvictionSample
from probes.builtin.hit_rate import HitRateSample
from probes.builtin.tree_shape import TreeShapeSample
from radixtop.comparison.page import Comparison
from radixtop.comparison.question import CompareQuestion
from radixtop.question import Question
from radixtop.scene import Scene
from radixtop.view import View
from radixtop.widgets.compare_table import CompareTable
from radixtop.widgets.line_view import Styles


class Compare(View):
    """What changed since the moment that was marked last: rates, costs, pools, prefixes."""

    DEFAULT_CSS = """
    #compare-table { height: 1fr; overflow: hidden auto; scrollbar-gutter: stable; }
    """

    def __init__(self, name: str, styles: Styles) -> None:
        super().__init__(name, styles)
        self.table = CompareTable(styles)

    def compose(self) -> ComposeResult:
        """Yield the table."""
        yield self.table

    def show(self, scene: Scene) -> None:
        """Show the comparison that came."""
        self.table.show(scene.frame.answer(Comparison))

    def questions(self) -> tuple[Question, ...]:
        """Return the one for what changed."""
        return (CompareQuestion(),)

    def focus_target(self) -> Widget:
        """Return the table."""
        return self.table

    def samples(self) -> tuple[type, ...]:
        """Return the samples that most of the figures come from."""
        return (HitRateSample, EvictionSample, TreeShapeSample)
