"""What became of prompt tokens over time: a column of stacked classes for each second or more, and their shares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from probes.lives.misses import COLUMN, COLUMNS, DEVICE, LOADED, Amounts, MissClass, PromptTokens
from radixtop.render.bars import Part, stacked
from radixtop.render.lines import Line, Span
from radixtop.render.miss_words import DEVICE as DEVICE_WORD
from radixtop.render.miss_words import HOST, WORDS, Word, name_of, text_role
from radixtop.render.table import Column, arrange, head, row
from radixtop.render.units import share

STACK: tuple[MissClass, ...] = (
    "unloaded", "window_gone", "evicted", "retracted", "in_flight", "other_namespace", "diverged", "first_seen",
    "page_rounding", "below_page", "last_token", "unknown",
)  # fmt: skip
"""The classes from the hits upwards: what had been there, what could have been, what is new, what always misses."""

LAYERS: tuple[tuple[int, Word, MissClass | None], ...] = (
    (DEVICE, DEVICE_WORD, None), (LOADED, HOST, None), *((COLUMN[miss], WORDS[miss], miss) for miss in STACK),
)  # fmt: skip
"""Every part of a column from below: its place in `Amounts`, how it is drawn, and its class; None of hits."""

NEWEST_SECONDS = 10
"""How many seconds are now, in the table beside the chart."""

TABLE_WIDTH = 38
_COLUMNS = (
    Column("", 1), Column("", 16, "label", at_left=True), Column("10 s", 5, "value"), Column("1 min", 5, "value"),
    Column("all", 5, "value"),
)  # fmt: skip
_AXIS = 5


def summed(rows: Iterable[Amounts]) -> Amounts:
    """Return the sums of some seconds."""
    found = tuple(map(sum, zip(*rows, strict=True)))
    return found or (0,) * COLUMNS


def asked(amounts: Amounts) -> int:
    """Return all tokens that became something."""
    return sum(amounts[place] for place, _, _ in LAYERS)


def chart(seconds: Sequence[Amounts], width: int, height: int) -> list[Line]:
    """Return the last minute, oldest first, each column as high as the room; nothing where nobody asked."""
    columns = [_cells(amounts, height) for amounts in _columns(seconds, max(0, width - _AXIS))]
    lines: list[Line] = []
    for y in range(height):
        label = {0: "100%", height - 1: "  0%"}.get(y, " 50%" if height >= 7 and y == height // 2 else "    ")
        spans: list[Span] = [(f"{label}\u2595", "dim")]
        for column in columns:
            text, role = column[height - 1 - y] if column else (" ", "dim")
            if spans[-1][1] == role and len(spans) > 1:
                spans[-1] = (spans[-1][0] + text, role)
            else:
                spans.append((text, role))
        lines.append(tuple(spans))
    return lines


def _columns(seconds: Sequence[Amounts], width: int) -> list[Amounts]:
    """Return as many columns as there is room: some seconds each, or a second in some of them."""
    count = len(seconds)
    if not width or not count:
        return []
    if width >= count:
        return [seconds[place * count // width] for place in range(width)]
    return [summed(seconds[place * count // width : (place + 1) * count // width]) for place in range(width)]


def _cells(amounts: Amounts, height: int) -> list[Span]:
    """Return one column from below; each part ends where the sum up to it is, to the nearest cell."""
    cells: list[Span] = []
    whole, upto = asked(amounts), 0
    if whole <= 0:
        return []
    for place, word, _ in LAYERS:
        upto += max(0, amounts[place])
        cells += [(word.glyph, word.role)] * (min(height, round(upto * height / whole)) - len(cells))
    return cells + [("?", "dim")] * (height - len(cells))


def table(
    seconds: Sequence[Amounts], total: PromptTokens, remembers_all: bool, height: int, lacking: str
) -> list[Line]:
    """Return the legend: each part that there is with its share of the newest seconds, the minute, and of all.

    From above as they are in the chart; where room is short, the smallest of all are left out.
    """
    columns = arrange(_COLUMNS, TABLE_WIDTH)
    all_ = tuple(getattr(total, name) for name in total.__dataclass_fields__)
    spans = (summed(seconds[-NEWEST_SECONDS:]), summed(seconds), all_)
    met = [layer for layer in LAYERS if any(amounts[layer[0]] for amounts in spans)]
    kept = sorted(met, key=lambda layer: -max(_share(amounts, layer[0]) for amounts in spans))[: max(0, height - 1)]
    lines = [head(columns)]
    for layer in reversed(LAYERS):
        if layer not in kept:
            continue
        place, word, miss = layer
        name = f"{word.name} hit" if miss is None else name_of(miss, remembers_all, lacking)
        shares = [share(_share(amounts, place)) if asked(amounts) else "-" for amounts in spans]
        role = word.role if miss is None else text_role(miss)
        lines.append(row(columns, [(word.glyph, word.role), (name, role), *shares]))
    return lines


def _share(amounts: Amounts, place: int) -> float:
    return amounts[place] / (asked(amounts) or 1)


def row_with_bar(
    columns: Sequence[tuple[int, Column]], cells: Sequence[str | Span], number: int, tokens: PromptTokens
) -> Line:
    """Return a row of a table in which the cell of one column is a bar: what tokens became, from the hits on."""
    line = list(row(columns, cells))
    place = next((place for place, (each, _) in enumerate(columns) if each == number), None)
    if place is not None:
        amounts = tuple(getattr(tokens, name) for name in tokens.__dataclass_fields__)
        parts = [Part(amounts[column], word.glyph, word.role) for column, word, _ in LAYERS]
        line[2 * place : 2 * place + 1] = stacked(parts, columns[place][1].width)
    return tuple(line)
