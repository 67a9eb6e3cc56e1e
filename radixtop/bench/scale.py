"""Measures how costs grow in large trees and prints a table, or one document."""

from __future__ import annotations

import sys

from cache_core.bench.report import scale_table
from cache_core.bench.scale import FULL, QUICK, run_scale
from profiles.plain import json_text
from radixtop.bench.figures import narrate


def run(quick: bool, as_json: bool) -> None:
    """Measure each case and write it to stdout."""
    measured = run_scale(QUICK if quick else FULL, narrate)
    sys.stdout.write((json_text({"scale": measured}, indent=1) if as_json else scale_table(measured)) + "\n")
