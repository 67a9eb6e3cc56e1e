"""How far a hit would go if no window had been evicted, on a path of three nodes of 100 tokens."""

from __future__ import annotations

import pytest

from cache_core.events import Tombstoned
from probes.lives.leaving import Causes
from probes.lives.window_losses import WindowLosses
from probes.mirror import Mirror
from tests.support.records import added, record

FULL, BOTH = 0b01, 0b11


@pytest.mark.parametrize(
    ("there", "evicted", "window", "reach"),
    [
        ((BOTH, BOTH, BOTH), (3,), 100, 300),  # the last window went
        ((BOTH, FULL, BOTH), (3,), 100, 300),  # and nothing else is needed
        ((BOTH, FULL, BOTH), (3,), 150, 100),  # a longer window was never whole there
        ((BOTH, BOTH, FULL), (2,), 100, 200),  # nobody ever had one at the end
        ((FULL, FULL, FULL), (), 100, 0),
        ((BOTH, BOTH, BOTH), (1, 2, 3), 500, 300),  # from the start on everything was there
    ],
)
def test_a_hit_would_reach_what_had_its_window(
    there: tuple[int, ...], evicted: tuple[int, ...], window: int, reach: int
) -> None:
    mirror = Mirror(("full", "swa"))
    losses = WindowLosses(mirror, Causes())
    for node, live in enumerate(there, start=1):
        mirror.apply(added(node, node - 1, 100, start=100 * (node - 1), live=live, content_key=node))
    for node in evicted:
        gone = record(Tombstoned, at=9, node=node, component=1)
        mirror.apply(gone)
        losses.tombstoned(gone)
    assert losses.reach(3, 0, 300, window) == reach
