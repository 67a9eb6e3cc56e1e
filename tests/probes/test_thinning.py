"""How much of what is frequent is looked at, and how many each look stands for."""

from __future__ import annotations

import pytest

from probes.thinning import BURST, Thinning
from tests.support.observing import S


def weights(thinning: Thinning, second: int, times: int) -> list[int]:
    return [weight for _ in range(times) if (weight := thinning.weight(second * S))]


def test_what_is_rare_is_looked_at_each_time() -> None:
    thinning = Thinning(per_second=10)
    assert [weights(thinning, second, 9) for second in range(3)] == [[1] * 9] * 3


def test_of_a_busy_stream_each_look_stands_for_several() -> None:
    thinning = Thinning(per_second=10)
    weights(thinning, 0, 60)
    assert weights(thinning, 1, 60) == [7] * 8


@pytest.mark.parametrize("times", [500, 5_000])
def test_what_a_sudden_second_brings_beyond_a_burst_is_counted_as_left_out(times: int) -> None:
    thinning = Thinning(per_second=10)
    looks = weights(thinning, 5, times)
    assert (len(looks), thinning.left_out) == (10 * BURST, times - 10 * BURST)


def test_after_a_pause_everything_is_looked_at_again() -> None:
    thinning = Thinning(per_second=10)
    weights(thinning, 0, 500)
    assert weights(thinning, 2, 3) == [1, 1, 1]
