"""The help screen as lines: keys by place, then what the signs and words on the screens mean."""

from __future__ import annotations

from collections.abc import Sequence

from radixtop.render.lines import BLANK, Line, Role

_SIGNS: tuple[tuple[str, Role, str], ...] = (
    ("device hit", "device", "tokens that a request found and could use as they are"),
    ("host", "host", "tokens that it found in host memory and that were loaded back; part of the hit"),
    ("refused", "label", "tokens on the host that were not loaded: no room, or too few; part of the gap"),
    ("full hit", "full", "tokens that the tree still knows, whether usable or not"),
    ("gap", "full", "full hit that was of no use: recomputed because a window or a state was gone"),
    ("branching", "full", "◇ a gap was met  ◆ what it lacked is kept now  × that went away again"),
    ("below grid", "label", "the end of a gap behind the last place for a state: no state can close it"),
    ("█ prot", "protected", "slots of nodes that a running request holds"),
    ("▓ held", "held", "slots of requests that are not in the tree yet"),
    ("▒ evic", "evictable", "slots of nodes that may be evicted"),
    ("· free", "label", "slots that nobody uses"),
    ("F S M", "device", "a component's first letter: the node's data is on the device (Full, Swa, Mamba)"),
    ("f s m", "host", "its data is in host memory alone; ↓ it is on its way there"),
    ("†", "tombstone", "its data is on neither: a window that left, or no state; the node stays"),
    ("tombstones", "tombstone", "nodes on the device whose window has left it"),
    ("host only", "host", "nodes with nothing on the device and a copy in host memory"),
    ("lock", "protected", "receipts held on the node or below it"),
    ("deferrals", "label", "who was put off, pass by pass, for a prefix that another request computes"),
    ("fallbacks", "label", "passes with too many waiting for their schedule: first come, first served"),
    ("idle, age", "dim", "since the last use; since the node was first seen"),
    ("▾ ▸ ·", "accent", "an open node, a closed node with +children, a leaf"),
    ("-", "dim", "not known; a 0 is a counted 0"),
)


def help_lines(keys: Sequence[tuple[str, str, str]]) -> list[Line]:
    """Return the lines for keys given as (place, sign, help)."""
    lines: list[Line] = []
    place = ""
    for key_place, sign, text in keys:
        if key_place != place:
            place = key_place
            lines += [BLANK] * bool(lines) + [((f"keys {'in the tree' if place == 'tree' else place}", "head"),)]
        lines.append(((f"  {sign:<9}", "key"), (text, "text")))
    lines += [BLANK, (("signs and words", "head"),)]
    lines += [((f"  {sign:<10} ", role), (text, "text")) for sign, role, text in _SIGNS]
    return lines
