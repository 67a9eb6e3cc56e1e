"""Pages of one kind, handed out from a stack: taking and giving back costs what is moved, not what the pool holds."""

from __future__ import annotations

from array import array
from itertools import chain
from operator import itemgetter

from cache_core.errors import ConfigError, DoubleFreeError, OutOfSlotsError
from cache_core.pool import SlotPool


class PagePool(SlotPool):
    """Pages 1..total/page of `page` slots each; with page size 1 a page is a slot.

    The last page given back is the first one handed out again.
    """

    __slots__ = ("_taken", "free_pages", "name", "page", "totals")

    def __init__(self, name: str, tokens: int, page: int) -> None:
        if tokens < page or tokens % page:
            raise ConfigError(f"{name} pool: {tokens} slots are no whole number of pages of {page}, at least one")
        self.name = name
        self.page = page
        self.totals = (tokens,)
        self.reset()

    def reset(self) -> None:
        """Make every page free; page 1 is on top of the stack."""
        pages = self.totals[0] // self.page
        self.free_pages = array("i", range(pages, 0, -1))
        self._taken = bytearray(pages + 1)

    def free_tokens(self, kind: int = 0) -> int:
        """Return how many slots are free."""
        return len(self.free_pages) * self.page

    def free_slots(self) -> array[int]:
        """Return the free slots."""
        return self.expand(self.free_pages[:])

    def take(self, tokens: int) -> array[int]:
        """Hand out whole pages as slots."""
        return self.expand(self.take_pages(tokens // self.page))

    def release(self, slots: array[int]) -> None:
        """Take back whole pages, given as slots."""
        self.release_pages(self.pages_of(slots))

    def require_whole(self, slots: array[int]) -> None:
        """Raise DoubleFreeError unless the slots form whole pages in order."""
        self.pages_of(slots)

    def take_pages(self, count: int) -> array[int]:
        """Hand out pages; raises OutOfSlotsError when fewer are free."""
        free = self.free_pages
        if count > len(free):
            wanted, have = count * self.page, len(free) * self.page
            raise OutOfSlotsError(f"{self.name} pool: {wanted} slots wanted, {have} of {self.totals[0]} free")
        pages = self.pop_pages(count)
        taken = self._taken
        for page in pages:
            taken[page] = 1
        return pages

    def release_pages(self, pages: array[int]) -> None:
        """Take back pages; raises DoubleFreeError, changing nothing, if one is free or not of this pool."""
        if not pages:
            return
        self.check_taken(pages)
        taken = self._taken
        for page in pages:
            taken[page] = 0
        self.push_pages(pages)

    def pop_pages(self, count: int) -> array[int]:
        """Take pages off the stack and note nothing: for an owner that knows by itself which pages are out."""
        if count <= 0:
            return array("i")
        pages = self.free_pages[-count:]
        del self.free_pages[-count:]
        pages.reverse()
        return pages

    def push_pages(self, pages: array[int]) -> None:
        """Put pages back on the stack and check nothing."""
        pages = pages[:]
        pages.reverse()
        self.free_pages.extend(pages)

    def check_taken(self, pages: array[int]) -> None:
        """Raise DoubleFreeError unless every page is handed out and named once."""
        flags: tuple[int, ...]
        try:
            flags = itemgetter(*pages)(self._taken) if len(pages) > 1 else (self._taken[pages[0]],)
        except IndexError:
            raise DoubleFreeError(f"{self.name} pool: page {max(pages)} is not of this pool") from None
        if 0 in flags or min(pages) < 0:
            bad = pages[flags.index(0)] if 0 in flags else min(pages)
            raise DoubleFreeError(f"{self.name} pool: page {bad} is given back but not handed out")
        if len(pages) > 1 and len(set(pages)) < len(pages):
            raise DoubleFreeError(f"{self.name} pool: a page is given back twice in one call")

    def expand(self, pages: array[int]) -> array[int]:
        """Return the slots of pages, in order."""
        size = self.page
        if size == 1:
            return pages
        return array("i", chain.from_iterable(range(page * size, page * size + size) for page in pages))

    def pages_of(self, slots: array[int]) -> array[int]:
        """Return the pages of slots that form whole pages in order; raises DoubleFreeError for loose slots."""
        size = self.page
        if size == 1:
            return slots
        pages = array("i", [slot // size for slot in slots[::size]])
        if len(slots) % size or self.expand(pages) != slots:
            raise DoubleFreeError(f"{self.name} pool: slots are given back that form no whole pages of {size}")
        return pages
