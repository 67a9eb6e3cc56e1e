"""The next token of each speaking request: the best one, or a seeded draw at a temperature.

A draw adds Gumbel noise to the scaled logits and takes the best: an exact sample of the softmax (Gumbel-max). The
noise depends on the engine's seed, the request and the index of the output alone, so that neither the batch a request
runs in nor a retraction changes what it says.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from cache_core.engine.work import Choice

_MIX = 0x9E3779B97F4A7C15
_WORD = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Draw:
    """What decides one token besides the logits. `temperature` 0 is greedy."""

    temperature: float
    seed: int
    request_id: int
    output_index: int


def choose(logits: Tensor, draws: list[Draw]) -> list[Choice]:
    """Return one choice per row of `logits`. Waits for the device."""
    best = torch.topk(logits, 2, dim=-1)
    gaps = (best.values[:, 0] - best.values[:, 1]).tolist()
    tokens = best.indices[:, 0].tolist()
    for row, draw in enumerate(draws):
        if draw.temperature > 0:
            tokens[row] = _drawn(logits[row], draw)
    return [Choice(token, gap) for token, gap in zip(tokens, gaps, strict=True)]


def _drawn(logits: Tensor, draw: Draw) -> int:
    generator = torch.Generator().manual_seed(_noise_seed(draw))
    uniform = torch.rand(len(logits), generator=generator, dtype=torch.float64)
    gumbel = -torch.log(-torch.log(uniform))
    return int(torch.argmax(logits.double().cpu() / draw.temperature + gumbel))


def _noise_seed(draw: Draw) -> int:
    mixed = draw.seed
    for part in (draw.request_id, draw.output_index):
        mixed = ((mixed ^ part) * _MIX + 1) & _WORD
        mixed ^= mixed >> 31
    return mixed
