"""Which part of the tree has its window, by how deep it lies, counted a slice of the mirror at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from probes.plausible import MOST_TOKENS
from radixtop.budget import SLICE_SLOTS
from radixtop.swa.page import Bucket

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from probes.mirroring.columns import Columns

FIRST_EDGE = 128
"""The first stretch of the key ends here; each one after it is twice as long as all before it."""

_EDGES: NDArray[Any] = FIRST_EDGE << np.arange(14)


class Census:
    """One look at all nodes, as far as it got. Nodes that come or go meanwhile may be counted or not."""

    def __init__(self, component: int) -> None:
        self._component = component
        self._slot = 0
        self._live, self._gone, self._tombstones = (np.zeros(len(_EDGES) + 1, np.int64) for _ in range(3))

    def look(self, columns: Columns) -> bool:
        """Look at the next slice, and say whether that was the last one."""
        place = slice(self._slot, min(columns.used, self._slot + SLICE_SLOTS))
        self._slot = place.stop
        live = columns.view("live")[place]
        is_there = (columns.view("parent")[place] >= 0) & (live != 0)
        has_window = live[is_there] >> self._component & 1 == 1
        lengths = np.clip(columns.view("length")[place][is_there], 0, MOST_TOKENS)
        buckets = np.searchsorted(_EDGES, columns.view("start")[place][is_there], side="right")
        self._live += _sums(buckets[has_window], lengths[has_window])
        self._gone += _sums(buckets[~has_window], lengths[~has_window])
        self._tombstones += _sums(buckets[~has_window])
        return self._slot >= columns.used

    def buckets(self) -> tuple[Bucket, ...]:
        """Return the stretches that have nodes."""
        starts, ends = (0, *_EDGES.tolist()), (*_EDGES.tolist(), -1)
        counts = zip(starts, ends, self._live.tolist(), self._gone.tolist(), self._tombstones.tolist(), strict=True)
        return tuple(bucket for bucket in map(Bucket._make, counts) if any(bucket[2:]))


def _sums(buckets: NDArray[Any], weights: NDArray[Any] | None = None) -> NDArray[Any]:
    return np.bincount(buckets, weights, len(_EDGES) + 1).astype(np.int64)
