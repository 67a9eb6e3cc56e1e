"""KV events as a busy server publishes them: prompts grow by turns, and the oldest go once the cache is full."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator

BLOCK_TOKENS = 16
TURN_BLOCKS = 12
_DEEPEST = 12
"""So many turns a prompt has at most."""

Turn = tuple[int, ...]


def batches(blocks: int, churn: int, seed: int = 1) -> Iterator[bytes]:
    """Yield payloads, as SGLang 0.5.23 makes them, that fill a cache and then replace `churn` of its blocks."""
    import msgspec

    encode = msgspec.msgpack.Encoder().encode
    rng, held, leaves = random.Random(seed), 0, _Leaves()
    for _ in range((blocks + churn) // TURN_BLOCKS):
        events: list[dict[str, object]] = []
        parent, depth = leaves.to_grow(rng)
        turn = tuple(rng.getrandbits(64) - (1 << 63) for _ in range(TURN_BLOCKS))
        leaves.grow(turn[-1], parent, depth, turn)
        tokens = [rng.randrange(1 << 17) for _ in range(BLOCK_TOKENS * TURN_BLOCKS)]
        events.append(_stored(turn, parent, tokens))
        held += TURN_BLOCKS
        if held > blocks:
            events.append({"type": "BlockRemoved", "block_hashes": leaves.oldest(), "medium": "GPU"})
            held -= TURN_BLOCKS
        yield encode([1.0, events, 0])


def _stored(turn: Turn, parent: int | None, tokens: list[int]) -> dict[str, object]:
    return {
        "type": "BlockStored",
        "block_hashes": turn,
        "parent_block_hash": parent,
        "token_ids": tokens,
        "block_size": BLOCK_TOKENS,
        "lora_id": None,
        "medium": "GPU",
    }


class _Leaves:
    """The ends of prompts: which of them can grow, and which is the oldest that nothing goes on from."""

    def __init__(self) -> None:
        self._turns: dict[int, tuple[int | None, int, Turn]] = {}
        self._children: dict[int, int] = {}
        self._ends: deque[int] = deque(maxlen=4_096)
        self._free: deque[int] = deque()

    def to_grow(self, rng: random.Random) -> tuple[int | None, int]:
        """Return where the next turn goes below, and how deep that is: at times a prompt begins."""
        if not self._ends or rng.random() < 0.1:
            return None, 0
        end = rng.choice(self._ends)
        known = self._turns.get(end)
        return (None, 0) if known is None or known[1] >= _DEEPEST else (end, known[1])

    def grow(self, end: int, parent: int | None, depth: int, turn: Turn) -> None:
        """Note a new turn."""
        self._turns[end] = parent, depth + 1, turn
        self._ends.append(end)
        self._free.append(end)
        if parent is not None:
            self._children[parent] = self._children.get(parent, 0) + 1

    def oldest(self) -> Turn:
        """Take away the oldest turn that nothing goes on from, and return its blocks."""
        end = self._free.popleft()
        while end not in self._turns or self._children.get(end):
            end = self._free.popleft()
        parent, _, turn = self._turns.pop(end)
        if parent is not None:
            self._children[parent] -= 1
            if not self._children[parent]:
                del self._children[parent]
                self._free.append(parent)
        return turn
