"""How much of what is frequent is looked at, and how many each look stands for."""

from __future__ import annotations

from probes.thinning import BURST, MOST_AT_ONCE, Thinning
from tests.support.observing import S


def weights(thinning: Thinning, second: int, operations: int, each: int = 1) -> list[int]:
    """Return the weights of what is looked at of so many operations in a second, which bring so much each."""
    found = [thinning.weight(second * S + number) for number in range(operations) for _ in range(each)]
    return [weight for weight in found if weight]


def test_what_is_rare_is_looked_at_each_time() -> None:
    thinning = Thinning(per_second=10)
    assert [weights(thinning, second, 9) for second in range(3)] == [[1] * 9] * 3


def test_of_a_busy_stream_each_look_stands_for_several() -> None:
    thinning = Thinning(per_second=10)
    weights(thinning, 0, 60)
    assert weights(thinning, 1, 60) == [7] * 8
    assert thinning.left_out == 60 - 10 * BURST


def test_what_one_operation_brings_is_looked_at_as_a_whole() -> None:
    thinning = Thinning(per_second=10)
    weights(thinning, 0, 20)
    assert weights(thinning, 1, 20, each=5) == [3] * 30


def test_what_a_sudden_second_brings_beyond_a_burst_is_counted_as_left_out() -> None:
    thinning = Thinning(per_second=10)
    assert len(weights(thinning, 5, 500)) == 10 * BURST
    assert thinning.left_out == 500 - 10 * BURST


def test_of_an_operation_that_brings_very_much_a_part_is_looked_at() -> None:
    thinning = Thinning(per_second=10)
    assert len(weights(thinning, 5, 1, each=1_000)) == 10 * MOST_AT_ONCE
    assert thinning.left_out == 1_000 - 10 * MOST_AT_ONCE


def test_after_a_pause_everything_is_looked_at_again() -> None:
    thinning = Thinning(per_second=10)
    weights(thinning, 0, 500)
    assert weights(thinning, 2, 3) == [1, 1, 1]
