"""What a victim costs against how many leaves there are to choose from."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10

from probes.histogram import Histogram
from profiles.plots.hexes import Hex, Honeycomb

BINS_PER_DECADE = 4


@dataclass(frozen=True, slots=True)
class LeafBin:
    """The calls that found [low, high) leaves, `leaves` on average: ns per victim, and the share that queues took."""

    low: int
    high: int
    leaves: float
    calls: int
    victims: int
    victim_ns_p50: float
    victim_ns_p90: float
    build_share: float

    @property
    def middle(self) -> float:
        """Where the bin is on a logarithmic axis: the log10 of the leaves that its calls found on average."""
        return log10(self.leaves)


@dataclass(frozen=True, slots=True)
class CostCloud:
    """Every call that freed something: bins of leaves for tables and lines, cells for pictures."""

    bins: tuple[LeafBin, ...] = ()
    hexes: tuple[Hex, ...] = ()


class _Bin:
    __slots__ = ("build_ns", "costs", "leaves", "ns", "victims")

    def __init__(self) -> None:
        self.costs = Histogram()
        self.leaves = self.victims = self.ns = self.build_ns = 0


class LeafCosts:
    """Takes in calls. Bins and cells are logarithmic, so what is kept has a bound."""

    __slots__ = ("_bins", "_honeycomb")

    def __init__(self) -> None:
        self._bins: dict[int, _Bin] = {}
        self._honeycomb = Honeycomb()

    def add(self, leaves: int, victims: int, ns: int, build_ns: int) -> None:
        """Count a call that was measured and has victims."""
        place = bin_of(leaves)
        into = self._bins.get(place)
        if into is None:
            into = self._bins[place] = _Bin()
        into.costs.add(ns // victims)
        into.leaves += max(1, leaves)
        into.victims += victims
        into.ns += ns
        into.build_ns += build_ns
        self._honeycomb.add(leaves, ns / victims)

    def cloud(self) -> CostCloud:
        """Return what was taken in so far."""
        return CostCloud(
            tuple(_frozen(place, into) for place, into in sorted(self._bins.items())), self._honeycomb.hexes()
        )


def bin_of(leaves: int) -> int:
    """Return the number of the bin for so many leaves."""
    leaves = max(1, leaves)
    place = floor(log10(leaves) * BINS_PER_DECADE)
    return place + (leaves >= edges_of(place)[1])  # the logarithm is rounded, the edges are whole


def edges_of(place: int) -> tuple[int, int]:
    """Return the smallest number of leaves of a bin, and that of the next one."""
    low, high = round(10 ** (place / BINS_PER_DECADE)), round(10 ** ((place + 1) / BINS_PER_DECADE))
    return low, max(high, low + 1)


def _frozen(place: int, into: _Bin) -> LeafBin:
    p50, p90 = into.costs.quantile(0.5), into.costs.quantile(0.9)
    assert p50 is not None and p90 is not None
    low, high = edges_of(place)
    build_share = min(1.0, into.build_ns / into.ns) if into.ns else 0.0
    return LeafBin(low, high, into.leaves / into.costs.count, into.costs.count, into.victims, p50, p90, build_share)
