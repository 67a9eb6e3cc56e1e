"""Runs the cache's own benchmark, tells how it goes, and prints its document or its tables."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace

from cache_core.bench.core import OWN, run_bench
from cache_core.bench.plan import FULL, QUICK
from cache_core.bench.report import tables
from cache_core.bench.same_work import DifferentWorkError
from cache_core.bench.side import Peer, SideError
from profiles.plain import json_text
from radixtop.bench.figures import narrate
from radixtop.errors import RadixtopError, UsageError


def run(peers: Sequence[str], runs: int, quick: bool, as_json: bool) -> None:
    """Measure and write to stdout. Raises RadixtopError, after the figures, when a peer had to be left out."""
    try:
        named = [Peer.parse(text) for text in peers]
    except ValueError as error:
        raise UsageError(str(error)) from None
    if len({peer.name for peer in named}) < len(named):
        raise UsageError("two peers have the same name", "the name is what tells their figures apart")
    if any(peer.name == OWN for peer in named):
        raise UsageError(f"{OWN!r} is the name of our own column", "give the peer another name")
    plan = replace(QUICK if quick else FULL, runs=runs)
    try:
        document = run_bench(plan, named, narrate)
    except (SideError, DifferentWorkError) as error:
        raise RadixtopError(str(error).removeprefix(f"{OWN}: ")) from None
    sys.stdout.write((json_text(document, indent=1) if as_json else tables(document)) + "\n")
    if document["failures"]:
        raise RadixtopError(f"left out: {', '.join(document['failures'])}", "the reasons are told above")
