"""The named segments of the tokens of a node: one in a column, where there are more or odd ones beside it."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from probes.mirroring.columns import Columns

Segments = tuple[tuple[int, int], ...]
"""(start, label id), ascending; a segment runs to the next one's start."""

MOST_SEGMENTS = 1024
"""How many segments of a node are kept: prompts have a few, but whoever wrote a recording may state any number."""

UNLABELLED = -1
"""What the column of labels says of a node without segments."""

_MOST_LABEL = (1 << 63) - 1


def segments_of(columns: Columns, slot: int) -> Segments:
    """Return the segments of the node in a slot."""
    named = columns.segments.get(slot)
    if named is not None:
        return named
    label = columns.label[slot]
    return () if label == UNLABELLED else ((columns.start[slot], label),)


def last_label(columns: Columns, slot: int) -> int | None:
    """Return the label of the last segment of the node in a slot, None of one without segments."""
    named = columns.segments.get(slot)
    if named is not None:
        return named[-1][1]
    label = columns.label[slot]
    return None if label == UNLABELLED else label


def keep_segments(columns: Columns, slot: int, segments: Segments) -> None:
    """Keep these segments of the node in a slot, whose start is known by now."""
    if not segments:
        columns.label[slot] = UNLABELLED
        columns.segments.pop(slot, None)
        return
    start, label = segments[0]
    fits = 0 <= label <= _MOST_LABEL
    columns.label[slot] = label if fits else UNLABELLED
    if fits and len(segments) == 1 and start == columns.start[slot]:
        columns.segments.pop(slot, None)
    else:
        columns.segments[slot] = segments


def label_from(columns: Columns, slot: int, start: int, label: int) -> None:
    """From `start` on, the tokens of the node in a slot belong to a segment."""
    first = columns.start[slot]
    if start <= first and columns.label[slot] == UNLABELLED and 0 <= label <= _MOST_LABEL and not columns.segments:
        columns.label[slot] = label
    else:
        keep_segments(columns, slot, _with(segments_of(columns, slot), max(start, first), label))


def labels_in_use(columns: Columns) -> set[int]:
    """Return the ids of all labels that some node has."""
    label = columns.label
    used = {label[slot] for slot in columns.slots()}
    return used | {id_ for segments in columns.segments.values() for _, id_ in segments}


def _with(segments: Segments, start: int, label: int) -> Segments:
    """Return the segments with `label` in force from `start` on; past `MOST_SEGMENTS` a new one is not kept."""
    place = bisect_left(segments, (start,))
    after = segments[place:]
    if after and after[0][0] == start:
        after = after[1:]
    elif len(segments) >= MOST_SEGMENTS:
        return segments
    return (*segments[:place], (start, label), *after)


def cut_segments(segments: Segments, position: int) -> tuple[Segments, Segments]:
    """Return the segments before and from `position` on; the one that spans it appears on both sides."""
    place = bisect_left(segments, (position,))
    before, after = segments[:place], segments[place:]
    if before and not (after and after[0][0] == position):
        after = ((position, before[-1][1]), *after)
    return before, after
