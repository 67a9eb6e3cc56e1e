"""The same model without a cache: one whole sequence, every score, one mask. The yardstick of the engine's logits.

Shares the weights with `model.py` and nothing else: norms, rotation and attention are written out again, by other
means, so that a mistake would have to be made twice.
"""

from __future__ import annotations

import math
from array import array

import torch
from torch import Tensor

from cache_core.engine.model import NORM_EPSILON
from cache_core.engine.recurrent import INNER_NORM_EPSILON
from cache_core.engine.shape import LayerKind, ModelShape
from cache_core.engine.weights import AttentionWeights, LayerWeights, RecurrentWeights, Weights


@torch.inference_mode()
def dense_logits(
    shape: ModelShape, weights: Weights, kinds: tuple[LayerKind, ...], window: int | None, tokens: array[int]
) -> Tensor:
    """Return float32 logits (tokens, vocabulary) of the whole sequence, computed in the weights' number type."""
    device = weights.embedding.device
    hidden = weights.embedding[torch.tensor(tokens.tolist(), device=device)]
    turn = _turns(len(tokens), shape, device)
    for kind, layer in zip(kinds, weights.layers, strict=True):
        reach = window if kind is LayerKind.WINDOW else None
        normed = _norm(hidden, layer.mixer_norm)
        if isinstance(layer.mixer, RecurrentWeights):
            hidden = hidden + _recur(normed, layer.mixer, shape)
        else:
            hidden = hidden + _attend(normed, layer.mixer, shape, turn, reach)
        hidden = hidden + _swiglu(_norm(hidden, layer.mlp_norm), layer)
    return (_norm(hidden, weights.last_norm) @ weights.unembedding.T).float()


def visible(tokens: int, window: int | None, device: torch.device) -> Tensor:
    """Return the mask (tokens, tokens): row sees column when it is not later and, windowed, not too far behind."""
    seen = torch.ones(tokens, tokens, dtype=torch.bool, device=device).tril()
    return seen if window is None else seen.triu(1 - window)


def _norm(hidden: Tensor, weight: Tensor, epsilon: float = NORM_EPSILON) -> Tensor:
    mean_square = hidden.pow(2).mean(-1, keepdim=True)
    return hidden / torch.sqrt(mean_square + epsilon) * weight


def _turns(tokens: int, shape: ModelShape, device: torch.device) -> Tensor:
    """Return the unit complex numbers (tokens, 1, head_width / 2) that positions turn a head's pairs by."""
    half = shape.head_width // 2
    frequency = torch.exp(-math.log(shape.rope_base) * torch.arange(half, dtype=torch.float64, device=device) / half)
    angle = torch.outer(torch.arange(tokens, dtype=torch.float64, device=device), frequency)
    return torch.polar(torch.ones_like(angle), angle).unsqueeze(1)


def _turned(heads: Tensor, turn: Tensor) -> Tensor:
    half = heads.shape[-1] // 2
    pairs = torch.complex(heads[..., :half].double(), heads[..., half:].double()) * turn
    return torch.cat((pairs.real, pairs.imag), dim=-1).to(heads.dtype)


def _attend(hidden: Tensor, layer: AttentionWeights, shape: ModelShape, turn: Tensor, window: int | None) -> Tensor:
    tokens, width = len(hidden), shape.head_width
    projected = hidden @ layer.qkv.T
    query_end, key_end = shape.heads * width, (shape.heads + shape.kv_heads) * width
    queries = _turned(projected[:, :query_end].view(tokens, shape.heads, width), turn)
    keys = _turned(projected[:, query_end:key_end].view(tokens, shape.kv_heads, width), turn)
    values = projected[:, key_end:].view(tokens, shape.kv_heads, width)
    seen = visible(tokens, window, hidden.device)
    outputs = []
    for head in range(shape.heads):
        shared = head * shape.kv_heads // shape.heads
        scores = queries[:, head] @ keys[:, shared].T / math.sqrt(width)
        weights = torch.softmax(scores.masked_fill(~seen, -math.inf), dim=-1)
        outputs.append(weights @ values[:, shared])
    return torch.cat(outputs, dim=-1) @ layer.out.T


def _recur(hidden: Tensor, layer: RecurrentWeights, shape: ModelShape) -> Tensor:
    """Return the outputs of a recurrent layer: token after token, head by head, in float64."""
    tokens, shared = len(hidden), shape.heads // shape.kv_heads
    sizes = [shape.kv_heads * shape.state_width] * 2 + [shape.heads * shape.head_width] * 2 + [shape.heads]
    queries, keys, values, gates, steps = (hidden @ rows.T for rows in torch.split(layer.projection, sizes))
    queries = queries.double().view(tokens, shape.kv_heads, -1).repeat_interleave(shared, 1)
    keys = keys.double().view(tokens, shape.kv_heads, -1).repeat_interleave(shared, 1)
    values = values.double().view(tokens, shape.heads, -1)
    lengths = torch.log1p(torch.exp(steps.double() + layer.step_bias.double()))
    state = values.new_zeros(shape.heads, shape.head_width, shape.state_width)
    outputs = torch.empty_like(values)
    for token, length in enumerate(lengths.view(tokens, shape.heads, 1, 1)):
        state = state / torch.exp(length) + length * torch.einsum("hv,hk->hvk", values[token], keys[token])
        outputs[token] = torch.einsum("hvk,hk->hv", state, queries[token])
    normed = _norm(outputs.flatten(1).to(hidden.dtype), layer.inner_norm, INNER_NORM_EPSILON)
    return (normed * gates * torch.sigmoid(gates)) @ layer.out.T


def _swiglu(hidden: Tensor, layer: LayerWeights) -> Tensor:
    mlp = layer.gate_up.shape[0] // 2
    gate = hidden @ layer.gate_up[:mlp].T
    return (gate * torch.sigmoid(gate) * (hidden @ layer.gate_up[mlp:].T)) @ layer.down.T
