"""Measures what our switches are worth and prints one table for each, or one document."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from itertools import groupby
from shutil import get_terminal_size

from rich import box
from rich.console import Console
from rich.table import Table

from cache_core.bench.switches.comparison import Comparison
from cache_core.bench.switches.run import QUICK, SwitchPlan, compare_all
from radixtop.bench.figures import narrate
from radixtop.bench.switch_loads import served_loads

_WIDEST = 400


def run(runs: int, small: bool, as_json: bool) -> None:
    """Measure everything and write it to stdout."""
    plan = replace(QUICK if small else SwitchPlan(), runs=runs)
    found = list(compare_all(plan, served_loads(plan.scale), narrate))
    if as_json:
        document = {"python": platform.python_version(), "runs": plan.runs, "comparisons": found}
        sys.stdout.write(json.dumps(document, indent=1, default=Comparison.describe) + "\n")
    else:
        sys.stdout.write(text(found, get_terminal_size().columns if sys.stdout.isatty() else _WIDEST))


def text(found: Sequence[Comparison], width: int) -> str:
    """Return a Markdown table for each switch: a row for each size of a load, a column for each figure."""
    console = Console(file=StringIO(), width=width, highlight=False, markup=False)
    with console.capture() as captured:
        for switch, comparisons in groupby(found, key=lambda each: each.switch):
            console.print(f"{switch}\n")
            console.print(_table(list(comparisons)))
            console.print()
    return captured.get()


def _table(comparisons: Sequence[Comparison]) -> Table:
    figures = list(dict.fromkeys(each.figure for each in comparisons))
    table = Table(box=box.MARKDOWN)
    for head in ("load", "size", *figures):
        table.add_column(head, overflow="fold")
    for (load, case), row in groupby(comparisons, key=lambda each: (each.load, each.case)):
        cells = {each.figure: _cell(each) for each in row}
        table.add_row(load, case, *(cells.get(figure, "-") for figure in figures))
    return table


def _cell(compared: Comparison) -> str:
    """Return both numbers, off first, and how many times as much the second is."""
    ratio = "-" if compared.ratio is None else f"x{compared.ratio:.2f}"
    return f"{_figure(compared, compared.off)} / {_figure(compared, compared.on)} {ratio}"


def _figure(compared: Comparison, value: float) -> str:
    if compared.figure == "hit rate":
        return f"{value:.1%}"
    return f"{value:,.0f}" if value >= 100 or compared.figure == "nodes" else f"{value:.1f}"
