"""Which capacities hits are counted for, and in blocks of how many tokens."""

from __future__ import annotations

POINTS_PER_DOUBLING = 8
_HALVINGS, _DOUBLINGS = 8, 2

LARGEST = 1 << _DOUBLINGS
"""So many times what there is, hits are counted for; content that lies deeper is forgotten."""

MOST_BLOCKS = 1 << 20
"""A block is a page, or more where that many pages would not reach the largest capacity."""


def block_tokens(page_tokens: int, now_tokens: int) -> int:
    """Return how many tokens a block has: a page, doubled until the largest capacity has few enough of them."""
    tokens = page_tokens
    while LARGEST * now_tokens // tokens > MOST_BLOCKS:
        tokens *= 2
    return tokens


def capacities(now_blocks: int) -> tuple[int, ...]:
    """Return capacities in blocks, ascending, from a small part of what there is to the largest one."""
    steps = range(-_HALVINGS * POINTS_PER_DOUBLING, _DOUBLINGS * POINTS_PER_DOUBLING + 1)
    return tuple(sorted({max(1, round(now_blocks * 2 ** (step / POINTS_PER_DOUBLING))) for step in steps}))
