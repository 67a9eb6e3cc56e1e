"""Time is where it was spent: by operation, phase and namespace, and what was not measured is nowhere."""

from __future__ import annotations

from cache_core.events import INSERT, LOCK, MATCH, SPLIT, UNLOCK, WHOLE, Evict, Insert, Match, Record, Timing
from profiles.forest import TOP, Forest
from profiles.growth.forest_builder import grow
from profiles.labels import label
from tests.support.records import record
from tests.support.tree_script import Script


def times(records: list[Record]) -> dict[str, int]:
    """Path of labels, without their hashes -> time of its own."""
    forest: Forest = grow(records)
    found: dict[str, int] = {}
    paths: list[str] = []
    for place, frame in enumerate(forest.frames):
        above = [] if frame.parent == TOP else [paths[frame.parent]]
        paths.append("/".join([*above, frame.label.partition(" ·")[0]]))
        if forest.weights["time_ns"][place]:
            found[paths[-1]] = forest.weights["time_ns"][place]
    return found


def timing(operation: int, phase: int, duration_ns: int) -> Timing:
    return record(Timing, operation=operation, phase=phase, calls=1, duration_ns=duration_ns)


def test_a_match_is_its_walk_and_its_splits() -> None:
    assert times([record(Match, duration_ns=100), timing(MATCH, SPLIT, 30)]) == {"match/walk": 70, "match/split": 30}


def test_an_insert_is_its_walk_and_its_splits() -> None:
    assert times([record(Insert, duration_ns=100), timing(INSERT, SPLIT, 1)]) == {
        "insert/walk": 99,
        "insert/split": 1,
    }


def test_an_eviction_builds_a_queue_and_removes() -> None:
    calls: list[Record] = [
        record(Evict, duration_ns=90, queue_build_ns=60, freed_tokens=(4,)),
        record(Evict, duration_ns=10, freed_tokens=(4,)),
    ]
    assert times(calls) == {"evict/build the queue": 60, "evict/remove": 40}


def test_locks_and_unlocks_are_what_was_summed() -> None:
    assert times([timing(LOCK, WHOLE, 5), timing(UNLOCK, WHOLE, 7), timing(LOCK, WHOLE, 1)]) == {
        "lock": 6,
        "unlock": 7,
    }


def test_a_walk_is_told_apart_by_named_namespaces_and_splits_are_taken_off_in_proportion() -> None:
    adapter = Script(namespace="adapter 1")
    adapter.insert("aaaa")
    space = adapter.namespace_id
    matches: list[Record] = [record(Match, duration_ns=75, namespace=space), record(Match, duration_ns=25)]
    assert times([*adapter.records, *matches, timing(MATCH, SPLIT, 20)]) == {
        "match/walk": 20, "match/walk/adapter 1": 60, "match/split": 20,
    }  # fmt: skip


def test_a_duration_of_0_was_not_measured() -> None:
    forest = grow([record(Match), record(Insert), record(Evict, queue_build_ns=9, freed_tokens=(4,))])
    assert "time_ns" not in forest.weights


def test_what_no_operation_can_take_is_left_out() -> None:
    assert times([record(Match, duration_ns=100), record(Match, duration_ns=1 << 62)]) == {"match/walk": 100}


def test_splits_never_take_more_than_there_is() -> None:
    assert times([record(Match, duration_ns=10), timing(MATCH, SPLIT, 30)]) == {"match/split": 10}


def test_the_frame_of_a_namespace_is_another_one_than_that_of_the_time_in_it() -> None:
    adapter = Script(namespace="adapter 1")
    adapter.insert("aaaa")
    forest = grow([*adapter.records, record(Match, duration_ns=75, namespace=adapter.namespace_id)])
    both = [frame for frame in forest.frames if frame.label.startswith("adapter 1")]
    assert sorted(frame.kind for frame in both) == ["namespace", "operation"]
    assert len({frame.key for frame in both}) == 2
    assert all(frame.label == label("adapter 1", frame.key) for frame in both)
