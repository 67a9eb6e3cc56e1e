"""The tree of an engine's cache, kept beside it by the KV events that the cache makes, for its ring.

An engine that publishes no events makes them for us: whoever switched them on takes them after every call that may
have made some, so that none pile up. Of one that publishes them itself we see what it takes, when it does.

Events are taken on the engine's thread and wait among the records, so that the tree is changed in the order of the
stream by whoever publishes, under the seat's lock: a snapshot never meets a half-changed tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from cache_core.event_codec import head
from cache_core.events import CacheReset, Insert, Lock, Match, RawRecord, Unlock
from probes.inside.node import ON_DEVICE, ON_HOST, Name
from probes.inside.node_tree import NOWHERE, NodeTree

MOST_BLOCKS = 1 << 20
"""Blocks of a tree; one that grows beyond is let go. A block takes about 150 bytes here."""

ROOT = 0
"""The name of the root in place of one, and its number."""

_WHERE = {None: ON_DEVICE, "GPU": ON_DEVICE, "CPU": ON_HOST, "CPU_PINNED": ON_HOST}
_KIND = 0xFFFF
_NODES_AT = {head(Match) & _KIND: (10, 11), head(Insert) & _KIND: (10,), head(Lock) & _KIND: (2,)}
_NODES_AT[head(Unlock) & _KIND] = _NODES_AT[head(Lock) & _KIND]
_NAMESPACE_AT = {head(Match) & _KIND: 3, head(Insert) & _KIND: 3}
"""Where in a raw record nodes are named, and its namespace."""

_RESET = head(CacheReset)


@dataclass(frozen=True, slots=True)
class Happened:
    """Events of the engine, made by a call for a key of a namespace."""

    events: Iterable[Any]
    namespace: int
    at: int


@dataclass(frozen=True, slots=True)
class Ends:
    """The engine named nodes, by their last blocks: each of them ends there."""

    names: tuple[Name, ...]
    namespace: int
    at: int


class Structure:
    """The tree of one cache. A record names nodes by their last blocks until `settle` has seen it."""

    def __init__(self, tell: Callable[[RawRecord], object], components: int = 1, *, grows: bool = False) -> None:
        self.tree = NodeTree(tell, components, grows=grows)
        self.is_told = True
        """Whether the tree is kept; it is not kept any more once it was let go."""
        self.clears = False
        """Whether an event that all is gone is told: not where a call on the cache tells that anyway."""
        self._tell = tell

    def settle(self, item: RawRecord | Happened | Ends) -> RawRecord | None:
        """Bring the tree up to what happened, or return a record with the numbers of its nodes in it."""
        if isinstance(item, tuple):
            places = _NODES_AT.get(item[0] & _KIND)
            return item if places is None else self._numbered(item, places)
        if not self.is_told:
            return None
        if isinstance(item, Ends):
            for name in item.names:
                self.tree.ends(name, item.namespace, item.at)
        else:
            for event in item.events:
                self._apply(event, item.namespace, item.at)
        return None

    def let_go(self, at: int) -> None:
        """Keep no tree any more: whoever follows it is told that nothing is known to be there."""
        if self.is_told and self.tree:
            self._tell((_RESET, at))
        self.tree.clear()
        self.is_told = False

    def snapshot_records(self) -> Iterator[RawRecord]:
        """State the tree."""
        return self.tree.records()

    def _numbered(self, record: RawRecord, places: tuple[int, ...]) -> RawRecord:
        at = _NAMESPACE_AT.get(record[0] & _KIND)
        namespace = None if at is None else record[at]
        words = list(record)
        for place in places:
            name = words[place]
            if name not in (ROOT, NOWHERE):
                words[place] = self.tree.number(name, namespace) if self.is_told else NOWHERE
        return tuple(words)

    def _apply(self, event: Any, namespace: int, at: int) -> None:
        """Apply an event of either engine, known by the name of its class and read by the names of its fields."""
        kind = type(event).__name__
        if kind == "AllBlocksCleared":
            if self.clears and self.tree:
                self._tell((_RESET, at))
            self.tree.clear()
            return
        medium = getattr(event, "medium", None)
        where = _WHERE.get(getattr(medium, "value", medium))
        if where is None:
            return
        if kind == "BlockStored":
            block_tokens = int(event.block_size)
            self.tree.stored(event.block_hashes, event.parent_block_hash, block_tokens, namespace, where, at)
        elif kind == "BlockRemoved":
            self.tree.removed(event.block_hashes, where, at)
