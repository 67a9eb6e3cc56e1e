"""The kinds of events that a screen tells apart and filters by."""

from __future__ import annotations

from typing import Literal, get_args

from cache_core.events import (
    CacheReset,
    EngineStep,
    Evict,
    FreeWindow,
    Insert,
    Lock,
    Match,
    NodeAdded,
    NodeSplit,
    Recovered,
    RequestAdmitted,
    RequestFinished,
    RequestFirstToken,
    RequestPrefilled,
    RequestQueued,
    RequestRefused,
    RequestRetracted,
    SchedulePass,
    Tombstoned,
    Transfers,
    Unlock,
)
from probes.builtin.event_log import Gone, Missing

Kind = Literal["requests", "inserts", "evictions", "locks", "windows", "engine", "losses"]

CHOICES: tuple[str, ...] = ("all", *get_args(Kind)[:-1])
"""What a screen can be told to show; losses are always shown."""

CHOICES_OUTSIDE: tuple[str, ...] = ("all", "inserts", "evictions")
"""What there is of servers that are seen from outside: what was stored, and what was removed."""

KIND_OF: dict[type, Kind] = {
    RequestQueued: "requests",
    RequestAdmitted: "requests",
    RequestPrefilled: "requests",
    RequestFirstToken: "requests",
    RequestFinished: "requests",
    RequestRetracted: "requests",
    RequestRefused: "requests",
    Match: "requests",
    Insert: "inserts",
    NodeAdded: "inserts",
    NodeSplit: "inserts",
    Evict: "evictions",
    Gone: "evictions",
    CacheReset: "evictions",
    Lock: "locks",
    Unlock: "locks",
    FreeWindow: "windows",
    Tombstoned: "windows",
    Recovered: "windows",
    EngineStep: "engine",
    SchedulePass: "engine",
    Transfers: "engine",
    Missing: "losses",
}


def classes_of(choice: str) -> frozenset[type]:
    """Return the classes of the events that are shown for a choice."""
    return frozenset(cls for cls, kind in KIND_OF.items() if choice in ("all", kind) or kind == "losses")
