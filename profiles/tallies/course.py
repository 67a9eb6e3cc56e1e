"""Sums over the course of a stream whose length nobody knows: a fixed number of slots that grow wider."""

from __future__ import annotations

from dataclasses import dataclass

MOST_SLOTS = 120
_FIRST_WIDTH_NS = 1_000_000


@dataclass(frozen=True, slots=True)
class Course:
    """Sums per slot of time: slot i holds what came in [i, i + 1) * `width_ns` after the start, by `columns`."""

    width_ns: int
    columns: tuple[str, ...]
    slots: tuple[tuple[int, ...], ...]


class Chronicle:
    """Adds rows of numbers up by time. When a time lies past the last slot, neighbours are joined until it does not.

    Times are relative to the first one that came; an earlier one counts in the first slot.
    """

    __slots__ = ("_columns", "_slots", "_start", "_width_ns")

    def __init__(self, *columns: str) -> None:
        self._columns = columns
        self._slots: list[list[int]] = []
        self._start: int | None = None
        self._width_ns = _FIRST_WIDTH_NS

    def begin(self, at: int) -> None:
        """State when the stream starts; without this it starts with what is added first."""
        if self._start is None:
            self._start = at

    def add(self, at: int, *amounts: int) -> None:
        """Add one row at a time."""
        self.begin(at)
        assert self._start is not None
        slots = self._slots
        passed = max(0, at - self._start)
        while passed // self._width_ns >= MOST_SLOTS:
            self._widen()
        place = passed // self._width_ns
        while len(slots) <= place:
            slots.append([0] * len(self._columns))
        slot = slots[place]
        for column, amount in enumerate(amounts):
            slot[column] += amount

    def course(self) -> Course:
        """Return what was added so far."""
        return Course(self._width_ns, self._columns, tuple(tuple(slot) for slot in self._slots))

    def _widen(self) -> None:
        slots = self._slots
        for place in range(0, len(slots), 2):
            pair = slots[place : place + 2]
            slots[place // 2] = [sum(column) for column in zip(*pair, strict=True)]
        del slots[(len(slots) + 1) // 2 :]
        self._width_ns *= 2
