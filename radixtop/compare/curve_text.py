"""The curve of a trace as lines, as a picture, and as a document."""

from __future__ import annotations

from collections.abc import Iterator

from probes.plural import plural
from profiles.picture import Picture
from profiles.plots.tradeoff_plot import HEIGHT, WIDTH, Mark, Marks, TradeOff, shapes
from radixtop import __version__
from radixtop.compare import words
from radixtop.compare.curve import Curve, Size
from radixtop.compare.document import VERSION, figures_document
from radixtop.compare.plot_lines import curve as drawn
from radixtop.render.lines import Line, Span
from radixtop.render.table import Column
from radixtop.render.units import UNKNOWN, count, grouped
from radixtop.reports.texts.parts import INDENT, fact, heading, indented, sentence, table, title

_LEAST_SHARE = 1 / 1024
"""The graph begins at this part of its largest size, or at what there is."""
_SAMPLED = (
    "Estimated from {:g}% of the blocks; ± is the standard error in points: one estimate in 20 is more than twice as "
    "far off. Dotted: two errors above. --sample 1 counts all blocks."
)
NOTE = (
    "LRU over whole blocks of the trace, exact by stack distances: answers that are cached, windows, and what runs "
    "take room that is not counted. Per GiB or 1k slots: hit tokens that the size has more than the one above it."
)


def lines(curve: Curve, width: int) -> Iterator[Line]:
    """Yield the lines of a curve."""
    source = curve.source
    yield from title("compare", source.name, plural(source.requests, "request"), width)
    blocks = plural(source.block_tokens, "token")
    yield from heading(f"hit rate of LRU by size, on the trace's blocks of {blocks}", width)
    yield from table(_columns(curve), [_row(size, curve) for size in curve.sizes], width)
    ceiling = f"{words.rate(curve.ceiling)} whatever the size, reached with {grouped(curve.ceiling_slots)} slots"
    yield from fact(width, "ceiling", ceiling)
    corners = _shown(curve)
    if len({size for size, _ in corners}) > 1:
        yield from heading("hit rate by slots", width)
        highest = [(size, rate + 2 * _error(curve, size)) for size, rate in corners] if curve.sample else ()
        yield from indented(drawn(corners, highest, width - INDENT, now=float(curve.now_slots)))
    for note in _notes(curve):
        yield from sentence(note, width)


def _notes(curve: Curve) -> list[str]:
    missing = curve.source.missing
    doubts = [f"Requests may be missing: {missing.line}."] if missing.has_holes else []
    if curve.sample is None:
        return [NOTE, *doubts]
    note = NOTE.replace("exact by stack distances", "by stack distances")
    return [note, _SAMPLED.format(100 * curve.sample), *doubts]


def _error(curve: Curve, size: float) -> float:
    """Return the error of the estimate at a size: that of the corner below it."""
    below = [error for (at, _), error in zip(curve.corners, curve.errors, strict=True) if at <= size]
    return below[-1] if below else 0.0


def pictured(curve: Curve) -> Picture:
    """Return the picture of a curve."""
    source = curve.source
    name = f"Hit rate by size · {source.name}"
    said = (
        f"{plural(source.requests, 'request')} · LRU on the trace's blocks of {plural(source.block_tokens, 'token')}"
    )
    bends = [Mark(size, rate) for size, rate in _shown(curve)]
    sizes = [Mark(size.slots, size.figures.hit_rate or 0.0, _told(size), True) for size in curve.sizes]
    ceiling = Mark(1, curve.ceiling.hit_rate or 0.0)
    series = (Marks("lru", (*bends, *sizes)), Marks("ceiling", (ceiling,), is_bound=True), *_band(curve))
    plot = TradeOff(name, said, "slots", "hit rate", series, float(curve.now_slots))
    columns = tuple(column.title or "size" for column in _columns(curve))
    rows = tuple(tuple(_text(cell) for cell in _row(size, curve)) for size in curve.sizes)
    return Picture(name, said, WIDTH, HEIGHT, shapes(plot), columns, rows)


