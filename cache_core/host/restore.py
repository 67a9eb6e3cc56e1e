"""The ways between the tiers: a leaf that is demoted to the host, and a node that comes back to the device."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from cache_core.host.node import TieredNode, hang_on_host, take_off_host
from cache_core.node import NO_SLOTS

if TYPE_CHECKING:
    from cache_core.host_tier import HostTier
    from cache_core.insertion import Write


def demote(tier: HostTier, node: TieredNode, parent: TieredNode) -> None:
    """Keep a leaf that gave up everything it had on the device, below `parent`, with its copies on the host."""
    node.values = NO_SLOTS
    node.offset = 0
    hang_on_host(tier.cache.tree, node, parent)
    tier.away_nodes += 1
    for copies in tier.copies:
        copies.left_alone(node)
    tier.room.note(node)
    tier.announcements.off_device(node)
    if tier.cache.watcher is not None:
        tier.cache.watcher.demoted(node)


def restore(tier: HostTier, node: TieredNode, slots: array[int]) -> None:
    """Give a node that is on the host alone, below one on the device, Full slots; its copies stay."""
    cache = tier.cache
    parent = take_off_host(cache.tree, node)
    tier.away_nodes -= 1
    if parent.is_evictable:
        cache.full.evictor.withdraw(parent)
    cache.tree.reattach(node, parent)
    for hook in cache.attach_hooks:
        hook(node)
    node.values = slots
    node.offset = 0
    cache.full.evictable += node.length
    cache.full.evictor.offer(node)
    tier.room.note(node)
    if cache.watcher is not None:
        cache.watcher.restored(node)
    tier.announcements.on_device(node)


def restore_from(tier: HostTier, node: TieredNode, job: Write) -> None:
    """Restore a node with the newcomer's slots. Its window is live from where the newcomer's is.

    A node that reaches across is split there.
    """
    begin, end = node.start, node.end
    restore(tier, node, job.slots[begin - job.base : end - job.base])
    job.adopt("full", begin, end)
    window = tier.cache.window
    if window is None or job.live_from >= end:
        return
    cut = max(begin, job.live_from)
    if cut > begin:
        tier.cache.split(node, (cut - begin) * tier.cache.unit_bytes)
    assert job.peers is not None
    job.adopt(window.name, cut, end)
    window.load(node, job.peers[cut - job.base : end - job.base])  # type: ignore[arg-type]
