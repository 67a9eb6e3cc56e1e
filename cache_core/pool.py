"""A pool of slots of one kind: a stack of pages. It knows no node and no request, and trusts its cache.

Who holds which slot is known by position: nodes by their edges, requests by their rows, callers of `allocate` by
their loans. So a pool keeps no map and no flag per slot, and taking or giving back costs what is moved.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from itertools import chain

from cache_core.errors import CacheIntegrityError, ConfigError, OutOfSlotsError

Claim = tuple[str, Iterable[int]]
"""Somebody, by name, and the slots that are said to be his."""


class SlotPool:
    """Pages of `page` slots each, at slots `page`, 2 * `page` .. `total`; with page size 1 a page is a slot.

    The first page is padding and never handed out. `bases` is the stack of free pages, each by its first slot; the
    last page given back is the first one handed out again.
    """

    __slots__ = ("bases", "name", "page", "total")

    def __init__(self, name: str, total: int, page: int) -> None:
        if total < page or total % page:
            raise ConfigError(f"{name} pool: {total} slots are no whole number of pages of {page}, at least one")
        self.name = name
        self.page = page
        self.total = total
        self.reset()

    def reset(self) -> None:
        """Make every page free; the first one is on top of the stack."""
        self.bases = array("i", range(self.total, 0, -self.page))

    @property
    def free_slots(self) -> int:
        """How many slots are free."""
        return len(self.bases) * self.page

    def take(self, slots: int) -> array[int]:
        """Hand out `slots` slots, a whole number of pages, in the order of positions.

        Raises OutOfSlotsError, and takes nothing, when fewer are free.
        """
        page = self.page
        bases = self.bases
        if slots == page and bases:
            base = bases.pop()
            return array("i", (base,) if page == 1 else range(base, base + page))
        count = slots // page
        if count > len(bases):
            raise OutOfSlotsError(f"{self.name} pool: {slots} slots wanted, {self.free_slots} of {self.total} free")
        if not count:
            return array("i")
        taken = bases[: -count - 1 : -1]
        del bases[-count:]
        return taken if page == 1 else self.expand(taken)

    def give(self, slots: array[int]) -> None:
        """Take back whole pages of slots, in the order of positions.

        Raises CacheIntegrityError, and takes nothing, when the pool would have more than it ever had.
        """
        page = self.page
        if len(self.bases) * page + len(slots) > self.total:
            raise CacheIntegrityError(f"{self.name} pool: {len(slots)} slots given back, only {self._held} are out")
        self.bases.extend(slots[::-1] if page == 1 else slots[::page][::-1])

    def expand(self, bases: array[int]) -> array[int]:
        """Return the slots of pages, in order."""
        page = self.page
        if page == 1:
            return bases
        return array("i", chain.from_iterable(range(base, base + page) for base in bases))

    def are_whole(self, slots: array[int]) -> bool:
        """Say whether slots form whole pages in order."""
        page = self.page
        if page == 1:
            return True
        bases = slots[::page]
        return len(slots) % page == 0 and not any(base % page for base in bases) and self.expand(bases) == slots

    def complaints(self, claims: Iterable[Claim]) -> Iterator[str]:
        """Yield what is wrong unless every slot has one owner: somebody of `claims`, or the free list."""
        listed = [*claims, ("the free list", self.expand(self.bases))]
        if self._all_once([*chain.from_iterable(slots for _, slots in listed)]):
            return  # nearly always: who owns what is looked up slot by slot only when it is to be told
        owner: dict[int, str] = {}
        for name, slots in listed:
            for slot in slots:
                if slot in owner:
                    yield f"{self.name} slot {slot}: owned by {owner[slot]} and by {name}"
                if not self.page <= slot < self.total + self.page:
                    yield f"{self.name} slot {slot}: owned by {name}, and no slot of the pool"
                owner[slot] = name
        if len(owner) != self.total:
            missing = [slot for slot in range(self.page, self.total + self.page) if slot not in owner]
            yield f"{self.name} slots: {len(owner)} owned of {self.total}, lost: {missing[:8]}"

    def _all_once(self, slots: list[int]) -> bool:
        """Say whether these are the slots of the pool, each once."""
        first, total = self.page, self.total
        return len(slots) == len(set(slots)) == total and (
            not slots or first <= min(slots) <= max(slots) < first + total
        )

    @property
    def _held(self) -> int:
        return self.total - self.free_slots
