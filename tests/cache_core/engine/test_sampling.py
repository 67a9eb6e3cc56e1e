"""Greedy and seeded sampling."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.needs("torch")


def test_greedy_takes_the_best_and_says_how_close_it_was() -> None:
    import torch

    from cache_core.engine.sampling import Draw, choose

    logits = torch.tensor([[0.0, 3.0, 2.5], [4.0, 1.0, 0.0]])
    choices = choose(logits, [Draw(0.0, 0, 1, 0), Draw(0.0, 0, 2, 0)])
    assert [(choice.token, choice.gap) for choice in choices] == [(1, 0.5), (0, 3.0)]


def test_a_draw_depends_on_seed_request_and_output_alone() -> None:
    import torch

    from cache_core.engine.sampling import Draw, choose

    def draw(seed: int, request: int, rows: int) -> list[int]:
        flat = torch.zeros(rows, 64)
        draws = [Draw(1.0, seed, request, output) for output in range(rows)]
        return [choice.token for choice in choose(flat, draws)]

    assert draw(7, 3, 20) == draw(7, 3, 40)[:20]
    assert draw(7, 3, 20) != draw(8, 3, 20)
    assert draw(7, 3, 20) != draw(7, 4, 20)


def test_draws_follow_the_softmax_at_the_temperature() -> None:
    import torch

    from cache_core.engine.sampling import Draw, choose

    logits = torch.tensor([1.0, 0.0, -1.0])
    draws = [Draw(2.0, 1, 1, output) for output in range(4000)]
    tokens = torch.tensor([choice.token for choice in choose(logits.expand(len(draws), 3), draws)])
    shares = torch.bincount(tokens, minlength=3) / len(draws)
    assert torch.allclose(shares, torch.softmax(logits / 2, 0), atol=0.03)
