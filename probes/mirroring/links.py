"""The links between the slots of nodes: who hangs below whom. Figures along the ways are the caller's."""

from __future__ import annotations

from collections.abc import Iterator

from cache_core.events import NodeSplit
from probes.mirroring.columns import Columns
from probes.mirroring.segments import cut_segments, keep_segments, segments_of
from probes.mirroring.slots import NO_SLOT
from probes.mirroring.ways import CARRIED, CARRIED_BYTE, WAY
from probes.mirroring.words import word


def hang(columns: Columns, child: int, parent: int) -> None:
    """Make a node that hangs nowhere the first child of another."""
    first = columns.first_child[parent]
    columns.parent[child] = parent
    columns.next_sibling[child] = first
    columns.previous_sibling[child] = NO_SLOT
    columns.first_child[parent] = child
    columns.child_count[parent] += 1
    if first >= 0:
        columns.previous_sibling[first] = child


def unhang(columns: Columns, child: int) -> None:
    """Take a node from its parent's children; the node itself still says whose it was."""
    parent = columns.parent[child]
    before, after = columns.previous_sibling[child], columns.next_sibling[child]
    if before >= 0:
        columns.next_sibling[before] = after
    else:
        columns.first_child[parent] = after
    if after >= 0:
        columns.previous_sibling[after] = before
    columns.child_count[parent] -= 1


def split(columns: Columns, record: NodeSplit, lower: int, parent: int) -> int:
    """Return the slot of a new node between another, whose first tokens it takes, and its parent.

    Whoever reused the lower node reused the upper one too, and every path that ends in it passes the upper one: hits
    and locks are copied. Tokens are divided by length, exactly when every request used the whole node.
    """
    _, _, id_, above, start, tokens, key, namespace, live, hit_count, priority = record
    _, touched_at, subtree_tokens, subtree_nodes, hits, locks, height, _ = columns.way(lower)
    created_at = columns.created_at[lower]
    upper = columns.add_leaf(
        (created_at, id_, above, start, tokens, key, namespace, live, hit_count, priority, 0, touched_at), parent
    )
    unhang(columns, lower)
    hang(columns, lower, upper)
    CARRIED.pack_into(
        columns.way_rows, upper * WAY.size + CARRIED_BYTE, touched_at, subtree_tokens, subtree_nodes + 1, hits, locks
    )
    columns.raw_height[upper] = height + 1
    columns.raw_subtree_tokens[lower] = word(subtree_tokens - tokens)
    _divide(columns, upper, lower)
    return upper


def _divide(columns: Columns, upper: int, lower: int) -> None:
    """Shorten a node by what another one took of it, and divide what was counted of its tokens and their labels."""
    tokens, whole = columns.length[upper], columns.length[lower]
    end = columns.start[upper] + tokens
    unused, again = columns.unused_tokens[lower], columns.recomputed_tokens[lower]
    if unused or again:
        columns.unused_tokens[upper] = word(-(-unused * tokens // whole))
        columns.recomputed_tokens[upper] = word(again * tokens // whole)
        columns.unused_tokens[lower] = word(unused - columns.unused_tokens[upper])
        columns.recomputed_tokens[lower] = word(again - columns.recomputed_tokens[upper])
    segments = segments_of(columns, lower)
    columns.start[lower] = word(end)
    columns.length[lower] = whole - tokens
    if segments:
        above, below = cut_segments(segments, end)
        keep_segments(columns, upper, above)
        keep_segments(columns, lower, below)


def children(columns: Columns, slot: int) -> Iterator[int]:
    """Yield the slots of a node's children, the newest first."""
    next_sibling = columns.next_sibling
    child = columns.first_child[slot]
    while child >= 0:
        yield child
        child = next_sibling[child]


def at_and_below(columns: Columns, slot: int) -> Iterator[int]:
    """Yield the slots of a node and of everything below it, parents first. The tree must not change meanwhile."""
    first_child, next_sibling = columns.first_child, columns.next_sibling
    waiting = [slot]
    while waiting:
        node = waiting.pop()
        yield node
        child = first_child[node]
        while child >= 0:
            waiting.append(child)
            child = next_sibling[child]


def lies_below(columns: Columns, slot: int, top: int) -> bool:
    """Say whether a node is another one or lies below it."""
    parent = columns.parent
    while slot >= 0:
        if slot == top:
            return True
        slot = parent[slot]
    return False
