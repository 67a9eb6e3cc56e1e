"""Full slots with sliding-window peers: taken together, given back together or the window first."""

from __future__ import annotations

from array import array
from operator import itemgetter

from cache_core.errors import DoubleFreeError, OutOfSlotsError
from cache_core.pool import SlotPool
from cache_core.pools.page import PagePool


class PairedPool(SlotPool):
    """Two page pools and the map from Full pages to their window pages (0 = none).

    The map is what says whether a Full page has a live window peer, and the only way to find it: a window page
    must be given back before its Full page is. It is also what a second give-back of a window page is known by.
    """

    __slots__ = ("full", "page", "peer", "totals", "window")

    def __init__(self, full_tokens: int, window_tokens: int, page: int) -> None:
        self.page = page
        self.full = PagePool("full", full_tokens, page)
        self.window = PagePool("swa", window_tokens, page)
        self.totals = (full_tokens, window_tokens)
        self.peer = array("i", bytes(4 * (full_tokens // page + 1)))

    def reset(self) -> None:
        """Make every page of both kinds free."""
        self.full.reset()
        self.window.reset()
        self.peer = array("i", bytes(4 * len(self.peer)))

    def free_tokens(self, kind: int) -> int:
        """Return the free slots: kind 0 is full, kind 1 the sliding window."""
        return self.window.free_tokens() if kind else self.full.free_tokens()

    def free_slots(self) -> array[int]:
        """Return the free Full slots."""
        return self.full.free_slots()

    def take(self, tokens: int) -> array[int]:
        """Hand out Full slots with a window peer each; raises OutOfSlotsError when either kind is short."""
        count = tokens // self.page
        if count > len(self.full.free_pages) or count > len(self.window.free_pages):
            short = self.full if count > len(self.full.free_pages) else self.window
            raise OutOfSlotsError(
                f"{short.name} pool: {tokens} slots wanted, {short.free_tokens()} of {short.totals[0]} free"
            )
        pages = self.full.take_pages(count)
        peer = self.peer
        for page, window_page in zip(pages, self.window.pop_pages(count), strict=True):
            peer[page] = window_page
        return self.full.expand(pages)

    def release(self, slots: array[int]) -> None:
        """Take back Full slots and their window peers; each must still have its peer."""
        pages = self.full.pages_of(slots)
        if pages:
            self.full.check_taken(pages)
            self._release_peers(pages)
            self.full.release_pages(pages)

    def require_whole(self, slots: array[int]) -> None:
        """Raise DoubleFreeError unless the Full slots form whole pages in order."""
        self.full.pages_of(slots)

    def release_window(self, slots: array[int]) -> None:
        """Take back the window peers of Full slots; the Full slots stay handed out."""
        pages = self.full.pages_of(slots)
        if pages:
            self.full.check_taken(pages)
            self._release_peers(pages)

    def release_full(self, slots: array[int]) -> None:
        """Take back Full slots whose window peers are gone already."""
        pages = self.full.pages_of(slots)
        if not pages:
            return
        if any(self._peers(pages)):
            raise DoubleFreeError("full pool: slots are given back whose window peers are still live")
        self.full.release_pages(pages)

    def move_window(self, source: array[int], target: array[int]) -> None:
        """Give the window peers of `source` to the Full slots `target`, which have none.

        The map of the source is cleared first, so that a slot in both keeps its peer.
        """
        from_pages, to_pages = self.full.pages_of(source), self.full.pages_of(target)
        peers = self._peers(from_pages)
        peer = self.peer
        for page in from_pages:
            peer[page] = 0
        for page, window_page in zip(to_pages, peers, strict=True):
            assert not peer[page], f"{page=} has a window peer"
            peer[page] = window_page

    def window_slots(self, slots: array[int]) -> array[int]:
        """Return the window slot of each Full slot, 0 where there is none. Slots may be any, in any order."""
        size = self.page
        if size == 1:
            return array("i", self._peers(slots))
        peers = self._peers(array("i", [slot // size for slot in slots]))
        return array("i", [page * size + slot % size if page else 0 for page, slot in zip(peers, slots, strict=True)])

    def _peers(self, pages: array[int]) -> tuple[int, ...]:
        if len(pages) > 1:
            return itemgetter(*pages)(self.peer)  # type: ignore[no-any-return]
        return (self.peer[pages[0]],) if pages else ()

    def _release_peers(self, pages: array[int]) -> None:
        peers = self._peers(pages)
        if 0 in peers:
            raise DoubleFreeError(f"swa pool: the window peer of page {pages[peers.index(0)]} is given back twice")
        self.window.push_pages(array("i", peers))
        peer = self.peer
        for page in pages:
            peer[page] = 0
