"""Why tokens were missed, in words: for a column, for a sentence, and what would have helped."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from probes.builtin.request_log import RequestLogSample
from probes.misses import MISS_CLASSES, MissClass, PromptTokens
from radixtop.render.lines import Line, Role, Span, first_that_fits
from radixtop.render.units import age, grouped, share
from radixtop.requestlog.page import Story

if TYPE_CHECKING:
    from radixtop.messages import Frame


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

_IN_SENTENCES: dict[MissClass, str] = {"evicted": "evicted before", "unloaded": "not loaded from the host"}


def _text_role(miss: MissClass) -> Role:
    """Return the role of a class in text: what is too faint for that is drawn as text."""
    return "label" if WORDS[miss].role == "miss" else WORDS[miss].role


def name_of(miss: MissClass, remembers_all: bool) -> str:
    """Return the name of a class; what may have been there unseen is not called new."""
    return "not seen lately" if miss == "first_seen" and not remembers_all else WORDS[miss].name


_SHORT_BELOW = 60


def answer(sample: RequestLogSample | None, width: int) -> Line:
    """Return what became of the prompt tokens of the last minute, in a sentence; of all, when there were none."""
    if sample is None:
        return (("hits and misses: -  this source does not tell of requests", "dim"),)
    tokens, span = (sample.last_minute, "last 60 s: ") if sample.last_minute.requests else (sample.total, "in all: ")
    if not tokens.prompt:
        return (("hits and misses: -  no request has been decided yet", "dim"),)
    is_short = width < _SHORT_BELOW
    quiet = "" if sample.last_minute.requests or is_short else "no request in the last 60 s; "
    hits = " hits, " if is_short else " of prompt tokens were hits; misses: "
    told = [miss for miss in MISS_CLASSES if tokens.of(miss) * 1000 >= tokens.prompt]
    found = sorted(told, key=lambda miss: (miss in ("rounding", "unknown"), -tokens.of(miss)))
    spans: list[Span] = [
        (quiet + span, "label"),
        (share(tokens.hit / tokens.prompt), "device"),
        (hits if found else hits.rstrip(", ").removesuffix("; misses:"), "text"),
    ]
    for place, miss in enumerate(found):
        words = _IN_SENTENCES.get(miss, name_of(miss, sample.remembers_all))
        spans += [
            (", " if place else "", "text"),
            (share(tokens.of(miss) / tokens.prompt), _text_role(miss)),
            (f" {words}", "text"),
        ]
    return tuple(spans)


def headline(frame: Frame, width: int) -> Line:
    """Return the answer of a frame."""
    sample = frame.snapshot.get(RequestLogSample) if frame.snapshot is not None else None
    return first_that_fits((answer(sample, cells) for cells in (_SHORT_BELOW, _SHORT_BELOW - 1)), width)


def worst(tokens: PromptTokens, remembers_all: bool) -> Span:
    """Return the largest class of a request's misses, of those that had to be the smallest account."""
    found = max((miss for miss in MISS_CLASSES if miss != "rounding"), key=tokens.of)
    if not tokens.of(found):
        return ("-", "dim")
    return (f"{name_of(found, remembers_all)} {grouped(tokens.of(found))}", _text_role(found))


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
    if story.window_ago_ns is None:
        return f"{known}, but no window was kept there", "branching points: the first such request leaves one"
    gone = f"the window that a hit needs was evicted {age(story.window_ago_ns)} before"
    return f"{known}, but {gone}", "a larger pool of windows (--swa-slots)"
