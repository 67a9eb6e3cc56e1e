"""Both hit boundaries of requests, one a line: what was usable, what was known, and the branching point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from probes.builtin.branching import Kind
from radixtop.render.lines import Line, Role, Span, left
from radixtop.render.table import Column, arrange, head, row
from radixtop.render.units import age, grouped
from radixtop.requestlog.page import RequestRow

USABLE, GAP, REST, POINT = "█", "▒", "·", "◇"
_FATES: dict[Kind, Span] = {"opened": ("◇ open", "full"), "filled": ("◆ filled", "good"), "lost": ("× lost", "bad")}

_HIT: Role = "device"
_KNOWN: Role = "full"
_NEW: Role = "miss"

_BAR = 2
_COLUMNS = (
    Column("request", 7, "text"),
    Column("ago", 6, "dim", drop_below=60),
    Column("prompt", 0, at_left=True),
    Column("hit", 6, "device", drop_below=50),
    Column("known", 6, "full", drop_below=60),
    Column("gap", 6, "value"),
    Column("point", 8, at_left=True, drop_below=50),
    Column("label", 24, "dim", at_left=True, drop_below=112),
)


def boundary_lines(rows: Sequence[RequestRow], fates: Mapping[int, Kind], width: int) -> list[Line]:
    """Return a head and a line for each request that was matched; `fates` say what became of their points."""
    columns = arrange(_COLUMNS, width)
    known = [_line(columns, request, fates.get(request.request)) for request in rows if request.is_known]
    return [head(columns), *(known or [(("no request was matched yet", "dim"),)])]


def _line(columns: Sequence[tuple[int, Column]], request: RequestRow, fate: Kind | None) -> Line:
    gap = request.full_boundary - request.hit_boundary
    cells: list[str | Span] = [
        f"#{request.request}",
        age(request.age_ns),
        "",
        grouped(request.hit_boundary),
        grouped(request.full_boundary),
        (grouped(gap), "full" if gap else "dim"),
        _FATES[fate] if fate else ("-", "dim") if request.branching_point is None else ("◇ met", "full"),
        request.label or "-",
    ]
    line = list(row(columns, cells))
    place = next(i for i, (number, _) in enumerate(columns) if number == _BAR)
    line[2 * place : 2 * place + 1] = boundary_bar(request, columns[place][1].width)
    return tuple(line)


def boundary_bar(request: RequestRow, width: int) -> Line:
    """Return a prompt as a bar: usable, known and not usable, the rest; the branching point lies over it."""
    prompt = max(1, request.tokens.prompt)
    usable = round(request.hit_boundary * width / prompt)
    known = round(request.full_boundary * width / prompt)
    if request.full_boundary > request.hit_boundary and known == usable:
        known = min(width, usable + 1)
    cells: list[Span] = []
    for glyph, role, upto in ((USABLE, _HIT, usable), (GAP, _KNOWN, known), (REST, _NEW, width)):
        cells += [(glyph, role)] * (min(upto, width) - len(cells))
    point = request.branching_point
    if point is not None and width:
        cells[min(width - 1, max(0, round(point * width / prompt) - 1))] = (POINT, "value")
    joined: list[Span] = []
    for glyph, role in cells:
        if joined and joined[-1][1] == role:
            joined[-1] = (joined[-1][0] + glyph, role)
        else:
            joined.append((glyph, role))
    return tuple(joined) or ((left("", width), "miss"),)
