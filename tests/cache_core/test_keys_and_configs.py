"""What may be a key, what may be a configuration, and what is said about the rest."""

from __future__ import annotations

from array import array
from copy import deepcopy

import pytest

from cache_core import (
    CacheConfig,
    CacheError,
    ConfigError,
    DoubleFreeError,
    KeyRangeError,
    LockError,
    OutOfSlotsError,
    RadixKey,
    StaleNodeError,
    WrongThreadError,
)
from tests.support.caches import full_cache

HUGE = 10**5000
"""More digits than Python writes."""


@pytest.mark.parametrize(
    "tokens",
    [[-1], [2**31], [1.5], ["a"], [None], "text", 7, None, b"\x01\x02\x03", array("q", [2**31]), array("d", [1.0])],
)
def test_what_is_no_token_is_refused(tokens: object) -> None:
    with pytest.raises(KeyRangeError):
        RadixKey(tokens)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "tokens",
    [[1, 2, 2**31 - 1], (1, 2, 2**31 - 1), array("i", [1, 2, 2**31 - 1]), array("q", [1, 2, 2**31 - 1]),
     array("i", [1, 2, 2**31 - 1]).tobytes(), bytearray(array("i", [1, 2, 2**31 - 1]).tobytes()),
     iter],
)  # fmt: skip
def test_any_form_of_the_same_tokens_is_the_same_key(tokens: object) -> None:
    tokens = iter([1, 2, 2**31 - 1]) if tokens is iter else tokens
    cache = full_cache()
    cache.insert(RadixKey([1, 2, 2**31 - 1]), cache.allocate(3))
    assert cache.match(RadixKey(tokens)).hit_tokens == 3  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"page_size": 0}, "page_size is 0"),
        ({"page_size": 1.5}, "page_size is 1.5"),
        ({"page_size": True}, "page_size is True"),
        ({"components": ()}, "must start with 'full'"),
        ({"components": ("swa", "full")}, "components 'swa, full' must start with 'full'"),
        ({"components": ("full", "full")}, "each one once"),
        ({"components": ("full", "ssm")}, "'ssm' is unknown; choose from: full, swa"),
        ({"components": None}, "components is None, some of these are needed: full, swa, mamba"),
        ({"components": 5}, "components is 5, some of these"),
        ({"components": "full"}, "components is 'full', some of these"),
        ({"components": (["full"],)}, "component ['full'] is unknown; choose from: full, swa"),
        ({"components": (HUGE,)}, "component an int too large to show is unknown"),
        ({"window": None}, "window is missing"),
        ({"window": 0}, "window is 0"),
        ({"full_slots": 0}, "full_slots is 0"),
        ({"page_size": 16, "full_slots": 100}, "full_slots 100 is no multiple of page_size 16; use 96 or 112"),
        ({"page_size": 16, "swa_slots": 8}, "swa_slots 8 is no multiple of page_size 16; use 16"),
        ({"full_slots": 2**31}, "int32"),
        (
            {"policy": "best"},
            "policy 'best' is unknown; choose from: lru, mru, fifo, filo, lfu, slru, priority, tlru",
        ),
        ({"policy_options": {"x": 1}}, "option 'x' of policy 'lru' is unknown; it has none"),
        (
            {"policy": "slru", "policy_options": {"x": 1}},
            "option 'x' of policy 'slru' is unknown; choose from: threshold",
        ),
        ({"policy": "tlru", "policy_options": (("x", 1),)}, "choose from: threshold_tokens, next_prompt_tokens"),
        (
            {"policy": "slru", "policy_options": {"threshold": 0}},
            "option 'threshold' of policy 'slru' is 0, an int32",
        ),
        ({"policy": "slru", "policy_options": {"threshold": True}}, "is True, an int32 of at least 1"),
        ({"policy": "tlru", "policy_options": {"threshold_tokens": -1}}, "is -1, an int32 of at least 0"),
        ({"policy": "tlru", "policy_options": {"next_prompt_tokens": 2**31}}, "is 2147483648, an int32"),
        ({"policy": "tlru", "policy_options": {"threshold_tokens": "9"}}, "is '9', an int32"),
        (
            {"policy": "tlru", "policy_options": {"threshold_tokens": HUGE}},
            "option 'threshold_tokens' of policy 'tlru' is an int too large to show, an int32 of at least 0",
        ),
        ({"policy_options": {HUGE: 1}}, "option an int too large to show of policy 'lru' is unknown"),
        ({"policy_options": [[HUGE]]}, "policy_options is a list too large to show, a mapping"),
        ({"policy": []}, "policy [] is unknown; choose from: lru"),
        ({"backend": []}, "backend [] is unknown; choose from: python"),
        ({"hit_rule": HUGE}, "hit_rule an int too large to show is unknown"),
        ({"branching": HUGE}, "branching is an int too large to show"),
        ({"page_size": HUGE}, "page_size is an int too large to show"),
        ({"policy_options": 3}, "policy_options is 3, a mapping of names to numbers"),
        ({"policy_options": ("threshold",)}, "policy_options is ('threshold',), a mapping"),
        ({"evictor": "none"}, "evictor 'none' is unknown; choose from: incremental, rebuild"),
        ({"hit_rule": "x"}, "hit_rule 'x' is unknown; choose from: request, insert"),
        ({"split_recency": "x"}, "split_recency 'x' is unknown; choose from: keep, reference"),
        ({"finish_branch": "x"}, "finish_branch 'x' is unknown; choose from: both, branch"),
        ({"swa_free_interval_tokens": 0}, "swa_free_interval_tokens is 0"),
        ({"branching": 1}, "branching is 1"),
        ({"host_slots": -1}, "host_slots is -1, an int32 of at least 0"),
        ({"host_slots": False}, "host_slots is False, an int32 of at least 0"),
        ({"host_slots": 0.0}, "host_slots is 0.0, an int32 of at least 0"),
        ({"mamba_slots": "junk"}, "mamba_slots is 'junk', an int32 of at least 1"),
        ({"mamba_chunk_tokens": "junk"}, "mamba_chunk_tokens is 'junk', an int32 of at least 1"),
        ({"components": ("full",), "window": "junk", "swa_slots": -5}, "window is 'junk', an int32 of at least 1"),
        ({"components": ("full",), "swa_slots": -5}, "swa_slots is -5, an int32 of at least 1"),
        ({"page_size": 16, "host_slots": 8}, "host_slots 8 is no multiple of page_size 16; use 16"),
        ({"host_slots": 64, "swa_host_slots": 0}, "swa_host_slots is 0"),
        ({"swa_host_slots": 8}, "swa_host_slots is 8: it takes host_slots"),
        ({"host_slots": 64, "mamba_host_slots": 8}, "mamba_host_slots is 8: it takes host_slots and the component"),
        ({"write_policy": "x"}, "'x' is unknown; choose from: write_through, write_through_selective, write_back"),
        ({"load_back_tokens": -1}, "load_back_tokens is -1"),
        ({"host_slots": 64, "split_recency": "reference"}, "split_recency 'reference' is for the logs"),
    ],
)
def test_a_configuration_that_cannot_work_says_why_and_what_would(options: dict[str, object], text: str) -> None:
    valid: dict[str, object] = {"components": ("full", "swa"), "window": 4, "full_slots": 1600, "swa_slots": 1600}
    with pytest.raises(ConfigError) as raised:
        CacheConfig(**{**valid, **options})  # type: ignore[arg-type]
    assert text in str(raised.value)


