"""Whether the hit rate changed in the last minute, and which misses make the difference."""

from __future__ import annotations

from collections.abc import Sequence

from probes.builtin.request_log import RequestLogSample
from probes.lives.misses import DEVICE, LOADED, Amounts, MissClass
from radixtop.render.lines import Line, Role, Span
from radixtop.render.miss_chart import LAYERS, asked, summed
from radixtop.render.miss_words import name_of, text_role
from radixtop.render.units import share
from radixtop.words.requests import answer

NEWEST_SECONDS = 15
_CHANGE, _PART = 0.05, 0.02
"""A hit rate that changed by less is called steady; a class by less is not named."""

_MOST_NAMED = 3


def sentences(sample: RequestLogSample | None, width: int) -> list[Line]:
    """Return what changed, where anything did, and what became of the tokens of the last minute."""
    changed = None if sample is None else change(sample.seconds, sample.remembers_all, sample.lacking)
    return [*([changed] if changed is not None else []), answer(sample, width)]


def change(seconds: Sequence[Amounts], remembers_all: bool, lacking: str) -> Line | None:
    """Return how the newest seconds differ from the minute before them; None where either saw no request."""
    now, before = summed(seconds[-NEWEST_SECONDS:]), summed(seconds[:-NEWEST_SECONDS])
    if not asked(now) or not asked(before):
        return None
    hit_now, hit_before = _hits(now), _hits(before)
    difference = hit_now - hit_before
    if abs(difference) < _CHANGE:
        return (
            ("hit rate: ", "label"), ("steady", "good"),
            (f", {share(hit_now)} in the last {NEWEST_SECONDS} s and {share(hit_before)} before", "text"),
        )  # fmt: skip
    word: Span = ("fell", "bad") if difference < 0 else ("rose", "good")
    spans: list[Span] = [
        ("hit rate: ", "label"), word, (" to ", "text"), (share(hit_now), "device"),
        (f" in the last {NEWEST_SECONDS} s, from {share(hit_before)} before", "text"),
    ]  # fmt: skip
    parts = _moved(now, before, -1 if difference < 0 else 1)
    for place, (miss, points) in enumerate(parts):
        role: Role = text_role(miss)
        spans += [
            (": " if not place else ", ", "text"),
            (f"{name_of(miss, remembers_all, lacking)} {points:+.0f} points", role),
        ]
    return tuple(spans)


def _hits(amounts: Amounts) -> float:
    return (amounts[DEVICE] + amounts[LOADED]) / asked(amounts)


def _moved(now: Amounts, before: Amounts, hits_went: int) -> list[tuple[MissClass, float]]:
    """Return the classes that went the other way from the hits, with their points, the largest first."""
    moved = [
        (miss, 100 * (now[place] / asked(now) - before[place] / asked(before)))
        for place, _, miss in LAYERS
        if miss is not None
    ]
    against = [(miss, points) for miss, points in moved if -hits_went * points >= 100 * _PART]
    return sorted(against, key=lambda each: -abs(each[1]))[:_MOST_NAMED]
