"""Distributions over one another on a logarithmic axis of time: two as areas, a third as a line.

    ░ the first alone    █ the second alone    ▓ both: what they have in common    o the third

Where a cell shows more than one, a sign of its own says so; colours only repeat it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log10

from probes.log_shape import PER_DECADE, LogShape
from radixtop.render.lines import Line, Role, Span

FIRST, SECOND, BOTH, THIRD = "░", "█", "▓", "○"

_SECOND_NS = 1_000_000_000
_TICKS: tuple[tuple[float, str], ...] = (
    (1, "1ns"), (1e1, "10ns"), (1e2, "100ns"), (1e3, "1µs"), (1e4, "10µs"), (1e5, "100µs"), (1e6, "1ms"),
    (1e7, "10ms"), (1e8, "0.1s"), (1e9, "1s"), (1e10, "10s"), (60e9, "1m"), (600e9, "10m"), (3_600e9, "1h"),
    (36_000e9, "10h"), (100 * 3_600e9, "100h"), (1_000 * 3_600e9, "1000h"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Overlaid:
    """What lies over one another, and the roles of: the first alone, the second alone, both, the third."""

    first: LogShape
    second: LogShape
    third: LogShape
    roles: tuple[Role, Role, Role, Role] = ("cost0", "device", "warn", "label")


def overlay(what: Overlaid, width: int, rows: int) -> list[Line]:
    """Return `rows` rows, then the axis and its times; none of them while nothing is known or there is no room."""
    shapes = [shape for shape in (what.first, what.second, what.third) if shape.count]
    if not shapes or rows < 1 or width < 8:
        return []
    low = min(shape.first for shape in shapes)
    high = max(shape.first + len(shape.bins) for shape in shapes)
    heights = _heights((what.first, what.second, what.third), (low, high), width, rows)
    lines = [_row(level, heights, what.roles) for level in range(rows, 0, -1)]
    return [*lines, *_axis(low, high, width)]


def _heights(shapes: Sequence[LogShape], ends: tuple[int, int], width: int, rows: int) -> list[list[int]]:
    """Return for each shape how many rows high it is in each column: all by one scale, 1 where it holds anything."""
    columns = [_columns(shape, ends, width) for shape in shapes]
    most = max(share for shares in columns for share in shares)
    return [[ceil(share / most * rows - 1e-9) if share > 0 else 0 for share in shares] for shares in columns]


def _columns(shape: LogShape, ends: tuple[int, int], width: int) -> list[float]:
    """Return the share of the values in each column; a column that is narrower than a bin has the bin's height."""
    low, high = ends
    shares = shape.shares()
    found = []
    for x in range(width):
        start = low + x * (high - low) // width
        stop = max(start + 1, low + (x + 1) * (high - low) // width)
        found.append(max(shares.get(place, 0.0) for place in range(start, stop)))
    return found


def _row(level: int, heights: list[list[int]], roles: tuple[Role, Role, Role, Role]) -> Line:
    spans: list[Span] = []
    for first, second, third in zip(*heights, strict=True):
        if third == level:
            sign, role = THIRD, roles[3]
        elif first >= level and second >= level:
            sign, role = BOTH, roles[2]
        elif first >= level:
            sign, role = FIRST, roles[0]
        elif second >= level:
            sign, role = SECOND, roles[1]
        else:
            sign, role = " ", roles[3]
        if spans and spans[-1][1] == role:
            spans[-1] = (spans[-1][0] + sign, role)
        else:
            spans.append((sign, role))
    return tuple(spans)


def _axis(low: int, high: int, width: int) -> list[Line]:
    """Return the rule with its ticks, and their times where there is room for them."""
    rule, words = ["─"] * width, ""
    for value, text in _TICKS:
        column = int((log10(value) * PER_DECADE - low) / (high - low) * width)
        if not 0 <= column < width:
            continue
        rule[column] = "┬"
        start = min(max(0, column - len(text) // 2), width - len(text))
        if start > len(words) or not words:
            words = words.ljust(start) + text
    return [(("".join(rule), "rule"),), ((words, "label"),)]
