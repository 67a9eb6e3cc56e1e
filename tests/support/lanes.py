"""Lanes that do not behave: copies that come late, that nobody hears of, or that never come.

Import it inside a test or a fixture only: it needs torch.
"""

from __future__ import annotations

from collections import deque

from cache_core.engine.transfers import Copier
from cache_core.host.transfer import Transfer
from tests.support.checked_engine import CheckedEngine


class LateLane:
    """Copies as late as it may, as a stream beside the forward pass would.

    A backup is copied when it was asked for `polls` times whether it ended, or before a load that follows it. With
    `backups_let_go` nothing outlives the fence.
    """

    def __init__(self, copier: Copier, polls: int, backups_let_go: bool) -> None:
        self._copier = copier
        self._polls = polls
        self._backups_let_go = backups_let_go
        self._waiting: deque[tuple[Transfer, int]] = deque()
        self._ended: list[int] = []
        self._polled = 0
        self.most_waiting = 0

    def start(self, transfer: Transfer) -> None:
        self._waiting.append((transfer, self._polled + self._polls))
        self.most_waiting = max(self.most_waiting, len(self._waiting))

    def fence(self) -> None:
        while self._waiting and (self._backups_let_go or any(late.direction == "load" for late, _ in self._waiting)):
            self._copy_first()

    def finished(self) -> list[int]:
        self._polled += 1
        while self._waiting and self._waiting[0][1] <= self._polled:
            self._copy_first()
        ended, self._ended = self._ended, []
        return ended

    def drain(self) -> None:
        while self._waiting:
            self._copy_first()

    def _copy_first(self) -> None:
        transfer, _ = self._waiting.popleft()
        self._copier.copy(transfer)
        self._ended.append(transfer.id)


def use_late_lane(engine: CheckedEngine, polls: int) -> LateLane:
    """Have the copies of `engine` made as late as its cache's write policy allows, and return what makes them."""
    lane = LateLane(engine.copier, polls, backups_let_go=engine.cache.config.write_policy == "write_back")
    engine.use_lane(lane)
    return lane


class DeafLane:
    """Copies at once and never says so."""

    def __init__(self, copier: Copier) -> None:
        self._copier = copier
        self.started = 0

    def start(self, transfer: Transfer) -> None:
        self._copier.copy(transfer)
        self.started += 1

    def fence(self) -> None:
        pass

    def finished(self) -> list[int]:
        return []

    def drain(self) -> None:
        pass


class DeadLane(DeafLane):
    """Does not even copy."""

    def start(self, transfer: Transfer) -> None:
        self.started += 1
