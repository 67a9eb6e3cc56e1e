"""Sums over subtrees of the mirror, and the order of siblings that follows from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from probes.mirror import Mirror, MirrorNode
from radixtop.tree.rows import Order


def subtree_tokens(mirror: Mirror) -> dict[int, int]:
    """Return the tokens at and below every node, by its number; two passes over the tree, no recursion."""
    preorder: list[MirrorNode] = []
    waiting = [mirror.root]
    while waiting:
        node = waiting.pop()
        preorder.append(node)
        if node.children:
            waiting.extend(node.children.values())
    sums = {node.id: node.length for node in preorder}
    for node in reversed(preorder):
        if node.parent is not None:
            sums[node.parent.id] += sums[node.id]
    return sums


def sibling_key(order: Order, weights: Mapping[int, int]) -> Callable[[MirrorNode], tuple[int, int]]:
    """Return the sort key that puts siblings in ascending order; ties fall to the lower node number last."""
    if order == "hits":
        return lambda node: (node.hits, -node.id)
    if order == "recent":
        return lambda node: (node.touched_at, -node.id)
    return lambda node: (weights.get(node.id, node.length), -node.id)
