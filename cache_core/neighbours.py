"""How far a new node agrees with those beside it inside its first page, where no match can end."""

from __future__ import annotations

from itertools import chain, islice

from cache_core.backend import Backend
from cache_core.node import Node

MOST_NEIGHBOURS = 128
"""So many of a node's neighbours are asked, the newest ones: there may be as many as prompts."""


def agreed_units(tree: Backend, node: Node, page_bytes: int) -> int:
    """Return how many positions of a node's first page are the same in a neighbour of its namespace.

    It costs a look at each neighbour, and a comparison for each position that agrees.
    """
    parent = node.parent
    assert parent is not None, f"{node.id=} is not in the tree"
    others = [getattr(parent, name) for name in tree.other_children]
    if len(parent.children) + sum(map(len, others)) < 2:
        return 0
    page, unit, prefix = node.edge[:page_bytes], node.unit_bytes, node.namespace.prefix
    agreed, most = 0, len(page) // unit
    wanted = page[:unit]
    for beside in islice(chain(*(reversed(each.values()) for each in (parent.children, *others))), MOST_NEIGHBOURS):
        if beside is node or beside.namespace.prefix != prefix:
            continue
        while agreed < most and beside.edge.startswith(wanted):
            agreed += 1
            wanted = page[: (agreed + 1) * unit]
    return agreed
