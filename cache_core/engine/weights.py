"""The weights of the model: random, but the same for the same seed on the same kind of device."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields

import torch
from torch import Tensor

from cache_core.engine.shape import LayerKind, ModelShape

QUERY_KEY_GAIN = 1.5
"""Makes attention look at few tokens rather than at the mean of all, so that a wrong slot shows in the logits."""

NORM_SPREAD = 0.1
"""How far the norm weights lie from 1, so that a forgotten one shows."""

MEMORY_TOKENS = (4, 256)
"""How far the recurrent heads remember, from the first to the last: some forget within a chunk, some never do."""


@dataclass(frozen=True, slots=True)
class AttentionWeights:
    """Matrices are (outputs, inputs). `qkv` stacks queries, keys, values."""

    qkv: Tensor
    out: Tensor


@dataclass(frozen=True, slots=True)
class RecurrentWeights:
    """`projection` stacks queries, keys, values, gates, steps; `step_bias` is a number per head."""

    projection: Tensor
    step_bias: Tensor
    inner_norm: Tensor
    out: Tensor


@dataclass(frozen=True, slots=True)
class LayerWeights:
    """One layer: what mixes tokens, then what mixes channels. `gate_up` stacks gate and up."""

    mixer_norm: Tensor
    mixer: AttentionWeights | RecurrentWeights
    mlp_norm: Tensor
    gate_up: Tensor
    down: Tensor


@dataclass(frozen=True, slots=True)
class Weights:
    """The whole model: token embedding, layers, last norm, unembedding."""

    embedding: Tensor
    layers: tuple[LayerWeights, ...]
    last_norm: Tensor
    unembedding: Tensor

    def tensors(self) -> Iterator[Tensor]:
        """Yield every tensor, in an order that depends on the kinds of the layers alone."""
        yield from (self.embedding, self.last_norm, self.unembedding)
        for layer in self.layers:
            yield from (layer.mixer_norm, layer.mlp_norm, layer.gate_up, layer.down)
            yield from (getattr(layer.mixer, field.name) for field in fields(layer.mixer))


class _Draw:
    """Draws matrices one after the other from one seeded generator of the device."""

    def __init__(self, seed: int, device: torch.device, dtype: torch.dtype) -> None:
        self._generator = torch.Generator(device).manual_seed(seed)
        self._device = device
        self._dtype = dtype

    def matrix(self, rows: int, columns: int, gain: float = 1.0) -> Tensor:
        drawn = torch.randn(rows, columns, generator=self._generator, device=self._device)
        return (drawn * (gain / math.sqrt(columns))).to(self._dtype)

    def norm(self, width: int) -> Tensor:
        drawn = torch.randn(width, generator=self._generator, device=self._device)
        return (1.0 + NORM_SPREAD * drawn).to(self._dtype)

    def steps(self, heads: int) -> Tensor:
        """Return what softplus turns into one step per head: a step of 1/n forgets within about n tokens."""
        nearest, farthest = map(math.log, MEMORY_TOKENS)
        memory = torch.linspace(nearest, farthest, heads, device=self._device).exp()
        return torch.expm1(1.0 / memory).log().to(self._dtype)


def random_weights(
    shape: ModelShape, kinds: tuple[LayerKind, ...], seed: int, device: torch.device, dtype: torch.dtype
) -> Weights:
    """Return weights of `shape` with layers of `kinds`, drawn from `seed` on `device` and kept as `dtype`."""
    draw = _Draw(seed, device, dtype)
    return Weights(
        embedding=draw.matrix(shape.vocabulary, shape.hidden, gain=math.sqrt(shape.hidden)),
        layers=tuple(_layer(shape, kind, draw) for kind in kinds),
        last_norm=draw.norm(shape.hidden),
        unembedding=draw.matrix(shape.vocabulary, shape.hidden),
    )


def _layer(shape: ModelShape, kind: LayerKind, draw: _Draw) -> LayerWeights:
    mixer = _recurrence(shape, draw) if kind is LayerKind.RECURRENT else _attention(shape, draw)
    return LayerWeights(
        mixer_norm=draw.norm(shape.hidden),
        mixer=mixer,
        mlp_norm=draw.norm(shape.hidden),
        gate_up=draw.matrix(2 * shape.mlp, shape.hidden),
        down=draw.matrix(shape.hidden, shape.mlp),
    )


def _attention(shape: ModelShape, draw: _Draw) -> AttentionWeights:
    width, hidden = shape.head_width, shape.hidden
    queries_keys = draw.matrix((shape.heads + shape.kv_heads) * width, hidden, gain=QUERY_KEY_GAIN)
    values = draw.matrix(shape.kv_heads * width, hidden)
    return AttentionWeights(qkv=torch.cat((queries_keys, values)), out=draw.matrix(hidden, shape.heads * width))


def _recurrence(shape: ModelShape, draw: _Draw) -> RecurrentWeights:
    inner = shape.heads * shape.head_width
    outputs = 2 * shape.kv_heads * shape.state_width + 2 * inner + shape.heads
    return RecurrentWeights(
        projection=draw.matrix(outputs, shape.hidden),
        step_bias=draw.steps(shape.heads),
        inner_norm=draw.norm(inner),
        out=draw.matrix(shape.hidden, inner),
    )
