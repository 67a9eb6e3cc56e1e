"""A made-up trace of chats, for figures where no public one is at hand: its length costs no memory."""

from __future__ import annotations

import random
from collections.abc import Iterator

from profiles.trace import ID_BYTES, Trace, TraceRequest

BLOCK_TOKENS = 512
_SYSTEM_PROMPTS = 4
_SYSTEM_BLOCKS = 1
_OPEN = 1_500
"""Conversations that may go on; a new one takes the place of any."""
_GOES_ON = 0.35
_MEAN_BLOCKS = 14
_MOST_BLOCKS = 240
_ANSWER_TOKENS = 350


class MadeUpChats(Trace):
    """Conversations under a few system prompts, each drawn from the seed: about 25 blocks of 512 tokens a request.

    Every turn repeats its conversation and adds to it; the last block of a prompt is not full and its id is not met
    again, as in the published traces of chats.
    """

    name = "made-up chats"

    def __init__(self, requests: int, seed: int = 1) -> None:
        self._requests = requests
        self._seed = seed

    def __len__(self) -> int:
        """See Trace."""
        return self._requests

    def __iter__(self) -> Iterator[TraceRequest]:
        """See Trace."""
        dice = random.Random(self._seed)
        systems = [dice.randbytes(_SYSTEM_BLOCKS * ID_BYTES) for _ in range(_SYSTEM_PROMPTS)]
        talks: list[bytes] = []
        for number in range(self._requests):
            place = len(talks) if len(talks) < _OPEN else dice.randrange(_OPEN)
            if talks and dice.random() < _GOES_ON:
                place = dice.randrange(len(talks))
                before = talks[place]
            else:
                before = dice.choice(systems)
            added = 1 + int(dice.expovariate(1 / _MEAN_BLOCKS))
            path = (before + dice.randbytes(added * ID_BYTES))[: _MOST_BLOCKS * ID_BYTES]
            talks[place : place + 1] = [path[:-ID_BYTES]]
            prompt = len(path) // ID_BYTES * BLOCK_TOKENS - dice.randrange(BLOCK_TOKENS)
            yield TraceRequest(number * 10**8, path, BLOCK_TOKENS, prompt, _ANSWER_TOKENS, session=str(place))
