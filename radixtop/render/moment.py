"""Which moment is shown, in words for the header."""

from __future__ import annotations

from typing import TYPE_CHECKING

from radixtop.render.lines import Line, Role, Span
from radixtop.render.marks import END, PAST, PAUSED, PLAYING, STATES
from radixtop.render.units import age, clock, share

if TYPE_CHECKING:
    from probes.travel.moment import Moment

_ROOM_FOR_MORE = 100
"""From this width on the header also says since when sums count, and how a live source is."""


def moment_spans(moment: Moment, width: int) -> Line:
    """Return what stands in place of the source's state; nothing for a live one that is watched as it happens."""
    if moment.heading_for is not None:
        going = f" … to {clock(moment.heading_for - moment.start)}, {share(moment.progress)} "
        return ((going, "warn"), *_live(moment, width))
    if moment.is_live:
        return () if moment.is_newest else (_ago(moment), *_sums(moment, width), *_live(moment, width))
    return (*_sums(moment, width), _position(moment))


def _position(moment: Moment) -> Span:
    at, end = clock(moment.at - moment.start), clock(moment.end - moment.start)
    if moment.is_newest:
        return f" {END} at the end, {end} ", "warn"
    if moment.is_paused:
        return f" {PAUSED} paused at {at} / {end} ", "warn"
    return f" {PLAYING} {moment.speed:g}x {at} / {end} ", "accent"


def _ago(moment: Moment) -> Span:
    ago = age(moment.end - moment.at)
    if moment.is_paused:
        return f" {PAUSED} {ago} ago ", "warn"
    return f" {PAST} {ago} ago, {moment.speed:g}x ", "accent"


def _live(moment: Moment, width: int) -> Line:
    """Say how a live source is that is not shown as it is now."""
    if moment.newest is None:
        return ()
    state = moment.newest.state
    if state == "live":
        return ((" live goes on ", "dim"),) if width >= _ROOM_FOR_MORE else ()
    sign, role = STATES[state]
    return ((f" {sign} {state} ", role),)


def _sums(moment: Moment, width: int) -> Line:
    """Say since when sums count, when that is not the start."""
    if moment.is_tree_only:
        return ((" the tree; figures follow ", "warn"),)
    if moment.counted_from is None:
        return ()
    role: Role = "warn"
    since = clock(moment.counted_from - moment.start)
    return ((f" sums since {since} " if width >= _ROOM_FOR_MORE else f" Σ {since} ", role),)
