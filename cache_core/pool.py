"""The contract of slot pools: who gets a slot, and who may give it back. A pool knows no node and no request."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array


class SlotPool(ABC):
    """The slots of a cache, one kind per component. Slot 0 of each kind is padding and never handed out.

    All amounts are tokens and whole pages; slots of one page are handed out and given back together.
    """

    page: int
    totals: tuple[int, ...]
    """Slots of each kind, padding not counted."""

    @abstractmethod
    def free_tokens(self, kind: int) -> int:
        """Return how many slots of one kind are free."""

    @abstractmethod
    def free_slots(self) -> array[int]:
        """Return the free slots of the first kind, as a copy."""

    @abstractmethod
    def take(self, tokens: int) -> array[int]:
        """Hand out slots, one of each kind per token, and return those of the first kind.

        `tokens` is a whole number of pages. Raises OutOfSlotsError, and takes nothing, when any kind is short.
        """

    @abstractmethod
    def release(self, slots: array[int]) -> None:
        """Take back slots with every kind still attached. Raises DoubleFreeError and takes nothing."""

    @abstractmethod
    def require_whole(self, slots: array[int]) -> None:
        """Raise DoubleFreeError unless slots of the first kind form whole pages in order."""

    @abstractmethod
    def reset(self) -> None:
        """Make every slot free."""