def test_the_options_of_a_policy_are_kept_as_pairs_and_described_with_those_not_given() -> None:
    given = {"threshold_tokens": 9}
    config = CacheConfig(components=("full",), policy="tlru", policy_options=given)
    assert config.policy_options == (("threshold_tokens", 9),)
    assert config.describe()["policy_options"] == {"threshold_tokens": 9, "next_prompt_tokens": 256}
    assert config == CacheConfig(components=("full",), policy="tlru", policy_options=config.policy_options)
    assert CacheConfig(components=("full",)).describe()["policy_options"] == {}


def test_the_host_has_the_share_of_each_kind_that_the_device_has() -> None:
    config = CacheConfig(
        page_size=8,
        components=("full", "swa", "mamba"),
        window=4,
        full_slots=160,
        swa_slots=40,
        mamba_slots=10,
        host_slots=320,
    )
    assert (config.swa_host_slots, config.mamba_host_slots) == (80, 20)


def test_the_smallest_host_has_a_page_of_windows_and_a_state() -> None:
    config = CacheConfig(
        page_size=8,
        components=("full", "swa", "mamba"),
        window=4,
        full_slots=1600,
        swa_slots=80,
        mamba_slots=10,
        host_slots=8,
    )
    assert (config.swa_host_slots, config.mamba_host_slots) == (8, 1)


def test_every_error_is_a_cache_error() -> None:
    errors = (
        ConfigError,
        DoubleFreeError,
        KeyRangeError,
        LockError,
        OutOfSlotsError,
        StaleNodeError,
        WrongThreadError,
    )
    assert all(issubclass(error, CacheError) for error in errors)


def test_a_copy_of_a_key_takes_no_tree_along() -> None:
    cache = full_cache(slots=64)
    asked = RadixKey(range(8), extra_key="lora", cache_salt="salt", segments=((2, "question"),))
    cache.insert(asked, cache.allocate(8))
    copied = deepcopy(asked)
    assert (copied.tokens, copied.namespace, copied.segments) == (asked.tokens, asked.namespace, asked.segments)
    assert (copied.place, copied.parting) == (None, None)
    assert cache.match(copied).hit_tokens == 8
