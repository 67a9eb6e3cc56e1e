"""The contract of a panel, and the table of panels.

A panel paints one sample: values in, lines out. It reads its own sample and nothing else, holds no state, and
knows no widget; so it is tested by the exact text it returns. `PanelView` shows it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from cache_core.registry import Registry
from radixtop.render.lines import Line

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Canvas:
    """What a panel paints on: its room in cells, and the time (ns, the clock of the records)."""

    width: int
    height: int
    now: int


class Panel(ABC, Generic[S]):
    """Paints one sample. A sample that is None was not provided: its figures are painted as "-"."""

    title: ClassVar[str]
    sample: ClassVar[type]
    pinned: ClassVar[int] = 0
    """How many lines at the top stay when the rest scrolls; 0 for panels that cut what does not fit."""

    @abstractmethod
    def paint(self, sample: S | None, canvas: Canvas) -> list[Line]:
        """Return the panel's lines; a panel that scrolls may return more than the canvas is high."""

    def note(self, sample: S | None) -> str:
        """Return a few words for the lower edge of the frame."""
        return ""

    def node_at(self, sample: S | None, row: int) -> int | None:
        """Return the node that a row below the pinned lines is about, for panels whose rows can be opened."""
        return None


PANELS: Registry[type[Panel[object]]] = Registry(
    "panel",
    {
        "hit_rate": "radixtop.panels.hit_rate:HitRatePanel",
        "pools": "radixtop.panels.pools:PoolsPanel",
        "nodes": "radixtop.panels.nodes:NodesPanel",
        "requests": "radixtop.panels.requests:RequestsPanel",
        "throughput": "radixtop.panels.throughput:ThroughputPanel",
        "branching": "radixtop.panels.branching:BranchingPanel",
        "windows": "radixtop.panels.windows:WindowsPanel",
        "branch_feed": "radixtop.panels.branch_feed:BranchFeedPanel",
        "evictions": "radixtop.panels.evictions:EvictionsPanel",
        "eviction_feed": "radixtop.panels.eviction_feed:EvictionFeedPanel",
        "eviction_cost": "radixtop.panels.eviction_cost:EvictionCostPanel",
        "leaf_scans": "radixtop.panels.leaf_scans:LeafScansPanel",
        "eviction_rates": "radixtop.panels.eviction_rates:EvictionRatesPanel",
        "thrash": "radixtop.panels.thrash:ThrashPanel",
        "ghosts": "radixtop.panels.ghosts:GhostsPanel",
        "ages": "radixtop.panels.ages:AgesPanel",
        "operations": "radixtop.panels.operations:OperationsPanel",
    },
)
