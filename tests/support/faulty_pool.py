"""A pool whose next allocation fails though it has slots, as one does that is fed from elsewhere."""

from __future__ import annotations

from array import array

from cache_core import OutOfSlotsError
from cache_core.pool import SlotPool

_FAILING: set[int] = set()


class FaultyPool(SlotPool):
    """Fails once after `fail_next`."""

    __slots__ = ()

    def fail_next(self, fails: bool) -> None:
        """Make the next allocation of any slots fail, or not."""
        (_FAILING.add if fails else _FAILING.discard)(id(self))

    def take(self, slots: int) -> array[int]:
        if slots and id(self) in _FAILING and slots <= self.free_slots:
            _FAILING.discard(id(self))
            raise OutOfSlotsError(f"{self.name} pool: failed on purpose")
        return super().take(slots)


def make_faulty(pool: SlotPool) -> FaultyPool:
    """Turn a pool into one that can fail."""
    pool.__class__ = FaultyPool
    assert isinstance(pool, FaultyPool)
    pool.fail_next(False)
    return pool
