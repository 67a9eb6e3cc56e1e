"""Figures that cannot be: a page is another's, and may say that -5 requests run or that a pool is five times full."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from probes.scrapes.buckets import Buckets
from probes.scrapes.roles import ROLES

MOST = 1e18
"""Above what any server counts in its life."""

_RATIO_SLACK = 0.05
"""A share is a quotient of two gauges that were not read at one moment."""

_MOST_NAMED = 5
_BEGIN = "left out what cannot be: "


def set_aside(*mappings: dict[str, float], histograms: dict[str, Buckets]) -> tuple[str, ...]:
    """Take out of `mappings` (by role) and `histograms` what their roles cannot be, and return a note if any was."""
    found: list[str] = []
    for told in mappings:
        wrong = [role for role, number in told.items() if not _is_possible(role, number)]
        found += [f"{role} {told.pop(role):g}" for role in wrong]
    wrong = [role for role, buckets in histograms.items() if buckets.count > MOST]
    found += [f"{role} of {histograms.pop(role).count:g} values" for role in wrong]
    for role, buckets in histograms.items():
        if buckets.total is not None and not _is_possible(role, buckets.total):
            found.append(f"{role} of {buckets.total:g} in all")
            histograms[role] = replace(buckets, total=None)
    return (_BEGIN + ", ".join(_named(found)),) if found else ()


def note_among(notes: Iterable[str]) -> str:
    """Return the note of what was left out, "" where nothing was."""
    return next((note for note in notes if note.startswith(_BEGIN)), "")


def _is_possible(role: str, number: float) -> bool:
    unit = ROLES[role].unit
    if unit in ("ratio", "switch"):
        return -_RATIO_SLACK <= number <= 1 + _RATIO_SLACK
    return 0 <= number <= MOST


def _named(found: list[str]) -> Iterator[str]:
    yield from found[:_MOST_NAMED]
    if len(found) > _MOST_NAMED:
        yield f"{len(found) - _MOST_NAMED} more"
