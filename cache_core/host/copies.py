"""The copies of one component's state in host memory: their slots, and the order in which lone ones go."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import cast

from cache_core.component import Component
from cache_core.errors import CacheIntegrityError, OutOfSlotsError
from cache_core.host.node import TieredNode
from cache_core.host.recency import Recency
from cache_core.node import Node
from cache_core.pool import SlotPool


class Copies:
    """`alone` are the nodes that have the state on the host and not on the device, the least recently used first.

    Of the base it stays empty: nodes go by the policy there.
    """

    __slots__ = ("alone", "component", "number", "pool")

    def __init__(self, component: Component[Node], slots: int) -> None:
        self.component = component
        self.number = component.number
        self.pool = SlotPool(f"{component.name} host", slots, component.pool.page)
        self.alone = Recency()

    def reset(self) -> None:
        """Forget every copy."""
        self.pool.reset()
        self.alone = Recency()

    def lack(self, node: TieredNode) -> bool:
        """Say whether the device has the state of a node and the host has not."""
        return node.copies[self.number] is None and self.component.is_live(node)

    def take(self, node: TieredNode) -> tuple[array[int], array[int]]:
        """Give a node that has the state on the device a copy, which there is room for; return both its slots."""
        device = self.component.slots_of(node)
        try:
            host = self.pool.take(len(device))
        except OutOfSlotsError as error:
            raise CacheIntegrityError(f"host memory: room was made for {len(device)} slots, and {error}") from error
        node.copies[self.number] = host
        return device, host[:]

    def drop(self, node: TieredNode) -> None:
        """Free the copy of a node."""
        slots = node.copies[self.number]
        assert slots is not None, f"{node.id=} has no {self.pool.name} copy"
        self.pool.give(slots)
        node.copies[self.number] = None
        if node in self.alone:
            self.alone.remove(node)

    def split(self, upper: TieredNode, lower: TieredNode) -> None:
        """Divide the copy of a node that was cut. A state belongs to the end and stays there."""
        slots = lower.copies[self.number]
        if slots is None or not self.component.per_token:
            return
        upper.copies[self.number] = slots[: upper.length]
        lower.copies[self.number] = slots[upper.length :]
        if lower in self.alone:
            self.alone.add_behind(upper, lower)

    def left_alone(self, node: TieredNode) -> None:
        """Take note that the device's state of a node is gone. What was alone before keeps its place."""
        if self.number and node.copies[self.number] is not None and node not in self.alone:
            self.alone.add(node)

    def joined(self, node: TieredNode) -> None:
        """Take note that a node has the state on the device again."""
        if node in self.alone:
            self.alone.remove(node)

    def doubled(self) -> Iterator[TieredNode]:
        """Yield the nodes with the state on both tiers, the least recently used on the device first."""
        nodes = cast("Iterator[TieredNode]", self.component.by_use())
        return (node for node in nodes if node.copies[self.number] is not None)
