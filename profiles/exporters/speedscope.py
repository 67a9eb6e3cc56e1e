"""The speedscope file format: a profile per weight, to open at speedscope.app or with `npx speedscope`.

Format: https://www.speedscope.app/file-format-schema.json. The schema asks for numbers or nothing, never null. The
number of a frame is that of its row, in all profiles. The document is written as the rows come, for every weight
anew, so that a forest of a million frames is in memory once.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator

from profiles.exporter import ExportOptions, TextExporter
from profiles.forest import TOP, UNITS, Forest
from profiles.profile import Profile
from profiles.pruned import Row, prune

SCHEMA = "https://www.speedscope.app/file-format-schema.json"
_UNITS = {"count": "none", "bytes": "bytes", "nanoseconds": "nanoseconds"}

Numbered = Iterable[tuple[int, Row]]
"""Rows with their numbers, depth first."""


class Speedscope(TextExporter):
    """One sampled profile per weight that the forest knows; the viewer opens the chosen one first."""

    suffix = ".speedscope.json"

    def pieces(self, profile: Profile, options: ExportOptions) -> Iterator[str]:
        """Yield the JSON document."""
        forest = profile.forest
        head = {
            "$schema": SCHEMA,
            "exporter": "radixtop",
            "name": forest.title or "radixtop",
            "activeProfileIndex": list(forest.weights).index(options.weight),
        }
        shown = None if options.parts is None else list(prune(forest, options.parts))
        rows = prune(forest, None) if shown is None else shown
        yield f'{_json(head)[:-1]},"shared":{{"frames":['
        yield from _joined(_json({"name": row.label}) for row in rows)
        yield ']},"profiles":['
        for column, weight in enumerate(forest.weights):
            yield ",\n" if column else "\n"
            numbered = enumerate(prune(forest, None)) if shown is None else _heaviest_first(shown, column)
            yield from _profile(forest, weight, _samples(numbered, column))
        yield "]}\n"


def _profile(forest: Forest, weight: str, samples: Iterator[tuple[list[int], int]]) -> Iterator[str]:
    """Yield one profile."""
    head = {
        "type": "sampled",
        "name": forest.caption(weight),
        "unit": _UNITS[UNITS[weight]],
        "startValue": 0,
        "endValue": forest.whole(weight),
    }
    weights = array("q")
    yield f'{_json(head)[:-1]},"samples":['
    for stack, own in samples:
        yield f"{',' if weights else ''}[{','.join(map(str, stack))}]"
        weights.append(own)
    yield '],"weights":['
    yield from _joined(map(str, weights))
    yield "]}"


def _samples(rows: Numbered, column: int) -> Iterator[tuple[list[int], int]]:
    """Yield the stack and the own weight of each row that has one, after what hangs below the row."""
    stack: list[int] = []
    owns: list[int] = []
    for number, row in rows:
        while len(stack) > row.depth:
            own = owns.pop()
            if own:
                yield stack, own
            stack.pop()
        stack.append(number)
        owns.append(row.own[column])
    while stack:
        own = owns.pop()
        if own:
            yield stack, own
        stack.pop()


def _heaviest_first(rows: list[Row], column: int) -> Iterator[tuple[int, Row]]:
    """Yield rows depth first, the sibling that holds most of one weight first and a fold last."""
    children: dict[int, list[int]] = {}
    for number, row in enumerate(rows):
        children.setdefault(row.parent, []).append(number)
    waiting = [TOP]
    while waiting:
        number = waiting.pop()
        if number != TOP:
            yield number, rows[number]
        below = children.get(number, ())
        waiting += sorted(below, key=lambda child: (rows[child].frame is not None, rows[child].total[column], -child))


_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _joined(texts: Iterable[str]) -> Iterator[str]:
    """Yield texts with commas between them."""
    separator = ""
    for text in texts:
        yield separator + text
        separator = ","
