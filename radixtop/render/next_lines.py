"""The lines of the list of what goes next."""

from __future__ import annotations

from radixtop.budget import BEHIND_NS
from radixtop.eviction.page import NextPage, NextRow
from radixtop.render.lines import Line, Span, clean
from radixtop.render.table import Column, arrange, head, row
from radixtop.render.units import UNKNOWN, age, count, grouped, since

HEAD_LINES = 2
"""What the order is, and the titles."""

_COLUMNS = (
    Column("#", 3, "dim"),
    Column("tokens", 6, "value"),
    Column("idle", 6, "warn"),
    Column("hits", 5, "device"),
    Column("since", 6, "dim", drop_below=44),
    Column("priority", 8, "dim", drop_below=84),
    Column(" what", 0, "text", at_left=True),
)


def next_lines(page: NextPage | None, now: int, cursor: int, width: int) -> list[Line]:
    """Return the head lines and a line per node, the one under the cursor marked."""
    columns = arrange(_COLUMNS, width)
    if page is None:
        return [(("- the tree is not known yet", "dim"),), head(columns)]
    if not page.sentence:
        return [((clean(f"- the order of {page.component} is not known"), "dim"),), head(columns)]
    rows = [row(columns, _cells(place, each, now, place == cursor)) for place, each in enumerate(page.rows)]
    if not rows:
        said = "looking at all nodes" if page.evictable is None else "nothing may go: what is there is locked"
        rows = [((said, "dim"),)]
    return [_order(page), head(columns), *rows]


def next_title(page: NextPage | None) -> str:
    """Return what the list is of."""
    if page is None:
        return "next to evict"
    return clean(f"next to evict: {page.component}" + (f", {page.policy}" if page.policy else ""))


def next_note(page: NextPage | None) -> str:
    """Return how many nodes may go at all, and of when that is."""
    if page is None or page.evictable is None or page.behind_ns is None:
        return ""
    of_when = f", as of {age(page.behind_ns)} ago" if page.behind_ns > BEHIND_NS else ""
    return f"of {grouped(page.evictable)} that may go{of_when}"


def _order(page: NextPage) -> Line:
    about: list[Span] = [("about: ", "warn")] if page.doubt else []
    doubt: list[Span] = [(f" ({page.doubt})", "dim")] if page.doubt else []
    return (*about, (page.sentence, "label"), *doubt)


def _cells(place: int, each: NextRow, now: int, is_chosen: bool) -> list[str | Span]:
    number: Span = (str(place + 1), "cursor" if is_chosen else "dim")
    label: Span = (" " + clean(each.label), "cursor" if is_chosen else "text")
    idle = UNKNOWN if each.touched_at < 0 else since(now, each.touched_at)
    return [
        number, count(each.tokens), idle, count(each.hits), since(now, each.created_at), grouped(each.priority), label
    ]  # fmt: skip
