"""Takes one in so many of what is too frequent to be looked at each time, and says how many each one stands for."""

from __future__ import annotations

from probes.window import SECOND_NS

BURST = 4
"""In a second that brings more than the one before, so many times the wanted number are taken at most."""


class Thinning:
    """Takes about `per_second` of what comes: in a second that follows on a busier one, one in so many of it.

    `left_out` counts what nothing that was taken stands for: the rest of a second that became busy all at once.
    """

    __slots__ = ("_per_second", "_second", "_seen", "_stride", "_taken", "left_out")

    def __init__(self, per_second: int) -> None:
        self._per_second = per_second
        self._second = -1
        self._stride = 1
        self._seen = self._taken = 0
        self.left_out = 0

    def weight(self, at: int) -> int:
        """Return how many the one that comes now stands for, 0 when it is not to be looked at."""
        second = at // SECOND_NS
        if second != self._second:
            self._stride = 1 + self._seen // self._per_second if second == self._second + 1 else 1
            self._second, self._seen, self._taken = second, 0, 0
        self._seen += 1
        if self._seen % self._stride:
            return 0
        if self._taken >= BURST * self._per_second:
            self.left_out += self._stride
            return 0
        self._taken += 1
        return self._stride