def _band(curve: Curve) -> Iterator[Marks]:
    if curve.sample is not None:
        for name, errors in (("+2 errors", 2), ("-2 errors", -2)):
            edge = [(size, max(0.0, rate + errors * _error(curve, size))) for size, rate in _shown(curve)]
            yield Marks(name, tuple(Mark(size, rate) for size, rate in edge), is_bound=True)


def document(curve: Curve) -> dict[str, object]:
    """Return a curve as JSON-able values."""
    source = curve.source
    return {
        "report": "capacity_curve",
        "version": VERSION,
        "radixtop": __version__,
        "trace": {
            "name": source.name, "requests": source.requests, "block_tokens": source.block_tokens,
            "missing": source.missing.document(),
        },
        "policy": "lru",
        "level": "blocks",
        "sample": curve.sample,
        "now_slots": curve.now_slots,
        "corners": [{"slots": slots, "hit_rate": rate} for slots, rate in curve.corners],
        "sizes": [
            {
                "factor": size.factor, "slots": size.slots, "memory_bytes": size.memory_bytes,
                "saved_tokens_per_gib": size.saved_tokens_per_gib,
                "saved_tokens_per_1k_slots": size.saved_tokens_per_1k_slots, **figures_document(size.figures),
                "hit_rate_error": size.error,
            }
            for size in curve.sizes
        ],
        "ceiling": {**figures_document(curve.ceiling), "slots": curve.ceiling_slots},
        "notes": _notes(curve),
    }  # fmt: skip


def _columns(curve: Curve) -> list[Column]:
    in_bytes = any(size.memory_bytes is not None for size in curve.sizes)
    memory = [Column("GiB", 9)] if in_bytes else []
    per = "per GiB" if in_bytes else "per 1k"
    error = [] if curve.sample is None else [Column("±", 5)]
    return [
        Column("", 6, "label"), Column("full_slots", 13), *memory, Column("hit rate", 9, "value"),
        *error, Column("1/(1-r)", 8),
        Column(per, 9), Column("hit tokens", 14),
    ]  # fmt: skip


def _row(size: Size, curve: Curve) -> list[str | Span]:
    memory = [] if size.memory_bytes is None else [f"{size.memory_bytes / (1 << 30):,.2f}"]
    per = size.saved_tokens_per_1k_slots if size.saved_tokens_per_gib is None else size.saved_tokens_per_gib
    error = [] if curve.sample is None else [f"{100 * size.error:.2f}"]
    is_now = size.slots == curve.now_slots
    factor = "now" if is_now else f"{size.factor:g}x" if size.factor > 1 else f"1/{1 / size.factor:.0f}"
    return [
        (factor, "good" if is_now else "label"), grouped(size.slots), *memory, words.rate(size.figures),
        *error, words.reach(size.figures), UNKNOWN if per is None else f"+{count(per)}",
        grouped(size.figures.hit_tokens),
    ]  # fmt: skip


def _told(size: Size) -> str:
    error = f" ± {100 * size.error:.2f} points" if size.error else ""
    return f"{grouped(size.slots)} slots: {words.rate(size.figures)}{error}"


def _text(cell: str | Span) -> str:
    return cell if isinstance(cell, str) else cell[0]


def _shown(curve: Curve) -> list[tuple[float, float]]:
    """Return the corners to draw: from what there is, or a small part of the largest size, up to that."""
    end = max(curve.corners[-1][0], float(curve.now_slots))
    start = min(end * _LEAST_SHARE, float(curve.now_slots))
    before = [rate for size, rate in curve.corners if size <= start]
    inside = [(size, rate) for size, rate in curve.corners if start < size < end]
    return [(start, before[-1]), *inside, (end, curve.corners[-1][1])]
