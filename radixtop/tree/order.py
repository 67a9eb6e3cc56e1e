"""The order of nodes: one integer key per node, the smallest comes first."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from radixtop.tree.request import Order

Whole = NDArray[np.int64]

_FIELDS: dict[Order, str] = {
    "subtree": "subtree_tokens",
    "tokens": "length",
    "hits": "hits",
    "hit_tokens": "hit_tokens",
    "recomputed": "recomputed_tokens",
    "locks": "locks",
    "idle": "touched_at",
    "age": "created_at",
}
_MOMENTS = ("idle", "age")
_LARGEST = 1 << 61
_LAST = 1 << 62
"""The key of a node whose figure nobody knows: it comes last, whatever the direction."""


class Columns(Protocol):
    """What is known of the nodes: an array per field, with a place (a slot) for every node."""

    def view(self, field: str) -> Whole:
        """Return the array of a field. It is true until the next record, and only to be read."""


def figures_of(columns: Columns, order: Order) -> Whole:
    """Return the figures that an order goes by, of all nodes."""
    return columns.view(_FIELDS[order])


def sort_keys(figures: Whole, order: Order, is_reversed: bool) -> Whole:
    """Return the keys of nodes by their figures: most tokens or hits, longest idle, oldest first; or the reverse."""
    keys = figures.astype(np.int64)
    unknown = keys < 0 if order in _MOMENTS else None
    np.clip(keys, -_LARGEST, _LARGEST, out=keys)
    if (order in _MOMENTS) == is_reversed:  # a moment long ago is a long time
        np.negative(keys, out=keys)
    if unknown is not None:
        keys[unknown] = _LAST
    return keys
