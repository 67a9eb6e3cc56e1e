"""Hit rates: by hand from the recorded pairs, which count is taken, several ranks together."""

from __future__ import annotations

from functools import partial

import pytest

from probes.scrapes.counter_windows import CounterWindows
from probes.scrapes.hits import HitWindow, best_view, hit_window, joined_hits
from probes.scrapes.metric import ENGINES
from tests.support.metrics_pages import PAIRS, S, recorded_pair


def hits(name: str, *without: str) -> HitWindow | None:
    """Return the hits between the two scrapes of a recorded server, without counters that begin so."""
    windows = CounterWindows()
    for figures in recorded_pair(name):
        counters = figures.counters.items()
        windows.add(
            figures.at, {role: value for role, value in counters if not (without and role.startswith(without))}
        )
    view = best_view(ENGINES.load(PAIRS[name]).views, windows.last)
    return None if view is None else hit_window(view, windows.last, partial(windows.increases, 11 * S, 60))


def test_sglang_by_its_scheduler() -> None:
    found = hits("sglang_0.5.23")
    assert found is not None
    # 370647 - 188466, 56017 - 28482, 22339 - 11358 of those and 283756 - 143621 more.
    assert found.view == "scheduler"
    assert dict(found.hit_tokens) == {"device": 182181, "host": 27535, "storage": 10981}
    assert found.queried_tokens == 360832
    assert found.rate == pytest.approx(220697 / 360832)
    assert found.rate_of("device") == pytest.approx(182181 / 360832)
    assert found.rate_of("remote") is None


def test_sglang_before_0_5_18_counts_retracted_requests_again() -> None:
    found = hits("sglang_0.5.23", "scheduler")
    assert found is not None
    assert (found.view, dict(found.hit_tokens)) == ("prefill", {"untold": 220697})
    assert found.queried_tokens == 220697 + 140135


def test_sglang_before_0_5_7_is_told_by_its_frontend() -> None:
    found = hits("sglang_0.5.23", "scheduler", "prefill")
    assert found is not None
    assert found.view == "frontend"
    assert dict(found.hit_tokens) == {"device": 142425, "host": 20283, "storage": 0, "untold": 0}
    assert found.rate == pytest.approx((142425 + 20283) / 380333)


@pytest.mark.parametrize("name", ["vllm_0.33.0", "vllm_0.12.0"])
def test_vllm_by_its_scheduler(name: str) -> None:
    found = hits(name)
    assert found is not None
    assert found.view == "scheduler"
    assert found.hit_tokens["device"] == 300656 - 152032
    assert found.rate == pytest.approx(148624 / 372190)


def test_where_nobody_counts_hits_there_is_no_rate() -> None:
    assert hits("vllm_0.33.0", "scheduler", "frontend") is None


def test_nothing_queried_has_no_rate() -> None:
    window = HitWindow("scheduler", S, 0.0, {"device": 0.0})
    assert (window.rate, window.rate_of("device")) == (None, None)


def test_ranks_together_are_sums_not_means() -> None:
    one = HitWindow("scheduler", 10 * S, 100.0, {"device": 90.0})
    two = HitWindow("scheduler", 12 * S, 900.0, {"device": 90.0, "host": 20.0})
    assert joined_hits([one, two]) == HitWindow("scheduler", 12 * S, 1000.0, {"device": 180.0, "host": 20.0})


def test_ranks_that_do_not_all_tell_or_count_otherwise_are_not_added() -> None:
    one = HitWindow("scheduler", S, 1.0, {"device": 1.0})
    assert joined_hits([one, None]) is None
    assert joined_hits([one, HitWindow("frontend", S, 1.0, {"device": 1.0})]) is None
    assert joined_hits([]) is None
