"""The decoder: RMSNorm, rotary positions, grouped-query attention or a recurrence over the pools, SwiGLU.

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
from cache_core.engine.device_pool import DevicePool
from cache_core.engine.recurrent import Recurrent
from cache_core.engine.rope import rotate, rotation
from cache_core.engine.shape import LayerKind, ModelShape
from cache_core.engine.weights import AttentionWeights, LayerWeights, RecurrentWeights, Weights

NORM_EPSILON = 1e-6

ATTENTION_KERNELS = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
"""Kernels that take a bias and broadcast keys; named so that no release of torch picks another."""


@dataclass(frozen=True, slots=True)
class _Attention:
    """An attention layer's kind and its index among the layers of that kind, which is its index in the pool."""

    weights: AttentionWeights
    kind: LayerKind
    index: int


class Model:
    """A decoder over `pools`. It holds no state of a request: everything it reads is in the batch and the pools."""

    __slots__ = ("_biases", "_mixers", "_windows", "pools", "shape", "weights")

    def __init__(
        self,
        shape: ModelShape,
        weights: Weights,
        kinds: tuple[LayerKind, ...],
        pools: dict[LayerKind, DevicePool],
        windows: dict[LayerKind, int | None],
    ) -> None:
        self.shape = shape
        self.weights = weights
        self.pools = pools
        self._windows = windows
        self._mixers = tuple(self._mixer(kind, kinds[:layer].count(kind), layer) for layer, kind in enumerate(kinds))
        device, dtype = weights.embedding.device, weights.embedding.dtype
        self._biases = {kind: VisibilityBias(window, device, dtype) for kind, window in windows.items()}

    @torch.inference_mode()
    def forward(self, batch: Batch) -> Tensor:
        """Run a batch: write its keys and values into the pools, return (tokens, hidden) after the last norm."""
        hidden = F.embedding(batch.tokens, self.weights.embedding)
        turn = rotation(batch.positions, self.shape, hidden.dtype)
        with sdpa_kernel(ATTENTION_KERNELS):
            for mixer, layer in zip(self._mixers, self.weights.layers, strict=True):
                normed = self._norm(hidden, layer.mixer_norm)
                if isinstance(mixer, Recurrent):
                    hidden = hidden + mixer.mix(normed, batch)
                else:
                    hidden = hidden + self._attend(normed, mixer, batch, turn)
                hidden = hidden + _mlp(self._norm(hidden, layer.mlp_norm), layer)
        return self._norm(hidden, self.weights.last_norm)

    @torch.inference_mode()
    def logits(self, hidden: Tensor) -> Tensor:
        """Return float32 logits (rows, vocabulary) of rows that `forward` returned."""
        return F.linear(hidden, self.weights.unembedding).float()

    def _mixer(self, kind: LayerKind, index: int, layer: int) -> _Attention | Recurrent:
        weights = self.weights.layers[layer].mixer
        if isinstance(weights, RecurrentWeights):
            return Recurrent(self.shape, weights, self.pools[kind], index)
        return _Attention(weights, kind, index)

    def _norm(self, hidden: Tensor, weight: Tensor) -> Tensor:
        return F.rms_norm(hidden, (self.shape.hidden,), weight, NORM_EPSILON)

    def _attend(self, hidden: Tensor, mixer: _Attention, batch: Batch, turn: tuple[Tensor, Tensor]) -> Tensor:
        shape = self.shape
        heads = F.linear(hidden, mixer.weights.qkv).view(len(hidden), -1, shape.head_width)
        turned = rotate(heads[:, : shape.heads + shape.kv_heads], *turn)
        queries, keys = turned[:, : shape.heads], turned[:, shape.heads :]
        values = heads[:, shape.heads + shape.kv_heads :]
        pool = self.pools[mixer.kind]
        # Before any read: a chunk reads its own tokens through the pool as well.
        pool.write(mixer.index, batch.write_slots[mixer.kind], torch.stack((keys, values), dim=1))
        return F.linear(self._read(queries, mixer, batch).flatten(1), mixer.weights.out)

    def _read(self, queries: Tensor, mixer: _Attention, batch: Batch) -> Tensor:
        kind, pool = mixer.kind, self.pools[mixer.kind]
        parts = []
        singles = batch.singles
        if singles.count:
            keys_values = pool.rows(mixer.index, singles.slots[kind])
            parts.append(attend_single(queries[: singles.count], keys_values, singles.masks[kind]))
        for chunk in batch.chunks:
            keys_values = pool.rows(mixer.index, chunk.slots[kind]).permute(1, 2, 0, 3)
            own = queries[chunk.first : chunk.last]
            parts.append(attend_chunk(own, keys_values, self._biases[kind], self._windows[kind]))
        return parts[0] if len(parts) == 1 else torch.cat(parts)


def _mlp(hidden: Tensor, layer: LayerWeights) -> Tensor:
    gate, up = F.linear(hidden, layer.gate_up).chunk(2, dim=-1)
    return F.linear(F.silu(gate) * up, layer.down)
