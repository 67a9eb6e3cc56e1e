"""The chunk cache: no reuse at all. What a served model costs without a prefix cache."""

from __future__ import annotations

from collections.abc import Iterable

from cache_core.branching import floor_page
from cache_core.cache import PrefixCache
from cache_core.checks import checked_count, require_range
from cache_core.emission import emit_match
from cache_core.key import RadixKey
from cache_core.loans import as_slots
from cache_core.request import Request
from cache_core.results import InsertResult, MatchResult


class ChunkRequest(Request):
    """A request that keeps its own slots until it ends; nothing of it is written back."""

    __slots__ = ()

    def _span(self, window: int, page: int) -> int:
        return window

    def _write_back(self) -> None:
        self._free_behind(self.length - 1)

    def _insert_all(self) -> int:
        return 0


class ChunkCache(PrefixCache):
    """Every match is 0 and an insert keeps nothing: the control."""

    request_class = ChunkRequest
    reuses = False

    def match_prefix(self, key: RadixKey, tokens: int, request: int) -> MatchResult:
        """Return no hit."""
        self.require_thread()
        began = self.clock() if self.times is not None else 0
        found = MatchResult(self, self.tree.root, 0, 0, None)
        if self.sink is not None:
            emit_match(self, began, (key.namespace.id, tokens, request), self.tree.root, found)
        return found

    def insert(
        self,
        key: RadixKey,
        slots: Iterable[int],
        owned_tokens: int = 0,
        swa_from: int = 0,
        priority: int = 0,
        state_slot: int = 0,
    ) -> InsertResult:
        """Give the slots back and keep nothing."""
        self.require_thread()
        given = as_slots(slots)
        owned_tokens, swa_from = checked_count("owned_tokens", owned_tokens), checked_count("swa_from", swa_from)
        end = floor_page(len(key), self.page)
        require_range(self, end, len(given), owned_tokens, swa_from)
        self.free(given[owned_tokens:end])
        if state_slot:
            self.free_state(state_slot)
        return InsertResult(0, self.tree.root)
