"""The lines of the views on ages: what was evicted against what is reused, and what is there now."""

from __future__ import annotations

from probes.builtin.ages import AgesSample
from probes.log_shape import LogShape
from radixtop.ages.page import ResidentPage
from radixtop.render.lines import BLANK, Line, Role, Span, clean, width_of
from radixtop.render.overlay import BOTH, FIRST, SECOND, THIRD, Overlaid, overlay
from radixtop.render.units import UNKNOWN, count, duration

_EVICTED_ROLES: tuple[Role, Role, Role, Role] = ("cost0", "device", "warn", "label")
_RESIDENT_ROLES: tuple[Role, Role, Role, Role] = ("flow0", "flow1", "accent", "label")
_NONE = LogShape()


def evicted_lines(sample: AgesSample | None, component: str, width: int, height: int) -> list[Line]:
    """Return idle times when evicted, reuse gaps and lifetimes over one another, under what they are called."""
    if sample is None:
        return [(("- ages are not known", "dim"),)]
    evicted = next((each for each in sample.components if each.component == component), None)
    idle, lifetime = (evicted.idle_ns, evicted.lifetime_ns) if evicted else (_NONE, _NONE)
    legend = _legend(
        ((FIRST, "idle at evict", idle), (SECOND, "reuse gap", sample.reuse_ns), (THIRD, "lifetime", lifetime)),
        _EVICTED_ROLES,
        width,
    )
    return _under(legend, Overlaid(idle, sample.reuse_ns, lifetime, _EVICTED_ROLES), width, height)


def resident_lines(page: ResidentPage | None, width: int, height: int) -> list[Line]:
    """Return ages and idle times of what is there now over one another, under what they are called."""
    if page is None:
        return [(("- what is there now is not known yet", "dim"),)]
    legend = _legend(
        ((FIRST, "age", page.age_ns), (SECOND, "idle", page.idle_ns)), _RESIDENT_ROLES, width, counted="tokens"
    )
    return _under(legend, Overlaid(page.age_ns, page.idle_ns, _NONE, _RESIDENT_ROLES), width, height)


def resident_note(page: ResidentPage | None) -> str:
    """Return how many tokens are there, and of how many the age is not known."""
    if page is None:
        return ""
    unseen = f", {count(page.unseen_tokens)} of unknown age" if page.unseen_tokens else ""
    return f"{count(page.tokens)} tokens of {clean(page.component)}{unseen}"


def _legend(
    named: tuple[tuple[str, str, LogShape], ...],
    roles: tuple[Role, Role, Role, Role],
    width: int,
    counted: str = "nodes",
) -> list[Line]:
    """Return what is drawn how, and the middle of each; in one line, or one each where that is too narrow."""
    order = (roles[0], roles[1], roles[3])
    parts: list[Line] = []
    for (sign, name, shape), role in zip(named, order, strict=False):
        half = duration(shape.p50) if shape.count else UNKNOWN
        parts.append(((f"{sign} ", role), (f"{name} ", "label"), (half, "value"), ("  ", "text")))
    both: Span = (f"{BOTH} both", roles[2])
    line = (*(span for part in parts for span in part), both)
    if width_of(line) <= width:
        return [line]
    return [*parts[:-1], (*parts[-1], both)]


def _under(legend: list[Line], what: Overlaid, width: int, height: int) -> list[Line]:
    """Return the legend, and the chart in the room that is left."""
    if not any(shape.count for shape in (what.first, what.second, what.third)):
        return [*legend, (("nothing was counted yet", "dim"),)][:height]
    chart = overlay(what, width, height - len(legend) - 2)
    return [*legend, *chart, BLANK][:height]
