"""What can be read is told, whatever the numbers of descriptors."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from probes.readiness import readable
from tests.support.descriptors import MOST_OF_SELECT, low_descriptors_taken


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """A pipe whose ends have high numbers."""
    with low_descriptors_taken():
        ends = os.pipe()
    assert min(ends) > MOST_OF_SELECT
    yield ends
    for end in ends:
        os.close(end)


def test_nothing_is_readable_until_something_came(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    assert readable([reader], 0) == []
    os.write(writer, b"x")
    assert readable([reader], 0) == [reader]
    assert readable([reader]) == [reader]


def test_the_end_can_be_read() -> None:
    reader, writer = os.pipe()
    os.close(writer)
    assert readable([reader], 60) == [reader]
    os.close(reader)


def test_time_that_is_over_is_not_waited_for(pipe: tuple[int, int]) -> None:
    assert readable(pipe[:1], -5.0) == []


def test_of_several_those_that_are_ready_are_told(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    os.write(writer, b"x")
    idle, other = os.pipe()
    assert readable([idle, reader], 60) == [reader]
    os.close(idle)
    os.close(other)
