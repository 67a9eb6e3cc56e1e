"""Takes one in so many of what is too frequent to be looked at each time, and says how many each one stands for."""

from __future__ import annotations

from probes.window import SECOND_NS

BURST = 4
"""In a second that brings more than the one before, so many times the wanted number are taken at most."""

MOST_AT_ONCE = 32
"""What one operation brings is taken as a whole; of all in a second so many times the wanted number at most."""


class Thinning:
    """Takes about `per_second` operations, known by their times: after a busy second, one in so many of the next one.

    `left_out` counts what nothing that was taken stands for: the rest of a second that became busy all at once.
    """

    __slots__ = ("_at", "_operations", "_per_second", "_second", "_stride", "_taken", "_weight", "left_out")

    def __init__(self, per_second: int) -> None:
        self._per_second = per_second
        self._at = self._second = -1
        self._stride = 1
        self._weight = self._operations = self._taken = 0
        self.left_out = 0

    def weight(self, at: int) -> int:
        """Return how many the one that comes now stands for, 0 when it is not to be looked at."""
        if at != self._at:
            self._at = at
            self._weight = self._of_operation(at)
        weight = self._weight
        if weight <= 0:
            self.left_out -= weight
            return 0
        if self._taken >= MOST_AT_ONCE * self._per_second:
            self.left_out += weight
            return 0
        self._taken += 1
        return weight

    def _of_operation(self, at: int) -> int:
        """Return the weight of what an operation brings: less than 0 when nothing stands for it."""
        second = at // SECOND_NS
        if second != self._second:
            self._stride = 1 + self._operations // self._per_second if second == self._second + 1 else 1
            self._second, self._operations, self._taken = second, 0, 0
        self._operations += 1
        if self._operations % self._stride:
            return 0
        return self._stride if self._operations <= BURST * self._per_second * self._stride else -self._stride
