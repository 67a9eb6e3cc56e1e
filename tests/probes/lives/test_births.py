"""Since when data is on a node, across returns and cuts."""

from __future__ import annotations

from probes.lives.births import Births
from tests.support.made_nodes import made_node


def test_data_is_there_since_it_came_back_and_otherwise_since_the_node() -> None:
    births = Births()
    births.back(7, 1, at=50)
    node = made_node(7, at=10)
    assert (births.take(node, 0), births.take(node, 1), births.take(node, 1)) == (10, 50, 10)


def test_both_parts_of_a_cut_node_have_what_came_back() -> None:
    births = Births()
    births.back(7, 1, at=50)
    births.cut(7, 8, live=0b11)
    assert [births.take(made_node(number), 1) for number in (7, 8)] == [50, 50]


def test_the_oldest_of_too_many_are_forgotten() -> None:
    births = Births(most=2)
    for number in (1, 2, 3):
        births.back(number, 0, at=50)
    assert [births.take(made_node(number, at=9), 0) for number in (1, 2, 3)] == [9, 50, 50]
