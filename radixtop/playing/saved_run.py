"""A recording on screen: any moment of it, and its timeline, which is read in the background."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from probes.mirror import Mirror
from probes.snapshot import Snapshot
from probes.travel.file_footage import FileFootage
from probes.travel.footage import Footage
from probes.travel.moment import Moment
from probes.travel.timeline_scan import TimelineScan
from probes.travel.travel import Travel
from radixtop.playing.transport import Course, Transport, course_of

SCAN_NS = 12_000_000
"""How long a tick reads on for the timeline."""


class SavedRun(Transport):
    """A source over a file, which is its own transport. Raises RecordingError when it cannot be read."""

    def __init__(self, path: Path, clock: Callable[[], int] = time.perf_counter_ns) -> None:
        self._footage = FileFootage(path)
        self._clock = clock
        self._trip = Travel(self._footage, clock=clock)
        self._scan = TimelineScan(self._footage.reader(), self._footage.start)
        self._course: Course | None = None
        self._ticks = 0

    def begin(self, after_ns: int, speed: float, *, is_paused: bool) -> None:
        """Show the moment so long after the start first, at that speed from there on."""
        self._trip.set_speed(speed)
        if is_paused:
            self._trip.pause()
        if after_ns:
            self._trip.seek(self._footage.start + after_ns)

    @property
    def transport(self) -> Transport:
        """See Source."""
        return self

    @property
    def mirror(self) -> Mirror:
        """See Source."""
        return self._trip.mirror

    def tick(self, now: int) -> Snapshot:
        """See Source: what was asked for comes first, the timeline after, and in the first tick not at all."""
        snapshot = self._trip.tick()
        if self._ticks and not self._scan.is_over and self._trip.heading_for is None:
            deadline = self._clock() + SCAN_NS
            self._scan.go_on(lambda: self._clock() < deadline)
        self._ticks += 1
        return snapshot

    @property
    def moment(self) -> Moment | None:
        """See Transport: after the first tick it is not known yet, since nobody has looked where the file ends."""
        trip, footage = self._trip, self._footage
        if self._ticks < 2:
            return None
        return Moment(
            at=trip.at,
            start=footage.start,
            end=max(footage.end, trip.at),
            kept_from=footage.start,
            speed=trip.speed,
            is_paused=trip.is_paused,
            is_newest=trip.is_at_end,
            counted_from=trip.counted_from,
            is_tree_only=trip.is_tree_only,
            heading_for=trip.heading_for,
            progress=trip.progress,
        )

    @property
    def course(self) -> Course | None:
        """See Transport."""
        fold = self._scan.fold
        if self._course is None or self._course.timeline.counted_until != fold.counted_until:
            self._course = course_of(fold)
        return self._course

    @property
    def is_busy(self) -> bool:
        """See Transport."""
        return self._trip.is_busy or not self._scan.is_over

    @property
    def footage(self) -> Footage:
        """See Transport."""
        return self._footage

    def travel(self) -> Travel:
        """See Transport."""
        return self._trip

    def close(self) -> None:
        """See Watched."""
        self._footage.close()

    def check(self) -> None:
        """See Watched: what is wrong with a file shows while it is read."""
