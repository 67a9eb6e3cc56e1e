"""What requests reused and computed again of a part of a path."""

from __future__ import annotations

from collections.abc import Iterator

from probes.mirroring.columns import ROOT, Columns
from probes.mirroring.words import add_to


def recompute(columns: Columns, slot: int, start: int, end: int) -> None:
    """Count the tokens of positions [start, end) as computed again on the nodes from a slot up that hold them."""
    for node, tokens in _holding(columns, slot, start, end):
        add_to(columns.recomputed_tokens, node, tokens)


def load(columns: Columns, slot: int, at: int, start: int, end: int) -> None:
    """Count a request that reused positions [start, end) of its key once they were back on the device."""
    touched_at = columns.raw_touched_at
    for node, tokens in _holding(columns, slot, start, end):
        columns.raw_hits[node] += 1
        add_to(columns.unused_tokens, node, columns.length[node] - tokens)
        touched_at[node] = max(touched_at[node], at)


def _holding(columns: Columns, slot: int, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the nodes from a slot up that have some of the positions [start, end), and how many."""
    starts, lengths, parent = columns.start, columns.length, columns.parent
    while slot > ROOT:
        first = starts[slot]
        behind = first + lengths[slot]
        if behind <= start:
            return
        tokens = min(behind, end) - max(first, start)
        if tokens > 0:
            yield slot, tokens
        slot = parent[slot]
