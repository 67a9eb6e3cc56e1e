"""How an engine tells its figures: the contract of the tables of metric names, and the table of the engines.

An engine's table is data: for each role, the metrics that tell it, newest first. A page of whatever version has one
of them or none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from cache_core.registry import Registry
from probes.scrapes.roles import ROLES


@dataclass(frozen=True, slots=True)
class Selector:
    """A metric as it is on the wire, without the engine's prefix, and which of its series count.

    Series are summed over the labels that are not named here. Those count whose `label` has one of `values` ("" is
    that of a series without it), with `others` those that have none of them. Where only other values of the label are
    on the page, `absent_is_zero` says that nothing was counted yet; else nothing is known. With `reads_label` the
    figure is the value of that label. `since` and `until` are the engine's versions as far as they were looked at.
    """

    name: str
    since: str = ""
    until: str = ""
    label: str = ""
    values: tuple[str, ...] = ()
    others: bool = False
    absent_is_zero: bool = False
    reads_label: str = ""
    merges_ranks: bool = False
    """Some versions add up the tensor-parallel ranks, which then are no label."""


@dataclass(frozen=True, slots=True)
class HitView:
    """One way of counting hits: `queried` adds up to what was looked up, `hits` says the role of each tier.

    A page has a view when it has all of `queried` and one of `hits`.
    """

    name: str
    queried: tuple[str, ...]
    hits: Mapping[str, str]


@dataclass(frozen=True)
class EngineMetrics:
    """All that is known of an engine's page.

    `rank_label` tells data-parallel ranks apart; of the ranks that `shard_labels` tell apart one is read. `views` are
    ways of counting hits, the best first. `null_pages` are never used. The last ones say what to do when the page has
    nothing of the engine or of its cache, a cache that is switched off, or not all ranks.
    """

    engine: str
    rank_label: str
    shard_labels: tuple[str, ...]
    roles: Mapping[str, tuple[Selector, ...]]
    views: tuple[HitView, ...]
    null_pages: int = 0
    absent: str = ""
    cache_off: str = ""
    fewer_ranks: str = ""

    @property
    def prefix(self) -> str:
        """What the plain names of the engine's metrics begin with."""
        return f"{self.engine}_"

    @cached_property
    def wanted(self) -> frozenset[str]:
        """The plain names of all series that any role is read from."""
        return frozenset(
            name for role in self.roles for selector in self.roles[role] for name in self.names(role, selector)
        )

    def names(self, role: str, selector: Selector) -> tuple[str, ...]:
        """Return the plain names of the series of a selector."""
        name = self.prefix + selector.name
        return (f"{name}_bucket", f"{name}_sum", f"{name}_count") if ROLES[role].kind == "histogram" else (name,)


ENGINES: Registry[EngineMetrics] = Registry(
    "engine",
    {
        "sglang": "probes.scrapes.sglang_metrics:SGLANG",
        "vllm": "probes.scrapes.vllm_metrics:VLLM",
    },
)
"""The engines whose pages are known."""
