"""Contents have the same names as far as they are known to be the same."""

from __future__ import annotations

from array import array

from cache_core.events import NodeMarked, NodeRemoved, NodeSplit, Record
from probes.curves.contents import Contents
from probes.mirror import Mirror
from tests.support.records import added, record


class Told:
    """A mirror and the names of its contents."""

    def __init__(self, most_keys: int = 1_000) -> None:
        self.mirror = Mirror(("full",))
        self.contents = Contents(self.mirror, most_keys)
        self._folds = {NodeMarked: self.contents.marked, NodeSplit: self.contents.split}

    def tell(self, *records: Record) -> None:
        for each in records:
            self.mirror.apply(each)
            if type(each) in self._folds:
                self._folds[type(each)](each)  # type: ignore[operator]
            elif hasattr(each, "content_key"):
                self.contents.added(each)  # type: ignore[arg-type]

    def path(self, node: int, block_tokens: int = 1, tokens: int | None = None) -> list[int]:
        found = self.mirror.nodes[node]
        name = self.contents.name_of(found.slot)
        return [*array("q", self.contents.path(name, found.end if tokens is None else tokens, block_tokens))]


def common(one: list[int], other: list[int]) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def node(id_: int, parent: int, start: int, length: int, key: int) -> Record:
    return added(id_, parent, length, start=start, content_key=key)


def split(id_: int, upper: int, length: int, key: int) -> Record:
    return record(NodeSplit, node=id_, upper=upper, parent=0, length=length, content_key=key, live=1)


def test_two_paths_part_where_a_node_was_split() -> None:
    told = Told()
    told.tell(node(1, 0, 0, 10, 100), split(1, 2, 6, 60), node(3, 2, 6, 5, 110))
    assert [len(told.path(each)) for each in (1, 2, 3)] == [10, 6, 11]
    assert common(told.path(1), told.path(3)) == 6


def test_what_comes_back_is_known_by_its_end() -> None:
    told = Told()
    told.tell(node(1, 0, 0, 4, 40), node(2, 1, 4, 6, 100))
    before = told.path(2)
    told.tell(*(record(NodeRemoved, node=each) for each in (2, 1)), node(5, 0, 0, 10, 100))
    assert told.path(5) == before


def test_what_comes_back_and_goes_on_otherwise_is_known_to_its_last_mark() -> None:
    told = Told()
    told.tell(node(1, 0, 0, 100, 100), record(NodeMarked, node=1, first=32, step=32, content_keys=(32, 64, 96)))
    before = told.path(1)
    told.tell(record(NodeRemoved, node=1), node(2, 0, 0, 90, 900))
    told.tell(record(NodeMarked, node=2, first=32, step=32, content_keys=(32, 64)))
    assert common(before, told.path(2)) == 64
    told.tell(record(NodeRemoved, node=2), node(3, 0, 0, 40, 400))
    told.tell(record(NodeMarked, node=3, first=32, step=32, content_keys=(32,)))
    assert common(before, told.path(3)) == 32


def test_a_block_is_named_by_its_last_token() -> None:
    told = Told()
    told.tell(node(1, 0, 0, 10, 100), split(1, 2, 6, 60), node(3, 2, 6, 5, 110))
    assert [len(told.path(each, 4)) for each in (1, 3)] == [2, 2]
    assert common(told.path(1, 4), told.path(3, 4)) == 1
    assert told.path(1, 4, tokens=7) == told.path(1, 4)[:1]


def test_so_many_keys_are_remembered_those_that_are_used() -> None:
    told = Told(most_keys=100)
    told.tell(node(1, 0, 0, 4, 40))
    for number in range(2, 1_000):
        told.tell(node(number, 1, 4, 6, 1_000 + number), record(NodeRemoved, node=number))
    assert len(told.contents) <= 101
    told.tell(node(5_000, 1, 4, 6, 9_000), node(5_001, 1, 4, 6, 1_999))
    assert common(told.path(5_000), told.path(5_001)) == 4


def test_marks_that_name_their_own_node_lead_nowhere() -> None:
    told = Told()
    told.tell(node(1, 0, 0, 100, 100), record(NodeMarked, node=1, first=32, step=32, content_keys=(100, 7)))
    assert len(told.path(1)) == 100


def test_nodes_that_begin_before_the_beginning_are_no_longer_than_they_end() -> None:
    told = Told()
    told.tell(node(1, 0, -(1 << 62), 100, 100), node(2, 1, 50, 10, 200))
    assert len(told.path(2, tokens=60)) == 60
