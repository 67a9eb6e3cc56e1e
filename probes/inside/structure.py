"""The tree of an engine's cache, kept beside it by the KV events that the cache makes, for its ring.

An engine that publishes no events makes them for us: whoever switched them on takes them after every call that may
have made some, so that none pile up. Of one that publishes them itself we see what it takes, when it does.

Events are taken on the engine's thread and wait among the records, so that the tree is changed in the order of the
stream by whoever publishes, under the seat's lock: a snapshot never meets a half-changed tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cache_core.event_codec import head
from cache_core.events import CacheReset, Insert, Lock, Match, RawRecord, Unlock
from probes.inside.node import ON_DEVICE, ON_HOST, Name
from probes.inside.node_tree import NOWHERE, NodeTree
from probes.inside.sglang_events import CLEARED, REMOVED, STORED

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

    events: Sequence[Any]
    namespace: int
    at: int

    def blocks(self) -> int:
        """Return how many blocks they are about."""
        return sum(len(names_of(event)) for event in self.events)

    def stored_blocks(self) -> int:
        """Return how many blocks came to the device: those that were hashed."""
        return sum(len(stored_names(event)) for event in self.events)

    def bare(self) -> Happened:
        """Return it without the tokens of its blocks."""
        return Happened([_bare(event) for event in self.events], self.namespace, self.at)


def _bare(event: Any) -> Any:
    if type(event) is tuple:
        return (*event[:3], None, *event[4:6]) if event[0] == STORED else event
    return event


def names_of(event: Any) -> Sequence[Name]:
    """Return the blocks of an event."""
    if type(event) is tuple:
        return event[1] if len(event) > 1 else ()
    return getattr(event, "block_hashes", ())


def stored_names(event: Any) -> Sequence[Name]:
    """Return the blocks that an event says are on the device now."""
    if type(event) is tuple:
        return event[1] if event[0] == STORED and _WHERE.get(_medium(event[5])) == ON_DEVICE else ()
    is_there = _WHERE.get(_medium(getattr(event, "medium", None))) == ON_DEVICE
    return event.block_hashes if is_there and type(event).__name__ == "BlockStored" else ()


@dataclass(frozen=True, slots=True)
class Ends:
    """The engine named nodes, by their last blocks: each of them ends there."""

    names: tuple[Name, ...]
    namespace: int
    at: int


class Structure:
    """The tree of one cache. A record names nodes by their last blocks until it is `numbered`."""

    def __init__(self, tell: Callable[[RawRecord], object], components: int = 1, *, grows: bool = False) -> None:
        self.tree = NodeTree(tell, components, grows=grows)
        self.is_told = True
        """Whether the tree is kept; it is not kept any more once it was let go."""
        self.clears = False
        """Whether an event that all is gone is told: not where a call on the cache tells that anyway."""
        self._tell = tell

    def settle(self, item: Happened | Ends) -> None:
        """Bring the tree up to what happened."""
        if isinstance(item, Ends):
            for name in item.names:
                self.tree.ends(name, item.namespace, item.at)
        else:
            for event in item.events:
                self._apply(event, item.namespace, item.at)

    def numbered(self, record: RawRecord) -> RawRecord:
        """Return a record with the numbers of its nodes in place of their names, -1 of those that are not known."""
        places = _NODES_AT.get(record[0] & _KIND)
        return record if places is None else self._numbered(record, places)

    def let_go(self, at: int) -> None:
        """Keep no tree any more, and have whoever follows it forget it."""
        if self.is_told and self.tree:
            self._tell((_RESET, at))
        self.tree.clear()
        self.is_told = False

    def begin_again(self) -> None:
        """Keep the tree of a cache that is empty now."""
        self.tree.clear()
        self.is_told = True

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
        """Apply an event of either engine: as a tuple, or known by the name of its class and its fields."""
        if type(event) is tuple:
            self._apply_tuple(event, namespace, at)
            return
        kind = type(event).__name__
        where = _WHERE.get(_medium(getattr(event, "medium", None)))
        if kind == "AllBlocksCleared":
            self._cleared(at)
        elif kind == "BlockStored" and where is not None:
            block_tokens = int(event.block_size)
            self.tree.stored(event.block_hashes, event.parent_block_hash, block_tokens, namespace, where, at)
        elif kind == "BlockRemoved" and where is not None:
            self.tree.removed(event.block_hashes, where, at)

    def _apply_tuple(self, event: tuple[Any, ...], namespace: int, at: int) -> None:
        """Apply an event in the form of SGLang's Rust core."""
        kind = event[0]
        if kind == STORED:
            where = _WHERE.get(_medium(event[5]))
            if where is not None:
                self.tree.stored(event[1], event[2], event[4], namespace, where, at)
        elif kind == REMOVED:
            where = _WHERE.get(_medium(event[2]))
            if where is not None:
                self.tree.removed(event[1], where, at)
        elif kind == CLEARED:
            self._cleared(at)
        else:
            raise ValueError(f"an event of a kind that is not known: {str(kind)[:40]}")

    def _cleared(self, at: int) -> None:
        if self.clears and self.tree:
            self._tell((_RESET, at))
        self.tree.clear()


def _medium(told: Any) -> Any:
    return getattr(told, "value", told)
