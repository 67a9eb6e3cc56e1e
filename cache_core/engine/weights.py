"""The weights of the model: random, but the same for the same seed on the same kind of device."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from cache_core.engine.shape import ModelShape

QUERY_KEY_GAIN = 1.5
"""Makes attention look at few tokens rather than at the mean of all, so that a wrong slot shows in the logits."""

NORM_SPREAD = 0.1
"""How far the norm weights lie from 1, so that a forgotten one shows."""


@dataclass(frozen=True, slots=True)
class LayerWeights:
    """One layer; matrices are (outputs, inputs). `qkv` stacks queries, keys, values; `gate_up` gate and up."""

    attention_norm: Tensor
    qkv: Tensor
    out: Tensor
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


def random_weights(shape: ModelShape, seed: int, device: torch.device, dtype: torch.dtype) -> Weights:
    """Return weights of `shape`, drawn from `seed` on `device` and kept as `dtype`."""
    draw = _Draw(seed, device, dtype)
    return Weights(
        embedding=draw.matrix(shape.vocabulary, shape.hidden, gain=math.sqrt(shape.hidden)),
        layers=tuple(_layer(shape, draw) for _ in range(shape.layers)),
        last_norm=draw.norm(shape.hidden),
        unembedding=draw.matrix(shape.vocabulary, shape.hidden),
    )


def _layer(shape: ModelShape, draw: _Draw) -> LayerWeights:
    width, hidden = shape.head_width, shape.hidden
    queries_keys = draw.matrix((shape.heads + shape.kv_heads) * width, hidden, gain=QUERY_KEY_GAIN)
    values = draw.matrix(shape.kv_heads * width, hidden)
    return LayerWeights(
        attention_norm=draw.norm(hidden),
        qkv=torch.cat((queries_keys, values)),
        out=draw.matrix(hidden, shape.heads * width),
        mlp_norm=draw.norm(hidden),
        gate_up=draw.matrix(2 * shape.mlp, hidden),
        down=draw.matrix(hidden, shape.mlp),
    )
