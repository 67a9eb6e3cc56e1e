"""How much of what was evicted came back, and how soon."""

from __future__ import annotations

from typing import ClassVar

from probes.builtin.ghosts import GhostSample, GhostTokens
from radixtop.panel import Canvas, Panel
from radixtop.render.lines import Line, Role, Span, clean
from radixtop.render.table import Column, arrange, head, row
from radixtop.render.units import count, share

_COLUMNS = (
    Column("", 9, "label", at_left=True),
    Column("evicted", 7, "value"),
    Column("10 s", 6),
    Column("30 s", 6),
    Column("1 min", 6, drop_below=36),
    Column("5 min", 6, drop_below=42),
)
_SOME, _MUCH = 0.03, 0.10


class ThrashPanel(Panel[GhostSample]):
    """By component, in the last minute and in all: tokens evicted, and the share of them that came back in time."""

    sample: ClassVar[type] = GhostSample
    is_told_outside: ClassVar[bool] = True

    def paint(self, sample: GhostSample | None, canvas: Canvas) -> list[Line]:
        """Return two lines for each component."""
        columns = arrange(_COLUMNS, canvas.width)
        lines = [head(columns)]
        if sample is None or not sample.components:
            lines.append(row(columns, ["-"] * len(_COLUMNS)))
        else:
            for each in sample.components:
                lines.append(row(columns, _cells(f"{clean(each.component)[:4]} 1min", each.last_minute)))
                lines.append(row(columns, _cells(f"{clean(each.component)[:4]} all", each.total)))
        return lines[: canvas.height]

    def note(self, sample: GhostSample | None) -> str:
        """Say how much is looked out for, and whether that is all."""
        if sample is None:
            return ""
        if sample.unfollowed_tokens:
            return f"at least: {count(sample.unfollowed_tokens)} tokens not followed"
        return f"{count(sample.followed)} evicted nodes followed"


def _cells(name: str, tokens: GhostTokens) -> list[str | Span]:
    shares = (tokens.thrash_index(horizon) for horizon in range(len(tokens.returned_tokens)))
    return [name, count(tokens.evicted_tokens), *((share(each), _role(each)) for each in shares)]


def _role(index: float | None) -> Role:
    if index is None or index < _SOME:
        return "dim"
    return "warn" if index < _MUCH else "bad"
