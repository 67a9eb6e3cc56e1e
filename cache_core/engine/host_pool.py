"""The host memory behind the host slots of one layer kind: where rows rest that lost their place on the device."""

from __future__ import annotations

import torch
from torch import Tensor

from cache_core.engine.device_pool import DevicePool
from cache_core.engine.shape import LayerKind


class HostPool:
    """Rows of one kind by host slot: `rows` is (slots, layers, *row), so that neighbouring slots are one piece.

    Pinned when the device is a GPU, because only pinned memory is copied without the CPU waiting. Slot 0 is nobody's.
    """

    __slots__ = ("rows",)

    def __init__(self, slots: int, device_pool: DevicePool) -> None:
        layers, _, *row = device_pool.layers.shape
        pinned = device_pool.layers.is_cuda
        self.rows = torch.zeros((slots, layers, *row), dtype=device_pool.layers.dtype, pin_memory=pinned)

    def part(self, start: int, stop: int) -> Tensor:
        """Return the rows of the slots [start, stop) themselves: what is written into them stays."""
        return self.rows[start:stop]


def build_host_pools(slots: dict[LayerKind, int], pools: dict[LayerKind, DevicePool]) -> dict[LayerKind, HostPool]:
    """Return a host pool beside each device pool; `slots` counts the rows, those of slot 0 included."""
    return {kind: HostPool(slots[kind], pool) for kind, pool in pools.items()}
