"""Shares as shades: how much of something is there, in a cell or in a cell with its percentage."""

from __future__ import annotations

from radixtop.render.lines import Line, Role, Span

NONE, SELF = "·", "▪"
_STEPS: tuple[tuple[float, str, Role], ...] = (
    (0.75, "█", "ramp3"),
    (0.5, "▓", "ramp2"),
    (0.25, "▒", "ramp1"),
    (0.0, "░", "ramp0"),
)
CELL = 5
"""The width of a shade with its percentage and the blank before it."""


def shade(part: float) -> Span:
    """Return the sign of a share (0..1); none at all has one of its own."""
    if part <= 0:
        return NONE, "dim"
    return next((sign, role) for least, sign, role in _STEPS if part >= least)


def figure(part: float) -> Line:
    """Return the sign of a share and its percentage; nothing is drawn as nothing, and no part of it as all."""
    sign, role = shade(part)
    if part <= 0:
        return ((f"  {NONE}  ", role),)
    percent = round(100 * part) if part >= 1 else min(99, round(100 * part))
    return ((f" {sign}", role), (f"{percent or '<1':>3}", "value"))


def legend(of: str) -> Line:
    """Return what the signs mean, in shares `of` something."""
    words = ("75%+", "50%+", "25%+", "less")
    spans: list[Span] = []
    for (_, sign, role), word in zip(_STEPS, words, strict=True):
        spans += [(sign, role), (f" {word}  ", "dim")]
    return (*spans, (NONE, "dim"), (" none", "dim"), (f"  of {of}", "label"))
