"""Tombstones by depth, a bar a line."""

from __future__ import annotations

from radixtop.render.bars import Part, cells_of
from radixtop.render.lines import Line, left, right
from radixtop.render.marks import TOMBSTONE
from radixtop.render.units import count, share
from radixtop.swa.page import Bucket, Tombstones

_NAME = 11
_FIGURES_FROM = 50
"""From this width on there is room for the tokens that have their window."""


def tombstone_lines(found: Tombstones | None, width: int, height: int) -> list[Line]:
    """Return for each depth how many tokens lie there, with their windows and without; bars are of one scale."""
    if found is None:
        return [(("-", "dim"),)]
    if not found.buckets:
        return [(("no sliding window in this cache", "dim"),)]
    most = max(bucket.live_tokens + bucket.tombstone_tokens for bucket in found.buckets)
    has_room = width >= _FIGURES_FROM
    room = max(1, width - _NAME - (18 if has_room else 10))
    live = sum(bucket.live_tokens for bucket in found.buckets)
    gone = sum(bucket.tombstone_tokens for bucket in found.buckets)
    total: Line = (
        (f"{share(gone / (live + gone) if live + gone else None)} of tokens lack their window", "text"),
        (f"   █ with it  {TOMBSTONE} without" if has_room else "", "dim"),
    )
    return [total, *(_line(bucket, most, room, has_room) for bucket in found.buckets)][:height]


def _line(bucket: Bucket, most: int, width: int, has_room: bool) -> Line:
    tokens = bucket.live_tokens + bucket.tombstone_tokens
    parts = (
        Part(bucket.live_tokens, "█", "device"),
        Part(bucket.tombstone_tokens, TOMBSTONE, "tombstone"),
        Part(most - tokens, " ", "track"),
    )
    cells = cells_of([part.amount for part in parts], width)
    bar = tuple((part.glyph * n, part.role) for part, n in zip(parts, cells, strict=True))
    name = f"{_edge(bucket.start)} to {_edge(bucket.end)}" if bucket.end >= 0 else f"from {_edge(bucket.start)}"
    live: Line = ((right(count(bucket.live_tokens), 8), "device"),) if has_room else ()
    return (
        (left(name, _NAME), "label"), *bar, *live,
        (right(f"{TOMBSTONE} {count(bucket.tombstone_tokens)}", 10), "tombstone"),
    )  # fmt: skip


def _edge(position: int) -> str:
    """Return an edge, which is 0 or a power of two, in at most four cells."""
    return f"{position >> 10}k" if position >= 1024 else f"{position}"
