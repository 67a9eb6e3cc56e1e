"""What a request says where no model speaks: tokens that depend on the request and on nothing else."""

from __future__ import annotations

from collections.abc import Callable

from cache_core.key import MAX_TOKEN

Voice = Callable[[int, int], int]
"""Returns the token that a request, by its id, says as its output of an index."""

_MIX = 0x9E3779B97F4A7C15
_WORD = (1 << 64) - 1


def drawn(seed: int, vocabulary: int) -> Voice:
    """Return a voice of tokens 0..vocabulary - 1 that look random: the same for the same seed."""

    def say(request_id: int, index: int) -> int:
        mixed = seed
        for part in (request_id, index):
            mixed = ((mixed ^ part) * _MIX + 1) & _WORD
            mixed ^= mixed >> 31
        return mixed % vocabulary

    return say


def own_token(request_id: int, index: int) -> int:
    """Return the one token that a request says all the time, and no other one does before 2**31 came."""
    return MAX_TOKEN - request_id % MAX_TOKEN
