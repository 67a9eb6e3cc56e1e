"""Why tokens were missed, in a word: how a class is named, drawn and coloured."""

from __future__ import annotations

from typing import NamedTuple

from probes.lives.misses import MISS_CLASSES, UNAVOIDABLE, MissClass, PromptTokens
from radixtop.render.lines import Role, Span
from radixtop.render.units import grouped


class Word(NamedTuple):
    """How a class of misses is named, drawn and coloured."""

    name: str
    glyph: str
    role: Role


WORDS: dict[MissClass, Word] = {
    "first_seen": Word("first seen", "·", "miss"),
    "diverged": Word("diverged", "/", "miss"),
    "evicted": Word("evicted", "×", "bad"),
    "window_gone": Word("window gone", "▒", "full"),
    "in_flight": Word("in flight", "°", "accent"),
    "unloaded": Word("not loaded", "▫", "host"),
    "page_rounding": Word("page rounding", ".", "miss"),
    "last_token": Word("last token", "'", "miss"),
    "below_page": Word("below a page", ",", "miss"),
    "other_namespace": Word("other namespace", "@", "warn"),
    "retracted": Word("after retraction", "<", "bad"),
    "unknown": Word("unknown", "?", "dim"),
}
DEVICE, HOST = Word("device", "█", "device"), Word("host", "▓", "host")


def text_role(miss: MissClass) -> Role:
    """Return the role of a class in text: what is too faint for that is drawn as text."""
    return "label" if WORDS[miss].role == "miss" else WORDS[miss].role


def name_of(miss: MissClass, remembers_all: bool, lacking: str) -> str:
    """Return the name of a class; what may have been there unseen is not called new, `lacking` says what was gone."""
    if miss == "window_gone":
        return f"{lacking} gone"
    return "not seen lately" if miss == "first_seen" and not remembers_all else WORDS[miss].name


def worst(tokens: PromptTokens, remembers_all: bool, lacking: str) -> Span:
    """Return the largest class of a request's misses, of those that had to be the smallest account."""
    found = max((miss for miss in MISS_CLASSES if miss not in UNAVOIDABLE), key=tokens.of)
    if not tokens.of(found):
        return ("-", "dim")
    return (f"{name_of(found, remembers_all, lacking)} {grouped(tokens.of(found))}", text_role(found))
