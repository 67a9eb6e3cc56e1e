"""The transfers of a cache that are under way: queued, taken by who makes the copies, completed; and what they hold.

What is copied must stay where it is until the copy is made. So a transfer holds its nodes' copies on the host, and on
the device the path of its deepest node, each node's window, and each state that it copies. Only a backup made while
its node leaves the device holds nothing there: the slots are free, and the order of transfers protects what they
hold.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from itertools import count
from typing import TYPE_CHECKING, TypeAlias

from cache_core.emission import emit, emit_changes
from cache_core.errors import LockError
from cache_core.host.node import TieredNode
from cache_core.host.transfer import Direction, Flight, Slots, Transfer
from cache_core.stats import TransferStats

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache

Copied: TypeAlias = "Mapping[TieredNode, Mapping[int, Slots]]"
"""Nodes, root first, and per component number the slots of what is copied of each."""


class Flights:
    """Transfers by id; one is in `flights` until it is complete, and in the queue until it is taken.

    `whole` is told of the nodes whose copies are made, with a bit per component.
    """

    def __init__(self, cache: PrefixCache, whole: Callable[[Mapping[TieredNode, int]], None]) -> None:
        self._cache = cache
        self._whole = whole
        self._ids = count(1)
        self._queue: list[Transfer] = []
        self._untaken: set[int] = set()
        self.flights: dict[int, Flight] = {}

    def send(self, copied: Copied, direction: Direction = "backup", locked: bool = True) -> None:
        """Queue one transfer of what is copied, if that is anything, and hold what it needs."""
        nodes = {node: sum(1 << number for number in parts) for node, parts in copied.items() if parts}
        if not nodes:
            return
        transfer = Transfer(next(self._ids), direction, self._join(copied))
        anchor = list(nodes)[-1] if locked else None
        flight = self.flights[transfer.id] = Flight(transfer, nodes, anchor, self._cache.clock())
        for node in nodes:
            node.host_lock += 1
            if direction == "backup":
                node.pending = transfer.id
        if anchor is not None:
            self._lock(flight, anchor)
        self._queue.append(transfer)
        self._untaken.add(transfer.id)

    def take(self) -> list[Transfer]:
        """Hand over what is queued, in order."""
        taken, self._queue = self._queue, []
        self._untaken.clear()
        return taken

    def taken(self, number: int, ending: str) -> Flight:
        """Return a transfer that was taken and did not end. Raises LockError that it cannot be what `ending` says."""
        flight = self.flights.get(number)
        if flight is None or number in self._untaken:
            why = "it was not taken yet" if flight else "no transfer of that number is under way"
            raise LockError(f"transfer {number} cannot be {ending}: {why}")
        return flight

    def complete(self, number: int) -> None:
        """Take note that a transfer was made and let go of what it held. Raises LockError, changing nothing."""
        flight = self.taken(number, "complete")
        self.end(flight)
        if flight.transfer.direction == "backup":
            self._whole(flight.nodes)
        emit_changes(self._cache)
        self.release(flight)

    def end(self, flight: Flight) -> None:
        """Take a transfer off those under way and let go of what it held on the host."""
        number = flight.transfer.id
        del self.flights[number]
        for node in flight.nodes:
            node.host_lock -= 1
            if node.pending == number:
                node.pending = self._last_backup(node)

    def release(self, flight: Flight) -> None:
        """Let go of what a transfer that ended held on the device."""
        if flight.anchor is not None:
            self._unlock(flight, flight.anchor)

    def stats(self) -> TransferStats:
        """Return how many transfers are under way, and how old the oldest is."""
        ages = [self._cache.clock() - flight.queued_at for flight in self.flights.values()]
        return {"under_way": len(ages), "untaken": len(self._untaken), "oldest_ns": max(ages, default=None)}

    def split(self, upper: TieredNode, lower: TieredNode, divided: int) -> None:
        """Let every transfer of a node that was cut hold both parts, with `divided` components of the upper one."""
        upper.host_lock, upper.pending = lower.host_lock, lower.pending
        if not lower.host_lock:
            return
        for flight in self._holding(lower):
            flight.nodes[upper] = flight.nodes[lower] & divided

    def incomplete(self, node: TieredNode) -> int:
        """Return a bit for each component whose copy of a node is still being made."""
        mask = 0
        for flight in self._holding(node) if node.pending else ():
            if flight.transfer.direction == "backup":
                mask |= flight.nodes[node]
        return mask

    def clear(self) -> None:
        """Forget what is queued and what is under way."""
        self._queue.clear()
        self._untaken.clear()
        self.flights.clear()

    # -- inside --------------------------------------------------------------------------------------------------

    def _holding(self, node: TieredNode) -> list[Flight]:
        """Return the transfers under way that hold a node. They are searched only when several may."""
        waited_for = self.flights.get(node.pending)
        if node.host_lock == 1 and waited_for is not None:
            return [waited_for]
        return [flight for flight in self.flights.values() if node in flight.nodes] if node.host_lock else []

    def _last_backup(self, node: TieredNode) -> int:
        """Return the last backup of a node that is under way, or 0."""
        transfers = [flight.transfer for flight in self._holding(node)]
        return max((transfer.id for transfer in transfers if transfer.direction == "backup"), default=0)

    def _join(self, copied: Copied) -> dict[str, Slots]:
        parts: dict[str, Slots] = {}
        for slots_of in copied.values():
            for number, (device, host) in slots_of.items():
                whole = parts.setdefault(self._cache.components[number].name, (array("i"), array("i")))
                whole[0].extend(device)
                whole[1].extend(host)
        return parts

    def _lock(self, flight: Flight, anchor: TieredNode) -> None:
        cache = self._cache
        emit_changes(cache)
        moved = [cache.full.lock_below(anchor, cache.tree.root), *[0] * len(cache.auxiliary)]
        for component in cache.auxiliary:
            for node, mask in flight.nodes.items():
                if component.per_token or mask >> component.number & 1:
                    moved[component.number] += component.lock_one(node)
        if cache.sink is not None:
            emit(cache, (cache.lock_head, cache.clock(), anchor.id, *moved))

    def _unlock(self, flight: Flight, anchor: TieredNode) -> None:
        cache = self._cache
        moved = [0] * len(cache.components)
        for component in cache.auxiliary:
            for node, mask in flight.nodes.items():
                if component.per_token or mask >> component.number & 1:
                    moved[component.number] += component.unlock_one(node)
        moved[0] = cache.full.unlock(anchor, 0)
        if cache.sink is not None:
            emit(cache, (cache.unlock_head, cache.clock(), anchor.id, *moved))
