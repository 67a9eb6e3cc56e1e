"""What left is an eviction's as far as its record says so."""

from __future__ import annotations

from cache_core.events import Evict, Match, NodeRemoved, NodeTiers, Record
from profiles.forest import Forest
from profiles.growth.forest_builder import grow
from tests.support.records import record
from tests.support.tree_script import Script


def script() -> Script:
    made = Script()
    for text in ("aaaabb", "xyz", "uvwu"):
        made.insert(text)
    return made


def evicted(records: list[Record]) -> dict[str, int]:
    forest: Forest = grow(records, ("full", "swa"))
    text_of = script().text_of
    pairs = zip(forest.frames, forest.weights["evicted"], strict=True)
    return {text_of.get(frame.key, frame.label): own for frame, own in pairs if own}


def test_what_an_eviction_freed_is_what_left_before_it() -> None:
    made = script()
    made.evict("xyz")
    assert evicted([*made.records, record(Evict, freed_tokens=(3, 0))]) == {"xyz": 3}


def test_what_left_for_another_reason_was_not_evicted() -> None:
    made = script()
    made.evict("uvwu")  # what a load that was given up had brought
    given_up = len(made.records)
    made.evict("xyz")
    with_match = [
        *made.records[:given_up],
        record(Match),
        *made.records[given_up:],
        record(Evict, freed_tokens=(3, 0)),
    ]
    assert evicted(with_match) == {"xyz": 3}
    assert evicted([*made.records, record(Evict, freed_tokens=(3, 0))]) == {"xyz": 3}


def test_without_records_of_evictions_whatever_leaves_was_evicted() -> None:
    made = script()
    made.evict("xyz")
    made.evict("aaaabb")
    assert evicted(made.records) == {"xyz": 3, "aaaabb": 6}


def test_a_leaf_that_the_host_keeps_was_evicted_from_the_device() -> None:
    made = script()
    moved = next(node.id for node in made.nodes() if node.text == "xyz")
    records = [*made.records, NodeTiers(1, moved, 0, 1), record(Evict, freed_tokens=(3, 3))]
    assert evicted(records) == {"xyz": 3}
    assert grow(records, ("full", "swa")).whole("tokens") == 10
    records.append(NodeRemoved(1, moved))  # and when it leaves the host, nothing leaves the device
    assert evicted(records) == {"xyz": 3}


def test_what_nobody_stated_is_evicted_elsewhere() -> None:
    assert evicted([record(NodeRemoved, node=99), record(Evict, freed_tokens=(7, 0))]) == {"not in the recording": 7}
