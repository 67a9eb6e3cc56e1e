"""What a forest and its files cost in a tree and in one a tenth of its size: as a table, or one document."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict

from cache_core.bench.table import table
from profiles.bench.forests import ForestFigures, measure, tree
from profiles.plain import json_text
from radixtop.bench.figures import narrate


def run(nodes: int, runs: int, as_json: bool) -> None:
    """Measure both trees and write the figures to stdout, each the least of its runs."""
    found = []
    for size in (max(1, nodes // 10), nodes):
        narrate(f"a tree of {size:,} nodes")
        mirror = tree(size)
        narrate(f"its forest and files, {runs} times")
        found.append(measure(mirror, runs))
    small, large = found
    document = {"small": asdict(small), "large": asdict(large)}
    sys.stdout.write((json_text(document, indent=1) if as_json else text(small, large)) + "\n")


def text(small: ForestFigures, large: ForestFigures) -> str:
    """Return a row for the forest and one per format: time in both trees, size of the file of the large one."""
    head = ["from a mirror to", *(f"{side.nodes:,} nodes" for side in (small, large)), "growth", "file"]
    return table(head, [*_rows(small, large)])


def _rows(small: ForestFigures, large: ForestFigures) -> Iterator[list[str]]:
    yield ["a forest", *_times(small.forest_ns, large.forest_ns), "-"]
    for name, file in large.files.items():
        yield [f"a pruned {name}", *_times(small.files[name].ns, file.ns), f"{file.size_bytes / 1e3:,.0f} kB"]


def _times(small_ns: int, large_ns: int) -> list[str]:
    return [f"{small_ns / 1e9:.2f} s", f"{large_ns / 1e9:.2f} s", f"x{large_ns / max(1, small_ns):.1f}"]
