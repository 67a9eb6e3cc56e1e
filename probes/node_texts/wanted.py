"""What screens want to have decoded, the newest first."""

from __future__ import annotations

from collections import OrderedDict

MOST = 512
STALE_S = 5.0
"""A screen asks for what it shows at every frame; tokens not asked for this long are off screen."""

RETRY_S = 60.0
"""How long tokens are left alone that nobody has a text for."""

_MOST_FAILED = 4_096


class Wanted:
    """Tokens that wait, and those that were tried in vain. Times are seconds of one clock."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[bytes, float] = OrderedDict()
        self._failed: OrderedDict[bytes, float] = OrderedDict()

    def __len__(self) -> int:
        """Return how many wait."""
        return len(self._waiting)

    def add(self, tokens: bytes, now: float) -> bool:
        """Want some tokens, before all others; say whether somebody should try."""
        if now < self._failed.get(tokens, now):
            return False
        self._waiting[tokens] = now
        self._waiting.move_to_end(tokens)
        if len(self._waiting) > MOST:
            self._waiting.popitem(last=False)
        return True

    def take(self, count: int, now: float) -> list[bytes]:
        """Take the newest that wait, at most so many; what nobody wants any more is let go."""
        taken: list[bytes] = []
        while self._waiting and len(taken) < count:
            tokens, at = self._waiting.popitem()
            if now - at > STALE_S:
                self._waiting.clear()  # the others are older
                break
            taken.append(tokens)
        return taken

    def fail(self, tokens: bytes, now: float) -> None:
        """Leave some tokens alone for a while."""
        self._failed[tokens] = now + RETRY_S
        self._failed.move_to_end(tokens)
        if len(self._failed) > _MOST_FAILED:
            self._failed.popitem(last=False)
