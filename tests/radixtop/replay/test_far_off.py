"""How far a replay is from what was recorded, and when that is said."""

from __future__ import annotations

import pytest

from profiles.hits import Found
from radixtop.replay.recorded_hits import RecordedHits, far_off


@pytest.mark.parametrize(
    ("replayed", "said"), [(0.45, ""), (0.53, "13.0 points off"), (0.2, "20.0 points off"), (None, "")]
)
def test_only_a_large_difference_is_said(replayed: float | None, said: str) -> None:
    told = far_off(0.4, replayed)
    assert told.endswith(said) and bool(told) == bool(said)


def test_what_the_first_requests_hit_is_known() -> None:
    hits = RecordedHits()
    hits.take(1, Found(100, 20))
    hits.take(1, Found(loaded_tokens=30))
    hits.take(2, Found(100, 0))
    assert (hits.requests, hits.rate(1), hits.rate(), RecordedHits().rate()) == (2, 0.5, 0.25, None)
