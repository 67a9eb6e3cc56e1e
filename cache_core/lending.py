"""What a cache hands out for its callers to compute into, and takes back: slots of tokens, and of states."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from operator import index
from typing import TYPE_CHECKING, cast

from cache_core.branching import ceil_page
from cache_core.checks import require_room
from cache_core.errors import DoubleFreeError, KeyRangeError, OutOfSlotsError
from cache_core.eviction import make_room
from cache_core.fault import guarded
from cache_core.loans import Loans, as_slots, live_peers

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache
    from cache_core.components.full import Full
    from cache_core.components.mamba import Mamba
    from cache_core.components.swa import SlidingWindow


class Lending:
    """The part of a cache that lends slots."""

    __slots__ = ()

    page: int
    full: Full
    window: SlidingWindow | None
    mamba: Mamba | None
    loans: Loans
    """Slots handed out by `allocate` and not yet inserted or given back."""
    state_loans: set[int]
    """Slots handed out by `allocate_state`, likewise."""

    @property
    def _cache(self) -> PrefixCache:
        return cast("PrefixCache", self)

    def allocate(self, tokens: int) -> array[int]:
        """Hand out Full slots with their peers, evicting what that takes; whole pages, so maybe a few more.

        Raises OutOfSlotsError, with nothing evicted, when even everything evictable would not do.
        """
        self._cache.require_thread()
        if tokens < 0:
            raise KeyRangeError(f"{tokens} slots cannot be handed out; ask for none or more")
        tokens = ceil_page(index(tokens), self.page)
        require_room(self._cache, tokens)
        try:
            make_room(self._cache, tokens)
            slots, peers = self.take(tokens)
            self.loans.lend(slots, peers)
            return slots[:]
        except BaseException as error:
            self._cache.break_off("allocate", error)
            raise

    def take(self, tokens: int) -> tuple[array[int], array[int] | None]:
        """Take slots off the pools, whole pages: one of each kind per token.

        Raises OutOfSlotsError, and takes nothing, when a pool is short.
        """
        slots = self.full.pool.take(tokens)
        if self.window is None:
            return slots, None
        try:
            return slots, self.window.pool.take(tokens)
        except OutOfSlotsError:
            self.full.pool.give(slots)
            raise

    def free(self, slots: Iterable[int]) -> None:
        """Give back slots of `allocate` that were not inserted. Raises DoubleFreeError and changes nothing."""
        self._cache.require_thread()
        given = as_slots(slots)
        try:
            loan = self.loans.claim(given)
            self.full.pool.give(loan.slots)
            if self.window is not None and loan.peers is not None:
                self.window.pool.give(live_peers(loan))
        except BaseException as error:
            self._cache.break_off("free", error)
            raise

    def free_window(self, slots: Iterable[int]) -> None:
        """Give back the window peers of slots of `allocate`; the Full slots stay the caller's.

        Raises DoubleFreeError, changing nothing, when one of them was given back before.
        """
        self._cache.require_thread()
        given = as_slots(slots)
        try:
            self._free_window(given)
        except BaseException as error:
            self._cache.break_off("free_window", error)
            raise

    def _free_window(self, slots: array[int]) -> None:
        loan = self.loans.claim(slots)
        gone = array("i", bytes(4 * len(loan.slots)))
        if loan.pierced and loan.peers is not None and 0 in loan.peers:
            self.loans.lend(loan.slots, loan.peers, pierced=True)
            slot = loan.slots[loan.peers.index(0)]
            raise DoubleFreeError(f"swa pool: the window slot beside full slot {slot} is given back twice")
        if self.window is not None and loan.peers is not None:
            self.window.pool.give(loan.peers)
        self.loans.lend(loan.slots, gone if self.window is not None else None, pierced=True)

    @guarded
    def allocate_state(self) -> int:
        """Hand out a slot for a recurrent state, evicting one if it must. Raises OutOfSlotsError."""
        self._cache.require_thread()
        if self.mamba is None:
            raise OutOfSlotsError("the cache has no component 'mamba', so there are no states")
        make_room(self._cache, 0, 1)
        slot = self.mamba.take_slot()
        if not slot:
            raise OutOfSlotsError(f"mamba pool: 1 slot wanted, none of {self.mamba.pool.total} free or evictable")
        self.state_loans.add(slot)
        return slot

    def free_state(self, slot: int) -> None:
        """Give back a slot of `allocate_state`. Raises DoubleFreeError and changes nothing."""
        self._cache.require_thread()
        slot = self.lent_state(slot)
        try:
            self.state_loans.discard(slot)
            assert self.mamba is not None
            self.mamba.give_slot(slot)
        except BaseException as error:
            self._cache.break_off("free_state", error)
            raise

    def lent_state(self, slot: int) -> int:
        """Return a state slot that is on loan. Raises DoubleFreeError for any other."""
        slot = index(slot)
        if slot not in self.state_loans:
            raise DoubleFreeError(f"state slot {slot} is not the caller's; only slots of allocate_state can be given")
        return slot
