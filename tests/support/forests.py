"""Forests for the exporters' tests."""

from __future__ import annotations

from profiles.diff.difference import Difference, compare
from profiles.forest import TOP, Forest, Frame
from profiles.growth.forest_builder import grow
from profiles.growth.planting import forest_of
from profiles.labels import label
from tests.support.tree_script import Script


def small_forest() -> Forest:
    """Two system prompts, one in a namespace, a document with questions, a tombstone, an eviction."""
    script = small_script()
    script.evict("ssssssssdddddddddddqqq")
    return grown_with_adapter(script)


def small_script() -> Script:
    """The run of the small forest, but for its last event."""
    script = Script()
    system = ((0, "system prompt 1"), (8, "document 2"))
    for number, question in enumerate(("qqq", "rrrr"), 1):
        script.insert("ssssssssddddddddddd" + question, (*system, (19, f"question {number}")))
    script.insert("ssssssssuu", ((0, "system prompt 1"), (8, "user turn 1"), (9, "answer 1")))
    script.request("ssssssssdddddddddddxx", hit=8, full_hit=19)
    script.request("ssssssssdddddddddddyy", hit=19)
    script.tombstone("ssssssss")
    return script


def grown_with_adapter(script: Script) -> Forest:
    """The forest of a run and of a system prompt in a namespace."""
    adapter = Script(namespace="adapter 1", first_id=100)
    adapter.insert("tttttt", ((0, "system prompt 2"),))
    return grow(script.records + adapter.records, ("full", "swa"), title="a small run")


def small_difference() -> Difference:
    """The small forest before its eviction, and after that and a new document that parts within the old one."""
    script = small_script()
    before = grown_with_adapter(script)
    script.evict("ssssssssdddddddddddqqq")
    script.insert("ssssssssdddddeeeeee", ((0, "system prompt 1"), (8, "document 3")))
    return compare(before, grown_with_adapter(script), one_run=True)


def flat_forest(texts: list[str], weight_of: list[int]) -> Forest:
    """Frames side by side, each of one text and one weight, which every metric shares."""
    frames = tuple(
        Frame(TOP, key, label(text, key), text, 0, own)
        for key, (text, own) in enumerate(zip(texts, weight_of, strict=True), 1)
    )
    return forest_of(frames, dict.fromkeys(("tokens", "hits"), weight_of))


def deep_forest(depth: int) -> Forest:
    """A single path of many frames, as a long conversation makes it."""
    frames = tuple(
        Frame(place - 1, place, label(f"text {place}", place), f"text {place}", place, place + 1)
        for place in range(depth)
    )
    return forest_of(frames, {"tokens": [1] * depth})
