"""Worked example A15: what a retraction without insert loses, and what it leaves."""

from __future__ import annotations

import pytest

from cache_core.events import RequestRetracted
from tests.support.caches import admit, full_cache, hits, key, tokens
from tests.support.sinks import Sink


@pytest.mark.parametrize(
    ("page", "surviving", "recomputed"),
    [(1, 1000, 50), (16, 992, 58), (64, 960, 90)],
)
def test_a15_only_what_was_not_indexed_is_lost(page: int, surviving: int, recomputed: int) -> None:
    cache = full_cache(page=page, slots=2048)
    request = admit(cache, "A1000", request_id=1)
    for token in tokens("B50"):
        request.decode(token)
    request.retract()
    assert cache.match(key("A1000 B50")).hit_tokens == surviving
    resumed = admit(cache, "A1000 B50", prefilled=False, request_id=1)
    assert (resumed.hit_tokens, 1050 - resumed.hit_tokens) == (surviving, recomputed)


def test_a15_a_retraction_loses_what_was_not_indexed() -> None:
    """1,000 tokens are written back, 500 more are computed and 20 decoded; the rest goes with the retraction."""
    cache = full_cache(slots=4096)
    sink = Sink()
    cache.attach_sink(sink)
    request = admit(cache, "A1500", prefilled=False)
    request.prefill(1000)
    request.prefill(1500, cache=False)
    for _ in range(20):
        request.decode(7)
    request.retract()
    cache.flush_sink(sink)
    (retracted,) = sink.of(RequestRetracted)
    surviving = hits(cache, "A1500")[0]
    assert (surviving, retracted.recomputed_tokens) == (1000, 520)
    assert surviving + retracted.recomputed_tokens == retracted.prompt_tokens + retracted.output_tokens


def test_a15_the_surviving_prefix_is_hit_when_the_request_returns() -> None:
    cache = full_cache(slots=4096)
    request = admit(cache, "A1500", prefilled=False)
    request.prefill(1000)
    request.prefill(1500, cache=False)
    request.retract()
    again = admit(cache, "A1500", prefilled=False)
    assert (again.hit_tokens, 1500 - again.hit_tokens) == (1000, 500)
