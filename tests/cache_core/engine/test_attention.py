"""Attention in blocks and in padded batches, against the definition."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.needs("torch")


def _definition(queries, keys, values, window):
    """Softmax attention of the newest queries, one head and one query at a time."""
    import torch

    tokens, heads, width = queries.shape
    end, shared = keys.shape[0], heads // keys.shape[1]
    outputs = torch.empty_like(queries)
    for token in range(tokens):
        position = end - tokens + token
        oldest = 0 if window is None else max(0, position - window + 1)
        for head in range(heads):
            seen = slice(oldest, position + 1)
            scores = keys[seen, head // shared] @ queries[token, head] / width**0.5
            outputs[token, head] = scores.softmax(0) @ values[seen, head // shared]
    return outputs


@pytest.mark.parametrize("window", [None, 1, 7, 128, 500])
@pytest.mark.parametrize(("tokens", "end"), [(1, 1), (1, 40), (128, 128), (129, 129), (150, 400), (300, 310)])
def test_a_chunk_sees_its_window(tokens: int, end: int, window: int | None) -> None:
    import torch

    from cache_core.engine.attention import VisibilityBias, attend_chunk

    generator = torch.Generator().manual_seed(tokens)
    queries = torch.randn(tokens, 4, 8, generator=generator)
    keys_values = torch.randn(end, 2, 2, 8, generator=generator)
    bias = VisibilityBias(window, torch.device("cpu"), torch.float32)
    bias.corner(3, 5)  # a later, larger request must grow what an earlier one left
    attended = attend_chunk(queries, keys_values.permute(1, 2, 0, 3), bias, window)
    expected = _definition(queries, keys_values[:, 0], keys_values[:, 1], window)
    assert torch.allclose(attended, expected, atol=1e-5)


def test_single_queries_ignore_padding() -> None:
    import torch

    from cache_core.engine.attention import attend_single

    generator = torch.Generator().manual_seed(1)
    lengths = [1, 5, 9]
    queries = torch.randn(3, 4, 8, generator=generator)
    keys_values = torch.randn(3, 9, 2, 2, 8, generator=generator)
    mask = torch.tensor([[0.0 if key < length else -torch.inf for key in range(9)] for length in lengths])
    attended = attend_single(queries, keys_values, mask.view(3, 1, 1, 9))
    for row, length in enumerate(lengths):
        keys, values = keys_values[row, :length].unbind(1)
        expected = _definition(queries[row : row + 1], keys, values, None)
        assert torch.allclose(attended[row : row + 1], expected, atol=1e-5)
