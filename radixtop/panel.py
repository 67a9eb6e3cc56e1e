"""The contract of a panel, and the table of panels.

A panel paints one sample: values in, lines out. It reads its own sample and nothing else, holds no state, and
knows no widget; so it is tested by the exact text it returns. `PanelView` shows it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from cache_core.registry import Registry
from radixtop.render.lines import Line

if TYPE_CHECKING:
    from probes.snapshot import Snapshot

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Canvas:
    """What a panel paints on: its room in cells, and the time (ns, the clock of the records)."""

    width: int
    height: int
    now: int


class Panel(ABC, Generic[S]):
    """Paints one sample. A sample that is None was not provided: its figures are painted as "-"."""

    sample: ClassVar[type]
    pinned: ClassVar[int] = 0
    """How many lines at the top stay when the rest scrolls; 0 for panels that cut what does not fit."""
    is_told_outside: ClassVar[bool] = False
    """Whether the events and metrics of a server that is seen from outside tell its sample."""

    @abstractmethod
    def paint(self, sample: S | None, canvas: Canvas) -> list[Line]:
        """Return the panel's lines; a panel that scrolls may return more than the canvas is high."""

    def of(self, snapshot: Snapshot) -> S | None:
        """Return what the panel paints of a snapshot: its own sample, None where that is not told."""
        found: S | None = snapshot.get(self.sample)
        return found

    def note(self, sample: S | None) -> str:
        """Return a few words for the lower edge of the frame."""
        return ""

    def node_at(self, sample: S | None, row: int) -> int | None:
        """Return the node that a row below the pinned lines is about, for panels whose rows can be opened."""
        return None


class Panels(Registry[type[Panel[object]]]):
    """A table of panels by name, each with the title of its frame, which is drawn before the panel is imported."""

    __slots__ = ("_titles",)

    def __init__(self, table: Mapping[str, tuple[str, str]]) -> None:
        super().__init__("panel", {name: place for name, (_, place) in table.items()})
        self._titles = {name: title for name, (title, _) in table.items()}

    def title(self, name: str) -> str:
        """Return what stands in the frame of a panel."""
        return self._titles[name]


PANELS = Panels(
    {
        "hit_rate": ("hit rate", "radixtop.panels.hit_rate:HitRatePanel"),
        "pools": ("pools", "radixtop.panels.pools:PoolsPanel"),
        "nodes": ("tree", "radixtop.panels.nodes:NodesPanel"),
        "requests": ("requests", "radixtop.panels.requests:RequestsPanel"),
        "throughput": ("throughput", "radixtop.panels.throughput:ThroughputPanel"),
        "branching": ("branching points", "radixtop.panels.branching:BranchingPanel"),
        "windows": ("windows", "radixtop.panels.windows:WindowsPanel"),
        "branch_feed": ("branching feed", "radixtop.panels.branch_feed:BranchFeedPanel"),
        "evictions": ("evictions", "radixtop.panels.evictions:EvictionsPanel"),
        "eviction_feed": ("eviction feed", "radixtop.panels.eviction_feed:EvictionFeedPanel"),
        "eviction_cost": ("what a call costs", "radixtop.panels.eviction_cost:EvictionCostPanel"),
        "leaf_scans": ("leaves considered", "radixtop.panels.leaf_scans:LeafScansPanel"),
        "eviction_rates": ("evicted", "radixtop.panels.eviction_rates:EvictionRatesPanel"),
        "thrash": ("came back within", "radixtop.panels.thrash:ThrashPanel"),
        "ghosts": ("ghosts: evicted, then asked for again", "radixtop.panels.ghosts:GhostsPanel"),
        "ages": ("how old, how idle", "radixtop.panels.ages:AgesPanel"),
        "engine_hits": ("hit rate", "radixtop.panels.engine_hits:EngineHitsPanel"),
        "engine_pools": ("pools", "radixtop.panels.engine_pools:EnginePoolsPanel"),
        "engine_work": ("requests", "radixtop.panels.engine_work:EngineWorkPanel"),
        "engine_latency": ("how long it takes", "radixtop.panels.engine_latency:EngineLatencyPanel"),
        "engine_moves": ("evicted, moved", "radixtop.panels.engine_moves:EngineMovesPanel"),
        "misses": ("what became of prompt tokens", "radixtop.panels.misses:MissesPanel"),
        "miss_kinds": ("what missed", "radixtop.panels.miss_kinds:MissKindsPanel"),
        "tenants": ("namespaces: holds against hits", "radixtop.panels.tenants:TenantsPanel"),
        "evictors": ("who evicted whose", "radixtop.panels.evictors:EvictorsPanel"),
        "capacity_curve": ("hit rate by capacity, LRU", "radixtop.panels.capacity_curve:CapacityCurvePanel"),
        "capacity_sizes": ("sizes", "radixtop.panels.capacity_sizes:CapacitySizesPanel"),
        "operations": ("cache operations", "radixtop.panels.operations:OperationsPanel"),
    }
)
