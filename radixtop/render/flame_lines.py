"""The lines of the icicle: the answer, frames by depth, and the facts of the selected one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from radixtop.flame.page import FlamePage, FrameBox
from radixtop.render.flame_frames import MOST_FRAME_LINES, FlameLine, frame_line, part_of
from radixtop.render.flow import pack
from radixtop.render.lines import BLANK, Line
from radixtop.render.marks import live_marks
from radixtop.render.units import count, grouped, since
from radixtop.words.flame import UNITS, answer

HEAD_LINES = 1


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a frame is: its row and its place in it."""

    row: int = 0
    place: int = 0


def foot_lines(height: int) -> int:
    """Return how many lines the facts of the selected frame have."""
    return 2 if height >= 14 else 1


def rows_in(height: int) -> int:
    """Return how many rows of frames have room in so many lines."""
    return max(1, height - HEAD_LINES - foot_lines(height))


def frame_lines(page: FlamePage, height: int) -> int:
    """Return how many lines a row of frames has: more where the tree is flat. The first one has a single line."""
    below = max(1, len(page.rows) - 1)
    return max(1, min(MOST_FRAME_LINES, (rows_in(height) - 1) // below))


def row_at(page: FlamePage, y: int, height: int) -> int:
    """Return which row of frames a line belongs to; -1 for the line above them."""
    return min(y - HEAD_LINES, 0) if y <= HEAD_LINES else 1 + (y - HEAD_LINES - 1) // frame_lines(page, height)


def flame_lines(
    page: FlamePage | None, selected: Spot, width: int, height: int, components: Sequence[str]
) -> list[FlameLine]:
    """Return as many lines as the view is high."""
    if page is None:
        unknown: list[FlameLine] = [(("- the tree is not known", "dim"),)]
        return [*unknown, *[BLANK] * height][:height]
    lines: list[FlameLine] = [answer(page, width)]
    tall = frame_lines(page, height)
    for row, boxes in enumerate(page.rows):
        place = selected.place if row == selected.row else -1
        rows = tall if row else 1
        lines += [frame_line(page, boxes, (row, place, line, rows), width) for line in range(rows)]
    foot = facts_of(page, selected, components)
    room = foot_lines(height)
    lines = [*lines, *[BLANK] * height][: max(1, height - room)]
    return [*lines, *pack(foot, width, room), *[BLANK] * room][:height]


def facts_of(page: FlamePage, selected: Spot, components: Sequence[str]) -> list[Line]:
    """Return everything about the selected frame, in pieces that stay together."""
    box = box_at(page, selected)
    if box is None:
        return []
    unit = UNITS[page.question.weight]
    shares = f" {part_of(box.total, page.total)}"
    shares += f", {part_of(box.total, page.whole)} of all" * (len(page.way) > 1)
    weight: Line = ((f"{count(box.total)} {unit}", "value"), (shares, "label"))
    if box.facts is None:
        named: Line = ((f"+{grouped(box.folded)} prefixes, each narrower than a cell", "accent"),)
        return [named, weight, ((("enter zooms into what they are part of", "label"),))]
    facts = box.facts
    name: Line = ((facts.label, "accent"),) if not box.node else ((f"#{box.node} ", "label"), (facts.label, "accent"))
    pieces = [name, weight]
    if box.node:
        pieces += _node_facts(page, box, components)
    return pieces


def _node_facts(page: FlamePage, box: FrameBox, components: Sequence[str]) -> list[Line]:
    facts = box.facts
    assert facts is not None
    pieces: list[Line] = [
        _fact("own", f"{grouped(facts.length)} from {grouped(facts.start)}"),
        _fact("hits", count(facts.hits)),
        _fact("reused", count(facts.hit_tokens)),
        _fact("recomputed", count(facts.recomputed_tokens)),
        _fact("used", f"{since(page.now, facts.touched_at)} ago" if facts.touched_at >= 0 else "-"),
    ]
    if page.question.weight != "tokens":
        pieces.insert(0, _fact("tokens", count(facts.subtree_tokens)))
    if facts.locks:
        pieces.append(_fact("locks", grouped(facts.locks)))
    marks = live_marks(facts.live, facts.copied, components)
    if marks:
        pieces.append((("live ", "label"), *marks))
    if facts.namespace:
        pieces.append(_fact("in", facts.namespace))
    return pieces


def _fact(name: str, figure: str) -> Line:
    return ((f"{name} ", "label"), (figure, "value"))


def box_at(page: FlamePage, spot: Spot) -> FrameBox | None:
    """Return the frame at a spot."""
    if spot.row < len(page.rows) and spot.place < len(page.rows[spot.row]):
        return page.rows[spot.row][spot.place]
    return None
