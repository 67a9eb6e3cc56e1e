"""Where the tree of a cache comes from: the KV events that its engine makes, taken on the engine's own thread.

Where nobody asked an engine for events, they are switched on while a cache is made. They must then be taken from it
for as long as it lives, for they pile up otherwise.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from probes.inside.block_names import BlockNames
from probes.inside.seat import CacheSeat
from probes.inside.sglang_events import Source
from probes.inside.structure import ROOT, Ends, Happened
from probes.inside.wrapping import MOST_NS, clock

TREE = "RADIXTOP_PROBE_TREE"
"""Set to 0 to have no KV events switched on: without them there is no tree."""


def is_wanted() -> bool:
    """Say whether a tree is wanted of the caches of this process."""
    return os.environ.get(TREE, "1") != "0"


class EventTap:
    """Takes the events of one cache. Not to be used by two threads."""

    def __init__(self, seat: CacheSeat, source: Source | None) -> None:
        """`source` is where events are taken that were switched on for us; None where the engine publishes them."""
        self._seat = seat
        self.names = BlockNames(by_nodes=source is not None and source.names_nodes)
        self.taken_at = 0
        """When the call ended that events were taken of last."""
        self._source = source
        assert seat.keeper is not None, "a tap without a tree"
        self._keeper = seat.keeper
        self._structure = seat.keeper.structure
        self._structure.clears = source is None
        self._is_quiet = False

    def take(self, cache: Any, namespace: int, at: int, end: Any = None) -> None:
        """Take what events a cache has: those of a call for a key of a namespace, that ended at a node.

        Raises no error of the engine.
        """
        if self._source is None or self._is_quiet:
            return
        self.taken_at = at
        seat = self._seat
        began = clock()
        seat.inside.add("events")  # what is wrapped of it is for the engine's own calls
        try:
            events = self._source.take(cache)
        except Exception as error:  # noqa: BLE001 - the call that we are in was told, and goes on
            seat.let_tree_go(f"its events cannot be taken: {type(error).__name__}: {error}")
            events = ()
        finally:
            seat.inside.discard("events")
        if events:
            self._tell(cache, events, namespace, at)
            if end is not None and not self._source.names_nodes:
                self.names.learn(cache, end, events)
            took_ns = clock() - began
            self._keeper.spent_ns += took_ns
            seat.telling_ns -= min(took_ns, MOST_NS)  # the wrapper around the call counts it as well

    def emptied(self, cache: Any) -> None:
        """Take note that the cache is empty: a tree that was too dear is kept again."""
        if self._source is not None and self._keeper.may_begin_again():
            switch_on(cache)
            self._is_quiet = False
            self._keeper.begin_again()

    def published(self, cache: Any, events: Iterable[Any]) -> None:
        """Take a copy of what the engine takes for its own publisher."""
        if self._source is None:
            self._tell(cache, events, 0, clock())

    def ends(self, names: Iterable[Any], namespace: int, at: int) -> None:
        """Say that the engine has nodes that end with these blocks."""
        if self._structure.is_told:
            told = tuple(name for name in names if name not in (ROOT, -1))
            if told:
                self._seat.tell(Ends(told, namespace, at))

    def _tell(self, cache: Any, events: Iterable[Any], namespace: int, at: int) -> None:
        if not self._structure.is_told:
            self._is_quiet = self._source is not None and switch_off(cache)
            return
        happened = Happened(list(events), namespace, at)
        if self._source is not None:
            self._keeper.spent_ns += happened.stored_blocks() * self._source.block_ns
        self._seat.tell(happened)


def switch_on(cache: Any) -> None:
    """Have a cache that was switched off make events again."""
    recorder = _recorder_of(cache)
    pool = getattr(cache, "block_pool", None)
    if recorder is not None:
        recorder.enabled = True
    elif pool is not None:
        pool.enable_kv_cache_events = True


def switch_off(cache: Any) -> bool:
    """Have a cache make no more events. Returns False where it goes on: they must still be taken from it."""
    recorder = _recorder_of(cache)
    if recorder is not None:
        recorder.enabled = False
        recorder.take()
        return True
    pool = getattr(cache, "block_pool", None)
    if pool is not None:
        pool.enable_kv_cache_events = False
    return pool is not None


def _recorder_of(cache: Any) -> Any:
    """Return the recorder of SGLang's Python core, which asks each time whether it is enabled."""
    for owner in (getattr(cache, "tree_core", None), cache):
        recorder = getattr(owner, "kv_events", None)
        if recorder is not None and hasattr(recorder, "_queue"):
            return recorder
    return None


def take_for_ever(cache: Any) -> None:
    """Throw away what events a cache makes, after each insert and eviction, without any other part of ours."""
    if switch_off(cache) or "insert" in vars(cache):
        return

    def emptied(name: str) -> Any:
        method = getattr(type(cache), name)

        def call(*arguments: Any, **keywords: Any) -> Any:
            result = method(cache, *arguments, **keywords)
            with suppress(Exception):  # an engine's error of that kind is one of its own calls'
                cache.take_events()
            return result

        return call

    for name in ("insert", "evict", "evict_for_alloc"):
        if hasattr(type(cache), name):
            setattr(cache, name, emptied(name))
