"""Requests that get no answer: refused, given up, or not at their end yet."""

from __future__ import annotations

from cache_core.events import ABORTED, RequestFinished, RequestRefused, RequestRetracted
from probes.fold import Folds
from probes.plausible import MOST_TOKENS
from profiles.evidence.requests import Unserved
from profiles.evidence.scope import Scope


class Unanswered:
    """Counts requests by how they ended, and knows what the largest refused one would have taken."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._ended = self._refused = self._aborted = self._aborted_tokens = 0
        self._largest = (0, 0)
        self._refused_at: int | None = None
        self._aborted_at: int | None = None

    def folds(self) -> Folds:
        """Return what takes which record class."""
        return {RequestFinished: self._finish, RequestRetracted: self._retract, RequestRefused: self._refuse}

    def frozen(self, now: int = 0) -> Unserved:
        """Return what is known of them, and of those that are alive by the last record, or by `now`."""
        scope = self._scope
        until = max(scope.end_at, now)
        alive = [life for life in scope.log.alive.values() if life.arrived_at <= scope.end_at]
        oldest = min((life.arrived_at for life in alive), default=until)
        return Unserved(
            ended=self._ended,
            refused=self._refused,
            largest_tokens=self._largest[0],
            largest_prompt=self._largest[1],
            refused_since_ns=scope.since(self._refused_at),
            aborted=self._aborted,
            aborted_tokens=self._aborted_tokens,
            aborted_since_ns=scope.since(self._aborted_at),
            waiting=sum(life.state == "waiting" for life in alive),
            running=sum(life.state == "running" for life in alive),
            oldest_ns=until - oldest,
        )

    def _finish(self, record: RequestFinished) -> None:
        self._ended += self._scope.counts(record.at)

    def _retract(self, record: RequestRetracted) -> None:
        """Count who was given up; who was retracted for any other reason comes back, or is refused."""
        if record.reason != ABORTED or not self._scope.counts(record.at):
            return
        self._ended += 1
        self._aborted += 1
        self._aborted_tokens += min(MOST_TOKENS, max(0, record.recomputed_tokens))
        if self._aborted_at is None:
            self._aborted_at = record.at

    def _refuse(self, record: RequestRefused) -> None:
        if not self._scope.counts(record.at):
            return
        self._ended += 1
        self._refused += 1
        prompt = min(MOST_TOKENS, max(0, record.prompt_tokens))
        self._largest = max(self._largest, (min(MOST_TOKENS, max(prompt, record.new_tokens)), prompt))
        if self._refused_at is None:
            self._refused_at = record.at
