"""A comparison as a picture: hit rate against memory, a series for each choice that is not one of size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from probes.plural import plural
from profiles.picture import HUES, Picture
from profiles.plots.tradeoff_plot import HEIGHT, WIDTH, Mark, Marks, TradeOff, shapes
from radixtop.compare import words
from radixtop.compare.plot_lines import size_of
from radixtop.compare.row import Comparison, Reference, Row
from radixtop.render.units import grouped

SIZE = "full_slots"
"""The key that is the horizontal axis."""

_GIB = 1 << 30


def pictured(comparison: Comparison) -> Picture:
    """Return the picture of a comparison."""
    in_bytes = all(row.memory_bytes is not None for row in comparison.rows)
    source = comparison.source
    title = f"Hit rate against memory · {source.name}"
    said = f"{plural(source.requests, 'request')} · filled: nothing that takes less finds as much"
    per_slot = comparison.slot_size
    bounds = () if per_slot is None else tuple(_bounds(comparison, per_slot / (_GIB if in_bytes else 1)))
    if bounds:
        said += f" · dashed: on the trace's blocks of {plural(source.block_tokens, 'token')}"
    series = (*_series(comparison, in_bytes), *bounds)
    across = "memory, GiB" if in_bytes else "slots of the full pool"
    drawn = shapes(TradeOff(title, said, across, "hit rate", series))
    return Picture(title, said, WIDTH, HEIGHT, drawn, *_table(comparison))


def _series(comparison: Comparison, in_bytes: bool) -> Iterator[Marks]:
    """Yield the rows by what is varied besides their size; by the first such key alone where those are too many."""
    keys = [key for key in comparison.keys if key != SIZE]
    groups = _grouped(comparison.rows, keys)
    if len(groups) > len(HUES):
        groups = _grouped(comparison.rows, keys[:1])
    for name, rows in groups.items():
        marks = tuple(
            Mark(size_of(row) / (_GIB if in_bytes else 1), row.figures.hit_rate, _told(row), row.on_front)
            for row in rows
            if row.figures and row.figures.hit_rate is not None
        )
        if marks:
            yield Marks(name, marks)


def _grouped(rows: Sequence[Row], keys: Sequence[str]) -> Mapping[str, list[Row]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        varied = {key: row.varied[key] for key in keys if key in row.varied}
        name = words.name_of(varied) or (row.name if keys and not row.varied else "hit rate")
        groups.setdefault(name, []).append(row)
    return groups


def _told(row: Row) -> str:
    rate = words.rate(row.figures)
    evicted = words.evicted(row.figures)
    return f"{row.name}\n{rate} hit, 1/(1-r) {words.reach(row.figures)}\n{evicted} tokens evicted"


def _bounds(comparison: Comparison, per_slot: float) -> Iterator[Marks]:
    references = comparison.references
    for name in dict.fromkeys(each.name for each in references):
        marks = tuple(
            Mark((each.slots or 1) * per_slot, each.figures.hit_rate)
            for each in references
            if each.name == name and each.figures and each.figures.hit_rate is not None
        )
        if name == "lru" and comparison.curve:
            marks = tuple(Mark(slots * per_slot, rate) for slots, rate in comparison.curve)
        if marks:
            yield Marks(name, marks, is_bound=True)


def _table(comparison: Comparison) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return the columns and the rows of the table beside the picture."""
    columns = ("settings", "level", "full_slots", "hit rate", "1/(1-r)", "hit tokens", "queried tokens", "")
    rows = [
        (
            row.name, "tokens", grouped(row.slots.get("full")), words.rate(row.figures), words.reach(row.figures),
            *_tokens(row), f"failed: {row.failure}" if row.failure else _mark(row),
        )
        for row in comparison.rows
    ]  # fmt: skip
    rows += [
        (
            each.name, each.level, grouped(each.slots), words.rate(each.figures), words.reach(each.figures),
            *_tokens(each), f"failed: {each.failure}" if each.failure else "",
        )
        for each in comparison.references
    ]  # fmt: skip
    return columns, tuple(rows)


def _tokens(row: Row | Reference) -> tuple[str, str]:
    figures = row.figures
    return grouped(figures.hit_tokens if figures else None), grouped(figures.queried_tokens if figures else None)


def _mark(row: Row) -> str:
    told = "best" if row.is_best else "on the front" if row.on_front else ""
    return ", ".join(part for part in (told, "as recorded" if row.is_recorded else "") if part)
