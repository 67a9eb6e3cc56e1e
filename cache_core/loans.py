"""Loans: the slots that `allocate` handed out and nobody inserted or gave back yet.

A loan is kept as it was handed out, Full slots and window peers by position, so that the usual return, all of it or
its front, is one comparison of arrays. A return of anything else breaks the loans up, slot by slot.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from cache_core.errors import DoubleFreeError, KeyRangeError
from cache_core.pool import SlotPool

Peers: TypeAlias = "array[int] | None"
"""The window slot of each Full slot, 0 where it was given back; None in a cache without windows."""


def as_slots(slots: Iterable[int]) -> array[int]:
    """Return slots as they are kept: an array of int32 as it is, anything else as a copy. Raises KeyRangeError."""
    if type(slots) is array and slots.typecode == "i":
        return slots
    try:
        return array("i", slots)
    except (TypeError, OverflowError) as error:
        raise KeyRangeError(f"slots are int32 numbers: {error}") from None


@dataclass(slots=True)
class Loan:
    """Slots of one `allocate`. `pierced` says that some window peers were given back."""

    slots: array[int]
    peers: Peers
    pierced: bool = False


class Loans:
    """Every loan by its first slot, and slots of loans that were broken up with their peers."""

    __slots__ = ("_by_first", "_loose", "_pool", "_windowed")

    def __init__(self, pool: SlotPool, windowed: bool) -> None:
        self._pool = pool
        self._windowed = windowed
        self._by_first: dict[int, Loan] = {}
        self._loose: dict[int, int] = {}

    def clear(self) -> None:
        """Forget every loan."""
        self._by_first.clear()
        self._loose.clear()

    def pairs(self) -> list[tuple[int, int]]:
        """Return each Full slot that is out with its window peer, or 0."""
        pairs = list(self._loose.items())
        for loan in self._by_first.values():
            pairs.extend(_pairs(loan))
        return pairs

    def lend(self, slots: array[int], peers: Peers, pierced: bool = False) -> None:
        """Note that slots are the caller's."""
        if slots:
            self._by_first[slots[0]] = Loan(slots, peers, pierced)

    def claim(self, slots: array[int]) -> Loan:
        """End the loan of slots and return it, with arrays that are nobody else's.

        Raises DoubleFreeError, ending nothing, for other than whole pages of loans, each named once.
        """
        if not slots:
            return Loan(array("i"), array("i") if self._windowed else None)
        loan = self._by_first.get(slots[0])
        if loan is None:
            return self._claim_loose(slots)
        if loan.slots == slots:
            del self._by_first[slots[0]]
            return loan
        count = len(slots)
        front = loan.slots[:count]
        if count % self._pool.page or front != slots:
            return self._claim_loose(slots)
        del self._by_first[slots[0]]
        peers = loan.peers
        self.lend(loan.slots[count:], None if peers is None else peers[count:], loan.pierced)
        return Loan(front, None if peers is None else peers[:count], loan.pierced)

    def _claim_loose(self, slots: array[int]) -> Loan:
        loose = self._loose
        for loan in self._by_first.values():
            loose.update(_pairs(loan))
        self._by_first.clear()
        bad = next((slot for slot in slots if slot not in loose), None)
        if bad is not None or len(set(slots)) < len(slots):
            why = "one is named twice" if bad is None else f"slot {bad} is not the caller's"
            raise DoubleFreeError(f"{len(slots)} slots given, {why}; only slots of allocate, each once, can be given")
        if not self._pool.are_whole(slots):
            raise DoubleFreeError(f"slots are given that form no whole pages of {self._pool.page}, in order")
        peers = array("i", [loose.pop(slot) for slot in slots])
        return Loan(slots[:], peers if self._windowed else None, pierced=True)


def _pairs(loan: Loan) -> Iterable[tuple[int, int]]:
    return zip(loan.slots, loan.peers or bytes(len(loan.slots)), strict=True)


def live_peers(loan: Loan, upto: int | None = None) -> array[int]:
    """Return the window slots of a loan that were not given back, those of its first `upto` slots."""
    assert loan.peers is not None
    peers = loan.peers[:upto]
    return array("i", [peer for peer in peers if peer]) if loan.pierced and 0 in peers else peers
