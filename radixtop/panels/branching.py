"""Branching points in figures: opened, filled, lost, and what the gaps cost."""

from __future__ import annotations

from typing import ClassVar

from probes.builtin.branching import BranchingSample
from radixtop.panel import Canvas, Panel
from radixtop.render.bars import Part, stacked
from radixtop.render.lines import BLANK, Line, Role, beside, clean, left
from radixtop.render.units import age, count, grouped, share

_FIGURES_WIDTH = 34
_MEANING: tuple[Line, ...] = (
    (("a hit ended before what the tree knew", "dim"),),
    (("what it lacked is kept for the next", "dim"),),
    (("the request still runs", "dim"),),
    (("ended unfilled, or evicted later", "dim"),),
    (("known tokens that were computed again", "dim"),),
    (("of them, where no state is ever kept", "dim"),),
)
"""Says of each line of figures what it counts."""
_MARKS = {"opened": "◇", "filled": "◆", "lost": "×"}


class BranchingPanel(Panel[BranchingSample]):
    """How many gaps between the two hit boundaries were met, closed, and lost again."""

    sample: ClassVar[type] = BranchingSample

    def paint(self, sample: BranchingSample | None, canvas: Canvas) -> list[Line]:
        """Return the figures with their shares, a bar of what became of the points, and the newest events."""
        width = min(canvas.width, _FIGURES_WIDTH)
        block = _fates(sample, width)
        if canvas.width >= _FIGURES_WIDTH + 40:
            block = beside(block, _MEANING[: len(block) - 1], _FIGURES_WIDTH, "    ")
        elif canvas.height > len(block) + 2:
            block += [BLANK, *_newest(sample, canvas, canvas.height - len(block) - 1)]
        return block[: canvas.height]

    def note(self, sample: BranchingSample | None) -> str:
        """Say what the bar's parts are."""
        return "now: █ kept  ▒ open  × lost"


def _fates(sample: BranchingSample | None, width: int) -> list[Line]:
    """Return how many points were met and how many of them went which way, then a bar of where they are now.

    A point can be filled and lost later, so the shares need not add up; the bar's parts do.
    """
    opened, filled, still, lost = (
        (sample.opened, sample.filled, sample.open_now, sample.lost) if sample else (None, None, None, None)
    )
    ways: tuple[tuple[str, Role, int | None], ...] = (
        ("◆ filled", "device", filled),
        ("▒ open now", "full", still),
        ("× lost", "bad", lost),
    )
    name_width = width - 16
    lines: list[Line] = [((left("◇ opened", name_width), "label"), *_number(opened))]
    for name, role, number in ways:
        lines.append(((left(name, name_width), role), *_number(number), (f"{_share(number, opened):>8}", "text")))
    recomputed = count(sample.recomputed_tokens if sample else None)
    lines.append(((left("  recomputed", name_width), "label"), (f"{recomputed:>8}", "value")))
    kept = max(0, (opened or 0) - (still or 0) - (lost or 0))
    if sample is not None and sample.below_grid_tokens is not None:
        lines.append(
            (
                (left("  below grid", name_width), "label"),
                (f"{count(sample.below_grid_tokens):>8}", "value"),
            )
        )
    parts = (Part(kept, "█", "device"), Part(still or 0, "▒", "full"), Part(lost or 0, "×", "bad"))
    return [*lines, stacked(parts, width)]


def _number(number: int | None) -> Line:
    return ((f"{grouped(number):>8}", "value"),)


def _share(number: int | None, of: int | None) -> str:
    return share(number / of if number is not None and of else None)


def _newest(sample: BranchingSample | None, canvas: Canvas, rows: int) -> list[Line]:
    return [
        (
            (f"{age(canvas.now - event.at):>6} ", "dim"),
            (_MARKS[event.kind] + " ", "good" if event.kind == "filled" else "label"),
            (f"{count(event.gap_tokens):>5} ", "value"),
            (clean(event.label or f"node {event.node}"), "text"),
        )
        for event in (sample.recent if sample else ())[:rows]
    ]
