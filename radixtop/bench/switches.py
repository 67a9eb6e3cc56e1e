"""Measures what our switches are worth and prints one table for each, or one document."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from cache_core.bench.switches.comparison import Comparison
from cache_core.bench.switches.run import FULL, QUICK, compare_all
from cache_core.bench.table import table
from radixtop.bench.figures import narrate
from radixtop.bench.switch_loads import served_loads


def run(runs: int, quick: bool, as_json: bool) -> None:
    """Measure everything and write it to stdout."""
    plan = replace(QUICK if quick else FULL, runs=runs)
    found = list(compare_all(plan, served_loads(plan.scale), narrate))
    if as_json:
        document = {"python": platform.python_version(), "runs": plan.runs, "comparisons": found}
        sys.stdout.write(json.dumps(document, indent=1, default=Comparison.describe) + "\n")
    else:
        sys.stdout.write(text(found) + "\n")


def text(found: Sequence[Comparison]) -> str:
    """Return a Markdown table for each switch: a row for each size of a load, a column for each figure."""
    tables = [
        f"{switch}\n\n{_of_switch(list(comparisons))}"
        for switch, comparisons in groupby(found, key=lambda each: each.switch)
    ]
    return "\n\n".join(tables)


def _of_switch(comparisons: Sequence[Comparison]) -> str:
    figures = list(dict.fromkeys(each.figure for each in comparisons))
    rows = []
    for (load, case), row in groupby(comparisons, key=lambda each: (each.load, each.case)):
        cells = {each.figure: _cell(each) for each in row}
        rows.append([load, case, *(cells.get(figure, "-") for figure in figures)])
    return table(["load", "size", *figures], rows)


def _cell(compared: Comparison) -> str:
    """Return both numbers, off first, and how many times as much the second is."""
    ratio = "-" if compared.ratio is None else f"x{compared.ratio:.2f}"
    return f"{_figure(compared, compared.off)} / {_figure(compared, compared.on)} {ratio}"


def _figure(compared: Comparison, value: float) -> str:
    if compared.figure == "hit rate":
        return f"{value:.1%}"
    return f"{value:,.0f}" if value >= 100 or compared.figure == "nodes" else f"{value:.1f}"
