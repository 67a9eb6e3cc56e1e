"""Evictions: sums, cost, and the newest calls."""

from __future__ import annotations

from cache_core.events import Evict
from probes.builtin.evictions import RECENT_EVENTS, EvictionEvent, Evictions, EvictionSample
from probes.histogram import Quantiles
from tests.support.observing import S, history, probe_of


def test_the_sample_of_two_calls() -> None:
    probe = probe_of(
        Evictions,
        [
            Evict(1 * S, 20, 0, 100, 7, 3, 5, 1, 2, 1, (110, 40)),
            Evict(3 * S, 40, 1, 50, 9, 4, 6, 2, 3, 0, (0, 60)),
            Evict(3 * S, 60, 1, 10, 0, 0, 0, 0, 0, 0, (0, 0)),
        ],
    )
    first = EvictionEvent(1 * S, "full", 100, {"full": 110, "swa": 40}, 2, 1, 20, 7)
    second = EvictionEvent(3 * S, "swa", 50, {"full": 0, "swa": 60}, 3, 0, 40, 9)
    third = EvictionEvent(3 * S, "swa", 10, {"full": 0, "swa": 0}, 0, 0, 60, 0)
    assert probe.sample(3 * S) == EvictionSample(
        calls=3,
        victims=5,
        cascades=1,
        freed_tokens={"full": 110, "swa": 100},
        leaves_considered=16,
        queue_build_ns=7,
        pops=11,
        stale_pops=3,
        cost=Quantiles(3, 40.0, 40.0, 60.0),
        recent=(third, second, first),
        history=history(20.0, None, 50.0),
    )


def test_only_the_newest_calls_are_kept() -> None:
    calls = [Evict(at, 0, 0, 0, 0, 0, 0, 0, 0, 0, ()) for at in range(RECENT_EVENTS + 3)]
    sample = probe_of(Evictions, calls).sample(S)
    assert (sample.calls, len(sample.recent), sample.recent[0].at) == (RECENT_EVENTS + 3, RECENT_EVENTS, 202)
