"""What is varied becomes settings: the cross product, sizes by the base, and words for what cannot be."""

from __future__ import annotations

import pytest

from cache_core.config import CacheConfig
from radixtop.compare import words
from radixtop.compare.combinations import Combination, axes_of, combinations, keys
from radixtop.errors import UsageError
from radixtop.replay.settings import ReplaySettings

BASE = ReplaySettings(CacheConfig(components=("full", "swa"), window=128, full_slots=10_000, swa_slots=2_000))


def varied(*texts: str, slot_bytes: float | None = None) -> tuple[Combination, ...]:
    return combinations(BASE, axes_of(texts), slot_bytes)


def test_every_combination_is_there_once_the_last_axis_fastest() -> None:
    found = varied("policy=lru,lfu", "page-size=1,16")
    assert [each.name for each in found] == [
        "policy=lru page_size=1", "policy=lru page_size=16", "policy=lfu page_size=1", "policy=lfu page_size=16",
    ]  # fmt: skip
    assert [(each.settings.config.policy, each.settings.config.page_size) for each in found] == [
        ("lru", 1), ("lru", 16), ("lfu", 1), ("lfu", 16),
    ]  # fmt: skip


def test_what_comes_to_the_same_settings_is_one_row() -> None:
    assert [each.settings.config.full_slots for each in varied("full_slots=2x,20k,half")] == [20_000, 5_000]


def test_nothing_varied_is_the_base_alone() -> None:
    assert [each.settings for each in varied()] == [BASE]


def test_pools_that_are_not_varied_keep_their_ratio() -> None:
    (found,) = varied("full_slots=2x")
    assert found.settings.config.swa_slots == 4_000


def test_sizes_are_rounded_down_to_pages_and_named_as_they_are() -> None:
    (found,) = varied("page_size=64", "full_slots=9999", "swa_slots=25%")
    assert found.varied == {"page_size": 64, "full_slots": 9984, "swa_slots": 2496}


def test_bytes_are_slots_of_a_model() -> None:
    (found,) = varied("full_slots=1GiB", slot_bytes=131_072.0)
    assert found.varied == {"full_slots": 8192}


def test_settings_of_the_engine_are_varied_as_those_of_the_cache() -> None:
    found = varied("schedule=fcfs,lpm", "chunk_size=512", "branching=off", "components=full,full+swa")
    assert {each.settings.schedule for each in found} == {"fcfs", "lpm"}
    assert {(each.settings.chunk_size, each.settings.config.branching) for each in found} == {(512, False)}
    assert {each.settings.config.components for each in found} == {("full",), ("full", "swa")}


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["polcy=lru"], "choose from: page_size, components, window"),
        (["policy"], "lacks a value"),
        (["policy=lru,,lfu"], "lacks a value"),
        (["policy=lru", "policy=lfu"], "varied twice"),
        (["policy=lur"], "choose from: lru"),
        (["page_size=big"], "is no whole number"),
        (["page_size=0"], "at least 1 is needed"),
        (["page_size=-16", "full_slots=100"], "at least 1 is needed"),
        (["full_slots=20GiB"], "--preset"),
        (["full_slots=0"], "at least 1 is needed"),
        (["swa_slots=10"], "is too few"),
        (["branching=maybe"], "on nor off"),
        (["concurrency=0"], "at least 1 is needed"),
        (["schedule=first"], "choose from: fcfs"),
        (["swa_host_slots=2x"], "has no multiple"),
        (
            ["seed=" + ",".join(map(str, range(101))), "chunk_size=" + ",".join(map(str, range(1, 101)))],
            "combinations",
        ),
    ],
)
def test_what_cannot_be_is_said_before_anything_runs(texts: list[str], said: str) -> None:
    with pytest.raises(UsageError) as refused:
        varied(*texts)
    assert said in f"{refused.value.message} {refused.value.hint}"


@pytest.mark.parametrize("key", keys())
def test_every_setting_can_be_varied(key: str) -> None:
    value = BASE.config.describe().get(key, BASE.document().get(key))
    (found,) = varied(f"{key}={words.value(value).replace(',', '')}")
    assert found.settings == BASE
