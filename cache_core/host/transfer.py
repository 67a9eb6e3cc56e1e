"""Copies between device and host that somebody else executes: what is asked for, and what is held meanwhile."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from cache_core.host.node import TieredNode

Slots: TypeAlias = "tuple[array[int], array[int]]"
"""Device slots and host slots, pair by pair."""

Direction = Literal["backup", "load"]


@dataclass(frozen=True, slots=True)
class Transfer:
    """A copy to make: to the host (`backup`) or to the device (`load`), for each component by name.

    Transfers are made in the order in which they were queued, and before anything else writes to device slots. Then
    what one of them reads is what an earlier one wrote, and what it reads on the device is still there.
    """

    id: int
    direction: Direction
    parts: Mapping[str, Slots]


class Flight:
    """A transfer that is not complete, and what it holds.

    `nodes` are what it copies, each with a bit per component that it copies of it; they follow splits. `anchor` ends
    the path that it locks on the device; None locks nothing there. `queued_at` is a time of the cache's clock.
    """

    __slots__ = ("anchor", "nodes", "queued_at", "transfer")

    def __init__(
        self, transfer: Transfer, nodes: dict[TieredNode, int], anchor: TieredNode | None, queued_at: int
    ) -> None:
        self.transfer = transfer
        self.nodes = nodes
        self.anchor = anchor
        self.queued_at = queued_at
