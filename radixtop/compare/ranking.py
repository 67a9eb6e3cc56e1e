"""Which rows are worth their memory: the best one, those on the front, and what each step along it brings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from profiles.tallies.pareto import Choice, front
from radixtop.compare.row import Row

_GIB = 1 << 30
_POOLS = ("full", "swa", "mamba", "host")


def ranked(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the rows in their order with the one that hits most tokens and the front marked.

    Memory is bytes where all of it is known in bytes, else the slots of each pool, which have no common price. A step
    along the front is told where it can be: per GiB, or where the full pool alone grows per 1,000 slots.
    """
    known = [
        (place, row, row.figures) for place, row in enumerate(rows) if row.figures and row.figures.queried_tokens
    ]
    if not known:
        return tuple(rows)
    in_bytes = all(row.memory_bytes is not None for _, row, _ in known)
    choices = [Choice(figures.hit_tokens, costs_of(row, in_bytes)) for _, row, figures in known]
    marked = list(rows)
    best = max(range(len(known)), key=lambda place: (choices[place].gain, [-cost for cost in choices[place].costs]))
    ahead = [known[place][0] for place in front(choices)]
    for place in ahead:
        marked[place] = replace(marked[place], on_front=True, is_best=place == known[best][0])
    ahead.sort(key=lambda place: costs_of(marked[place], in_bytes))
    for before, after in pairwise(ahead):
        marked[after] = _stepped(marked[before], marked[after], in_bytes)
    return tuple(marked)


def costs_of(row: Row, in_bytes: bool) -> tuple[float, ...]:
    """Return the memory of a row."""
    if in_bytes:
        return (row.memory_bytes or 0,)
    return tuple(row.slots.get(pool, 0) for pool in _POOLS)


def _stepped(before: Row, after: Row, in_bytes: bool) -> Row:
    """Return a row with what it saves over the one before it on the front, for what it takes more."""
    assert before.figures and after.figures, f"{before=} {after=}"
    saved = after.figures.hit_tokens - before.figures.hit_tokens
    more = [late - early for early, late in zip(costs_of(before, in_bytes), costs_of(after, in_bytes), strict=True)]
    if more[0] <= 0 or any(more[1:]):
        return after
    if in_bytes:
        return replace(after, saved_tokens_per_gib=saved * _GIB / more[0])
    return replace(after, saved_tokens_per_1k_slots=saved * 1000 / more[0])
