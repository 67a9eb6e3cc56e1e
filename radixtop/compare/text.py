"""A comparison as lines for a terminal: the table, the references below it, and the plot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from probes.plural import plural
from radixtop.compare import words
from radixtop.compare.plot_lines import plot
from radixtop.compare.row import Comparison, Reference, Row
from radixtop.render.lines import BLANK, Line, Role, Span, clean
from radixtop.render.table import Column
from radixtop.render.units import UNKNOWN, grouped
from radixtop.reports.texts.parts import INDENT, fact, heading, sentence, table, title

_ROLES: dict[str, Role] = {words.BEST: "good", words.FRONT: "accent", words.FAILED: "bad"}
_LEAST_NAME = 14
_NUMBER = "row"


def lines(comparison: Comparison, width: int) -> Iterator[Line]:
    """Yield the lines of a comparison."""
    source = comparison.source
    yield from title("compare", source.name, plural(source.requests, "request"), width)
    if source.recorded is not None:
        yield from fact(width, "recorded", *_agreement(comparison))
    yield from heading("what if: the cache on tokens, a pass over the trace for each row", width)
    yield from _table(comparison, width)
    yield from sentence(words.MARKS, width)
    if comparison.source.recorded:
        yield from sentence(words.RECORDED_MARK, width)
    yield from _failures(comparison, width)
    yield from _references(comparison, width)
    yield from plot(comparison, width)
    if comparison.notes:
        yield BLANK
    for note in comparison.notes:
        yield from sentence(note, width)


def _agreement(comparison: Comparison) -> Iterator[Span | str]:
    """Say how far the replay of what was recorded, as it was, agrees with it."""
    recorded, replayed = comparison.source.recorded, comparison.replayed
    yield (words.rate(recorded), "value")
    yield " of "
    yield grouped(recorded.queried_tokens if recorded else None)
    yield " tokens queried; replayed as recorded "
    yield (words.rate(replayed), "value")
    if comparison.points_off is not None:
        yield f": {abs(comparison.points_off):.1f} points off"


def _table(comparison: Comparison, width: int) -> Iterator[Line]:
    """Yield a row for each combination; settings first, then as many figures as there is room for."""
    rows = comparison.rows
    settings = _settings(comparison, width)
    columns = [Column("", 2), *settings]
    taken = sum(column.width + 1 for column in columns) + INDENT
    figures: list[tuple[Column, Sequence[str]]] = []
    for column, told in _figures(rows):
        if taken + column.width <= width:
            figures.append((column, told))
            taken += column.width + 1
    columns += [column for column, _ in figures]
    cells_of: list[list[str | Span]] = []
    for place, row in enumerate(rows):
        mark = words.mark(row)
        role = _ROLES.get(mark[-1:], "text")
        names = [clean(cell) for cell in _setting_cells(row, place + 1, comparison.keys, settings)]
        cells: list[str | Span] = [(mark, role), *((name, role) for name in names)]
        cells_of.append([*cells, *(values[place] for _, values in figures)])
    yield from table(columns, cells_of, width)
    yield from _numbered(comparison, settings, width)


def _settings(comparison: Comparison, width: int) -> list[Column]:
    """Return a column for each key, one for all of them where those take too much room, or one for a number."""
    rows, keys = comparison.rows, comparison.keys
    widths = [max(len(key), *(len(_cell(row, key)) for row in rows)) for key in keys]
    if keys and sum(widths) + len(widths) <= max(width // 2, width - 42):
        at_left = [not all(_is_number(row.varied.get(key)) for row in rows if row.varied) for key in keys]
        return [Column(key, cells, at_left=left) for key, cells, left in zip(keys, widths, at_left, strict=True)]
    longest = max((len(row.name) for row in rows), default=0)
    if longest <= width - 42:
        return [Column("settings", max(_LEAST_NAME, longest), at_left=True)]
    return [Column(_NUMBER, len(_NUMBER))]


def _setting_cells(row: Row, number: int, keys: Sequence[str], columns: Sequence[Column]) -> list[str]:
    titles = [column.title for column in columns]
    if titles == [*keys]:
        return [_cell(row, key) for key in keys]
    return [str(number) if titles == [_NUMBER] else row.name]


def _numbered(comparison: Comparison, settings: Sequence[Column], width: int) -> Iterator[Line]:
    """Yield what the numbers of rows stand for, where their settings have no room in the table."""
    if [column.title for column in settings] == [_NUMBER]:
        for number, row in enumerate(comparison.rows, 1):
            yield from fact(width, f"{_NUMBER} {number}", clean(row.name))


def _cell(row: Row, key: str) -> str:
    """Return the setting of a row: of one that is not varied, that of the base."""
    return words.value(row.varied.get(key, row.settings.get(key)))


def _figures(rows: Sequence[Row]) -> Iterator[tuple[Column, list[str]]]:
    """Yield the columns of figures with their cells, what matters most first."""
    figures = [row.figures for row in rows]
    yield Column("hit rate", 8, "value"), [words.rate(each) for each in figures]
    yield Column("1/(1-r)", 7), [words.reach(each) for each in figures]
    if any(each and each.refused for each in figures):
        yield Column("refused", 7, "bad"), [grouped(each.refused) if each else UNKNOWN for each in figures]
    if any(row.memory_bytes is not None for row in rows):
        yield Column("GiB", 7), [words.memory(row) for row in rows]
    if any(row.saved_tokens_per_gib is not None for row in rows):
        yield Column("per GiB", 7), [words.saved(row) for row in rows]
    elif any(row.saved_tokens_per_1k_slots is not None for row in rows):
        yield Column("per 1k", 7), [words.saved(row) for row in rows]
    if any(each and each.evicted_tokens is not None for each in figures):
        yield Column("evicted", 7), [words.evicted(each) for each in figures]
    if any(each and each.ttft_ms for each in figures):
        yield Column(words.TTFT_TITLE, len(words.TTFT_TITLE)), [words.ttft(each) for each in figures]
    yield Column("hit tokens", 13), [grouped(each.hit_tokens) if each else UNKNOWN for each in figures]


def _is_number(setting: object) -> bool:
    return isinstance(setting, int | float) and not isinstance(setting, bool)


def _failures(comparison: Comparison, width: int) -> Iterator[Line]:
    """Yield why rows are missing, a paragraph for each reason."""
    named = [(row.name, row.failure) for row in comparison.rows]
    named += [(_name(each), each.failure) for each in comparison.references]
    reasons: dict[str, list[str]] = {}
    for name, failure in named:
        if failure:
            reasons.setdefault(failure, []).append(name)
    for failure, names in reasons.items():
        more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
        yield from fact(width, words.FAILED, (f"{clean(names[0])}{more} failed: {clean(failure)}", "bad"))


def _name(reference: Reference) -> str:
    return reference.name if reference.slots is None else f"{reference.name} at {grouped(reference.slots)}"


def _references(comparison: Comparison, width: int) -> Iterator[Line]:
    """Yield the bounds and controls: a line for each size of the full pool, a column for each of them."""
    references = comparison.references
    if not references:
        return
    yield from heading(f"bounds and controls, {_levels(comparison)}", width)
    names = [*dict.fromkeys(each.name for each in references)]
    sizes = sorted({each.slots for each in references if each.slots is not None})
    found = {(each.name, each.slots): each for each in references}
    columns = [Column("full_slots", 14), *(Column(name, max(8, len(name))) for name in names)]
    rows = [[grouped(size), *(_rate_of(found, name, size) for name in names)] for size in sizes]
    yield from table(columns, rows or [["any", *(_rate_of(found, name, None) for name in names)]], width)


def _rate_of(found: dict[tuple[str, int | None], Reference], name: str, size: int | None) -> str:
    reference = found.get((name, size)) or found.get((name, None))
    if reference is None:
        return UNKNOWN
    return words.FAILED if reference.failure else words.rate(reference.figures)


def _levels(comparison: Comparison) -> str:
    levels = {each.level for each in comparison.references}
    blocks = f"on the trace's blocks of {plural(comparison.source.block_tokens, 'token')}"
    return " and ".join(text for level, text in (("blocks", blocks), ("tokens", "on tokens")) if level in levels)
