"""Read-only looks at a tree: plain rows for tests and screens, and a printed tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from cache_core.errors import CacheIntegrityError
from cache_core.key import TOKEN_BYTES
from cache_core.node import Node

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache


class NodeView(NamedTuple):
    """One node. `live` and `locks` have one entry per component; `parent` is 0 under the root."""

    id: int
    parent: int
    start: int
    end: int
    first_token: int
    namespace: str
    live: tuple[bool, ...]
    locks: tuple[int, ...]
    hits: int
    priority: int
    depth: int
    copied: tuple[bool, ...] = ()
    """Which copies the host has, with a host tier: one entry per component."""


def walk(cache: PrefixCache) -> Iterator[NodeView]:
    """Yield every node, parents first, children by namespace and then by the tokens of their first page."""
    waiting = [(node, 0) for node in _in_order(cache, cache.tree.root)]
    while waiting:
        node, depth = waiting.pop()
        yield _view(cache, node, depth)
        waiting.extend((child, depth + 1) for child in _in_order(cache, node))


def _in_order(cache: PrefixCache, node: Node) -> list[Node]:
    """Return children last first, since they are taken from the end of a stack."""

    def place(child: Node) -> tuple[str, str, list[int]]:
        space = child.namespace
        return space.extra_key or "", space.cache_salt or "", list(memoryview(child.edge).cast("i"))

    return sorted(cache.tree.children_of(node), key=place, reverse=True)


def _view(cache: PrefixCache, node: Node, depth: int) -> NodeView:
    assert node.parent is not None
    return NodeView(
        node.id,
        node.parent.id,
        node.start,
        node.end,
        int.from_bytes(node.edge[:TOKEN_BYTES], "little", signed=True),
        str(node.namespace),
        tuple(component.is_live(node) for component in cache.components),
        tuple(component.locks(node) for component in cache.components),
        node.hits,
        node.priority,
        depth,
        () if cache.host is None else cache.host.copied(node),
    )


def pretty_print(cache: PrefixCache) -> str:
    """Return the tree as indented text, one node a line: positions, first tokens, state, locks and hits.

    State is a capital for each component on the device, then a small letter for each copy on the host.

    Raises CacheIntegrityError when a child is not found under its own first page.
    """
    lines = []
    for node in cache.tree.descend():
        if not cache.tree.finds(node):
            raise CacheIntegrityError(f"node {node.id} is not where its first page says, below its parent")
    for row in walk(cache):
        state = "".join(
            component.name[0].upper() if live else "-"
            for component, live in zip(cache.components, row.live, strict=True)
        )
        state += "".join(
            component.name[0] for component, copied in zip(cache.components, row.copied, strict=False) if copied
        )
        space = f" [{row.namespace}]" if row.depth == 0 and row.namespace else ""
        locks = f" lock {'/'.join(map(str, row.locks))}" if any(row.locks) else ""
        lines.append(
            f"{'  ' * row.depth}{row.start}..{row.end}  {state}  first {row.first_token}  hits {row.hits}"
            f"{locks}{f' priority {row.priority}' if row.priority else ''}{space}"
        )
    return "\n".join(lines) if lines else "(empty)"
