"""Evictions: sums, cost, and the newest calls."""

from __future__ import annotations

from cache_core.events import Evict
from probes.builtin.evictions import RECENT_EVENTS, EvictionEvent, EvictionMinute, Evictions, EvictionSample
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
        last_minute=EvictionMinute(0, 3, 5, 16, 11, 3, 3, 5, 120, 7),
        middle_history=history(20.0, None, 40.0),
        most_history=history(20.0, None, 60.0),
        leaves_history=history(3.5, None, 3.0),
        calls_history=history(1.0, 0.0),
        freed_rates={"full": history(110.0, 0.0), "swa": history(40.0, 0.0)},
    )


def test_calls_that_were_not_timed_are_no_part_of_what_they_cost() -> None:
    calls = [Evict(S, 0, 0, 8, 4, 0, 4, 0, 4, 0, (8,)), Evict(2 * S, 50, 0, 8, 2, 9, 2, 0, 2, 0, (8,))]
    probe = probe_of(Evictions, calls)
    probe.advance(2, S // 2, 2 * S)
    sample = probe.sample(3 * S)
    assert sample.last_minute == EvictionMinute(5 * S // 2, 2, 6, 6, 6, 0, 1, 2, 50, 9)
    assert sample.history == sample.middle_history == sample.most_history == history(50.0, None)


def test_only_the_newest_calls_are_kept() -> None:
    calls = [Evict(at, 0, 0, 0, 0, 0, 0, 0, 0, 0, ()) for at in range(RECENT_EVENTS + 3)]
    sample = probe_of(Evictions, calls).sample(S)
    assert (sample.calls, len(sample.recent), sample.recent[0].at) == (RECENT_EVENTS + 3, RECENT_EVENTS, 202)


def test_what_a_source_does_not_tell_is_unknown_and_not_less_than_nothing() -> None:
    sample = probe_of(Evictions, [Evict(S, 50, 0, 8, -1, -1, -1, -1, -1, -1, (8,))]).sample(S)
    sums = (sample.victims, sample.cascades, sample.leaves_considered, sample.queue_build_ns, sample.pops)
    assert sums == (None,) * 5 and sample.calls == 1 and sample.freed_tokens == {"full": 8}
    minute = sample.last_minute
    assert (minute.victims, minute.timed_victims, minute.leaves_considered, minute.timed_ns) == (None, None, None, 50)
    assert (sample.recent[0].victims, sample.recent[0].leaves_considered) == (None, None)
    assert not any(sample.leaves_history)
