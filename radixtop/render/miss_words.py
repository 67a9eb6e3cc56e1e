"""Why tokens were missed, in words: for a column, for a sentence, and what would have helped."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from probes.lives.misses import MISS_CLASSES, MissClass, PromptTokens
from radixtop.render.lines import Role, Span
from radixtop.render.units import age, grouped
from radixtop.requestlog.page import Story

if TYPE_CHECKING:
    pass


class Word(NamedTuple):
    """How a class of misses is named, drawn and coloured."""

    name: str
    glyph: str
    role: Role


WORDS: dict[MissClass, Word] = {
    "first_seen": Word("first seen", "·", "miss"),
    "evicted": Word("evicted", "×", "bad"),
    "window_gone": Word("window gone", "▒", "full"),
    "in_flight": Word("in flight", "°", "accent"),
    "unloaded": Word("not loaded", "▫", "host"),
    "rounding": Word("rounding", ".", "miss"),
    "unknown": Word("unknown", "?", "dim"),
}
DEVICE, HOST = Word("device", "█", "device"), Word("host", "▓", "host")


def text_role(miss: MissClass) -> Role:
    """Return the role of a class in text: what is too faint for that is drawn as text."""
    return "label" if WORDS[miss].role == "miss" else WORDS[miss].role


def name_of(miss: MissClass, remembers_all: bool) -> str:
    """Return the name of a class; what may have been there unseen is not called new."""
    return "not seen lately" if miss == "first_seen" and not remembers_all else WORDS[miss].name


def worst(tokens: PromptTokens, remembers_all: bool) -> Span:
    """Return the largest class of a request's misses, of those that had to be the smallest account."""
    found = max((miss for miss in MISS_CLASSES if miss != "rounding"), key=tokens.of)
    if not tokens.of(found):
        return ("-", "dim")
    return (f"{name_of(found, remembers_all)} {grouped(tokens.of(found))}", text_role(found))


def why(miss: MissClass, story: Story) -> tuple[str, str]:
    """Return why a request missed the tokens of a class, and what would have helped, "" where nothing would."""
    row = story.row
    if miss == "window_gone":
        return _window_gone(story)
    if miss == "evicted":
        ago = f"{age(story.evicted_ago_ns)} before" if story.evicted_ago_ns is not None else "some time before"
        return f"they had been in the cache and were evicted {ago}", "a larger cache, or another eviction policy"
    if miss == "first_seen":
        if not story.remembers_all:
            return "not among what the watch remembers; it did not see everything", ""
        return "no prompt had gone this way before: only what prompts share can hit", ""
    if miss == "in_flight":
        helped = "admitting it later, so that it hits what the other stores (schedule lpm)"
        return "another request was computing the same tokens at that time", helped
    if miss == "unloaded":
        return "a copy in host memory was found and not loaded: no room, or too few tokens", "more device memory"
    if miss == "rounding":
        page = f", and pages are {story.page_tokens} tokens long" if story.page_tokens > 1 else ""
        return f"the last token of a prompt is always computed{page}", ""
    if not row.is_known:
        return "it was refused" if row.state == "refused" else "it was not admitted yet", ""
    return "records do not tell, or the prompt is not stored yet", ""


def _window_gone(story: Story) -> tuple[str, str]:
    known = f"the tree knew the prompt up to {grouped(story.row.full_boundary)}"
    if story.window_ago_ns is None and not story.remembers_all:
        return f"{known}, but the window was gone; the watch did not see when or whether there was one", ""
    if story.window_ago_ns is None:
        return f"{known}, but no window was kept there", "branching points: the first such request leaves one"
    gone = f"the window that a hit needs was evicted {age(story.window_ago_ns)} before"
    return f"{known}, but {gone}", "a larger pool of windows (--swa-slots)"
