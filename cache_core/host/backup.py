"""Copying to the host: what an insert made worth it, a last window that the host lacks, and what is being evicted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from cache_core.host.copies import Copies
from cache_core.host.flights import Copied
from cache_core.host.node import TieredNode
from cache_core.host.transfer import Slots

if TYPE_CHECKING:
    from cache_core.host_tier import HostTier


def copy(tier: HostTier, node: TieredNode, spare_above: TieredNode | None) -> dict[int, Slots] | None:
    """Give a node copies of what it has on the device alone; None when there is no room for its Full data.

    A window or a state for which there is no room is left out: the copy of the Full data is of use without.
    """
    parts: dict[int, Slots] = {}
    full = tier.copies[0]
    if node.copies[0] is None:
        if not tier.room.for_full(node.length, spare_above):
            return None
        parts[0] = full.take(node)
    for copies in tier.copies[1:]:
        if copies.lack(node) and tier.room.for_auxiliary(copies, copies.component.size(node), spare_above):
            parts[copies.number] = copies.take(node)
    return parts


def back_up(tier: HostTier, node: TieredNode, grew: bool) -> None:
    """Copy what the insert that ended on `node` made worth it; `grew` says that it made a new leaf."""
    threshold = tier.threshold
    if threshold is None or node.parent is None:
        return
    if node.copies[0] is None:
        _back_up_path(tier, node, threshold)
    if not grew and node.copies[0] is not None and not node.pending:
        tier.flights.send(_increment(tier, node))


def _back_up_path(tier: HostTier, end: TieredNode, threshold: int) -> None:
    """Copy, root first, what the host lacks of a path down to the deepest node with hits enough."""
    missing: list[TieredNode] = []
    for node in end.upward():
        if node.copies[0] is not None:
            break
        if missing or node.hits >= threshold:
            missing.append(node)
    copied: dict[TieredNode, dict[int, Slots]] = {}
    for node in reversed(missing):
        parts = copy(tier, node, end)
        if parts is None:
            break
        copied[node] = parts
        tier.room.note(node)
    tier.flights.send(copied)


def _increment(tier: HostTier, end: TieredNode) -> Copied:
    """Copy what a match that ends on a node which is on the host needs beside Full, where the host lacks it."""
    copied: dict[TieredNode, dict[int, Slots]] = {}
    for copies in tier.copies[1:]:
        nodes = _to_copy(copies, end)
        if nodes and tier.room.for_auxiliary(copies, sum(copies.component.size(node) for node in nodes), end):
            for node in nodes:
                copied.setdefault(node, {})[copies.number] = copies.take(node)
    return copied


def _to_copy(copies: Copies, end: TieredNode) -> list[TieredNode]:
    """Return the nodes whose state of one kind the host lacks for a match to end on `end`, root first.

    It stops at a node that neither tier has it of, and at one that a copy under way covers: that one is responsible
    for it and what is above.
    """
    nodes: list[TieredNode] = []
    for node in cast("Iterator[TieredNode]", copies.component.needs(end)):
        on_host = node.copies[copies.number] is not None
        if node.pending or not (on_host or copies.component.is_live(node)):
            break
        if not on_host:
            nodes.append(node)
    return nodes[::-1]


def save(tier: HostTier, node: TieredNode) -> bool:
    """Writing back: copy an evictable leaf before its slots go; False if there is no room for its Full data.

    The transfer holds nothing on the device: the slots are free at once, and who uses them next comes after it.
    """
    parts = copy(tier, node, None)
    if parts is None:
        return False
    tier.flights.send({node: parts}, locked=False)
    return True
