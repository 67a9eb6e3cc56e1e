"""What a test sees of a cache: its nodes as rows, its tree as text, its pools as numbers."""

from __future__ import annotations

from array import array
from typing import NamedTuple

from cache_core import PrefixCache
from cache_core.node import Node


class Row(NamedTuple):
    """One node. `key` are all tokens from the root to its end, of a pair the first.

    `live` says that its window data is present, `state` that it has a recurrent state, both on the device; `away`
    that it is on the host alone. `copies` has the first letter of each component that the host has a copy of.
    """

    namespace: tuple[str | None, str | None]
    key: tuple[int, ...]
    start: int
    length: int
    live: bool
    full_lock: int
    swa_lock: int
    hits: int
    priority: int
    state: bool = False
    away: bool = False
    copies: str = ""


class Counts(NamedTuple):
    """One pool, in tokens."""

    free: int
    evictable: int
    protected: int
    held: int
    total: int


def walk(cache: PrefixCache) -> list[tuple[Node, Row]]:
    """Return every node and its row, preorder, siblings by namespace and first page."""
    has_window, mamba = "swa" in cache.config.components, cache.mamba
    step = 2 if cache.config.bigram else 1
    found: list[tuple[Node, Row]] = []

    def place(node: Node) -> tuple[str, tuple[int, ...]]:
        return str(node.namespace), tuple(array("i", node.edge)[::step])

    def add(parent: Node, above: tuple[int, ...]) -> None:
        for node in sorted(cache.tree.children_of(parent), key=place):
            key = above + place(node)[1]
            assert (node.start, node.end) == (len(above), len(key))
            live, swa_lock = (cache.window.is_live(node), node.swa_lock) if has_window else (False, 0)
            space = node.namespace.extra_key, node.namespace.cache_salt
            state = mamba is not None and mamba.is_live(node)
            row = Row(space, key, node.start, node.length, live, node.lock, swa_lock, node.hits, node.priority, state)
            found.append((node, row._replace(away=not cache.full.is_live(node), copies=copies_of(cache, node))))
            add(node, key)

    add(cache.tree.root, ())
    return found


def copies_of(cache: PrefixCache, node: Node) -> str:
    """Return the first letter of each component that the host has a copy of."""
    copied = () if cache.host is None else cache.host.copied(node)
    return "".join(component.name[0] for component, has in zip(cache.components, copied, strict=False) if has)


def rows(cache: PrefixCache) -> list[Row]:
    """Return every node as a row, in the order of `walk`."""
    return [row for _, row in walk(cache)]


def shape(cache: PrefixCache) -> str:
    """Return the tree as "start+length" per node and what the node has besides Full slots.

    With a window component S marks live nodes and t tombstones; M marks those with a recurrent state. A node on the
    host alone has "-" instead. Small letters are its copies on the host.
    """
    has_window = "swa" in cache.config.components
    return " ".join(f"{row.start}+{row.length}{_state(row, has_window)}{row.copies}" for row in rows(cache))


def _state(row: Row, has_window: bool) -> str:
    return "-" if row.away else ("S" if row.live else "t") * has_window + "M" * row.state


def locks(cache: PrefixCache) -> str:
    """Return the locks of the tree as "full/window" per node, in the order of `shape`."""
    return " ".join(f"{row.full_lock}/{row.swa_lock}" for row in rows(cache))


def ledger(cache: PrefixCache) -> dict[str, Counts]:
    """Return the pools by component, as `stats` states them."""
    return {name: Counts(**pool) for name, pool in cache.stats()["components"].items()}


def free(cache: PrefixCache) -> tuple[int, ...]:
    """Return the free tokens of each pool, Full first."""
    return tuple(pool.free for pool in ledger(cache).values())


def reusable(cache: PrefixCache) -> tuple[int, ...]:
    """Return free plus evictable tokens of each pool: all of it once no request is left."""
    return tuple(pool.free + pool.evictable for pool in ledger(cache).values())


def everything(cache: PrefixCache) -> object:
    """Return all that an operation could have changed."""
    order = cache.window.oldest_first() if cache.window is not None else []
    ages = [(node.id, node.access, node.created) for node in cache.tree.descend()]
    out = sorted(cache.loans.pairs()), sorted(cache.state_loans), sorted(cache.requests), len(cache.receipts)
    return rows(cache), ledger(cache), order, ages, out
