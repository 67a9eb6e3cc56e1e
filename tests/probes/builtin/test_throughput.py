"""Throughput: tokens of engine steps per second."""

from __future__ import annotations

from cache_core.events import EngineStep
from probes.builtin.throughput import Throughput, ThroughputSample
from probes.histogram import Quantiles
from tests.support.observing import S, history, probe_of


def test_the_sample_of_a_few_steps() -> None:
    probe = probe_of(
        Throughput,
        [EngineStep(1 * S, 10, 100, 1, 1, 0), EngineStep(2 * S, 30, 0, 4, 1, 0), EngineStep(4 * S, 50, 60, 5, 1, 0)],
    )
    assert probe.sample(5 * S) == ThroughputSample(
        prefill_tokens_per_s=40.0,
        decode_tokens_per_s=2.5,
        step=Quantiles(3, 30.0, 30.0, 50.0),
        prefill_history=history(100.0, 0.0, 0.0, 60.0),
        decode_history=history(1.0, 4.0, 0.0, 5.0),
        prefill_tokens=160,
        decode_tokens=10,
    )


def test_the_rate_is_that_of_the_last_ten_seconds() -> None:
    steps = [EngineStep(second * S, 1, 1000 if second < 20 else 10, 0, 1, 0) for second in range(1, 31)]
    sample = probe_of(Throughput, steps).sample(31 * S)
    assert sample.prefill_tokens_per_s == 10.0


def test_an_engine_that_has_not_stepped_has_no_rate() -> None:
    assert probe_of(Throughput, []).sample(S) == ThroughputSample(None, None, Quantiles(), history(), history())
