"""The memory behind the slots of one layer kind: one row per slot in every layer."""

from __future__ import annotations

import torch
from torch import Tensor

from cache_core.engine.shape import LayerKind, ModelShape


class DevicePool:
    """What the layers of one kind keep, indexed by that kind's slots: `layers` is (layers, slots, *row).

    A row holds the keys and values of one token, or a whole recurrent state. Slot 0 is nobody's: rows of unequal
    length are padded with it and a state that starts from nothing is read from it; nobody writes it, and it
    stays zero.
    """

    __slots__ = ("_buffer", "layers")

    def __init__(
        self, layers: int, slots: int, row: tuple[int, ...], device: torch.device, dtype: torch.dtype
    ) -> None:
        self.layers = torch.zeros((layers, slots, *row), device=device, dtype=dtype)
        self._buffer = self.layers.new_empty(0, *row)

    def write(self, layer: int, slots: Tensor, rows: Tensor) -> None:
        """Store (tokens, *row) into `slots` of `layer`, counted among the pool's own layers."""
        self.layers[layer].index_copy_(0, slots, rows)

    def rows(self, layer: int, slots: Tensor) -> Tensor:
        """Return (*slots.shape, *row): what `slots` of `layer` hold, until the next call.

        The copy lives in one buffer that all calls share: fresh memory for every layer costs more than the copy.
        """
        count = slots.numel()
        if count > len(self._buffer):
            self._buffer = self.layers.new_empty(2 * count, *self.layers.shape[2:])
        torch.index_select(self.layers[layer], 0, slots.flatten(), out=self._buffer[:count])
        return self._buffer[:count].view(*slots.shape, *self.layers.shape[2:])

    def row(self, layer: int, slot: int) -> Tensor:
        """Return the row of `slot` in `layer` itself: what is written into it stays."""
        return self.layers[layer, slot]


def build_pools(
    kinds: tuple[LayerKind, ...],
    slots: dict[LayerKind, int],
    shape: ModelShape,
    device: torch.device,
    dtype: torch.dtype,
) -> dict[LayerKind, DevicePool]:
    """Return one pool per layer kind that occurs; `slots` counts the rows, those of slot 0 included.

    Recurrent states are float32 whatever `dtype` is: they are sums over a whole prompt.
    """
    pools = {}
    for kind in dict.fromkeys(kinds):
        if kind is LayerKind.RECURRENT:
            row, kept = (shape.heads, shape.head_width, shape.state_width), torch.float32
        else:
            row, kept = (2, shape.kv_heads, shape.head_width), dtype
        pools[kind] = DevicePool(kinds.count(kind), slots[kind], row, device, kept)
    return pools
