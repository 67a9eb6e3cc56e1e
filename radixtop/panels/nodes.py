"""The shape of the tree in figures: nodes, leaves, tombstones, depth, and what is live per component."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from probes.builtin.tree_shape import TreeShapeSample
from radixtop.panel import Canvas, Panel
from radixtop.render.figures import Figure, figures
from radixtop.render.graph import topped
from radixtop.render.layout import Room, with_history
from radixtop.render.lines import Line, Role, clean
from radixtop.render.table import Column, arrange, head, row
from radixtop.render.units import count, grouped

_FIGURES_WIDTH = 16
_COLUMNS = (
    Column("nodes", 5, "value"),
    Column("tokens", 6, "value"),
)
_RAMP: tuple[Role, ...] = ("cost0", "cost1")


class NodesPanel(Panel[TreeShapeSample]):
    """How many nodes there are, and how many of them still hold what."""

    sample: ClassVar[type] = TreeShapeSample
    is_told_outside: ClassVar[bool] = True

    def paint(self, sample: TreeShapeSample | None, canvas: Canvas) -> list[Line]:
        """Return counts at the left, what is live per component at the right, and the history of the nodes."""
        counts = figures(_counts(sample), _FIGURES_WIDTH)
        room = Room(canvas.width, canvas.height, _FIGURES_WIDTH)
        history = sample.history if sample else ()
        return with_history(counts, _live(sample, room.second_width), room, history, _RAMP)

    def note(self, sample: TreeShapeSample | None) -> str:
        """Say what the graph shows, and the value at its top."""
        return topped("nodes over 60 s", sample.history if sample else (), count)


def _counts(sample: TreeShapeSample | None) -> list[Figure]:
    """Return the figures of the tree: with a host tier the nodes of either, else all of them."""
    whole: list[Figure] = [("nodes", count(sample.nodes if sample else None))]
    if sample is not None and sample.host_nodes is not None:
        whole = [("on device", count(sample.device_nodes), "device"), ("host only", count(sample.host_nodes), "host")]
    return [
        *whole,
        ("leaves", count(sample.leaves if sample else None)),
        ("tombstones", count(sample.tombstones if sample else None)),
        ("depth", grouped(sample.depth if sample else None)),
        ("tokens", count(sample.tokens if sample else None)),
    ]


def _live(sample: TreeShapeSample | None, width: int) -> list[Line]:
    """Return what is live on the device for each component, then, with a host tier, what has a copy there."""
    live = sample.live_nodes if sample else {}
    lines = _by_component("live", live, sample.live_tokens if sample else {}, width)
    if sample is not None and sample.copied_nodes is not None:
        lines += _by_component("host", sample.copied_nodes, sample.copied_tokens or {}, width)
    return lines


def _by_component(title: str, nodes: Mapping[str, int], tokens: Mapping[str, int], width: int) -> list[Line]:
    columns = arrange((Column(title, 5, "label", at_left=True), *_COLUMNS), width)
    rows = (row(columns, [clean(name), count(n), count(tokens.get(name))]) for name, n in nodes.items())
    return [head(columns), *rows]
