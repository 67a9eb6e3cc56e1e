"""Whether what is evicted was still wanted, in a few words. Words come from evidence alone."""

from __future__ import annotations

from probes.builtin.ages import AgesSample, ComponentAges
from probes.builtin.ghosts import HORIZONS_NS, GhostSample, GhostTokens
from radixtop.render.lines import Line, Role, Span, clean
from radixtop.render.units import count, duration, share

LEAST = 30
"""So many evictions and hits are needed to compare them."""

MINUTE = 2
"""The place of one minute among the horizons of ghosts."""

_FRESH, _SOME_FRESH = 0.5, 0.1
_CAME_BACK, _SOME_CAME_BACK = 0.10, 0.03


def answer(ages: AgesSample | None, ghosts: GhostSample | None, component: str) -> Line:
    """Return what there is to say about one component, to be broken into lines."""
    if ages is None:
        return (("- this source does not tell ages.", "dim"),)
    evicted = next((each for each in ages.components if each.component == component), None)
    hits, evictions = ages.reuse_ns.count, evicted.idle_ns.count if evicted else 0
    if evicted is None or hits < LEAST or evictions < LEAST:
        return _too_little(component, evictions, hits)
    spans: list[Span] = [
        ("Half of what was evicted ", "text"),
        (f"({clean(component)})", "dim"),
        (" had been idle for ", "text"),
        (duration(evicted.idle_ns.p50), "value"),
        ("; nine in ten reuses come within ", "text"),
        (duration(ages.reuse_ns.p90), "value"),
        (": ", "text"),
    ]
    returned = _returned(ghosts, component)
    is_young = ghosts is not None and ghosts.watched_ns < HORIZONS_NS[MINUTE]
    spans += [_verdict(evicted, returned, is_young), (".  ", "text")]
    if evicted.thrash_index is not None:
        spans += [("They have ", "text"), (share(evicted.thrash_index), "value"), (" in common", "text")]
    if returned is not None:
        spans += [
            ("; ", "text"),
            (share(returned), "value"),
            (" of what was evicted came back within a minute", "text"),
        ]
    return (*spans, (".", "text"))


def _too_little(component: str, evictions: int, hits: int) -> Line:
    """Say what is missing for a comparison."""
    if not evictions:
        return (
            (f"Nothing of {clean(component)} was evicted yet", "good"),
            (f"; {count(hits)} nodes were hit.", "text"),
        )
    return (
        ("Too little was seen to compare: ", "dim"),
        (f"{count(evictions)} evicted, {count(hits)} hit", "value"),
        (f"; {LEAST} of each are needed.", "dim"),
    )


def _returned(ghosts: GhostSample | None, component: str) -> float | None:
    """Return the share of what was evicted that came back within a minute, lately or else in all."""
    each = next((each for each in ghosts.components if each.component == component), None) if ghosts else None
    if each is None:
        return None
    lately: GhostTokens = each.last_minute if each.last_minute.evicted_tokens else each.total
    return lately.thrash_index(MINUTE)


def _verdict(evicted: ComponentAges, returned: float | None, is_young: bool) -> tuple[str, Role]:
    """Say what it means: what came back is a proof, what is as fresh as what is reused a hint.

    In a watch that is younger than a minute (`is_young`) nothing has proved yet that little is lost.
    """
    fresh = evicted.idle_below_p90_reuse or 0.0
    if returned is not None and returned >= _CAME_BACK:
        return "more memory would help", "bad"
    if fresh >= _FRESH:
        return "it was as fresh as what is reused, more memory may help", "warn"
    if returned is not None and returned >= _SOME_CAME_BACK:
        return "some of it was still wanted", "warn"
    if fresh >= _SOME_FRESH:
        return "some of it was as fresh as what is reused", "warn"
    return ("too early to tell", "dim") if is_young else ("little is lost", "good")
