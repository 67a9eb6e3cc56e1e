"""What the texts of reports share: headings, facts, sentences, quantiles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from textwrap import wrap

from profiles.tallies.distribution import Distribution
from radixtop.render.flow import broken
from radixtop.render.lines import BLANK, Line, Span, clean, ends, left
from radixtop.render.table import Column, arrange, head, row
from radixtop.render.units import count, duration

INDENT = 2
_NAME_CELLS = 14
QUANTILES = ("p10", "p50", "p90", "p99")


def title(name: str, source: str, said: str, width: int) -> Iterator[Line]:
    """Yield the first line of a report: what it is, of what, and its size at the right edge."""
    start: Line = ((name, "accent"),)
    if source:
        start = (*start, ("  " + clean(source), "label"))
    yield ends(start, ((said, "dim"),), width)


def heading(text: str, width: int) -> Iterator[Line]:
    """Yield the heading of a section after a blank line, with a rule up to the right edge."""
    yield BLANK
    yield ((text + " ", "head"), ("─" * max(0, width - len(text) - 1), "rule"))


def fact(width: int, name: str, *spans: Span | str) -> Iterator[Line]:
    """Yield a name and what is to say of it, in as many lines as it takes."""
    said: list[Span] = [(each, "text") if isinstance(each, str) else each for each in spans]
    edge: Span = (left("  " + name, _NAME_CELLS), "label")
    for line in broken(said, width - _NAME_CELLS):
        yield (edge, *line)
        edge = (" " * _NAME_CELLS, "text")


def sentence(text: str, width: int) -> Iterator[Line]:
    """Yield a text in as many lines as it takes."""
    for line in wrap(text, max(20, width - INDENT)):
        yield ((" " * INDENT + line, "text"),)


def quantiles(
    rows: Sequence[tuple[str, Distribution]],
    width: int,
    unit: Callable[[float | None], str] = duration,
    counted: str = "calls",
) -> Iterator[Line]:
    """Yield a table of distributions: how many values, their mean and quantiles."""
    columns = arrange(
        [
            Column("", 0, at_left=True, role="label"),
            Column(counted, 9),
            Column("mean", 8, "value"),
            *(Column(name, 8, "value" if name == "p50" else "text") for name in QUANTILES),
        ],
        width - INDENT,
    )
    yield _indented(head(columns))
    for name, values in rows:
        figures = [values.mean, *(getattr(values, quantile) for quantile in QUANTILES)]
        yield _indented(row(columns, [name, count(values.count), *(unit(figure) for figure in figures)]))


def table(columns: Sequence[Column], rows: Sequence[Sequence[str | Span]], width: int) -> Iterator[Line]:
    """Yield a table with its head, indented."""
    arranged = arrange(columns, width - INDENT)
    yield _indented(head(arranged))
    for cells in rows:
        yield _indented(row(arranged, cells))


def indented(lines: Sequence[Line]) -> Iterator[Line]:
    """Yield lines moved to the right."""
    yield from (_indented(line) for line in lines)


def _indented(line: Line) -> Line:
    return ((" " * INDENT, "text"), *line)


def span(low: int, high: int) -> str:
    """Return the whole numbers of [low, high): 10 – 17, or one number alone."""
    return f"{low:,} – {high - 1:,}" if high - 1 > low else f"{low:,}"
