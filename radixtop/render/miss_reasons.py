"""Why a request missed the tokens of a class, in a sentence, and what would have helped."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from probes.lives.misses import MissClass
from radixtop.render.units import age, grouped
from radixtop.requestlog.page import Story

Reason = tuple[str, str]
"""Why, and what would have helped, "" where nothing would."""


def why(miss: MissClass, story: Story) -> Reason:
    """Return why a request missed the tokens of a class, and what would have helped."""
    return _REASONS[miss](story)


def _first_seen(story: Story) -> Reason:
    if not story.remembers_all:
        return "not among what the watch remembers; it did not see everything", ""
    return "no prompt had gone this way before: only what prompts share can hit", ""


def _diverged(story: Story) -> Reason:
    at = f"at token {grouped(story.parted_at)} " if story.parted_at is not None else ""
    helps = "what prompts share first, and what differs (dates, ids) last"
    return f"{at}the prompt left what was stored: other text goes on there", helps


def _evicted(story: Story) -> Reason:
    ago = f"{age(story.evicted_ago_ns)} before" if story.evicted_ago_ns is not None else "some time before"
    for_whom = f" to make room for {story.evicted_for}" if story.evicted_for else ""
    return (
        f"they had been in the cache and were evicted {ago}{for_whom}",
        "a larger cache, or another eviction policy",
    )


def _window_gone(story: Story) -> Reason:
    known = f"the tree knew the prompt up to {grouped(story.row.full_boundary)}"
    if story.window_ago_ns is None and not story.remembers_all:
        return f"{known}, but the window was gone; the watch did not see when or whether there was one", ""
    if story.window_ago_ns is None:
        return f"{known}, but no window was kept there", "branching points: the first such request leaves one"
    for_whom = f" to make room for {story.window_for}" if story.window_for else ""
    gone = f"the window that a hit needs was evicted {age(story.window_ago_ns)} before{for_whom}"
    return f"{known}, but {gone}", "a larger pool of windows (--swa-slots)"


def _in_flight(story: Story) -> Reason:
    helped = "admitting it later, so that it hits what the other stores (schedule lpm)"
    return "another request was computing the same tokens at that time", helped


def _unloaded(story: Story) -> Reason:
    return "a copy in host memory was found and not loaded: no room, or too few tokens", "more device memory"


def _page_rounding(story: Story) -> Reason:
    return f"hits end at whole pages, of {grouped(story.page_tokens)} tokens here", "smaller pages (--page-size)"


def _last_token(story: Story) -> Reason:
    return "the last token of a prompt is always computed: the next one follows from it", ""


def _below_page(story: Story) -> Reason:
    said = f"what could be shared is shorter than a page, which is {grouped(story.page_tokens)} tokens here"
    return said, "smaller pages (--page-size)"


def _other_namespace(story: Story) -> Reason:
    where = story.elsewhere or "another namespace"
    return (
        f"the same tokens were stored, in {where}: namespaces share nothing",
        "one salt or adapter for what is shared",
    )


def _retracted(story: Story) -> Reason:
    return (
        "computed before, and again after a retraction: on top of the prompt",
        "fewer requests at once, larger pools",
    )


def _unknown(story: Story) -> Reason:
    if not story.row.is_known:
        return "it was refused" if story.row.state == "refused" else "it was not admitted yet", ""
    return "records do not tell, or the prompt is not stored yet", ""


_REASONS: Mapping[MissClass, Callable[[Story], Reason]] = {
    "first_seen": _first_seen,
    "diverged": _diverged,
    "evicted": _evicted,
    "window_gone": _window_gone,
    "in_flight": _in_flight,
    "unloaded": _unloaded,
    "page_rounding": _page_rounding,
    "last_token": _last_token,
    "below_page": _below_page,
    "other_namespace": _other_namespace,
    "retracted": _retracted,
    "unknown": _unknown,
}
