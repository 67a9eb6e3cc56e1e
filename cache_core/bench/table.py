"""Figures as text: a table that is Markdown and reads well in a terminal."""

from __future__ import annotations

from collections.abc import Sequence


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table whose columns are as wide as their widest cell, or nothing without rows."""
    if not rows:
        return ""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    rule = ["-" * width for width in widths]
    lines = [head, rule, *rows]
    return "\n".join(
        f"| {' | '.join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))} |" for line in lines
    )
