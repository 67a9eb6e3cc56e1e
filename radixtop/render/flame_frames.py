"""Frames of the icicle as lines: as wide as they are, told apart by an edge, labels cropped into them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.cells import cell_len

from radixtop.flame.page import FlamePage, FrameBox
from radixtop.render.lines import Role, crop
from radixtop.render.units import count, grouped, share

EDGE = "▏"
"""The left edge of every frame, so that frames stand apart without colours."""

HATCH = "╱"
"""What fills frames of which some component has nothing."""


MOST_FRAME_LINES = 4
"""How many lines a row of frames has where the tree is flat."""

_LEAST_LABEL = 4
"""A label that is cut to fewer cells is left out."""


class Paint(NamedTuple):
    """How a frame is coloured: a hue for its branch or namespace, a shade for its place; `hue` is -1 for folds."""

    hue: int
    shade: int
    is_selected: bool = False
    is_hatch: bool = False


FlameLine = tuple[tuple[str, Role | Paint], ...]


def frame_line(page: FlamePage, boxes: Iterable[FrameBox], part: tuple[int, int, int, int], width: int) -> FlameLine:
    """Return one line of a row of frames: `part` is the row, the selected place in it, which line of how many."""
    row, selected, line, tall = part
    spans: list[tuple[str, Role | Paint]] = []
    x = 0
    for place, box in enumerate(boxes):
        if box.x > x:
            spans.append((_gap(box.x - x, bool(spans)), "rule"))
        hue = -1 if box.is_fold or row == 0 else box.hue
        paint = Paint(hue, (row + place) % 2, place == selected)
        words, rest = frame_text(page, box, line, tall)
        spans += [(words, paint), (rest, paint._replace(is_hatch=True))]
        x = box.x + box.cells
    if x < width:
        spans.append((_gap(width - x, bool(spans)), "rule"))
    return tuple(spans)


def _gap(cells: int, follows_a_frame: bool) -> str:
    """Return what stands where a frame has nothing below it; the frame before it ends there."""
    return (EDGE if follows_a_frame else " ") + " " * (cells - 1)


def frame_text(page: FlamePage, box: FrameBox, line: int, tall: int) -> tuple[str, str]:
    """Return one line of a frame, as wide as it is: its words, then what fills the rest; cut words that say nothing
    are left out."""
    room = box.cells - 1
    is_hatched = box.facts is not None and box.facts.lacks_state
    words = _words(page, box, tall, room - 1 if is_hatched else room)[line]
    return EDGE + words, (HATCH if is_hatched else " ") * (room - cell_len(words))


def _words(page: FlamePage, box: FrameBox, tall: int, room: int) -> list[str]:
    """Return what a frame says on each of its lines, in so many cells."""
    facts = box.facts
    figures = [f"{count(box.total)} {part_of(box.total, page.total)}", count(box.total)]
    if facts is None:
        words = [_first_that_fits([f"+{grouped(box.folded)}", "+"], room)]
    elif tall == 1:
        longest = [f"{facts.label}  {figure}" for figure in figures]
        words = [_first_that_fits(longest, room) or _label(facts.label, room)]
    else:
        words = [_label(facts.label, room)]
    words.append(_first_that_fits(figures, room))
    if facts is not None and box.node:
        below = [f"hits {count(facts.hits)}", f"reused {count(facts.hit_tokens)}"]
        words += [_first_that_fits([text], room) for text in below]
    return [*words, *[""] * tall]


def _label(label: str, room: int) -> str:
    return crop(label, room) if room >= _LEAST_LABEL else ""


def _first_that_fits(texts: Sequence[str], room: int) -> str:
    return next((text for text in texts if cell_len(text) <= room), "")


def part_of(part: int, whole: int) -> str:
    """Return a share without a useless digit."""
    fraction = part / whole if whole else None
    return f"{fraction:.0%}" if fraction is not None and 0.0995 <= fraction < 0.995 else share(fraction)
