"""Keys inside nodes: which of them lie inside a part of a node that was cut."""

from __future__ import annotations

from cache_core.events import NodeMarked
from probes.lives.marks import Marks
from tests.support.made_nodes import made_node

TOLD = NodeMarked(7, 32, 32, (320, 640, 960))
"""At 32, 64 and 96."""


def inside(marks: Marks, number: int, start: int, length: int) -> list[int]:
    return list(marks.inside(made_node(number, start, length)))


def test_both_parts_of_a_cut_node_have_the_keys_between_their_ends() -> None:
    marks = Marks()
    marks.told(TOLD)
    assert inside(marks, 7, 0, 100) == [320, 640, 960]
    marks.cut(7, 8)
    assert (inside(marks, 8, 0, 64), inside(marks, 7, 64, 36)) == ([320], [960])
    assert (inside(marks, 8, 40, 10), inside(marks, 7, 40, 100)) == ([], [640, 960])


def test_what_is_dropped_or_the_oldest_of_too_many_is_not_known() -> None:
    marks = Marks(most=2)
    for number in (7, 8, 9):
        marks.told(TOLD._replace(node=number))
    marks.drop(9)
    assert [len(inside(marks, number, 0, 100)) for number in (7, 8, 9)] == [0, 3, 0]


def test_words_that_no_cache_tells_are_left_out() -> None:
    marks = Marks()
    marks.told(TOLD._replace(step=0))
    marks.told(TOLD._replace(node=8, content_keys=()))
    assert inside(marks, 7, 0, 100) == inside(marks, 8, 0, 100) == []
