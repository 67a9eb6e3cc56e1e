"""Histograms as text: a line per bin with its bar, one distribution or two against each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from profiles.tallies.distribution import Bin, Distribution
from radixtop.render.bars import gauge
from radixtop.render.lines import Line, Role, right
from radixtop.render.units import count, duration, share

_EDGE_CELLS = 8
_COUNT_CELLS = 7


def bars(distribution: Distribution, width: int, role: Role, unit: Callable[[float], str] = duration) -> list[Line]:
    """Return a line per bin: where it starts, its bar, how many values it holds."""
    most = max((each.count for each in distribution.bins), default=0)
    room = max(4, width - _EDGE_CELLS - _COUNT_CELLS - 2)
    return [
        (
            (right(unit(each.low), _EDGE_CELLS) + " ", "label"),
            *gauge(each.count / most if most else 0.0, room, role, track=" "),
            (right(count(each.count), _COUNT_CELLS + 1), "value"),
        )
        for each in distribution.bins
    ]


def against(pair: tuple[Distribution, Distribution], width: int, roles: tuple[Role, Role]) -> list[Line]:
    """Return a line per bin of two distributions: its start between their bars, each scaled to its own whole."""
    first, second = pair
    lows = sorted({each.low for distribution in pair for each in distribution.bins})
    room = max(4, (width - _EDGE_CELLS - 16) // 2)
    shares = [_shares(distribution.bins, distribution.count) for distribution in (first, second)]
    most = max((part for each in shares for part in each.values()), default=0.0)
    lines: list[Line] = []
    for low in lows:
        left_share, right_share = (each.get(low, 0.0) for each in shares)
        lines.append(
            (
                (right(share(left_share) if left_share else "", 6) + " ", "value"),
                *_mirrored(left_share / most, room, roles[0]),
                (" " + right(duration(low), _EDGE_CELLS - 2) + " ", "label"),
                *gauge(right_share / most, room, roles[1], track=" "),
                (right(share(right_share) if right_share else "", 7), "value"),
            )
        )
    return lines


def _mirrored(fraction: float, width: int, role: Role) -> Line:
    """Return a bar that grows to the left, in whole cells."""
    cells = max(round(fraction * width), 1 if fraction > 0 else 0)
    return ((" " * (width - cells), "text"), ("█" * cells, role))


def _shares(bins: Sequence[Bin], whole: int) -> dict[int, float]:
    return {each.low: each.count / whole for each in bins if each.count}
