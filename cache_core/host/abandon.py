"""Giving up a transfer that could not be made: the way out for whoever makes the copies.

A backup leaves no copy behind. So nothing below it that needs it stays on the host, and a node that has left the
device meanwhile leaves the tree. What was to be loaded was never there: it leaves the device and is on the host alone
again. Neither is possible while somebody relies on it, who then has to let go first.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from cache_core.emission import emit_changes
from cache_core.errors import LockError
from cache_core.eviction import drop_auxiliary, remove_leaf
from cache_core.host.node import TieredNode, below
from cache_core.host.transfer import Flight
from cache_core.tally import EvictTally

if TYPE_CHECKING:
    from cache_core.host_tier import HostTier


def abandon(tier: HostTier, flight: Flight) -> None:
    """Undo a transfer under way. Raises LockError, changing nothing, while its data is relied on."""
    if flight.transfer.direction == "load":
        _abandon_load(tier, flight)
    else:
        _abandon_backup(tier, flight)
    emit_changes(tier.cache)


# -- backups -------------------------------------------------------------------------------------------------------


def _abandon_backup(tier: HostTier, flight: Flight) -> None:
    lost = [node for node, mask in flight.nodes.items() if mask & 1]
    lost += _left_hanging(tier, lost)
    _require_unread(tier, flight, {*lost, *flight.nodes})
    tier.flights.end(flight)
    for node, mask in flight.nodes.items():
        for copies in tier.copies:
            if mask >> copies.number & 1:
                copies.drop(node)  # nobody was told of a copy that was not whole
    for node in sorted(set(lost), key=lambda node: -node.start):
        tier.room.drop(node)
    emit_changes(tier.cache)
    tier.flights.release(flight)


def _left_hanging(tier: HostTier, lost: list[TieredNode]) -> list[TieredNode]:
    """Return the nodes whose copies are of no use without those of `lost`.

    Writing through, copies are a piece from the root. Writing back, nodes on the host alone go on from their parents.
    """
    tops = [node for node in lost if node.is_away] if tier.writes_back else lost
    return [
        deep
        for top in tops
        for deep in below(tier.cache.tree, top)
        if deep.copies[0] is not None and deep not in lost
    ]


def _require_unread(tier: HostTier, flight: Flight, nodes: set[TieredNode]) -> None:
    """Raise LockError if another transfer reads or writes one of the nodes' copies."""
    others = sorted(
        number
        for number, other in tier.under_way.items()
        if other is not flight and not nodes.isdisjoint(other.nodes)
    )
    if others:
        raise LockError(
            f"transfer {flight.transfer.id} cannot be abandoned: transfers {others} go on from its copies; "
            "complete or abandon these first"
        )


# -- loads ---------------------------------------------------------------------------------------------------------


def _abandon_load(tier: HostTier, flight: Flight) -> None:
    cache = tier.cache
    restored = [node for node, mask in flight.nodes.items() if mask & 1]
    top = min(restored, key=lambda node: node.start, default=None)
    under = [] if top is None else [top, *below(tier.cache.tree, top)]
    lost = {
        deep
        for node in under
        if not node.is_away and node.copies[0] is None
        for deep in (node, *below(tier.cache.tree, node))
    }
    _require_unused(tier, flight, lost)
    tier.flights.release(flight)
    tally = EvictTally([0] * len(cache.components))
    tier.saves_leaves = False
    for node in reversed(under):
        if not node.is_away:
            remove_leaf(cache, node, 0, tally)
        elif node in lost:
            tier.room.drop(node)
    tier.saves_leaves = True
    for node, mask in flight.nodes.items():
        if not mask & 1:
            drop_auxiliary(cache, node, min(c.number for c in cache.components if mask >> c.number & 1), tally)
    tier.flights.end(flight)  # until now it kept the copies: they are all there is of what was to be loaded


def _require_unused(tier: HostTier, flight: Flight, lost: set[TieredNode]) -> None:
    """Raise LockError if anybody but the transfer holds what it loads, or a transfer what leaves the tree with it."""
    cache = tier.cache
    held = {
        node
        for node, mask in flight.nodes.items()
        for component in cache.components
        if mask >> component.number & 1 and (node.lock if not component.number else component.locks(node)) > 1
    }
    busy = {node for node in lost if node.host_lock}
    if not held and not busy:
        return
    requests = sorted(
        number
        for number, request in cache.requests.items()
        if request.receipt is not None and not held.isdisjoint(request.receipt.node.upward())
    )
    transfers = sorted(
        number
        for number, other in tier.under_way.items()
        if other is not flight and not (held | busy).isdisjoint([*other.nodes, *_anchored(other)])
    )
    raise LockError(
        f"transfer {flight.transfer.id} cannot be abandoned: what it loads is held by requests {requests}, "
        f"transfers {transfers} and receipts; retract, complete or abandon, and unlock these first"
    )


def _anchored(flight: Flight) -> Iterable[TieredNode]:
    return () if flight.anchor is None else flight.anchor.upward()
