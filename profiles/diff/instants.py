"""Forests that are to be compared: of one run at several instants, or of several runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

from cache_core.errors import ConfigError
from profiles.forest import Forest
from profiles.growth.cuts import Cuts
from profiles.growth.forest_builder import ForestBuilder
from profiles.growth.moments import Moment
from profiles.prices import prices_of
from profiles.profile import Profile

END = inf
_UNITS_NS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "": 1_000_000_000, "s": 1_000_000_000, "m": 60_000_000_000}
_INSTANT = re.compile(r"(\d+(?:\.\d+)?)(ns|us|ms|s|m|)\Z", re.ASCII)


def instant_ns(text: str) -> float:
    """Return an instant as ns since the start: "10s", "250ms", "1.5m", "10" (seconds), or "end".

    Raises ConfigError for anything else.
    """
    if text == "end":
        return END
    found = _INSTANT.match(text)
    if found is None:
        raise ConfigError(f"{text!r} is no time; give a time since the start, such as 10s or 250ms, or end")
    return float(found[1]) * _UNITS_NS[found[2]]


@dataclass(frozen=True, slots=True)
class Instants:
    """Forests in the order in which their instants were asked for, and how long the run was."""

    forests: tuple[Forest, ...]
    length_ns: int


def forests_at(profile: Profile, instants: Sequence[float]) -> Instants:
    """Return the forests of a run at instants in ns since its first record; one beyond its end is its end.

    A recording may begin with the tree as it was: the times of its nodes are long before.
    All are cut as finely as the last one and know its prices, so that they differ in what happened alone.
    """
    builder = ForestBuilder(profile.components, prices_of(profile.config))
    reached: dict[float, Moment] = {}
    due = sorted(set(instants))
    first = last = None
    for record in profile.records():
        at = getattr(record, "at", None)
        if at is not None:
            first = _start(profile, at) if first is None else first
            last = at if last is None else max(last, at)
            while due and at - first > due[0]:
                reached[due.pop(0)] = builder.moment(profile.title)
        if due:
            builder.apply(record)
    for instant in due:
        reached[instant] = builder.moment(profile.title)
    prices = reached[max(reached)].prices
    grown = {instant: replace(moment, prices=prices).forest() for instant, moment in reached.items()}
    length = 0 if first is None or last is None else last - first
    return Instants(tuple(grown[instant] for instant in instants), length)


def _start(profile: Profile, at: int) -> int:
    """Return when a run begins whose first record has the time `at`."""
    return at if profile.span_ns is None else max(at, profile.span_ns[0])


def forests_of(profiles: Sequence[Profile]) -> list[Forest]:
    """Return the forests of several runs, each cut wherever one of them is."""
    cuts = Cuts()
    moments = []
    for profile in profiles:
        builder = ForestBuilder(profile.components, prices_of(profile.config), cuts)
        for record in profile.records():
            builder.apply(record)
        moments.append(builder.moment(profile.title))
    return [moment.forest() for moment in moments]
