"""The order of siblings in the tree."""

from __future__ import annotations

from collections.abc import Callable

from probes.mirror_node import MirrorNode
from radixtop.tree.rows import Order

SortKey = Callable[[MirrorNode], tuple[int, int]]


def sibling_key(order: Order) -> SortKey:
    """Return the sort key that puts siblings in ascending order; of equals the lower node number comes last."""
    return _KEYS[order]


_KEYS: dict[Order, SortKey] = {
    "tokens": lambda node: (node.subtree_tokens, -node.id),
    "hits": lambda node: (node.hits, -node.id),
    "recent": lambda node: (node.touched_at, -node.id),
}
