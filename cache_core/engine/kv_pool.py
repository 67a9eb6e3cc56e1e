"""The memory of keys and values: one row per slot, in every layer of one kind."""

from __future__ import annotations

import torch
from torch import Tensor

from cache_core.engine.shape import LayerKind, ModelShape


class KVPool:
    """Keys and values of the layers of one kind, indexed by that kind's slots.

    Slot 0 is the padding sink: rows of unequal length are padded with it, it is never written and stays zero.
    """

    __slots__ = ("_buffer", "layers")

    def __init__(self, layers: int, slots: int, shape: ModelShape, device: torch.device, dtype: torch.dtype) -> None:
        size = (layers, slots, 2, shape.kv_heads, shape.head_width)
        self.layers = torch.zeros(size, device=device, dtype=dtype)
        self._buffer = self.layers.new_empty(0, *size[2:])

    def write(self, layer: int, slots: Tensor, keys_values: Tensor) -> None:
        """Store (tokens, 2, kv_heads, head_width) into `slots` of `layer`, counted among the pool's own layers."""
        self.layers[layer].index_copy_(0, slots, keys_values)

    def rows(self, layer: int, slots: Tensor) -> Tensor:
        """Return (*slots.shape, 2, kv_heads, head_width): what `slots` of `layer` hold, until the next call.

        The copy lives in one buffer that all calls share: fresh memory for every layer costs more than the copy.
        """
        count = slots.numel()
        if count > len(self._buffer):
            self._buffer = self.layers.new_empty(2 * count, *self.layers.shape[2:])
        torch.index_select(self.layers[layer], 0, slots.flatten(), out=self._buffer[:count])
        return self._buffer[:count].view(*slots.shape, *self.layers.shape[2:])


def build_pools(
    kinds: tuple[LayerKind, ...],
    slots: dict[LayerKind, int],
    shape: ModelShape,
    device: torch.device,
    dtype: torch.dtype,
) -> dict[LayerKind, KVPool]:
    """Return one pool per layer kind that occurs; `slots` counts the rows, the padding sink included."""
    return {kind: KVPool(kinds.count(kind), slots[kind], shape, device, dtype) for kind in dict.fromkeys(kinds)}
