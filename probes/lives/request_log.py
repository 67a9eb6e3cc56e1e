"""The newest requests as they live: alive ones by number, and those that ended."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from probes.lives.request_life import Life

MOST_DONE = 1_000
"""How many requests that ended are kept, the newest."""

MOST_ALIVE = 4_096
"""How many are followed at once. More are alive only in a stream that lacks their ends; the oldest are given up."""


class RequestLog:
    """Lives on and is written by its probe alone: read it on the thread that ticks."""

    __slots__ = ("alive", "decode_steps", "done", "is_whole", "since")

    def __init__(self) -> None:
        self.alive: dict[int, Life] = {}
        self.done: deque[Life] = deque(maxlen=MOST_DONE)
        self.decode_steps = 0
        """How many steps of the engine decoded: each gives every request that decodes one token."""
        self.is_whole = True
        """Whether all content that was ever in the tree is remembered; if not, "first seen" means "not seen
        lately"."""
        self.since = 0
        """From when on content is remembered, 0 before the first record."""

    def __len__(self) -> int:
        return len(self.alive) + len(self.done)

    def lives(self) -> Iterator[Life]:
        """Yield every request, those that ended first and in the order in which they did."""
        yield from self.done
        yield from self.alive.values()

    def find(self, request: int) -> Life | None:
        """Return the newest request of that number."""
        alive = self.alive.get(request)
        return alive or next((life for life in reversed(self.done) if life.request == request), None)

    def __str__(self) -> str:
        return f"{len(self.alive):,} requests alive, the newest {len(self.done):,} that ended"
