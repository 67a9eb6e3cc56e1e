"""KV events: what routers subscribe to, to know which blocks a cache holds. Std library; published from probes.

Two rules of the field shape them: a split tells nothing, since blocks are pages and stay what they are, and
events speak of full attention alone. Our own addition, off by default, tells of every component by its group.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from cache_core.kv_blocks import Group, KVEvent
from cache_core.kv_queue import KVEventQueue
from cache_core.kv_table import DEVICE, HOST, KVBlockTable, PageShape, Told
from cache_core.node import Node
from cache_core.watcher import Watcher

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache

LIMIT_BLOCKS = 1_000_000
"""How many blocks wait for a `take` at most."""

FOLD_CHANGES = 65_536
"""How many changes are kept raw; past this they become events at once."""

BASE = 0
"""The component that keeps nodes in the tree, and the one that is told of without groups."""

_KINDS = {"full": "full_attention", "swa": "sliding_window", "mamba": "mamba"}
"""What consumers call our components."""


class KVEvents(Watcher):
    """Watches a cache and says, at every `take`, which blocks came and went since the last one.

    Made on the cache's thread, where it must also be asked; `close` ends it. It begins with AllBlocksCleared and
    the blocks that are there already. During an operation a change costs one append; hashing waits for `take`.
    When nobody takes, `limit_blocks` bounds what waits: past it events are dropped and counted, and the next
    `take` states everything anew.
    """

    def __init__(self, cache: PrefixCache, *, groups: bool = False, limit_blocks: int = LIMIT_BLOCKS) -> None:
        self._cache = cache
        self._told = _groups(cache) if groups else {BASE: Told()}
        self._queue = KVEventQueue(limit_blocks)
        page = PageShape(cache.page, cache.tree.page_bytes // cache.page)
        self._table = KVBlockTable(page, self._told, self._queue.put)
        self._journal: list[Callable[[], None]] = []
        self._stale = False
        self.cleared()
        for node in cache.tree.descend():
            self.added(node)
            copied = 0 if cache.host is None else cache.host.settled(node)
            for component in self._told:
                if copied >> component & 1:
                    self.backed_up(node, component)
        cache.watch(self)

    @property
    def dropped_blocks(self) -> int:
        """How many blocks were never told of because nobody took."""
        return self._queue.dropped_blocks

    @property
    def nodes(self) -> int:
        """How many nodes' blocks are known, as of the last `take`."""
        return len(self._table)

    def take(self) -> list[KVEvent]:
        """Return what happened since the last call, in order, merged where the field merges."""
        self._fold()
        if self._queue.overrun or self._stale:
            self._queue.take()
            self._stale = False
            whole = KVEventQueue(sys.maxsize)
            for event in self._table.states():
                whole.put(event)
            return whole.take()
        return self._queue.take()

    def restate(self) -> None:
        """Let the next `take` start over: AllBlocksCleared, then every block there is, parents first.

        For consumers that have missed something. It costs a walk over all blocks.
        """
        self._stale = True

    def close(self) -> None:
        """Watch the cache no more."""
        self._cache.unwatch(self)

    # -- what the cache calls ------------------------------------------------------------------------------------

    def added(self, node: Node) -> None:
        """Note a new node."""
        assert node.parent is not None
        pages = (node.namespace, node.start, node.edge)
        self._note(partial(self._table.added, node.id, node.parent.id, pages, self._live(node)))

    def split(self, upper: Node, lower: Node) -> None:
        """Note that `upper` was cut off `lower`."""
        self._note(partial(self._table.split, upper.id, lower.id, (upper.edge, lower.edge)))

    def removed(self, node: Node) -> None:
        """Note that a leaf left the tree."""
        self._note(partial(self._table.removed, node.id))

    def tombstoned(self, node: Node, component: int) -> None:
        """Note that a component's device state left a node."""
        if component in self._told:
            self._note(partial(self._table.lost, node.id, component, DEVICE))

    def recovered(self, node: Node, component: int) -> None:
        """Note that a component's device state came back to a node."""
        if component in self._told:
            self._note(partial(self._table.gained, node.id, component, DEVICE))

    def cleared(self) -> None:
        """Note that the tree is empty."""
        self._note(self._table.cleared)

    def demoted(self, node: Node) -> None:
        """Note that a node gave up its device slots and has its host copy left."""
        self._note(partial(self._table.unloaded, node.id))

    def restored(self, node: Node) -> None:
        """Note that a node has device slots again."""
        self._note(partial(self._table.loaded, node.id, self._live(node)))

    def backed_up(self, node: Node, component: int) -> None:
        """Note that the host copy of a component's state is whole."""
        if component in self._told:
            self._note(partial(self._table.gained, node.id, component, HOST))

    def host_dropped(self, node: Node, component: int) -> None:
        """Note that the host copy of a component's state is gone."""
        if component in self._told:
            self._note(partial(self._table.lost, node.id, component, HOST))

    def _live(self, node: Node) -> int:
        """Return a bit per component that is told of and live on the device."""
        if len(self._told) > 1 or self._cache.host is not None:
            return self._cache.live_mask(node)
        return 1 << BASE

    def _note(self, change: Callable[[], None]) -> None:
        self._journal.append(change)
        if len(self._journal) >= FOLD_CHANGES:
            self._fold()

    def _fold(self) -> None:
        changes, self._journal = self._journal, []
        for change in changes:
            change()


def _groups(cache: PrefixCache) -> dict[int, Told]:
    """Return every component by number, as its group."""
    told = {}
    for component in cache.components:
        window = cache.config.window if component.name == "swa" else None
        kind = _KINDS.get(component.name, component.name)
        told[component.number] = Told(Group(component.number, kind, window), at_end=kind == "mamba")
    return told
