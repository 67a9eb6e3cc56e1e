"""The decoder: RMSNorm, rotary positions, grouped-query attention over the pools, SwiGLU.

RMSNorm: Zhang and Sennrich 2019 (arXiv 1910.07467). Grouped queries: Ainslie et al. 2023 (arXiv 2305.13245).
SwiGLU: Shazeer 2020 (arXiv 2002.05202). Sliding windows: Beltagy et al. 2020 (arXiv 2004.05150).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from cache_core.engine.attention import VisibilityBias, attend_chunk, attend_single
from cache_core.engine.batch import Batch
from cache_core.engine.kv_pool import KVPool
from cache_core.engine.rope import rotate, rotation
from cache_core.engine.shape import LayerKind, ModelShape
from cache_core.engine.weights import LayerWeights, Weights

NORM_EPSILON = 1e-6

ATTENTION_KERNELS = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
"""Kernels that take a bias and broadcast keys; named so that no release of torch picks another."""


@dataclass(frozen=True, slots=True)
class _Place:
    """One layer's kind and its index among the layers of that kind, which is its index in the pool."""

    kind: LayerKind
    index: int


class Model:
    """A decoder over `pools`. It holds no state of a request: everything it reads is in the batch and the pools."""

    __slots__ = ("_biases", "_places", "_windows", "pools", "shape", "weights")

    def __init__(
        self,
        shape: ModelShape,
        weights: Weights,
        kinds: tuple[LayerKind, ...],
        pools: dict[LayerKind, KVPool],
        windows: dict[LayerKind, int | None],
    ) -> None:
        self.shape = shape
        self.weights = weights
        self.pools = pools
        self._windows = windows
        self._places = tuple(_Place(kind, kinds[:layer].count(kind)) for layer, kind in enumerate(kinds))
        device, dtype = weights.embedding.device, weights.embedding.dtype
        self._biases = {kind: VisibilityBias(window, device, dtype) for kind, window in windows.items()}

    @torch.inference_mode()
    def forward(self, batch: Batch) -> Tensor:
        """Run a batch: write its keys and values into the pools, return (tokens, hidden) after the last norm."""
        hidden = F.embedding(batch.tokens, self.weights.embedding)
        turn = rotation(batch.positions, self.shape, hidden.dtype)
        with sdpa_kernel(ATTENTION_KERNELS):
            for place, layer in zip(self._places, self.weights.layers, strict=True):
                hidden = hidden + self._attention(self._norm(hidden, layer.attention_norm), layer, place, batch, turn)
                hidden = hidden + _mlp(self._norm(hidden, layer.mlp_norm), layer)
        return self._norm(hidden, self.weights.last_norm)

    @torch.inference_mode()
    def logits(self, hidden: Tensor) -> Tensor:
        """Return float32 logits (rows, vocabulary) of rows that `forward` returned."""
        return F.linear(hidden, self.weights.unembedding).float()

    def _norm(self, hidden: Tensor, weight: Tensor) -> Tensor:
        return F.rms_norm(hidden, (self.shape.hidden,), weight, NORM_EPSILON)

    def _attention(
        self, hidden: Tensor, layer: LayerWeights, place: _Place, batch: Batch, turn: tuple[Tensor, Tensor]
    ) -> Tensor:
        shape = self.shape
        heads = F.linear(hidden, layer.qkv).view(len(hidden), -1, shape.head_width)
        turned = rotate(heads[:, : shape.heads + shape.kv_heads], *turn)
        queries, keys = turned[:, : shape.heads], turned[:, shape.heads :]
        values = heads[:, shape.heads + shape.kv_heads :]
        pool = self.pools[place.kind]
        # Before any read: a chunk reads its own tokens through the pool as well.
        pool.write(place.index, batch.write_slots[place.kind], torch.stack((keys, values), dim=1))
        return F.linear(self._read(queries, place, batch).flatten(1), layer.out)

    def _read(self, queries: Tensor, place: _Place, batch: Batch) -> Tensor:
        kind, pool = place.kind, self.pools[place.kind]
        parts = []
        singles = batch.singles
        if singles.count:
            keys_values = pool.rows(place.index, singles.slots[kind])
            parts.append(attend_single(queries[: singles.count], keys_values, singles.masks[kind]))
        for chunk in batch.chunks:
            keys_values = pool.rows(place.index, chunk.slots[kind]).permute(1, 2, 0, 3)
            own = queries[chunk.first : chunk.last]
            parts.append(attend_chunk(own, keys_values, self._biases[kind], self._windows[kind]))
        return parts[0] if len(parts) == 1 else torch.cat(parts)


def _mlp(hidden: Tensor, layer: LayerWeights) -> Tensor:
    gate, up = F.linear(hidden, layer.gate_up).chunk(2, dim=-1)
    return F.linear(F.silu(gate) * up, layer.down)
