"""The newest events as they came, for those who read along."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from cache_core.events import (
    CacheReset,
    EngineStep,
    Evict,
    FreeWindow,
    Insert,
    Lock,
    Match,
    NodeAdded,
    NodeRemoved,
    NodeSplit,
    Record,
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
from probes.fold import Fold, Folds
from probes.mirror import Mirror
from probes.probe import Probe

KEPT_EVENTS = 20_000
"""How many events the log keeps, the newest ones."""

LOGGED = (
    RequestQueued, RequestAdmitted, RequestPrefilled, RequestFirstToken, RequestFinished, RequestRetracted,
    RequestRefused, Match, Insert, NodeSplit, Evict, Lock, Unlock, FreeWindow, Tombstoned, Recovered,
    CacheReset, EngineStep, SchedulePass, Transfers,
)  # fmt: skip
"""What happens. Left out are records that state how things are (pools, names, nodes that a snapshot tells again)."""


class Missing(NamedTuple):
    """Stands in the log where records of the stream are missing; `at` is the time of the event before, -1 if none."""

    at: int = -1


class Gone(NamedTuple):
    """A node that left the tree, as it was until then: `segments` are (start, label id)."""

    at: int
    node: int
    start: int
    length: int
    content_key: int
    segments: tuple[tuple[int, int], ...]


Event = Record | Missing | Gone


def time_of(event: Event) -> int:
    """Return when an event was."""
    at = event[0]
    assert isinstance(at, int)
    return at


class EventLog:
    """The newest `keep` events, each under the number it has had since the watch began."""

    def __init__(self, keep: int = KEPT_EVENTS) -> None:
        self._kept: deque[Event] = deque(maxlen=keep)
        self.total = 0

    @property
    def first(self) -> int:
        """The number of the oldest event that is kept; equal to `total` when there is none."""
        return self.total - len(self._kept)

    def extend(self, events: Sequence[Event]) -> None:
        """Take in the next events; the oldest ones go."""
        self.total += len(events)
        self._kept.extend(events)

    def span(self, start: int, stop: int) -> list[Event]:
        """Return the events of the numbers [start, stop), as far as they are kept, oldest first."""
        first = self.first
        return list(islice(self._kept, max(0, start - first), max(0, stop - first)))

    def __str__(self) -> str:
        return f"the newest {len(self._kept):,} of {self.total:,} events"


@dataclass(frozen=True, slots=True)
class EventLogSample:
    """How many events there were since the watch began, and the log itself.

    The log lives on: read it on the thread that ticks, never write to it.
    """

    events: int
    log: EventLog


class EventLogProbe(Probe):
    """Keeps records as they are: nothing is formatted before somebody looks.

    Records wait in a list until their batch is whole, so that one costs an append of a list and no more. Of a node
    that leaves, what it was is kept, since nobody knows it afterwards.
    """

    needs = frozenset({NodeRemoved})

    def __init__(self, mirror: Mirror) -> None:
        super().__init__(mirror)
        self._log = EventLog()
        self._waiting: list[Event] = []
        self._newest_at = 0

    def before(self) -> Folds:
        """See Probe."""
        return {NodeRemoved: self._removed}

    def folds(self) -> Folds:
        """See Probe."""
        folds: dict[type, Fold] = dict.fromkeys(LOGGED, self._waiting.append)
        if not self.mirror.tells_use:  # nobody tells of inserts: the nodes that they make are the news
            folds[NodeAdded] = self._stored
        return folds

    def sample(self, now: int) -> EventLogSample:
        """See Probe."""
        self._take_in()
        return EventLogSample(self._log.total, self._log)

    def advance(self, records: int, since: int, until: int) -> None:
        """See Probe."""
        self._take_in()

    def lost(self) -> None:
        """See Probe."""
        self._take_in()
        log = self._log
        before = log.span(log.total - 1, log.total)
        self._waiting.append(Missing(time_of(before[0])) if before else Missing())

    def _stored(self, record: NodeAdded) -> None:
        """Note a node that is new: one that is stated again, as of another rank, is older than what came before."""
        if record.at >= self._newest_at:
            self._newest_at = record.at
            self._waiting.append(record)

    def _removed(self, record: NodeRemoved) -> None:
        self._newest_at = max(self._newest_at, record.at)
        node = self.mirror.nodes.get(record.node)
        if node is not None:
            gone = Gone(record.at, record.node, node.start, node.length, node.content_key, node.segments)
            self._waiting.append(gone)

    def _take_in(self) -> None:
        self._log.extend(self._waiting)
        self._waiting.clear()
