"""When the hit rate fell most: of what was watched up to the moment that is shown, else of all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from radixtop.render.lines import Line, first_that_fits
from radixtop.render.units import age, clock

if TYPE_CHECKING:
    from radixtop.messages import Frame


def headline(frame: Frame, width: int) -> Line | None:
    """Return the moment of the largest fall, or that there was none; None before anything was asked for."""
    from probes.travel.notable import largest_fall  # not for the first frame

    moment, course = frame.moment, frame.course
    if moment is None or course is None:
        return None
    fall = largest_fall([one for one in course.notables if one.at <= moment.at]) or largest_fall(course.notables)
    if fall is None:
        return _steady(moment.at - moment.start, width) if sum(course.timeline.queried_tokens) else None
    when = clock(fall.at - moment.start)
    ago = f", {age(moment.at - fall.at)} ago" if moment.at >= fall.at else ", still to come"
    told: Line = (
        ("hit rate fell most at ", "text"),
        (when, "value"),
        (ago, "text"),
        (": ", "text"),
        (f"-{100 * fall.size:.0f} points", "bad"),
    )
    return first_that_fits(((*told, ("; the timeline shows it, e and E go to such moments", "dim")), told), width)


def _steady(watched_ns: int, width: int) -> Line:
    told: Line = (("hit rate never fell", "good"), (" in ", "text"), (clock(watched_ns), "value"))
    return first_that_fits(((*told, (" by more than it always wavers", "dim")), told), width)
