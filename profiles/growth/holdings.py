"""What is held at the end of a run, out of the masks of components: tokens, bytes, and tokens without a window."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from profiles.columns import Column, product
from profiles.prices import Prices

_FULL = "full"
_WINDOW = "swa"
_STATES = "mamba"


@dataclass(frozen=True, slots=True)
class Components:
    """Which bit of a mask is which component of a cache; `names` are those that the source told, if it did."""

    names: tuple[str, ...]

    def bit(self, name: str) -> int | None:
        """Return the bit of a component, None where the cache has none of that name."""
        return 1 << self.names.index(name) if name in self.names else None

    @property
    def full(self) -> int:
        """The bit of the component that has every token: the first one, unless another is called so."""
        return self.bit(_FULL) or 1

    @property
    def window(self) -> int | None:
        """The bit of the component with the sliding window."""
        return self.bit(_WINDOW)

    @property
    def states(self) -> int:
        """The bit of the component with a state at the end of some nodes, or 0."""
        return self.bit(_STATES) or 0


def holdings(live: Column, lengths: Column, components: Components, prices: Prices) -> dict[str, Column]:
    """Return by weight what each stretch holds on the device.

    `live` has a bit for each component whose slots it has there. A weight is missing where the source does not say
    what it takes: bytes without the size of a token in every component, tombstones without windows.
    """
    tokens = np.where(live & components.full, lengths, 0)
    found = {"tokens": tokens}
    if components.names and all(name in prices.slot_bytes for name in components.names):
        found["bytes"] = np.zeros(len(lengths), np.int64)
        for number, name in enumerate(components.names):
            # A state takes one slot, however long what it stands for.
            slots = np.ones(len(lengths), np.int64) if name == _STATES else lengths
            taken = np.where(live >> number & 1, slots, 0)
            found["bytes"] += product(taken, prices.slot_bytes[name])
    if components.window is not None:
        found["tombstoned"] = np.where(live & components.window, 0, tokens)
    return found
