"""Loading back: what the host has of a path becomes device data again, for a request that hit it."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from cache_core.errors import OutOfSlotsError
from cache_core.eviction import evict_each
from cache_core.host.match import deepest_resident
from cache_core.host.node import TieredNode
from cache_core.host.restore import restore
from cache_core.host.transfer import Slots
from cache_core.lock import hold, let_go

if TYPE_CHECKING:
    from cache_core.host_tier import HostTier
    from cache_core.request import Request

Plan = dict[TieredNode, list[int]]
"""Nodes, root first, and the numbers of the components whose state each lacks on the device."""


def load(tier: HostTier, best: TieredNode, asker: Request) -> bool:
    """Bring what a match of a request may end on to the device; False, with evictions only, if it is not worth it or
    has no room.

    While room is made, what is about to be read is held, and what the device has of the path.
    """
    plan = _plan(tier, best)
    sizes = [0] * len(tier.copies)
    for node, numbers in plan.items():
        for number in numbers:
            sizes[number] += tier.cache.components[number].size(node)
    if not plan or (sizes[0] < tier.cache.config.load_back_tokens and not any(sizes[1:])):
        return False
    held = hold(tier.cache, deepest_resident(best))
    path = list(best.upward())
    for node in path:
        node.host_lock += 1
    try:
        slots = _take(tier, sizes, asker)
    finally:
        for node in path:
            node.host_lock -= 1
    if slots is not None:
        _commit(tier, plan, slots)
    let_go(tier.cache, held)
    return slots is not None


def _plan(tier: HostTier, best: TieredNode) -> Plan:
    """Return what the device lacks for a match to end on `best`."""
    lacking: Plan = {node: [] for node in reversed([*best.upward()])}
    for component in tier.cache.components:
        for node in component.needs(best):
            if not component.is_live(node):
                lacking[node].append(component.number)  # type: ignore[index]
    return {node: numbers for node, numbers in lacking.items() if numbers}


def _take(tier: HostTier, sizes: list[int], asker: Request) -> list[array[int]] | None:
    """Take slots of each component, evicting what that takes; None, with none taken, if some pool is short."""
    components = tier.cache.components
    shortfalls = [max(0, size - component.pool.free_slots) for size, component in zip(sizes, components, strict=True)]
    if any(shortfalls):
        evict_each(tier.cache, shortfalls, asker)
    taken: list[array[int]] = []
    try:
        for size, component in zip(sizes, components, strict=True):
            taken.append(component.pool.take(size))
    except OutOfSlotsError:
        for slots, component in zip(taken, components, strict=False):
            component.pool.give(slots)
        return None
    return taken


def _commit(tier: HostTier, plan: Plan, taken: list[array[int]]) -> None:
    """Make device data of what is loaded, from now on, and queue the transfer that fills it."""
    tier.cache.tick += 1  # what is loaded is used after all that the match renewed
    used = [0] * len(taken)
    copied: dict[TieredNode, dict[int, Slots]] = {}
    for node, numbers in plan.items():
        copied[node] = {}
        for number in numbers:
            component = tier.cache.components[number]
            begin = used[number]
            used[number] += component.size(node)
            slots = taken[number][begin : used[number]]
            copy = node.copies[number]
            assert copy is not None, f"{node.id=} has no {component.name} copy"
            copied[node][number] = slots, copy[:]
            if number:
                component.load(node, slots)
            else:
                restore(tier, node, slots)
    tier.flights.send(copied, "load")
