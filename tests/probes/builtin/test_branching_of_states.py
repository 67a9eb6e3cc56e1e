"""Branching points of a cache with recurrent states, which it can keep on a grid alone: a few prompts by hand."""

from __future__ import annotations

from array import array

import pytest

from cache_core import CacheConfig, PrefixCache, RadixKey
from cache_core.events import Match
from probes.adapters.embedded import EmbeddedAdapter
from probes.aggregator import Aggregator
from probes.builtin.branching import Branching, BranchingSample
from probes.snapshot import state_grid
from tests.support.observing import probe_of
from tests.support.records import record

GRID = 4


class Served:
    """A cache with a state at every fourth token, watched from the start."""

    def __init__(self, **more: object) -> None:
        self.config = CacheConfig(
            components=("full", "mamba"), full_slots=200, mamba_slots=9, mamba_chunk_tokens=GRID, **more,  # type: ignore[arg-type]
        )  # fmt: skip
        self.adapter = EmbeddedAdapter(self.config.describe())
        self.cache = PrefixCache(self.config, sink=self.adapter)
        self.adapter.bind(self.cache.snapshot_records, self.cache.emit_pools)
        self.aggregator = Aggregator(self.adapter)

    def serve(self, shared: int, length: int, own: int) -> int:
        """Serve a prompt with `shared` tokens of the common prefix and others of its own; return its hit."""
        tokens = array("i", [*range(1, shared + 1), *[1000 + own] * (length - shared)])
        request = self.cache.admit(RadixKey(tokens))
        request.prefill(length, cache=False)
        request.prefill(length)
        request.finish()
        return request.hit_tokens

    def sample(self) -> BranchingSample:
        self.adapter.flush()
        sample = self.aggregator.tick(self.cache.clock()).get(BranchingSample)
        assert sample is not None
        return sample


@pytest.fixture
def served() -> Served:
    served = Served()
    served.serve(22, 22, 0)  # leaves its state at 20
    return served


def test_a_gap_below_the_grid_is_no_branching_point(served: Served) -> None:
    assert served.serve(22, 30, 1) == 20
    served.cache.evict(mamba_states=9)
    served.serve(3, 9, 2)  # shares three tokens: the grid begins at the fourth
    sample = served.sample()
    assert (sample.opened, sample.filled, sample.lost) == (0, 0, 0)
    assert (sample.below_grid, sample.recomputed_tokens, sample.below_grid_tokens) == (1, 3, 3)


def test_a_gap_over_the_grid_opens_a_point_on_it_and_is_filled(served: Served) -> None:
    assert served.serve(14, 30, 1) == 0
    sample = served.sample()
    assert (sample.opened, sample.filled, sample.lost, sample.below_grid) == (1, 1, 0, 0)
    assert [event.position for event in sample.recent] == [12, 12]
    assert (sample.recomputed_tokens, sample.below_grid_tokens) == (14, 2)


def test_the_point_that_was_filled_serves_the_next_and_only_the_rest_is_below_the_grid(served: Served) -> None:
    served.serve(14, 30, 1)
    assert served.serve(14, 30, 2) == 12
    sample = served.sample()
    assert (sample.opened, sample.below_grid, sample.below_grid_tokens) == (1, 1, 4)


def test_a_filled_point_is_lost_with_its_state(served: Served) -> None:
    served.serve(14, 30, 1)
    served.cache.evict(mamba_states=9)
    assert served.sample().lost == 1


def test_without_states_nothing_is_known_of_a_grid() -> None:
    sample = probe_of(Branching, [record(Match, at=1, request=7, full_hit_tokens=7)]).sample(2)
    assert (sample.recomputed_tokens, sample.below_grid, sample.below_grid_tokens) == (7, None, None)


@pytest.mark.parametrize(
    ("config", "grid"),
    [
        ({"components": ["full", "mamba"], "mamba_chunk_tokens": 64, "page_size": 48}, 192),
        ({"components": ["full", "swa"], "mamba_chunk_tokens": 64, "page_size": 16}, 1),
        ({"components": ["full", "mamba"]}, 1),
        ({}, 1),
    ],
)
def test_the_grid_follows_from_the_configuration_of_the_source(config: dict[str, object], grid: int) -> None:
    assert state_grid(config) == grid
