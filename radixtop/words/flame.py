"""What holds the cache, by the weight that frames are as wide as."""

from __future__ import annotations

from rich.cells import cell_len

from probes.plural import plural
from radixtop.flame.page import FlamePage, Weight
from radixtop.render.flame_frames import part_of
from radixtop.render.lines import Line, crop, width_of
from radixtop.render.units import count, grouped

UNITS: dict[Weight, str] = {
    "tokens": "tokens",
    "hit tokens": "reused tokens",
    "recomputed": "recomputed tokens",
    "nodes": "nodes",
    "idle": "idle token seconds",
}


def answer(page: FlamePage, width: int) -> Line:
    """Return what holds the weight, in one line; labels are cropped before figures are."""
    unit, holders = UNITS[page.question.weight], page.holders
    if page.is_weighing:
        return ((f"adding up {unit} of {grouped(page.nodes)} nodes", "warn"),)
    if not page.total:
        return (("the cache is empty" if not page.nodes else f"no {unit} here", "value"),)
    where = _where(page)
    room = width - width_of(where)
    if not holders.prefixes:
        none: Line = ((f"no prefix holds 1% of {count(page.total)} {unit}", "value"),)
        return where + none
    what: Line = (
        (plural(holders.prefixes, "prefix holds", "prefixes hold"), "value"),
        (f" {part_of(holders.total, page.total)}", "accent"),
        (f" of {count(page.total)} {unit}", "value"),
    )
    figures = f" ({count(holders.heaviest_total)}, {part_of(holders.heaviest_total, page.total)})"
    left = room - width_of(what) - cell_len("; heaviest: ") - len(figures)
    if left < 4:
        return where + what
    return (*where, *what, ("; heaviest: ", "label"), (crop(holders.heaviest, left), "accent"), (figures, "value"))


def _where(page: FlamePage) -> Line:
    root, label = page.way[-1]
    holders = page.holders
    where: Line = ()
    if len(page.way) > 1:
        where = (
            ("in ", "label"),
            (crop(label, 24), "accent"),
            (f" ({part_of(page.total, page.whole)} of all): ", "label"),
        )
    if holders.node != root and holders.prefixes:
        where = (*where, ("below ", "label"), (crop(holders.label, 24), "accent"), (": ", "label"))
    return where
