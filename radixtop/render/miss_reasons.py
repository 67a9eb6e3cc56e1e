"""Why a request missed the tokens of a class, in a sentence, and what would have helped."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from probes.lives.misses import MissClass
from radixtop.render.units import age, grouped
from radixtop.requestlog.page import Story, StoryGap

Reason = tuple[str, str]
"""Why, and what would have helped, "" where nothing would."""

_POOLS = {"window": "--swa-slots", "state": "--mamba-slots"}
_CLOSER = "states closer together (--mamba-chunk)"


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
    told = [_gap(gap, story.remembers_all) for gap in story.gaps]
    because = [f"{grouped(gap.tokens)} tokens: {each[0]}" for gap, each in zip(story.gaps, told, strict=True)]
    if len(told) == 1:
        because = [told[0][0]]
    helps = dict.fromkeys(each[1] for each in told if each[1])
    return f"{known}, but {'; '.join(because)}", "; ".join(helps)


def _gap(gap: StoryGap, remembers_all: bool) -> Reason:
    """Return why one part of what was known lacked a window or a state, and what would have helped."""
    kind = gap.lacking
    if gap.left_ago_ns is None and not remembers_all:
        return f"the {kind} was gone; the watch did not see when or whether there was one", ""
    if gap.left_ago_ns is None:
        return f"no {kind} was kept there", "branching points: the first such request leaves one"
    for_whom = f" to make room for {gap.made_room_for}" if gap.made_room_for else ""
    gone = f"the {kind} that a hit needs was evicted {age(gap.left_ago_ns)} before{for_whom}"
    return gone, f"a larger pool of {kind}s ({_POOLS[kind]})"


def _in_flight(story: Story) -> Reason:
    helped = "admitting it later, so that it hits what the other stores (schedule lpm)"
    return "another request was computing the same tokens at that time", helped


def _unloaded(story: Story) -> Reason:
    return "a copy in host memory was found and not loaded: no room, or too few tokens", "more device memory"


def _page_rounding(story: Story) -> Reason:
    if story.grid_tokens > story.page_tokens:
        return f"hits end at places for states, {grouped(story.grid_tokens)} tokens apart here", _CLOSER
    return f"hits end at whole pages, of {grouped(story.page_tokens)} tokens here", "smaller pages (--page-size)"


def _last_token(story: Story) -> Reason:
    return "the last token of a prompt is always computed: the next one follows from it", ""


def _below_page(story: Story) -> Reason:
    if story.grid_tokens > story.page_tokens:
        place = f"which is at {grouped(story.grid_tokens)} tokens here"
        return f"what could be shared ends before the first place for a state, {place}", _CLOSER
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
