"""The controls of a source's time: which moment is shown, and how to get to another one.

A source that has a `transport` can be stopped and gone back and forth in, whether it is a recording or live. All of
it is called on the polling thread; what screens get of it is frozen: a `Moment` and a `Course` in every frame.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from probes.snapshot import Snapshot
from probes.travel.footage import Footage
from probes.travel.moment import Moment
from probes.travel.notable import Notable, notables
from probes.travel.timeline import Timeline, TimelineFold
from probes.travel.travel import Travel
from radixtop.errors import RadixtopError
from radixtop.render.units import clock, count

SECOND_NS = 1_000_000_000
NUDGE_NS = SECOND_NS
LEAP_NS = 10 * SECOND_NS
SLOWEST, FASTEST = 0.01, 1e6


@dataclass(frozen=True, slots=True)
class Course:
    """A whole run as the timeline draws it, and the moments of it that are worth going to."""

    timeline: Timeline
    notables: tuple[Notable, ...] = ()


def course_of(fold: TimelineFold) -> Course | None:
    """Return the course of a run as far as it was folded; None before its first record."""
    timeline = fold.timeline()
    return None if timeline is None else Course(timeline, notables(timeline))


class Transport(ABC):
    """Moves the moment that is shown. What cannot be done raises RadixtopError and changes nothing."""

    @property
    @abstractmethod
    def moment(self) -> Moment | None:
        """Which moment is shown; None before anything is."""

    @property
    @abstractmethod
    def course(self) -> Course | None:
        """The whole run, as far as it is known."""

    @property
    @abstractmethod
    def is_busy(self) -> bool:
        """Whether more is to be done now than ticks every now and then."""

    @property
    @abstractmethod
    def footage(self) -> Footage:
        """What is kept of the run, for who reads it on its own. Raises RadixtopError where nothing is kept."""

    @property
    def newest(self) -> Snapshot | None:
        """The newest snapshot of a live source, whatever moment is shown; None of others."""
        return None

    @abstractmethod
    def travel(self) -> Travel:
        """Return what goes to moments; a live source is stopped for that."""

    def toggle(self) -> None:
        """Let time stand still, or pass."""
        trip = self.travel()
        if trip.is_paused:
            trip.play()
        else:
            trip.pause()

    def step(self) -> None:
        """Stand still at the next block of the run."""
        self.travel().step()

    def nudge(self, direction: int) -> None:
        """Go a second further or back, and a block where time stands still."""
        trip = self.travel()
        if not trip.is_paused:
            trip.skip(direction * NUDGE_NS)
        elif direction > 0:
            trip.step()
        else:
            trip.step_back()

    def leap(self, direction: int) -> None:
        """Go ten seconds further or back."""
        self.travel().skip(direction * LEAP_NS)

    def seek(self, at: int) -> None:
        """Go to a moment."""
        self.travel().seek(at)

    def go_to_start(self) -> None:
        """Go to the first moment that can be shown."""
        self.seek(-(1 << 62))

    def go_to_end(self) -> None:
        """Go to the last moment."""
        self.seek(1 << 62)

    def change_speed(self, factor: float) -> None:
        """Let time pass so many times as fast as it does."""
        trip = self.travel()
        trip.set_speed(min(FASTEST, max(SLOWEST, trip.speed * factor)))

    def go_to_notable(self, direction: int) -> str:
        """Stand still at the next moment worth going to, or at the one before, and say what it is."""
        course, moment = self.course, self.moment
        found: list[Notable] = []
        if course is not None and moment is not None:
            at = moment.at if moment.heading_for is None else moment.heading_for
            later = (one for one in course.notables if (one.at - at) * direction > 0)
            found = [one for one in later if one.at >= moment.kept_from]
        if moment is None or not found:
            where = "later" if direction > 0 else "earlier"
            raise RadixtopError(f"no {where} burst of evictions and no {where} fall of the hit rate is known")
        notable = (min if direction > 0 else max)(found, key=lambda one: one.at)
        trip = self.travel()
        trip.pause()
        trip.seek(notable.at)
        return f"{clock(notable.at - moment.start)}: {_spoken(notable)}"


def _spoken(notable: Notable) -> str:
    if notable.kind == "fall":
        return f"the hit rate fell by {100 * notable.size:.0f} points"
    return f"a burst of evictions, {count(notable.size)} tokens"
