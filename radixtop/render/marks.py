"""Small signs with a fixed meaning; each comes with a word on the help screen."""

from __future__ import annotations

from collections.abc import Sequence

from radixtop.render.lines import Line, Role, Span

OPEN, CLOSED, LEAF = "▾", "▸", "·"
DESCENDING, ASCENDING = "▾", "▴"
TOMBSTONE = "†"
LEAVING = "↓"
PLAYING, PAUSED, PAST, END = "▶", "‖", "◂", "■"
FALL, SMALL_FALL = "▼", "▾"
LEVELS = "▁▂▃▄▅▆▇█"
MIXED = "~"

STATES: dict[str, tuple[str, Role]] = {
    "starting": ("◌", "warn"),
    "live": ("●", "good"),
    "stale": ("▲", "warn"),
    "ended": ("■", "warn"),
    "lost": ("✕", "bad"),
    "replay": ("▶", "accent"),
}
"""How the state of a source is drawn, always followed by its word."""


def live_marks(live: int, copied: int, components: Sequence[str]) -> Line:
    """Return a sign per component: where its data of a node is, the nearest place that has it.

    A capital stands for the device, a small letter for a copy in host memory alone, an arrow for a copy on its way
    there, a dagger for neither.
    """
    spans: list[Span] = []
    for i, name in enumerate(components):
        if live >> i & 1:
            spans.append((name[:1].upper(), "device"))
        elif copied >> i & 1:
            spans.append((name[:1].lower(), "host"))
        else:
            spans.append((TOMBSTONE, "tombstone") if live | copied else (LEAVING, "host"))
    return tuple(spans)
