"""What happens in a cache, made up by hand."""

from __future__ import annotations

from collections.abc import Sequence

from cache_core.events import (
    EngineStep,
    Evict,
    FreeWindow,
    Insert,
    Lock,
    Match,
    NodeSplit,
    RequestAdmitted,
    RequestFinished,
    RequestRefused,
    Tombstoned,
)
from probes.builtin.event_log import Event, EventLog, Gone, Missing
from tests.support.records import record

SECOND = 1_000_000_000


def happenings(now: int, rounds: int = 4) -> list[Event]:
    """Return what happens around a few requests, the last of it just now."""
    events: list[Event] = []
    for i in range(rounds):
        at = now - (rounds - i) * SECOND
        events += [
            record(RequestAdmitted, at=at, request=i, prompt_tokens=2_151, device_hit_tokens=2_055, new_tokens=96),
            record(Match, at=at, duration_ns=14_200, request=i, queried_tokens=2_151, device_hit_tokens=2_055,
                   node=1),
            record(Lock, at=at, node=1, moved_tokens=(2_055, 128)),
            record(Evict, at=at + SECOND // 4, duration_ns=12_300, asked_tokens=512, victims=3,
                   leaves_considered=41, freed_tokens=(640, 0)),
            Gone(at + SECOND // 4, 900 + i, 2_055, 128, 7 << 40, ((2_055, 1),)),
            record(Tombstoned, at=at + SECOND // 3, node=2, component=1),
            record(NodeSplit, at=at + SECOND // 2, node=3, upper=40 + i, length=64),
            record(Insert, at=at + SECOND // 2, duration_ns=19_000, key_tokens=2_151, new_tokens=96, node=3,
                   request=i),
            record(FreeWindow, at=at + SECOND // 2, request=i, start=0, end=128),
            record(EngineStep, at=at + SECOND // 2, duration_ns=9_600_000, prefill_tokens=96, decode_tokens=4,
                   running=4),
            record(RequestFinished, at=at + SECOND // 2, request=i, output_tokens=32),
        ]  # fmt: skip
    events.insert(12, Missing())
    events.append(record(RequestRefused, at=now - 1, request=77, reason=3))
    return events


def log_of(events: Sequence[Event], keep: int = 20_000) -> EventLog:
    """Return a log that holds the newest of some events."""
    log = EventLog(keep)
    log.extend(events)
    return log
