"""Every missed token is of one class, and of the one that a model with a perfect memory says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cache_core import CacheConfig, changes, content, events
from cache_core.event_codec import head
from probes.adapters.embedded import EmbeddedAdapter
from probes.aggregator import Aggregator
from probes.builtin.request_log import RequestLogSample
from probes.lives import seen
from probes.lives.misses import LOADED, MISS_CLASSES, PROMPT, Rounding
from probes.snapshot import state_grid
from tests.support.cache_runs import RUNS
from tests.support.miss_oracle import MissOracle, Tee
from tests.support.returning_runs import ReturningRun
from tests.support.setups import SETUPS, TOGETHER

KINDS = (*RUNS, *(("prefix", config) for config in (*SETUPS, *TOGETHER)))
MOST = 60
"""So many marks a node, at every token of short ones: then keys tell as much as tokens do."""


@pytest.fixture
def marked() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for module in (content, seen):
            patch.setattr(module, "MARK_TOKENS", 1)
        patch.setattr(content, "MOST_MARKS", MOST)
        patch.setattr(changes, "_MARKED", [head(events.NodeMarked, marks) for marks in range(MOST + 1)])
        patch.setattr(changes, "_TOKENS", [head(events.NodeTokenKeys, keys) for keys in range(MOST + 2)])
        yield


class Run:
    """A random run that a probe and the model watch."""

    def __init__(self, kind: str, config: CacheConfig, seed: int, steps: int) -> None:
        described = {**config.describe(), "cache": kind}
        self.adapter = EmbeddedAdapter(described)
        self.tee = Tee(self.adapter)
        run = ReturningRun(config, self.tee, seed, kind)
        self.oracle = MissOracle(run, self.tee, Rounding(config.page_size, state_grid(described), 1 + config.bigram))
        aggregator = Aggregator(self.adapter, ["request_log"])
        for _ in range(steps):
            self.oracle.step()
        self.sample = aggregator.tick(0).get(RequestLogSample)


@given(st.sampled_from(KINDS), st.integers(0, 2**32))
@settings(max_examples=150, deadline=None)
@pytest.mark.usefixtures("marked")
def test_each_missed_token_is_of_the_class_that_a_perfect_memory_says(
    setup: tuple[str, CacheConfig], seed: int
) -> None:
    kind, config = setup
    run = Run(kind, config, seed, 60)
    if run.sample is None:
        return
    for life in run.sample.log.lives():
        fate = run.oracle.fates.get(life.request)
        if fate is None or not life.is_known:
            continue
        told = Counter({piece.miss: 0 for piece in life.pieces})
        for piece in life.pieces:
            told[piece.miss] += piece.end - piece.start
        assert told == +fate.lost, (life.request, life.pieces)
        assert life.again == run.oracle.again(fate)


@given(st.sampled_from(KINDS), st.integers(0, 2**32))
@settings(max_examples=80, deadline=None)
def test_classes_add_up_to_what_was_asked_in_every_sum(setup: tuple[str, CacheConfig], seed: int) -> None:
    kind, config = setup
    sample = Run(kind, config, seed, 80).sample
    if sample is None:
        return
    total = sample.total
    assert total.hit + sum(map(total.of, MISS_CLASSES)) == total.asked == total.prompt + total.retracted
    amounts = [tuple(getattr(total, name) for name in total.__dataclass_fields__)]
    assert min(amounts[0]) >= 0
    spaces = [each.total for each in sample.sums.spaces.tokens(0)]
    labels = [each.total for each in sample.sums.kinds.tokens(0)]
    for miss in MISS_CLASSES:
        assert total.of(miss) == sum(each.of(miss) for each in spaces) == sum(each.of(miss) for each in labels)
        assert min((each.of(miss) for each in (*spaces, *labels)), default=0) >= 0
    assert total.prompt == sum(each.prompt for each in spaces)
    for life in sample.log.lives():
        prompt, *hits_and_misses = life.amounts()[PROMPT:]
        assert sum(hits_and_misses) == prompt + life.again and min(hits_and_misses) >= 0
        parts = life.parts()
        assert all(before.end <= after.start for before, after in pairwise(parts)), parts
        assert sum(piece.end - piece.start for piece in parts) == sum(hits_and_misses[LOADED - PROMPT : -2]), parts
