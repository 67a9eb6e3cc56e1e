"""Attention of a batch over the pools: chunks one by one in blocks, decoding requests all at once.

Visibility depends only on how far query and key lie from the end of the keys, so one bias per window serves every
block: its bottom right corner belongs to the newest query and the newest key.

              keys  [k0 ........ end)                 0 where visible, -inf elsewhere
    queries  [end - rows, end)                        row r sees key k  iff  0 <= position(r) - position(k) < window
"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

QUERY_BLOCKS = {"cpu": 128, "cuda": 512}
"""Queries per block: small enough that a window layer reads few keys beyond the window, large enough to be quick."""


class VisibilityBias:
    """The additive mask of one window (None: all earlier tokens), grown on demand and shared by all blocks."""

    __slots__ = ("_bias", "_window", "block")

    def __init__(self, window: int | None, device: torch.device, dtype: torch.dtype) -> None:
        self._window = window
        self.block = QUERY_BLOCKS[device.type]
        self._bias = torch.empty(self.block, 0, device=device, dtype=dtype)

    def corner(self, rows: int, columns: int) -> Tensor:
        """Return the bias (rows, columns) of the newest `rows` queries against the newest `columns` keys."""
        if columns > self._bias.shape[1]:
            self._grow(max(columns, 2 * self._bias.shape[1], self.block))
        corner = self._bias[self.block - rows :, self._bias.shape[1] - columns :]
        # CUDA kernels ask for aligned rows, which only a copy has.
        return corner.contiguous() if corner.is_cuda else corner

    def _grow(self, columns: int) -> None:
        device, dtype = self._bias.device, self._bias.dtype
        query = torch.arange(-self.block, 0, device=device).unsqueeze(1)
        distance = query - torch.arange(-columns, 0, device=device)
        visible = distance >= 0 if self._window is None else (distance >= 0) & (distance < self._window)
        bias = torch.zeros(self.block, columns, device=device, dtype=dtype)
        self._bias = bias.masked_fill_(~visible, float("-inf"))


def attend_chunk(queries: Tensor, keys_values: Tensor, bias: VisibilityBias, window: int | None) -> Tensor:
    """Return (tokens, heads, width) of the newest `tokens` queries over (2, kv_heads, keys, width).

    The last key belongs to the last query. Each block reads only the keys that its queries see.
    """
    tokens, heads, width = queries.shape
    kv_heads, end = keys_values.shape[1], keys_values.shape[2]
    # A batch entry per key head, a head per query head that shares it: keys are broadcast, not copied.
    grouped = queries.view(tokens, kv_heads, heads // kv_heads, width).permute(1, 2, 0, 3)
    blocks = []
    for start in range(0, tokens, bias.block):
        stop = min(start + bias.block, tokens)
        key_stop = end - tokens + stop
        key_start = 0 if window is None else max(0, key_stop - (stop - start) - window + 1)
        keys, values = keys_values[:, :, key_start:key_stop].unsqueeze(2).unbind(0)
        shared = (kv_heads, heads // kv_heads, key_stop - key_start, width)
        mask = bias.corner(stop - start, key_stop - key_start)
        blocks.append(
            F.scaled_dot_product_attention(
                grouped[:, :, start:stop], keys.expand(shared), values.expand(shared), attn_mask=mask
            )
        )
    joined = blocks[0] if len(blocks) == 1 else torch.cat(blocks, dim=2)
    return joined.permute(2, 0, 1, 3).reshape(tokens, heads, width)


def attend_single(queries: Tensor, keys_values: Tensor, mask: Tensor) -> Tensor:
    """Return (requests, heads, width): one query per request over (requests, keys, 2, kv_heads, width).

    `mask` (requests, 1, 1, keys) is 0 on a request's own keys and -inf on padding. The query heads that share a
    key head stand where the query tokens of a chunk would, since none of them is masked from another.
    """
    requests, heads, width = queries.shape
    kv_heads = keys_values.shape[3]
    grouped = queries.view(requests, kv_heads, heads // kv_heads, width)
    keys, values = keys_values.permute(2, 0, 3, 1, 4).unbind(0)
    return F.scaled_dot_product_attention(grouped, keys, values, attn_mask=mask).reshape(requests, heads, width)
