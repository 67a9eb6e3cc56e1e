"""The rows of requests as lines."""

from __future__ import annotations

from collections.abc import Sequence

from probes.lives.misses import MissClass, PromptTokens
from radixtop.render.bars import Part, stacked
from radixtop.render.lines import Line, Role, Span, fit, width_of
from radixtop.render.miss_words import DEVICE, HOST, WORDS, name_of, worst
from radixtop.render.table import Column, arrange, head, row
from radixtop.render.units import age, count, duration
from radixtop.requestlog.page import CHOICES, RequestRow, RequestsPage

STATES: dict[str, tuple[str, Role]] = {
    "waiting": ("○", "warn"),
    "running": ("▶", "accent"),
    "done": ("●", "good"),
    "retracted": ("▲", "warn"),
    "refused": ("✕", "bad"),
}
"""How the state of a request is drawn."""

_BAR = 4
_COLUMNS = (
    Column("", 1),
    Column("request", 7, "text"),
    Column("age", 6, "dim", drop_below=50),
    Column("label", 0, "text", at_left=True, drop_below=92),
    Column("prompt", 20, at_left=True),
    Column("hit", 5, "device", drop_below=50),
    Column("of", 5, "value", drop_below=50),
    Column("most missed", 18, at_left=True),
    Column("ttft", 6, "value", drop_below=76),
    Column("queue", 6, "dim", drop_below=100),
    Column("out", 5, "dim", drop_below=112),
)
_BARS = ((160, 48), (140, 36), (112, 24))
"""How wide a bar is from which width on."""


def columns_for(width: int) -> list[tuple[int, Column]]:
    """Return the columns of a width; the bar is longer where there is room."""
    columns = list(_COLUMNS)
    bar = next((bar for least, bar in _BARS if width >= least), columns[_BAR].width)
    columns[_BAR] = Column("prompt", bar if width >= 50 else max(4, width - 29), at_left=True)
    return arrange(columns, width)


def tabs(page: RequestsPage | None, width: int) -> Line:
    """Return the choices with how many requests they have, the chosen one marked, and the order."""
    spans: list[Span] = []
    for choice in CHOICES:
        number = count(page.counts[choice]) if page else "-"
        is_chosen = page is not None and page.question.choice == choice
        word = f" {choice} {number} "
        spans.append((f"[{word.strip()}]" if is_chosen else word, "tab" if is_chosen else "label"))
    order = f"  by {page.question.order}" if page else ""
    if width_of(spans) + len(order) <= width:
        spans.append((order, "dim"))
    return fit(tuple(spans), width)


def legend(width: int, remembers_all: bool, lacking: str) -> Line:
    """Return what the parts of a bar are; `remembers_all` and `lacking`: see `name_of`."""
    missed: tuple[MissClass, ...] = ("window_gone", "evicted", "first_seen", "diverged")
    parts = [(word.glyph, word.role, word.name) for word in (DEVICE, HOST)]
    parts += [(WORDS[miss].glyph, WORDS[miss].role, name_of(miss, remembers_all, lacking)) for miss in missed]
    spans: list[Span] = []
    for glyph, role, name in parts:
        spans += [(glyph, role), (f" {name}  ", "dim")]
    return fit(tuple(spans), width)


def nothing_in(page: RequestsPage) -> Line:
    """Return what stands in place of rows: nothing came yet, or nothing of what was chosen."""
    choice = page.question.choice
    if choice == "all" or not page.counts["all"]:
        return (("no request yet", "dim"),)
    if choice == "missed":
        return (("no request missed what had been in the cache", "good"), ("; f shows others", "dim"))
    return ((f"none is {choice} now; f shows others", "dim"),)


def rows_head(width: int) -> Line:
    """Return the titles of the columns."""
    return head(columns_for(width))


def prompt_bar(tokens: PromptTokens, width: int) -> Line:
    """Return a prompt as a bar: hits, what had been there, what is new. What is not told yet is drawn as that."""
    new = tokens.first_seen + tokens.page_rounding + tokens.last_token + tokens.below_page + tokens.in_flight
    parts = (
        Part(tokens.device, DEVICE.glyph, DEVICE.role),
        Part(tokens.loaded, HOST.glyph, HOST.role),
        Part(tokens.unloaded, WORDS["unloaded"].glyph, WORDS["unloaded"].role),
        Part(tokens.window_gone, WORDS["window_gone"].glyph, WORDS["window_gone"].role),
        Part(tokens.evicted, WORDS["evicted"].glyph, WORDS["evicted"].role),
        Part(tokens.other_namespace, WORDS["other_namespace"].glyph, WORDS["other_namespace"].role),
        Part(tokens.diverged, WORDS["diverged"].glyph, WORDS["diverged"].role),
        Part(new, WORDS["first_seen"].glyph, WORDS["first_seen"].role),
        Part(tokens.retracted, WORDS["retracted"].glyph, WORDS["retracted"].role),
        Part(tokens.unknown, WORDS["unknown"].glyph, WORDS["unknown"].role),
    )
    return fit(stacked(parts, width), width)


def request_line(
    columns: Sequence[tuple[int, Column]], request: RequestRow, remembers_all: bool, lacking: str
) -> Line:
    """Return one row; `remembers_all` and `lacking`: see `name_of`."""
    tokens = request.tokens
    sign, role = STATES[request.state]
    known = request.is_known
    cells: list[str | Span] = [
        (sign, role),
        f"#{request.request}",
        age(request.age_ns),
        request.label or "-",
        "",
        count(tokens.hit) if known else "-",
        count(tokens.prompt),
        worst(tokens, remembers_all, lacking) if known else (f"- {request.state}", "dim"),
        duration(request.ttft_ns),
        duration(request.queued_ns),
        count(request.output_tokens),
    ]
    place = next((i for i, (number, _) in enumerate(columns) if number == _BAR), None)
    line = list(row(columns, cells))
    if place is not None:
        width = columns[place][1].width
        at = 2 * place
        line[at : at + 1] = prompt_bar(tokens, width) if known else [("-" * width, "dim")]
    return tuple(line)
