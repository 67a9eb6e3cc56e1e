"""What calls on a manager of vLLM's shape tell, and that what is not known is not told as 0."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from cache_core.events import (
    CacheReset,
    Evict,
    Match,
    Namespace,
    RequestAdmitted,
    RequestFinished,
    RequestPrefilled,
    RequestRetracted,
)
from probes.inside import attaching, vllm
from tests.probes.inside.conftest import Attached


@dataclass
class Spec:
    block_size: int = 4


@dataclass
class Group:
    kv_cache_spec: Spec = field(default_factory=Spec)


@dataclass
class Config:
    kv_cache_groups: list[Group]


@dataclass
class Request:
    request_id: str = "a"
    num_prompt_tokens: int = 20
    num_computed_tokens: int = 0
    num_output_tokens: int = 0
    cache_salt: str | None = None
    lora_request: object = None
    is_over: bool = True

    @property
    def num_tokens(self) -> int:
        return self.num_prompt_tokens + self.num_output_tokens

    def is_finished(self) -> bool:
        return self.is_over


class BlockPool:
    """Gives out blocks, the first of them cached ones."""

    num_gpu_blocks = 26

    def __init__(self) -> None:
        self.cached = 0

    def get_new_blocks(self, num_blocks: int) -> list[int]:
        for block in range(num_blocks):
            self._maybe_evict_cached_block(block)
        return [*range(num_blocks)]

    def _maybe_evict_cached_block(self, block: int) -> bool:
        return block < self.cached


class KVCacheManager:
    """The manager of a version; `found` is what the next look-up returns."""

    def __init__(self, groups: int = 1) -> None:
        self.kv_cache_config = Config([Group() for _ in range(groups)])
        self.block_pool: Any = type("BlockPool", (BlockPool,), {})()
        self.found: tuple[object, ...] = ((), 0)
        self.has_room = True

    def get_computed_blocks(self, request: Request) -> tuple[object, ...]:
        return self.found

    def allocate_slots(
        self, request: Request, num_new_tokens: int, num_external_computed_tokens: int = 0
    ) -> list[int] | None:
        return self.block_pool.get_new_blocks(num_new_tokens // 4) if self.has_room else None  # type: ignore[no-any-return]

    def free(self, request: Request) -> None:
        request.num_computed_tokens = 0

    def reset_prefix_cache(self) -> bool:
        return self.has_room


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Attached]:
    """A manager that is attached, of one group of layers or as many as asked for."""
    monkeypatch.setattr("probes.recorder.default_folder", lambda: tmp_path / "rings")
    monkeypatch.setattr(attaching, "_wrapped", {})
    manager = type("KVCacheManager", (KVCacheManager,), {})(getattr(request, "param", 1))
    seat = vllm.attach(manager)
    assert seat is not None
    place = Attached(manager, seat, tmp_path / "rings")
    yield place
    place.reader.close()
    attaching.detach(id(manager))
    seat.close()


def test_the_life_of_a_request_is_told_with_its_last_look_up(here: Attached) -> None:
    manager, request = here.cache, Request()
    for hit in (4, 8):
        manager.found = ((), hit, 0)  # a newer version says a third thing
        assert manager.get_computed_blocks(request) is manager.found
    manager.allocate_slots(request, 8)
    request.num_computed_tokens = 16
    manager.allocate_slots(request, 4)
    request.num_computed_tokens, request.num_output_tokens = 20, 1
    manager.allocate_slots(request, 1)
    manager.free(request)
    kinds = (Match, RequestAdmitted, RequestPrefilled, RequestFinished)
    bare, own, admitted, first, second, finished = here.told(*kinds)
    assert isinstance(bare, Match) and (bare.request, bare.device_hit_tokens) == (-1, 4)
    assert isinstance(own, Match) and own[3:7] == (20, 8, 0, 8) and (own.node, own.nodes_walked) == (-1, -1)
    assert admitted[1:] == (1, 20, 8, 0, 0, 12, 0, 0)
    assert [record.new_tokens for record in (first, second) if isinstance(record, RequestPrefilled)] == [8, 4]
    assert isinstance(finished, RequestFinished) and finished.output_tokens == 1


def test_a_request_without_room_is_not_admitted(here: Attached) -> None:
    here.cache.has_room = False
    here.cache.get_computed_blocks(Request())
    assert here.cache.allocate_slots(Request(), 8) is None
    assert here.told(RequestAdmitted) == []


def test_what_a_connector_brought_was_not_computed(here: Attached) -> None:
    here.cache.allocate_slots(Request(), 8, num_external_computed_tokens=12)
    assert [record.new_tokens for record in here.told(RequestPrefilled)] == [8]


def test_a_preempted_request_is_retracted(here: Attached) -> None:
    request = Request(is_over=False)
    here.cache.allocate_slots(request, 20)
    here.cache.free(request)
    assert [record.recomputed_tokens for record in here.told(RequestRetracted)] == [-1]


def test_blocks_that_lost_what_they_held_are_an_eviction(here: Attached) -> None:
    here.cache.block_pool.get_new_blocks(3)
    here.cache.block_pool.cached = 2
    here.cache.block_pool.get_new_blocks(3)
    (evict,) = here.told(Evict)
    assert (evict.asked_tokens, evict.victims, evict.freed_tokens, evict.leaves_considered) == (12, 2, (8,), -1)


def test_only_a_cache_that_was_emptied_is_told_as_empty(here: Attached) -> None:
    assert here.cache.reset_prefix_cache()
    here.cache.has_room = False
    assert not here.cache.reset_prefix_cache()
    assert len(here.told(CacheReset)) == 1


@pytest.mark.parametrize("here", [2], indirect=True)
def test_of_several_groups_the_full_hit_is_unknown(here: Attached) -> None:
    here.cache.found = ((), 8)
    here.cache.get_computed_blocks(Request())
    here.seat.calls.requests.let_go()
    assert [match.full_hit_tokens for match in here.told(Match)] == [-1]
    assert here.reader.state().config["components"] == ["blocks"]


def test_salts_are_namespaces_told_by_hash(here: Attached) -> None:
    here.cache.get_computed_blocks(Request(cache_salt="secret"))
    texts = [record.text for record in here.told(Namespace)]
    assert len(texts) == 2 and texts[1].startswith("ns-")


def test_the_ring_says_what_it_is_of(here: Attached) -> None:
    config = here.reader.state().config
    assert (config["target"], config["page_size"], config["full_slots"], config["pid"]) == (
        "vllm",
        4,
        100,
        os.getpid(),
    )
    assert "Pool" not in config["provides"]


def test_a_manager_that_is_gone_takes_the_seat_of_its_pool_along(here: Attached) -> None:
    attaching.detach(id(here.cache))
    assert attaching.seat_of(here.cache.block_pool) is None
