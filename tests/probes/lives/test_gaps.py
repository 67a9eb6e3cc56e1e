"""What a hit lacked on a path of three nodes of 100 tokens: a window or a state, and whether that was evicted."""

from __future__ import annotations

import pytest

from cache_core.events import Tombstoned
from probes.lives.gaps import DataLosses, Gap
from probes.lives.leaving import Causes, Leaving
from probes.mirror import Mirror
from tests.support.records import added, record

FULL, BOTH = 0b01, 0b11
F, S, W, ALL = 0b001, 0b101, 0b011, 0b111
GONE = Leaving(9)


def gaps(
    components: tuple[str, ...], there: tuple[int, ...], evicted: tuple[tuple[int, int], ...], window: int
) -> tuple[Gap, ...]:
    """Return why nothing of 300 known tokens hit; `evicted` are components of nodes."""
    mirror = Mirror(components)
    losses = DataLosses(mirror, Causes())
    losses.window = window
    for node, live in enumerate(there, start=1):
        mirror.apply(added(node, node - 1, 100, start=100 * (node - 1), live=live, content_key=node))
    for node, component in evicted:
        gone = record(Tombstoned, at=9, node=node, component=component)
        mirror.apply(gone)
        losses.tombstoned(gone)
    return losses.of(3, 0, 300)


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
    found = gaps(("full", "swa"), there, tuple((node, 1) for node in evicted), window)
    assert {gap.lacking for gap in found} == {"window"}
    assert sum(gap.end - gap.start for gap in found) == 300
    assert sum(gap.end for gap in found if gap.left) == reach


@pytest.mark.parametrize(
    ("there", "evicted", "reach"),
    [((BOTH, FULL, FULL), ((1, 1),), 100), ((BOTH, BOTH, FULL), ((1, 1), (2, 1)), 200), ((FULL, FULL, FULL), (), 0)],
)
def test_a_hit_would_reach_the_deepest_state_that_was_lost(
    there: tuple[int, ...], evicted: tuple[tuple[int, int], ...], reach: int
) -> None:
    found = gaps(("full", "mamba"), there, evicted, 1)
    assert {gap.lacking for gap in found} == {"state"}
    assert (found[0].end if found[0].left else 0, found[-1].end) == (reach, 300)


@pytest.mark.parametrize(
    ("there", "evicted", "expected"),
    [
        ((W, W, ALL), ((3, 2),), [Gap(0, 300, "state", GONE)]),  # windows alone would reach it all
        ((F, F, ALL), ((3, 1),), [Gap(0, 300, "window", GONE)]),  # and states alone
        ((F, F, ALL), ((3, 1), (3, 2)), [Gap(0, 300, "window", GONE)]),  # the state went with its window
        ((F, F, F), (), [Gap(0, 300, "state")]),  # nobody ever had either
        ((ALL, F, F), ((1, 2),), [Gap(0, 100, "state", GONE), Gap(100, 300, "state")]),
        ((F, S, W), (), [Gap(0, 300, "state")]),
    ],
)
def test_windows_and_states_are_told_apart(
    there: tuple[int, ...], evicted: tuple[tuple[int, int], ...], expected: list[Gap]
) -> None:
    assert [*gaps(("full", "swa", "mamba"), there, evicted, 100)] == expected
