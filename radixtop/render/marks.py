"""Small signs with a fixed meaning; each comes with a word on the help screen."""

from __future__ import annotations

from collections.abc import Sequence

from radixtop.render.lines import Line, Role, Span

OPEN, CLOSED, LEAF = "▾", "▸", "·"
TOMBSTONE = "†"

STATES: dict[str, tuple[str, Role]] = {
    "starting": ("◌", "warn"),
    "live": ("●", "good"),
    "stale": ("▲", "warn"),
    "ended": ("■", "warn"),
    "lost": ("✕", "bad"),
    "replay": ("▶", "accent"),
}
"""How the state of a source is drawn, always followed by its word."""


def live_marks(live: int, components: Sequence[str]) -> Line:
    """Return a letter per component that is live on a node and a dagger per one that has left it."""
    spans: list[Span] = []
    for i, name in enumerate(components):
        alive = live >> i & 1
        spans.append((name[:1].upper() if alive else TOMBSTONE, "device" if alive else "tombstone"))
    return tuple(spans)
