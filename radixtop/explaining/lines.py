"""One request explained, as lines."""

from __future__ import annotations

from collections.abc import Iterator

from radixtop.explaining.explained import Explained, Part
from radixtop.render.lines import BLANK, Line, left, right
from radixtop.render.miss_words import DEVICE, WORDS, name_of
from radixtop.render.story_lines import story_lines
from radixtop.render.units import age, clock, grouped
from radixtop.requestlog.page import Story

_PLACE_WIDTH, _CLASS_WIDTH = 18, 18


def lines(found: Explained, source: str, width: int) -> Iterator[Line]:
    """Yield the story of a request, and its prompt piece by piece."""
    yield ((f"request #{found.story.row.request}", "head"), (f"  of {source}", "dim"))
    at_ns = found.came_ns
    yield from story_lines(found.story, width, "" if at_ns is None else f"at {clock(at_ns)}")
    if found.parts:
        yield BLANK
        yield (("along the prompt", "head"),)
    for part in found.parts:
        yield _part(part, found.story)


def _part(part: Part, story: Story) -> Line:
    word = DEVICE if part.miss is None else WORDS[part.miss]
    name = "hit" if part.miss is None else name_of(part.miss, story.remembers_all, story.lacking)
    left_ago = "" if part.left_ago_ns is None else f"  left {age(part.left_ago_ns)} before"
    for_whom = f" for {part.made_room_for}" if part.made_room_for else ""
    place = f"{grouped(part.start)}..{grouped(part.end)}"
    return (
        (right(place, _PLACE_WIDTH), "value"), (f"  {word.glyph} ", word.role),
        (left(name, _CLASS_WIDTH), "label"), (f" {part.segment}{left_ago}{for_whom}", "text"),
    )  # fmt: skip
