"""Worked example A15: what a retraction without insert loses, and what it leaves."""

from __future__ import annotations

import pytest

from cache_core import CacheConfig
from cache_core.events import RequestAdmitted, RequestRetracted, decode
from tests.support.caches import admit, key, tokens
from tests.support.watching import Watching


@pytest.mark.parametrize(
    ("page", "surviving", "recomputed"),
    [(1, 1000, 50), (16, 992, 58), (64, 960, 90)],
)
def test_a15_only_what_was_not_indexed_is_lost(page: int, surviving: int, recomputed: int) -> None:
    watching = Watching(CacheConfig(page_size=page, components=("full",), full_slots=2048))
    cache = watching.cache
    request = admit(cache, "A1000", request_id=1)
    for token in tokens("B50"):
        request.decode(token)
    request.retract()
    assert cache.match(key("A1000 B50")).hit_tokens == surviving
    resumed = admit(cache, "A1000 B50", prefilled=False, request_id=1)
    assert (resumed.hit_tokens, 1050 - resumed.hit_tokens) == (surviving, recomputed)


def test_a15_the_records_say_what_survived_and_what_is_computed_again() -> None:
    watching = Watching(CacheConfig(components=("full",), full_slots=2048))
    request = admit(watching.cache, "A1000", request_id=1)
    for token in tokens("B50"):
        request.decode(token)
    request.retract()
    admit(watching.cache, "A1000 B50", prefilled=False, request_id=1)
    records = [decode(raw[0] & 0xFFFF, raw[1:]) for raw in watching.adapter.records]
    (retracted,) = [record for record in records if isinstance(record, RequestRetracted)]
    first, again = [record for record in records if isinstance(record, RequestAdmitted)]
    assert (first.device_hit_tokens, retracted.recomputed_tokens) == (0, 50)
    assert (again.prompt_tokens, again.device_hit_tokens, again.new_tokens) == (1050, 1000, 50)


def test_a15_before_the_first_write_back_all_is_lost() -> None:
    watching = Watching(CacheConfig(components=("full",), full_slots=2048))
    request = admit(watching.cache, "A1000", prefilled=False)
    request.prefill(600, cache=False)
    request.retract()
    assert watching.cache.match(key("A1000")).hit_tokens == 0
