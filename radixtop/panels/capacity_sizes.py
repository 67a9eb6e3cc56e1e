"""What the cache would hit at some sizes, in figures, and what each doubling is worth."""

from __future__ import annotations

from typing import ClassVar

from probes.builtin.capacity import SIZES, CapacitySample, CapacitySize
from radixtop.panel import Canvas, Panel
from radixtop.render.capacity_graph import name_of
from radixtop.render.lines import Line, Span
from radixtop.render.table import Column, arrange, head, row
from radixtop.render.units import UNKNOWN, age, count, share
from radixtop.render.units import size as size_of

_COLUMNS = (
    Column("", 8, "label", at_left=True),
    Column("slots", 6, "value"),
    Column("memory", 7, drop_below=56),
    Column("hit rate", 8, "device"),
    Column("doubled", 7),
    Column("1/(1-r)", 7, drop_below=46),
    Column("tokens", 7, drop_below=56),
    Column("per GiB", 8, drop_below=70),
)
_BY_SLOTS = (*_COLUMNS[:-1], Column("per 1k", 8, drop_below=70))


class CapacitySizesPanel(Panel[CapacitySample]):
    """A row for each size: its hit rate, and what it hits more than half of it, in points, tokens, tokens per GiB."""

    sample: ClassVar[type] = CapacitySample

    def paint(self, sample: CapacitySample | None, canvas: Canvas) -> list[Line]:
        """Return the table, with what the cache itself hit below."""
        is_priced = sample is not None and sample.slot_bytes is not None
        columns = arrange(_COLUMNS if is_priced else _BY_SLOTS, canvas.width)
        if sample is None or sample.now_tokens is None:
            return [head(columns), row(columns, [UNKNOWN] * len(_COLUMNS))][: canvas.height]
        lines = [head(columns)]
        for factor in SIZES:
            size = sample.size(factor, sample.newest)
            slots = count(sample.now_tokens * factor)
            name: Span = (name_of(factor), "good" if factor == 1 else "label")
            unknown = [UNKNOWN] * (len(_COLUMNS) - 2)
            lines.append(row(columns, [name, slots, *(unknown if size is None else _cells(size))]))
        of = sample.newest
        for named, rate in (("it found", of.found_rate), ("it hit", of.measured_rate)):
            own: list[str | Span] = [named, "", "", share(rate), "", _reach(rate), "", ""]
            lines.append(row(columns, own))
        return lines[: canvas.height]

    def note(self, sample: CapacitySample | None) -> str:
        """Say over which requests, and what the columns compare."""
        if sample is None or not sample.newest.requests:
            return ""
        span = "" if sample.recent is None else f" of the last {age(sample.recent_ns)}"
        return f"{count(sample.newest.requests)} requests{span}   doubled, tokens: more than half of it"


def _cells(size: CapacitySize) -> list[str | Span]:
    per = size.tokens_per_1k if size.tokens_per_gib is None else size.tokens_per_gib
    return [
        UNKNOWN if size.memory_bytes is None else size_of(size.memory_bytes),
        share(size.hit_rate),
        UNKNOWN if size.doubling is None else f"{100 * size.doubling:+.1f}",
        _reach(size.hit_rate),
        UNKNOWN if size.more_tokens is None else f"+{count(size.more_tokens)}",
        UNKNOWN if per is None else f"+{count(per)}",
    ]


def _reach(rate: float | None) -> str:
    """Return how many tokens are asked for each that is computed."""
    return UNKNOWN if rate is None or rate >= 1 else f"{1 / (1 - rate):.2f}"
