"""The order in which prompts go out: new ones, and the next turns of conversations after their user's pause."""

from __future__ import annotations

from array import array
from collections import deque

from profiles.workload import Prompt, Workload


class Outbox:
    """The prompts of a workload and the follow-ups to their answers.

    A user takes a while to reply. So a follow-up waits, and the one that waited longest goes out once more than
    `pondering` of them wait, or when the workload has nothing new. That is what makes a cache keep a conversation
    while others come and go.
    """

    def __init__(self, workload: Workload, pondering: int) -> None:
        self._new = workload.prompts()
        self._ahead = next(self._new, None)
        self._replies: deque[Prompt] = deque()
        self._pondering = pondering

    def __bool__(self) -> bool:
        return self._ahead is not None or bool(self._replies)

    def answered(self, prompt: Prompt, output: array[int]) -> None:
        """Keep what follows the answer to `prompt`, if anything does."""
        reply = prompt.follow_up(output) if prompt.follow_up is not None else None
        if reply is not None:
            self._replies.append(reply)

    def take(self) -> Prompt:
        """Return the prompt that goes out next. There must be one."""
        if self._ahead is None or len(self._replies) > self._pondering:
            return self._replies.popleft()
        prompt, self._ahead = self._ahead, next(self._new, None)
        return prompt
