"""The time of a live source: it is watched on, whatever moment of it is shown."""

from __future__ import annotations

import time
from collections.abc import Callable

from probes.aggregator import Aggregator
from probes.mirror import Mirror
from probes.snapshot import Snapshot
from probes.travel.footage import Footage
from probes.travel.history import History
from probes.travel.moment import Moment
from probes.travel.passage import Passage
from probes.travel.timeline import TimelineFold
from probes.travel.travel import Travel
from radixtop.errors import RadixtopError
from radixtop.playing.transport import LEAP_NS, NUDGE_NS, Course, Transport, course_of

ARRIVED_NS = 500_000_000
"""Whoever is so close behind now is live: between two ticks nobody knows better."""

COURSE_NS = 900_000_000
"""The timeline is drawn anew after so long."""

MORE = "watch with --history 64MB, or record: radixtop record"


class LiveTransport(Transport):
    """Ticks the aggregator of now; where a moment was stopped, a passage through the history is what is shown.

    Stopping makes a twin of the aggregator. Who only stopped goes on live; who went elsewhere plays on from there,
    and is live again at the end.
    """

    def __init__(
        self,
        aggregator: Aggregator,
        history: History,
        fold: TimelineFold,
        clock: Callable[[], int] = time.perf_counter_ns,
    ) -> None:
        self._aggregator = aggregator
        self._history = history
        self._fold = fold
        self._clock = clock
        self._newest: Snapshot | None = None
        self._trip: Travel | None = None
        self._is_only_stopped = False
        self._course: Course | None = None

    @property
    def mirror(self) -> Mirror:
        """The tree of the moment that is shown."""
        return self._aggregator.mirror if self._trip is None else self._trip.mirror

    def tick(self, now: int) -> Snapshot:
        """Take in what is new, and return every sample of the moment that is shown."""
        newest = self._newest = self._aggregator.tick(now)
        self._fold.passed(newest.now)
        trip = self._trip
        if trip is None:
            return newest
        snapshot = trip.tick()
        if trip.is_paused or trip.heading_for is not None or trip.at < newest.now - ARRIVED_NS:
            return snapshot
        self.go_to_end()
        return newest

    @property
    def moment(self) -> Moment | None:
        """See Transport."""
        newest, trip, history = self._newest, self._trip, self._history
        if newest is None:
            return None
        timeline_start = newest.since or newest.now
        end = max(newest.now, timeline_start)
        kept_from = max(timeline_start, min(end, history.kept_from))
        if trip is None:
            return Moment(end, timeline_start, end, kept_from, is_newest=True, newest=newest.source)
        return Moment(
            at=trip.at,
            start=timeline_start,
            end=max(end, trip.at),
            kept_from=kept_from,
            speed=trip.speed,
            is_paused=trip.is_paused,
            newest=newest.source,
            counted_from=trip.counted_from,
            is_tree_only=trip.is_tree_only,
            heading_for=trip.heading_for,
            progress=trip.progress,
        )

    @property
    def course(self) -> Course | None:
        """See Transport."""
        if self._course is None or self._fold.counted_until - self._course.timeline.counted_until >= COURSE_NS:
            self._course = course_of(self._fold)
        return self._course

    @property
    def is_busy(self) -> bool:
        """See Transport."""
        return self._trip is not None and self._trip.is_busy

    @property
    def newest(self) -> Snapshot | None:
        """See Transport."""
        return self._newest

    @property
    def footage(self) -> Footage:
        """See Transport."""
        if self._history.fault:
            raise RadixtopError(self._history.fault, MORE)
        if self._history.kept_from >= self._history.end:
            raise RadixtopError("nothing is kept to go back to: the tree takes too much room", MORE)
        return self._history

    def travel(self) -> Travel:
        """See Transport: stops a live source, where something of it is kept."""
        assert self.footage is self._history
        self._is_only_stopped = False
        return self._stopped()

    def toggle(self) -> None:
        """Stop the moment, or go on: live, or from where one went."""
        if self._trip is None:
            self._stopped()
            self._is_only_stopped = True
        elif self._is_only_stopped:
            self.go_to_end()
        else:
            super().toggle()

    def step(self) -> None:
        """See Transport: nothing comes after now."""
        if self._trip is not None:
            super().step()

    def nudge(self, direction: int) -> None:
        """See Transport; from now on, stand still a second ago."""
        if self._trip is not None:
            super().nudge(direction)
        elif direction < 0:
            self.travel().skip(-NUDGE_NS)

    def leap(self, direction: int) -> None:
        """See Transport; whoever leaps to now is live."""
        if direction < 0 or self._trip is not None:
            self.travel().skip(direction * LEAP_NS)
        self._arrive()

    def seek(self, at: int) -> None:
        """See Transport; whoever goes to now is live."""
        if self._newest is not None and at >= self._newest.now - ARRIVED_NS:
            self.go_to_end()
        else:
            self.travel().seek(at)

    def go_to_end(self) -> None:
        """Watch live again."""
        self._trip = None

    def change_speed(self, factor: float) -> None:
        """See Transport: now has no speed."""
        if self._trip is not None:
            super().change_speed(factor)

    def _arrive(self) -> None:
        trip, newest = self._trip, self._newest
        if trip is not None and newest is not None and (trip.heading_for or trip.at) >= newest.now - ARRIVED_NS:
            self.go_to_end()

    def _stopped(self) -> Travel:
        """Return a trip through the history; the first one stands still at now."""
        if self._trip is None:
            if self._newest is None:
                raise RadixtopError("nothing was seen yet")
            passage = Passage.beside(self._history, self._aggregator, self._newest, self._history.file.end)
            self._trip = Travel(self._history, passage, self._clock)
            self._trip.pause()
        return self._trip
