"""Stretches of a prompt that were missed for one reason each, and in which workload segments they lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from probes.lives.leaving import Leaving
from probes.lives.misses import MissClass
from probes.mirroring.columns import ROOT, Columns
from probes.mirroring.segments import segments_of

Span = tuple[int, int, int | None]
"""Tokens [start, end) that lie in a segment, None where none is known."""

MOST_PIECES = 128
"""So many pieces of a request are kept, the first ones; its sums are of all."""


class Piece(NamedTuple):
    """Tokens [start, end) missed for one reason; what left says when and for whom, as far as somebody saw it."""

    start: int
    end: int
    miss: MissClass
    label: int | None = None
    left: Leaving | None = None


def spans_of(columns: Columns, slot: int, start: int, end: int) -> list[Span]:
    """Return the segments of positions [start, end) of the path down to the node in a slot, ascending."""
    spans: list[Span] = []
    while slot > ROOT and start < end:
        first = columns.start[slot]
        for begin, label in reversed(segments_of(columns, slot)):
            if begin < end > start:
                begin = max(begin, first, start)
                spans.append((begin, end, label))
                end = begin
        if max(first, start) < end:
            spans.append((max(first, start), end, None))
            end = max(first, start)
        slot = columns.parent[slot]
    if start < end:
        spans.append((start, end, None))
    spans.reverse()
    return spans


def add_piece(pieces: list[Piece], piece: Piece) -> None:
    """Append a piece, or make the last one longer when it goes on the same way; of too many the last are left out."""
    if pieces:
        last = pieces[-1]
        if last.end == piece.start and last.miss == piece.miss and last.label == piece.label:
            left, after = last.left, piece.left
            if left is None or after is None:
                if left is after:
                    pieces[-1] = last._replace(end=piece.end)
                    return
            elif left[1:] == after[1:]:
                pieces[-1] = last._replace(end=piece.end, left=max(left, after))
                return
    if len(pieces) < MOST_PIECES:
        pieces.append(piece)


def add_spans(
    pieces: list[Piece], start: int, end: int, miss: MissClass, spans: Sequence[Span], left: Leaving | None = None
) -> None:
    """Append tokens [start, end) missed for one reason, cut where segments change; `spans` cover them, or more."""
    if len(spans) == 1 and spans[0][0] <= start and spans[0][1] >= end:
        piece = Piece(start, end, miss, spans[0][2], left)
        if pieces:
            add_piece(pieces, piece)
        else:
            pieces.append(piece)
        return
    for begin, until, label in spans:
        if until > start and begin < end:
            add_piece(pieces, Piece(max(begin, start), min(until, end), miss, label, left))
