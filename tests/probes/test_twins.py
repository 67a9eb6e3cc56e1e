"""A twin shares what never changes, and nothing that does; the process copies and pickles as ever."""

from __future__ import annotations

import copyreg
from array import array
from collections import Counter, deque
from dataclasses import dataclass
from types import MappingProxyType
from typing import get_args

from cache_core.events import NodeRemoved, Record
from probes.histogram import Histogram
from probes.mirror import Mirror
from probes.twins import twin_of
from tests.support.records import added


@dataclass(frozen=True, slots=True)
class Frozen:
    values: list[int]


class Holder:
    def __init__(self) -> None:
        self.values = [1, 2]
        self.myself = self
        self.newest = deque([NodeRemoved(1, 2), {3: [4]}], maxlen=2)
        self.note = self.values.append
        self.counts = Counter("aab")
        self.words = array("q", [1])
        self.seen = {1, 2}
        self.names = MappingProxyType({"full": 1})
        self.frozen = Frozen([1])
        self.add = self.take

    def take(self, value: int) -> None:
        self.values.append(value)


def test_what_changes_in_a_twin_does_not_change_elsewhere() -> None:
    known = Holder()
    twin = twin_of(known)
    assert twin.myself is twin
    twin.note(3)
    twin.add(4)
    twin.newest.append(0)
    twin.counts["a"] += 1
    twin.words[0] = 9
    twin.seen.add(3)
    twin.frozen.values.append(2)
    assert (twin.values, list(twin.newest), twin.newest.maxlen) == ([1, 2, 3, 4], [{3: [4]}, 0], 2)
    assert (known.values, known.counts["a"], known.words[0], known.seen) == ([1, 2], 2, 1, {1, 2})
    assert (known.frozen.values, twin.frozen.values, twin.counts["a"]) == ([1], [1, 2], 3)


def test_records_and_frozen_mappings_are_shared() -> None:
    known = Holder()
    twin = twin_of(known)
    assert twin.newest[0] is known.newest[0]
    assert twin.newest[1] is not known.newest[1]
    assert twin.names is known.names


def test_objects_with_slots_or_a_way_of_their_own_are_copied() -> None:
    histogram, mirror = Histogram(), Mirror()
    histogram.add(5)
    mirror.apply(added(1, 0, 4))
    counts, tree = twin_of((histogram, mirror))
    counts.add(7)
    tree.apply(added(2, 0, 4))
    assert (histogram.count, counts.count) == (1, 2)
    assert (len(mirror.nodes), len(tree.nodes)) == (2, 3)


def test_nothing_is_said_to_the_process_about_records() -> None:
    assert not {MappingProxyType, *get_args(Record)} & copyreg.dispatch_table.keys()
