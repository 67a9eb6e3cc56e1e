"""Requests in the order of their admission, each held back until its prompt is known, or it ended.

What a request asked for is known once an insert has named it, which is after others came. A pass over requests wants
them one after the other, as a cache met them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from probes.curves.contents import TOP
from probes.newest import forget_oldest

MOST_WAITING = 1 << 10
"""Behind one that is not known so many others wait; then it is taken as it is known by then."""

_MOST_RUNNING = 1 << 12


class Admitted:
    """A request: its prompt, what the cache knew and hit of it, and the path that it is known to have so far."""

    __slots__ = (
        "at", "decided_at", "has_ended", "is_decided", "is_served", "known_tokens", "name", "own_tokens",
        "prompt_tokens",
    )  # fmt: skip

    def __init__(self, at: int, prompt_tokens: int, own_tokens: tuple[int, int], decided_at: int) -> None:
        self.at = at
        self.prompt_tokens = prompt_tokens
        self.own_tokens = own_tokens
        self.decided_at = decided_at
        """Once so many tokens are known, nothing of the prompt can be stored any more."""
        self.name, self.known_tokens = TOP, 0
        self.is_decided = decided_at <= 0
        self.is_served = self.has_ended = False

    def reaches(self, name: int, tokens: int) -> bool:
        """Note that its path goes on to a name, if that is further than is known; say whether it is."""
        if tokens <= self.known_tokens:
            return False
        self.name, self.known_tokens = name, tokens
        self.is_decided = self.is_decided or tokens >= self.decided_at
        return True


class Line:
    """Requests that run, by number, and those that wait for their turn."""

    def __init__(self, most_waiting: int = MOST_WAITING) -> None:
        self.running: dict[int, Admitted] = {}
        self._waiting: deque[Admitted] = deque()
        self._most_waiting = most_waiting

    def join(self, request: int, admitted: Admitted) -> None:
        """Let a request that was just admitted wait for its turn."""
        self.running[request] = admitted
        self._waiting.append(admitted)
        if len(self.running) > _MOST_RUNNING:
            for each in [*self.running.values()][: _MOST_RUNNING // 8]:
                each.is_decided = True
            forget_oldest(self.running)

    def turns(self) -> Iterator[Admitted]:
        """Yield those whose turn it is, in their order."""
        waiting = self._waiting
        while waiting and (waiting[0].is_decided or len(waiting) > self._most_waiting):
            next_one = waiting.popleft()
            next_one.is_served = True
            yield next_one

    def clear(self) -> None:
        """Forget all of them."""
        self.running.clear()
        self._waiting.clear()
