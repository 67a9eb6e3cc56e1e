"""The queue of the cache's host tier reaches the lane in order, and the tier hears what ended."""

from __future__ import annotations

import pytest

from cache_core.host.transfer import Transfer

pytestmark = pytest.mark.needs("torch")


class Tier:
    """A queue, and the ids that were reported."""

    def __init__(self, *numbers: int) -> None:
        self.queue = [Transfer(number, "backup", {}) for number in numbers]
        self.completed: list[int] = []

    def take_transfers(self) -> list[Transfer]:
        taken, self.queue = self.queue, []
        return taken

    def complete(self, number: int) -> None:
        self.completed.append(number)


class Lane:
    """Ends what it has when it is told to."""

    def __init__(self) -> None:
        self.moving: list[int] = []
        self.ended: list[int] = []

    def start(self, transfer: Transfer) -> None:
        self.moving.append(transfer.id)

    def fence(self) -> None:
        pass

    def finished(self) -> list[int]:
        ended, self.ended = self.ended, []
        return ended

    def drain(self) -> None:
        self.ended += self.moving
        self.moving = []


def test_what_is_queued_is_started_once_and_in_order() -> None:
    from cache_core.engine.host_traffic import HostTraffic

    tier, lane = Tier(3, 1), Lane()
    traffic = HostTraffic(tier, None, lane)  # type: ignore[arg-type]
    traffic.start()
    traffic.start()
    assert lane.moving == [3, 1]
    assert tier.completed == []


def test_the_tier_hears_what_ended_once() -> None:
    from cache_core.engine.host_traffic import HostTraffic

    tier, lane = Tier(3, 1), Lane()
    traffic = HostTraffic(tier, None, lane)  # type: ignore[arg-type]
    traffic.start()
    lane.ended.append(3)
    traffic.settle()
    traffic.settle()
    assert tier.completed == [3]


def test_close_carries_out_what_is_queued_and_waits_for_it() -> None:
    from cache_core.engine.host_traffic import HostTraffic

    tier, lane = Tier(3), Lane()
    traffic = HostTraffic(tier, None, lane)  # type: ignore[arg-type]
    traffic.start()
    tier.queue.append(Transfer(4, "load", {}))
    traffic.close()
    assert tier.completed == [3, 4]
