"""Rotary position embedding (Su et al. 2021, arXiv 2104.09864): a head's halves are rotated by the position."""

from __future__ import annotations

import torch
from torch import Tensor

from cache_core.engine.shape import ModelShape


def rotation(positions: Tensor, shape: ModelShape, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Return cosine and sine, each (tokens, 1, head_width / 2), of every position's angles.

    Angles are computed in float64: at position 100,000 a float32 product is wrong by hundredths of a radian.
    """
    half = shape.head_width // 2
    exponents = torch.arange(half, device=positions.device, dtype=torch.float64) / half
    angles = positions.to(torch.float64).unsqueeze(-1) * shape.rope_base**-exponents
    return angles.cos().to(dtype).unsqueeze(1), angles.sin().to(dtype).unsqueeze(1)


def rotate(heads: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    """Return (tokens, heads, head_width) rotated: dimension i turns together with dimension i + head_width / 2."""
    first, second = heads.chunk(2, dim=-1)
    return torch.cat((first * cosine - second * sine, second * cosine + first * sine), dim=-1)
