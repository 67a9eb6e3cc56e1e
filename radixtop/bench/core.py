"""Runs the cache's own benchmark, tells how it goes, and prints its document or its tables."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from cache_core.bench.core import run_bench
from cache_core.bench.plan import full, quick
from cache_core.bench.report import scale_table, tables
from cache_core.bench.same_work import DifferentWorkError
from cache_core.bench.scale import run_scale
from cache_core.bench.side import Peer, SideError
from radixtop.bench.figures import narrate
from radixtop.errors import RadixtopError, UsageError

_SMALL = 0.01
"""The share of their sizes that cases of growth have in a quick run."""


def run(peers: Sequence[str], runs: int, small: bool, as_json: bool) -> None:
    """Measure and write to stdout. Raises RadixtopError, after the figures, when a peer had to be left out."""
    try:
        named = [Peer.parse(text) for text in peers]
    except ValueError as error:
        raise UsageError(str(error)) from None
    if len({peer.name for peer in named}) < len(named):
        raise UsageError("two peers have the same name", "the name is what tells their figures apart")
    plan = quick(runs) if small else full(runs)
    try:
        document = run_bench(plan, named, narrate)
    except (SideError, DifferentWorkError) as error:
        raise RadixtopError(str(error)) from None
    sys.stdout.write((json.dumps(document, indent=1) if as_json else tables(document)) + "\n")
    if document["failures"]:
        raise RadixtopError(f"left out: {', '.join(document['failures'])}", "the reasons are told above")


def scale(small: bool, as_json: bool) -> None:
    """Measure how costs grow in large trees and write them to stdout."""
    measured = run_scale(_SMALL if small else 1.0, narrate)
    sys.stdout.write((json.dumps({"scale": measured}, indent=1) if as_json else scale_table(measured)) + "\n")
