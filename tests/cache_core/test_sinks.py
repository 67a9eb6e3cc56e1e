"""Whoever listens to a cache, and whatever it does: the cache stays whole."""

from __future__ import annotations

from random import Random

import pytest

from cache_core import (
    CacheConfig,
    KeyRangeError,
    OutOfSlotsError,
    PrefixCache,
    RadixKey,
    ReentryError,
    check_integrity,
)
from cache_core.events import RawRecord
from cache_core.request import Request

CONFIG = CacheConfig(components=("full", "swa"), window=8, full_slots=600, swa_slots=400)


class Failing:
    """A sink whose flush fails once `healthy_flushes` went well."""

    def __init__(self, healthy_flushes: int) -> None:
        self.records: list[RawRecord] = []
        self.left = healthy_flushes

    def flush(self) -> None:
        self.records.clear()
        self.left -= 1
        if self.left < 0:
            raise ValueError("no room")


class Meddling:
    """A sink that evicts while it flushes."""

    def __init__(self) -> None:
        self.records: list[RawRecord] = []
        self.cache: PrefixCache | None = None
        self.refused = 0

    def flush(self) -> None:
        self.records.clear()
        assert self.cache is not None
        try:
            self.cache.evict(30, 30)
        except ReentryError:
            self.refused += 1


def serve(cache: PrefixCache, steps: int = 400) -> None:
    """Let random requests begin, compute and end, with evictions in between."""
    rng = Random(7)
    running: list[Request] = []
    for _ in range(steps):
        try:
            step(cache, running, rng)
        except OutOfSlotsError:
            running.pop().retract()


def step(cache: PrefixCache, running: list[Request], rng: Random) -> None:
    """Do one thing."""
    if len(running) < 4:
        tokens = [rng.randrange(3) for _ in range(rng.randrange(1, 60))]
        running.append(cache.admit(RadixKey(tokens, segments=((0, "head"), (5, "tail")))))
        return
    request = rng.choice(running)
    if request.length < len(request.key):
        request.prefill(min(len(request.key), request.length + rng.randrange(1, 30)))
    elif rng.random() < 0.7:
        request.decode(rng.randrange(3))
    else:
        running.remove(request)
        request.finish()
    if rng.random() < 0.1:
        cache.evict(20, 20)


@pytest.mark.parametrize("healthy_flushes", [0, 1, 2, 5, 8])
def test_a_sink_that_raises_is_given_up_and_the_cache_goes_on(healthy_flushes: int) -> None:
    cache = PrefixCache(CONFIG, sink=Failing(healthy_flushes))
    serve(cache)
    check_integrity(cache)
    assert cache.sink is None
    assert str(cache.sink_fault) == "no room"


def test_the_next_sink_starts_without_the_fault_of_the_last() -> None:
    cache = PrefixCache(CONFIG, sink=Failing(0))
    serve(cache)
    cache.attach_sink(Failing(1_000_000))
    assert cache.sink_fault is None


def test_a_sink_cannot_call_the_cache_in_the_middle_of_an_operation() -> None:
    sink = Meddling()
    cache = PrefixCache(CONFIG, sink=sink)
    sink.cache = cache
    serve(cache)
    check_integrity(cache)
    assert sink.refused > 0


def test_a_cache_can_be_called_again_after_a_flush() -> None:
    cache = PrefixCache(CONFIG, sink=Failing(1_000_000))
    serve(cache)
    assert cache.match(RadixKey([7])).hit_tokens == 0


@pytest.mark.parametrize(
    "segments",
    [((0, None),), ((0, 5),), (("a", "b"),), 5, ((0,),)],
    ids=["none", "number", "text", "scalar", "one"],
)
def test_segments_that_are_none_are_refused_before_anything_changes(segments: object) -> None:
    with pytest.raises(KeyRangeError, match="segment"):
        RadixKey([1, 2, 3], segments=segments)  # type: ignore[arg-type]


def test_a_segment_may_have_any_text_for_a_name() -> None:
    cache = PrefixCache(CONFIG, sink=Failing(1_000_000))
    request = cache.admit(RadixKey([1, 2, 3], segments=((0, "\ud800"), (1, ""), (2, "x" * 100_000))))
    request.prefill(3)
    request.finish()
    check_integrity(cache)


@pytest.mark.parametrize("priority", ["x", None, 1.5, 2**63, -(2**63)])
def test_a_priority_that_no_record_can_carry_is_refused_before_anything_changes(priority: object) -> None:
    cache = PrefixCache(CONFIG)
    slots = cache.allocate(3)
    with pytest.raises(KeyRangeError, match="priority"):
        cache.insert(RadixKey([1, 2, 3]), slots, priority=priority)  # type: ignore[arg-type]
    with pytest.raises(KeyRangeError, match="priority"):
        cache.admit(RadixKey([1, 2, 3]), priority=priority)  # type: ignore[arg-type]
    cache.free(slots)
    check_integrity(cache)


@pytest.mark.parametrize("number", ["x", 1.5, -1, 2**63])
def test_a_request_number_that_no_record_can_carry_is_refused(number: object) -> None:
    with pytest.raises(KeyRangeError, match="request_id"):
        PrefixCache(CONFIG).admit(RadixKey([1, 2, 3]), request_id=number)  # type: ignore[arg-type]


@pytest.mark.parametrize("part", [5, b"tenant"])
def test_a_namespace_that_is_no_text_is_refused(part: object) -> None:
    with pytest.raises(KeyRangeError, match="extra_key and cache_salt"):
        RadixKey([1], extra_key=part)  # type: ignore[arg-type]
