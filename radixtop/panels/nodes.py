"""The shape of the tree in figures: nodes, leaves, tombstones, depth, and what is live per component."""

from __future__ import annotations

from typing import ClassVar

from probes.builtin.tree_shape import TreeShapeSample
from radixtop.panel import Canvas, Panel
from radixtop.render.figures import figures
from radixtop.render.graph import topped
from radixtop.render.layout import Room, with_history
from radixtop.render.lines import Line, Role, clean
from radixtop.render.table import Column, arrange, head, row
from radixtop.render.units import count, grouped

_FIGURES_WIDTH = 16
_COLUMNS = (
    Column("live", 5, "label", at_left=True),
    Column("nodes", 5, "value"),
    Column("tokens", 6, "value"),
)
_RAMP: tuple[Role, ...] = ("cost0", "cost1")


class NodesPanel(Panel[TreeShapeSample]):
    """How many nodes there are, and how many of them still hold what."""

    title: ClassVar[str] = "tree"
    sample: ClassVar[type] = TreeShapeSample

    def paint(self, sample: TreeShapeSample | None, canvas: Canvas) -> list[Line]:
        """Return counts at the left, what is live per component at the right, and the history of the nodes."""
        counts = figures(
            [
                ("nodes", count(sample.nodes if sample else None)),
                ("leaves", count(sample.leaves if sample else None)),
                ("tombstones", count(sample.tombstones if sample else None)),
                ("depth", grouped(sample.depth if sample else None)),
                ("tokens", count(sample.tokens if sample else None)),
            ],
            _FIGURES_WIDTH,
        )
        room = Room(canvas.width, canvas.height, _FIGURES_WIDTH)
        history = sample.history if sample else ()
        return with_history(counts, _live(sample, room.second_width), room, history, _RAMP)

    def note(self, sample: TreeShapeSample | None) -> str:
        """Say what the graph shows, and the value at its top."""
        return topped("nodes over 60 s", sample.history if sample else (), count)


def _live(sample: TreeShapeSample | None, width: int) -> list[Line]:
    columns = arrange(_COLUMNS, width)
    live = sample.live_nodes.items() if sample else ()
    tokens = sample.live_tokens if sample else {}
    return [head(columns), *(row(columns, [clean(name), count(n), count(tokens.get(name))]) for name, n in live)]
