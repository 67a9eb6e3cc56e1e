"""What whole pages cost where prompts part: the tokens up to the text that follows.

pages     |------------|------------|------------|
stored    |---- system prompt -------------|- question 1 -)
asked     |---- system prompt -------------|- question 2 -)
          |------ hit --------------|~lost~|

A page that is not full is not stored, so nobody knows what of a prompt's last one was asked for before: half of it,
where all before it was known.
"""

from __future__ import annotations

from probes.lives.request_life import Life
from profiles.evidence.evidence import PageLoss
from profiles.evidence.scope import Scope
from profiles.evidence.segments import Segment


class Pages:
    """Counts what lies between the last whole page that was known and the start of the next text."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._tokens = self._requests = self._forks = self._below = self._tails = 0
        self._since: int | None = None

    def take(self, life: Life, segments: list[Segment], at: int) -> None:
        """Look at a request that ended, and whose path is still there."""
        page, boundary = self._scope.page_tokens, life.full_boundary
        if page == 1:
            return
        self._forks += 1
        self._below += not life.matchable
        self._since = at if self._since is None else self._since
        if boundary >= life.matchable > 0:
            self._tails += (life.prompt_tokens - life.matchable) // 2
        cut = next((segment.start for segment in segments if boundary < segment.start < boundary + page), None)
        if cut is not None:
            self._tokens += cut - boundary
            self._requests += 1

    def frozen(self) -> PageLoss:
        """Return what is known of it."""
        return PageLoss(
            self._tokens, self._requests, self._forks, self._below, self._tails, self._scope.since(self._since)
        )
