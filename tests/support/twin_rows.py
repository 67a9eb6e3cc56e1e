"""Every node of a cache, or of the model, as a row of all that can be compared."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import NamedTuple

from cache_core import PrefixCache
from cache_core.node import Node
from tests.support.naive_cache import NaiveCache
from tests.support.naive_tree import Units, below


class TwinRow(NamedTuple):
    """One node: where it is, what it has on either tier, what holds it, and what ranks it."""

    namespace: tuple[str | None, str | None]
    key: Units
    start: int
    device: tuple[bool, bool, bool]
    host: tuple[bool, bool, bool]
    pending: bool
    locks: tuple[int, int, int]
    host_lock: int
    hits: int
    priority: int


def units_of(cache: PrefixCache, node: Node) -> Units:
    """Return the units on a node's edge: tokens, or pairs of them."""
    packed = array("i", node.edge)
    return tuple(zip(packed[::2], packed[1::2], strict=True)) if cache.config.bigram else tuple(packed)


def real_rows(cache: PrefixCache) -> Iterator[tuple[Node, TwinRow]]:
    """Yield every node and its row, parents first."""
    keys: dict[int, Units] = {cache.tree.root.id: ()}
    for node in cache.tree.descend():
        assert node.parent is not None
        key = keys[node.id] = keys[node.parent.id] + units_of(cache, node)
        assert (node.start, node.end) == (len(key) - node.length, len(key))
        yield node, _row(cache, node, key)


def _row(cache: PrefixCache, node: Node, key: Units) -> TwinRow:
    window, mamba = cache.window, cache.mamba
    return TwinRow(
        (node.namespace.extra_key, node.namespace.cache_salt),
        key,
        node.start,
        (
            cache.full.is_live(node),
            window is not None and window.is_live(node),
            mamba is not None and mamba.is_live(node),
        ),  # type: ignore[arg-type]
        _on_host(cache, node),
        cache.host is not None and node.pending != 0,  # type: ignore[attr-defined]
        (node.lock, 0 if window is None else window.locks(node), 0 if mamba is None else mamba.locks(node)),  # type: ignore[arg-type]
        0 if cache.host is None else node.host_lock,  # type: ignore[attr-defined]
        node.hits,
        node.priority,
    )


def _on_host(cache: PrefixCache, node: Node) -> tuple[bool, bool, bool]:
    """Say of what the host has a copy: Full, window, state."""
    if cache.host is None:
        return (False, False, False)
    copied = cache.host.copied(node)
    numbers = [None if component is None else component.number for component in (cache.window, cache.mamba)]
    return (copied[0], *(number is not None and copied[number] for number in numbers))  # type: ignore[return-value]


def naive_rows(cache: NaiveCache) -> Iterator[TwinRow]:
    """Yield the row of every node of the model."""
    window = cache.window is not None
    for space, root in cache.roots.items():
        for node in below(root):
            key = node.key
            yield TwinRow(
                (space if isinstance(space, str) else None, None),
                key,
                len(key) - len(node),
                (node.full, window and node.live, node.state),
                (node.host_full, node.host_live, node.host_state),
                cache.is_pending(node),
                (node.full_lock, node.swa_lock if window else 0, node.state_lock),
                node.host_lock,
                node.hits,
                node.priority,
            )


def brief(rows: set[TwinRow]) -> list[tuple[object, ...]]:
    """Return rows without all but the first and last unit of their keys, for a message."""
    return sorted((row.namespace, len(row.key), (row.key[row.start], row.key[-1]), *row[2:]) for row in rows)
