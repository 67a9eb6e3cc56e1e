"""The largest of many, kept in a heap of bounded size."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappush, heappushpop
from typing import Generic, TypeVar

T = TypeVar("T")


class Best(Generic[T]):
    """Keeps the `most` values that rank highest; among equals the earlier one stays."""

    __slots__ = ("_heap", "_most", "_rank", "_taken")

    def __init__(self, most: int, rank: Callable[[T], int]) -> None:
        self._most = most
        self._rank = rank
        self._heap: list[tuple[int, int, T]] = []
        self._taken = 0

    def add(self, value: T) -> None:
        """Take in one value."""
        self._taken += 1
        entry = (self._rank(value), -self._taken, value)
        if len(self._heap) < self._most:
            heappush(self._heap, entry)
        elif self._most:
            heappushpop(self._heap, entry)

    def values(self) -> list[T]:
        """Return what was kept, the highest first."""
        return [value for _, _, value in sorted(self._heap, key=lambda entry: entry[:2], reverse=True)]
