"""What left the device comes back from the host: the same tokens and logits, whatever the copies do meanwhile."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from cache_core import events
from cache_core.engine.shape import LayerKind
from probes.builtin.hit_rate import HitRate
from tests.support.observing import probe_of
from tests.support.requests import forks, random_requests, turns
from tests.support.sinks import Sink

if TYPE_CHECKING:
    from cache_core.engine import Finished, GenerateRequest
    from tests.support.checked_engine import CheckedEngine

pytestmark = pytest.mark.needs("torch")

TOLERANCE = 1e-4
POLICIES = ["write_through", "write_through_selective", "write_back"]
ROOMY = {"page_size": 1, "window": 16, "full_slots": 1024, "mamba_slots": 64, "mamba_chunk_tokens": 8}
HOSTED = ROOMY | {"host_slots": 1024}
TIGHT = HOSTED | {"page_size": 4, "full_slots": 320, "mamba_slots": 12}


def _agree(one: list[Finished], other: list[Finished]) -> bool:
    from cache_core.engine.bench import compare_outputs

    return compare_outputs(one, other).equal


def _clear_device(engine: CheckedEngine) -> None:
    """Evict everything; what has a copy on the host stays there."""
    engine.cache.evict(full_tokens=10_000, swa_tokens=10_000, mamba_states=10_000)
    pools = engine.cache.stats()["components"].values()
    assert all(pool["free"] == pool["total"] for pool in pools)


def _served(engine: CheckedEngine, requests: list[GenerateRequest]) -> list[Finished]:
    """Serve twice, so that a selective policy backs up too, empty the device, and serve once more."""
    engine.drain(requests)
    engine.drain(requests)
    _clear_device(engine)
    return engine.drain(requests)


@pytest.fixture(scope="module")
def served_without_host() -> dict[object, list[Finished]]:
    """What each workload comes to without a host tier, whatever would be written there: served once."""
    return {}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    ("workload", "components"),
    [(forks, ("full",)), (turns, ("full", "swa")), (forks, ("full", "mamba")), (turns, ("full", "swa", "mamba"))],
    ids=["full", "full-swa", "full-mamba", "full-swa-mamba"],
)
def test_hits_come_from_the_host(
    checked: Callable[..., CheckedEngine],
    workload: Callable[..., list],
    components: tuple[str, ...],
    policy: str,
    served_without_host: dict[object, list[Finished]],
) -> None:
    requests = workload(seed=1)
    settings = {"components": components, "chunk_size": 24, "concurrency": 1}
    engine = checked(**HOSTED, **settings, write_policy=policy)
    ends = _served(engine, requests)
    assert sum(end.host_hit_tokens for end in ends) > 0
    assert all(end.host_hit_tokens <= end.hit_tokens for end in ends)
    reference = (workload, components)
    if reference not in served_without_host:
        served_without_host[reference] = _served(checked(**ROOMY, **settings), requests)
    assert _agree(ends, served_without_host[reference])
    # Free slots hold NaN, on the device and on the host: what was read is what was copied.
    assert engine.worst_difference() <= TOLERANCE


def test_records_tell_what_came_from_the_host(checked: Callable[..., CheckedEngine]) -> None:
    engine = checked(**HOSTED, components=("full", "swa", "mamba"), chunk_size=24, concurrency=1)
    requests = forks(seed=1)
    engine.drain(requests)
    _clear_device(engine)
    sink = Sink()
    engine.cache.attach_sink(sink)
    ends = engine.drain(requests)
    for kind in (events.RequestAdmitted, events.RequestFinished):
        told = [(record.device_hit_tokens, record.host_hit_tokens) for record in sink.of(kind)]
        assert told == [(end.hit_tokens - end.host_hit_tokens, end.host_hit_tokens) for end in ends]
    assert sum(end.host_hit_tokens for end in ends) > 0


@pytest.mark.parametrize("kind", list(LayerKind))
def test_a_broken_copy_is_noticed(checked: Callable[..., CheckedEngine], kind: LayerKind) -> None:
    engine = checked(**HOSTED, components=("full", "swa", "mamba"), chunk_size=24)
    requests = forks(seed=1)
    engine.drain(requests)
    _clear_device(engine)
    engine.copier.host_pools[kind].rows.fill_(float("nan"))
    engine.drain(requests)
    assert math.isnan(engine.worst_difference())


@pytest.mark.parametrize("late", [0, 3], ids=["at-once", "later"])
@pytest.mark.parametrize("policy", POLICIES)
def test_copies_and_evictions_may_overlap(checked: Callable[..., CheckedEngine], policy: str, late: int) -> None:
    from tests.support.lanes import use_late_lane

    engine = checked(**TIGHT, components=("full", "swa", "mamba"), write_policy=policy, chunk_size=48, concurrency=6)
    lane = use_late_lane(engine, polls=late)
    requests = [request for seed in range(2) for request in forks(seed, questions=4, output=20)]
    ends = engine.drain([*requests, *requests])
    assert sum(end.host_hit_tokens for end in ends) > 0
    assert lane.most_waiting > 0
    assert engine.worst_difference() <= TOLERANCE


@pytest.mark.parametrize("policy", POLICIES)
def test_the_engine_serves_on_when_copies_are_never_heard_of(
    checked: Callable[..., CheckedEngine], policy: str
) -> None:
    from tests.support.lanes import DeafLane

    engine = checked(**HOSTED | {"host_slots": 256}, components=("full", "swa", "mamba"), write_policy=policy)
    lane = DeafLane(engine.copier)
    engine.use_lane(lane)
    requests = [request for seed in range(3) for request in forks(seed, questions=4)]
    ends = engine.drain([*requests, *requests, *random_requests(1, 12, tokens=100, output=3)])
    assert lane.started > 0 or policy == "write_back"
    assert not any(end.refused for end in ends)
    assert engine.worst_difference() <= TOLERANCE


def test_the_engine_serves_on_when_backups_never_happen(checked: Callable[..., CheckedEngine]) -> None:
    from tests.support.lanes import DeadLane

    engine = checked(**HOSTED | {"host_slots": 256}, components=("full", "swa", "mamba"))
    lane = DeadLane(engine.copier)
    engine.use_lane(lane)
    ends = engine.drain([*forks(1), *forks(1), *random_requests(1, 12, tokens=100, output=3)])
    assert lane.started > 0
    assert not any(end.refused for end in ends)
    assert engine.worst_difference() <= TOLERANCE


def test_close_ends_what_moves(checked: Callable[..., CheckedEngine]) -> None:
    from tests.support.lanes import use_late_lane

    engine = checked(**HOSTED, components=("full", "swa", "mamba"))
    use_late_lane(engine, polls=1000)
    engine.drain(forks(seed=1))
    assert _protected(engine) > 0
    engine.close()
    assert _protected(engine) == 0
    engine.cache.reset()


def test_close_gives_up_on_copies_that_never_end(checked: Callable[..., CheckedEngine]) -> None:
    from tests.support.lanes import DeadLane

    engine = checked(**HOSTED, components=("full", "swa"))
    engine.use_lane(DeadLane(engine.copier))
    engine.drain(forks(seed=1))
    engine.close()
    assert not engine.has_work


def _protected(engine: CheckedEngine) -> int:
    return sum(pool["protected"] for pool in engine.cache.stats()["components"].values())


@pytest.mark.parametrize("least", [1, 60])
def test_screens_count_the_hits_that_requests_ended_with(checked: Callable[..., CheckedEngine], least: int) -> None:
    engine = checked(**HOSTED, components=("full",), chunk_size=24, concurrency=4, load_back_tokens=least)
    sink = Sink()
    engine.cache.attach_sink(sink)
    requests = forks(seed=2) + turns(seed=3)
    ends = engine.drain(requests)
    _clear_device(engine)
    ends += engine.drain(requests)
    sink.flush()
    total = probe_of(HitRate, sink.flushed).sample(0).total
    assert total.hit_tokens == sum(end.hit_tokens for end in ends)
    assert total.loaded_tokens == sum(end.host_hit_tokens for end in ends) > 0
    assert total.full_hit_tokens == sum(end.full_hit_tokens for end in ends)
    assert (total.unloaded_tokens > 0) == (least > 1)
