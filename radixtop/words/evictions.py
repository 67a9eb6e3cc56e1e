"""What evictions cost and whether they thrash, in a few words. Words come from evidence alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from probes.builtin.evictions import EvictionSample
from probes.builtin.ghosts import HORIZONS_NS, ComponentGhosts, GhostSample
from radixtop.render.lines import Line, Role, Span, clean, first_that_fits
from radixtop.render.units import age, count, duration, share
from radixtop.words.outside import untold

if TYPE_CHECKING:
    from radixtop.messages import Frame

CHEAP, DEAR = 0.02, 0.10
"""Shares of the time from which on evictions are felt, and from which on they hold the cache up."""

SOME, MUCH = 0.03, 0.10
"""Shares of what was evicted that came back: from which on something was lost, and from which on it thrashes."""

_SEEN = 0.0005
"""A share that is not written as 0.0%."""

_HEADLINE_HORIZON = 1

SCANS = 4
"""So many leaves considered for each victim are more than a queue that knows its order needs."""


def answer(
    evictions: EvictionSample | None,
    ghosts: GhostSample | None,
    horizon: int,
    config: Mapping[str, object],
    is_outside: bool = False,
) -> Line:
    """Return what there is to say, to be broken into lines; `is_outside` is of a server that tells of no calls."""
    spans = (*cost_words(evictions), *queue_words(evictions, config))
    thrash = thrash_words(ghosts, horizon)
    if not evictions and is_outside:
        spans = (*untold("what an eviction costs"), (".", "text"))
    return (*spans, ("  ", "text"), *thrash) if thrash else spans


def headline(frame: Frame, width: int) -> Line | None:
    """Return cost and thrash of a frame: in full, or in fewer words."""
    snapshot = frame.snapshot
    evictions = None if snapshot is None else snapshot.get(EvictionSample)
    if snapshot is None or evictions is None:
        return None
    ghosts = snapshot.get(GhostSample)
    cost, thrash = cost_words(evictions), thrash_words(ghosts, _HEADLINE_HORIZON)
    part, back = _short_cost(evictions), _short_thrash(ghosts, _HEADLINE_HORIZON)
    full: Line = (*cost, ("  ", "text"), *thrash)
    if not part:
        return first_that_fits((full, cost), width)
    told = (*part, ("; ", "text"), *thrash) if back else full
    return first_that_fits((full, told, (*part, *back), (*part[:2], *back), part[:2]), width)


def _short_cost(sample: EvictionSample) -> Line:
    """Say what part of the time evictions took in the last minute; nothing where that is not known."""
    minute = sample.last_minute
    if not minute.timed_calls or minute.elapsed_ns <= 0:
        return ()
    part = minute.timed_ns / minute.elapsed_ns
    verdict, role = _of_cost(part)
    return (("evictions take ", "text"), (f"{share(part)} of the time", "value"), (": ", "text"), (verdict, role))


def _short_thrash(sample: GhostSample | None, horizon: int) -> Line:
    """Say how much of what was evicted came back, where that is told."""
    found = None if sample is None else _worst(sample, horizon)
    if sample is None or found is None:
        return ()
    index, _ = found
    verdict, role = _of_thrash(index, sample, horizon)
    return (("; ", "text"), (share(index), "value"), (" came back: ", "text"), (verdict, role))


def cost_words(sample: EvictionSample | None) -> Line:
    """Say what part of the time evictions take, and what a victim does."""
    if sample is None:
        return (("- this source tells of no evictions.", "dim"),)
    minute = sample.last_minute
    if not sample.calls:
        return (("Nothing was evicted since the watch began.", "good"),)
    if not minute.calls:
        return (
            ("Nothing was evicted in the last minute", "good"),
            (f"; {count(sample.calls)} calls before.", "text"),
        )
    if not minute.timed_calls or minute.elapsed_ns <= 0:
        return (
            (f"{count(minute.calls)} calls", "value"),
            (" in the last minute; what they took was not measured.", "text"),
        )
    part = minute.timed_ns / minute.elapsed_ns
    verdict, role = _of_cost(part)
    least = "at least " if minute.timed_calls < minute.calls else ""
    spans: list[Span] = [
        ("Evictions take ", "text"),
        (f"{least}{duration(part * 1e9)} of each second ({share(part)})", "value"),
    ]
    if minute.timed_victims:
        spans += [(", ", "text"), (f"{duration(minute.timed_ns / minute.timed_victims)} a victim", "value")]
    spans += [
        (", at most ", "text"),
        (f"{duration(_longest(sample))} a call", "value"),
        (": ", "text"),
        (verdict, role),
    ]
    return (*spans, (".", "text"))


def queue_words(sample: EvictionSample | None, config: Mapping[str, object]) -> Line:
    """Say that a queue is made anew for each call, where leaves considered and the time that takes say so."""
    minute = None if sample is None else sample.last_minute
    if minute is None or not minute.victims or minute.leaves_considered is None:
        return ()
    if minute.leaves_considered < SCANS * minute.victims:
        return ()
    scans = minute.leaves_considered / minute.victims
    spans: list[Span] = [("  ", "text"), (f"{count(scans)} leaves are considered for each victim", "warn")]
    if minute.queue_build_ns and minute.timed_ns:
        part = min(1.0, minute.queue_build_ns / minute.timed_ns)
        spans += [(": ", "text"), ("a queue of all leaves is rebuilt for each call", "bad")]
        spans += [(", ", "text"), (f"{share(part)} of the time", "value")]
        if config.get("evictor") == "rebuild":
            spans += [("; try ", "text"), ("--evictor incremental", "key")]
    return (*spans, (".", "text"))


def thrash_words(sample: GhostSample | None, horizon: int) -> Line:
    """Say how much of what was evicted came back within a horizon, of the component that lost most."""
    if sample is None:
        return (("- what came back is not told.", "dim"),)
    found = _worst(sample, horizon)
    if found is None:
        return ()
    index, worst = found
    if sample.unfollowed_tokens and index < _SEEN:
        return (("- what came back is not known: more was evicted than can be followed.", "dim"),)
    verdict, role = _of_thrash(index, sample, horizon)
    least = "At least " if sample.unfollowed_tokens else ""
    what = "what" if worst.last_minute.evicted_tokens else "all that"
    spans: list[Span] = [
        (f"{least}{share(index)}", "value"),
        (f" of {what} was evicted ({clean(worst.component)}) came back within ", "text"),
        (within(horizon), "value"),
        (": ", "text"),
        (verdict, role),
    ]
    if _is_young(sample, horizon):
        spans.append((f", watched for {age(sample.watched_ns)}", "dim"))
    return (*spans, (".", "text"))


def within(horizon: int) -> str:
    """Return a horizon in words: 30 s, 5 min."""
    seconds = HORIZONS_NS[horizon] // 1_000_000_000
    return f"{seconds} s" if seconds < 120 else f"{seconds // 60} min"


def _worst(sample: GhostSample, horizon: int) -> tuple[float, ComponentGhosts] | None:
    """Return the component that lost most, and how much of it came back."""
    known = [(index, each) for each in sample.components if (index := _index(each, horizon)) is not None]
    return max(known, key=lambda pair: pair[0]) if known else None


def _index(ghosts: ComponentGhosts, horizon: int) -> float | None:
    index = ghosts.last_minute.thrash_index(horizon)
    return ghosts.total.thrash_index(horizon) if index is None else index


def _longest(sample: EvictionSample) -> float | None:
    return max((most for most in sample.most_history if most is not None), default=None)


def _of_cost(part: float) -> tuple[str, Role]:
    if part >= DEAR:
        return "they hold the cache up", "bad"
    return ("they are felt", "warn") if part >= CHEAP else ("cheap", "good")


def _is_young(sample: GhostSample, horizon: int) -> bool:
    """Say whether less was watched than a horizon: what came back by now is not all that will."""
    return sample.watched_ns < HORIZONS_NS[horizon]


def _of_thrash(index: float, sample: GhostSample, horizon: int) -> tuple[str, Role]:
    if index >= MUCH:
        return "it thrashes", "bad"
    if index < SOME and sample.unfollowed_tokens:
        return "more may have", "dim"
    if index < SOME and _is_young(sample, horizon):
        return "too early to tell", "dim"
    return ("some of it was still wanted", "warn") if index >= SOME else ("little was lost", "good")
