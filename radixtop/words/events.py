"""What happened lately, counted by kind."""

from __future__ import annotations

from radixtop.eventlog.page import Lately
from radixtop.render.lines import Line, Role, width_of
from radixtop.render.units import age, count, grouped

_LATELY: tuple[tuple[str, str, Role], ...] = (
    ("RequestAdmitted", "admitted", "value"),
    ("RequestRefused", "refused", "bad"),
    ("RequestRetracted", "retracted", "bad"),
    ("Evict", "evictions", "value"),
    ("Tombstoned", "tombstones", "value"),
    ("NodeAdded", "stored", "value"),
    ("NodeSplit", "splits", "value"),
    ("Insert", "inserts", "value"),
    ("EngineStep", "steps", "value"),
)


def answer(lately: Lately, lost_records: int, width: int) -> Line:
    """Return what happened lately in one line; what has no room is left out."""
    if not lately.events:
        start: Line = (("nothing happened in the last 10 s", "value"),)
    else:
        start = ((f"last {age(lately.span_ns)}: ", "label"), (count(lately.events), "value"), (" events", "label"))
    parts = [_part(lately, *words) for words in _LATELY if lately.counts.get(words[0])]
    if lost_records:
        parts.insert(0, ((f"  {grouped(lost_records)} records lost in all", "bad"),))
    for part in parts:
        if width_of(start) + width_of(part) <= width:
            start += part
    return start


def _part(lately: Lately, name: str, word: str, role: Role) -> Line:
    part: Line = (("  ", "text"), (count(lately.counts[name]), role), (f" {word}", "label"))
    if name == "Evict":
        part += ((" freed ", "label"), (count(lately.freed_tokens), role))
    return part
