"""The line of all lists of the tree."""

from __future__ import annotations

from radixtop.render.lines import Line, Role, Span
from radixtop.tree.request import MODES, QUIET_NS, Mode

_QUIET = f"{QUIET_NS // 1_000_000_000} s"


def mode_line(mode: Mode) -> tuple[Line, list[tuple[int, int, Mode]]]:
    """Return the names of all lists, and where each can be clicked: (start, end, mode)."""
    spans: list[Span] = []
    spots: list[tuple[int, int, Mode]] = []
    at = 0
    for name in MODES:
        text = f" {name} "
        role: Role = "tab" if name == mode else "label"
        spans.append((text, role))
        spots.append((at, at + len(text), name))
        at += len(text)
    spans += [("  ", "text"), (_MEANINGS[mode], "dim")]
    return tuple(spans), spots


_MEANINGS: dict[Mode, str] = {
    "tree": "every prefix below the one that it continues",
    "big": "nodes with the most tokens of their own",
    "hot": "nodes that were reused most",
    "cold": f"unlocked nodes not used for {_QUIET}, the largest first",
    "dead": f"branches that no request reused, and nobody used for {_QUIET}",
}
