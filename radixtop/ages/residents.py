"""Ages of the nodes that a component has now, weighted by tokens, added up a slice of the mirror at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from probes.log_shape import PER_DECADE, LogShape, shape_of_bins
from probes.plausible import MOST_TOKENS
from radixtop.budget import SLICE_SLOTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from probes.mirroring.columns import Columns

BINS = 19 * PER_DECADE
"""More than 64 bits have."""


class Shaped:
    """Tokens by the logarithm of a time."""

    def __init__(self) -> None:
        self._held: NDArray[Any] = np.zeros(BINS, np.int64)
        self._sum = 0.0
        self._tokens = 0

    def add(self, ages_ns: NDArray[Any], tokens: NDArray[Any]) -> None:
        """Count tokens at their ages."""
        ages = np.maximum(ages_ns, 1)
        places = np.floor(np.log10(ages) * PER_DECADE).astype(np.int64)
        self._held += np.bincount(places, tokens, BINS).astype(np.int64)
        self._sum += float(np.multiply(ages, tokens, dtype=np.float64).sum())
        self._tokens += int(tokens.sum())

    def shape(self) -> LogShape:
        """Return the distribution."""
        return shape_of_bins(self._held.tolist(), self._sum / max(1, self._tokens))


class Residents:
    """One look at all nodes, as far as it got; idle times are left out where nobody tells of use."""

    def __init__(self, component: int, now: int, tells_use: bool = True) -> None:
        self._tells_use = tells_use
        self._component = component
        self._now = now
        self._slot = 0
        self.age, self.idle = Shaped(), Shaped()
        self.tokens = self.unseen_tokens = 0

    def look(self, columns: Columns) -> bool:
        """Look at the next slice, and say whether that was the last one."""
        place = slice(self._slot, min(columns.used, self._slot + SLICE_SLOTS))
        self._slot = place.stop
        lengths = np.clip(columns.view("length")[place], 0, MOST_TOKENS)
        is_there = (columns.view("parent")[place] >= 0) & (columns.view("live")[place] >> self._component & 1 == 1)
        is_there &= lengths > 0
        self.tokens += int(lengths[is_there].sum())
        fields = ((self.age, "created_at"), (self.idle, "touched_at"))
        for shaped, field in fields if self._tells_use else fields[:1]:
            times = columns.view(field)[place]
            known = is_there & (times >= 0)
            shaped.add(self._now - times[known], lengths[known])
            if field == "created_at":
                self.unseen_tokens += int(lengths[is_there & ~known].sum())
        return self._slot >= columns.used
