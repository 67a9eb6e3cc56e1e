"""Accounts are exact: to the token what a request computed, each class in accounts of its own."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cache_core import CacheConfig
from probes.adapters.embedded import EmbeddedAdapter
from probes.aggregator import Aggregator
from probes.builtin.request_log import RequestLogSample
from probes.lives.misses import MissClass
from probes.lives.request_log import RequestLog
from profiles.evidence.accounts import accounts_of
from tests.support.cache_runs import RUNS
from tests.support.returning_runs import ReturningRun
from tests.support.setups import SETUPS, TOGETHER

KINDS = (*RUNS, *(("prefix", config) for config in (*SETUPS, *TOGETHER)))

OF_CLASSES: dict[frozenset[MissClass], frozenset[str]] = {
    frozenset(classes): frozenset(accounts)
    for classes, accounts in (
        (("first_seen", "diverged"), ("first_seen",)),
        (("evicted",), ("evicted", "evicted_for_window", "evicted_for_state")),
        (("window_gone",), ("window_evicted", "window_never", "state_evicted", "state_never")),
        (("page_rounding", "below_page"), ("page_rounding", "below_page", "page_inside", "state_grid")),
        (("other_namespace",), ("other_namespace",)),
        (("in_flight",), ("in_flight",)),
        (("unloaded",), ("unloaded",)),
        (("last_token",), ("last_token",)),
        (("unknown",), ("unknown",)),
    )
}  # type: ignore[assignment]


def log_of(kind: str, config: CacheConfig, seed: int, steps: int) -> RequestLog:
    adapter = EmbeddedAdapter({**config.describe(), "cache": kind})
    run, aggregator = ReturningRun(config, adapter, seed, kind), Aggregator(adapter, ["request_log"])
    for _ in range(steps):
        run.step()
    sample = aggregator.tick(0).get(RequestLogSample)
    return RequestLog() if sample is None else sample.log


@given(st.sampled_from(KINDS), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_accounts_add_up_to_each_class(setup: tuple[str, CacheConfig], seed: int) -> None:
    kind, config = setup
    for life in log_of(kind, config, seed, 60).lives():
        tokens, lost = life.tokens(), accounts_of(life, config.components)
        assert sum(lost.values()) == tokens.prompt - tokens.hit
        for classes, accounts in OF_CLASSES.items():
            assert sum(map(tokens.of, classes)) == sum(lost.get(name, 0) for name in accounts), (lost, tokens)
        for component, word in (("swa", "window"), ("mamba", "state")):
            assert component in config.components or not [name for name in lost if word in name], lost
