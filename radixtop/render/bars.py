"""Horizontal bars in cells: gauges of one value and stacked bars of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from radixtop.render.lines import Line, Role

_EIGHTHS = " ▏▎▍▌▋▊▉"
_TRACK = "·"


class Part(NamedTuple):
    """One part of a stacked bar: how much, and the glyph and role that say which."""

    amount: float
    glyph: str
    role: Role


def gauge(fraction: float | None, width: int, role: Role = "value", track: str = _TRACK) -> Line:
    """Return a bar of `width` cells filled to `fraction`, in steps of an eighth of a cell.

    An unknown fraction is a row of "-", so that it cannot be read as an empty bar.
    """
    if fraction is None:
        return (("-" * width, "dim"),)
    eighths = round(max(0.0, min(1.0, fraction)) * width * 8)
    if fraction > 0:
        eighths = max(1, eighths)
    whole, rest = divmod(eighths, 8)
    bar = "█" * whole + (_EIGHTHS[rest] if rest else "")
    return ((bar, role), (track * (width - len(bar)), "track"))


def cells_of(amounts: Sequence[float], width: int) -> list[int]:
    """Return how many of `width` cells each amount gets: by largest remainder, at least one if not zero.

    Amounts come from records that anyone may have written: one below zero gets nothing.
    """
    amounts = [max(0, amount) for amount in amounts]
    total = sum(amounts)
    if total <= 0:
        return [0] * len(amounts)
    exact = [amount * width / total for amount in amounts]
    cells = [max(int(share), 1 if amount > 0 else 0) for share, amount in zip(exact, amounts, strict=True)]
    by_need = sorted(range(len(amounts)), key=lambda i: cells[i] - exact[i])
    for i in by_need[: max(0, width - sum(cells))]:
        cells[i] += 1
    while sum(cells) > width:
        cells[max(range(len(cells)), key=lambda i: cells[i])] -= 1
    return cells


def stacked(parts: Sequence[Part], width: int) -> Line:
    """Return a bar of `width` cells shared out among `parts`; unknown (no amount at all) is a row of "-"."""
    cells = cells_of([part.amount for part in parts], width)
    if not any(cells):
        return (("-" * width, "dim"),)
    return tuple((part.glyph * n, part.role) for part, n in zip(parts, cells, strict=True) if n)
