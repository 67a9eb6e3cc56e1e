"""Ages of what is cached now, by tokens; against a model that looks at each node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probes.histogram import Histogram
from probes.log_shape import bin_of
from probes.mirror import Mirror
from probes.snapshot import Snapshot, SourceState
from radixtop.ages import residents
from radixtop.ages.answerer import ResidentAnswerer
from radixtop.ages.page import ResidentPage, ResidentQuestion
from tests.support.records import added

S, NOW = 10**9, 10**12


def leaping() -> Callable[[], int]:
    """Return a clock on which every slice takes its time."""
    return count(step=S).__next__


@dataclass
class Watched:
    """A mirror to ask about."""

    mirror: Mirror | None

    def tick(self, now: int) -> Snapshot:
        raise AssertionError("nobody ticks here")


def page_of(
    mirror: Mirror | None, component: str = "full", asked: ResidentAnswerer | None = None
) -> ResidentPage | None:
    snapshot = Snapshot(1, NOW, NOW, SourceState("test", "live", config={"components": ["full", "swa"]}), {})
    return (asked or ResidentAnswerer()).answer(Watched(mirror), snapshot, ResidentQuestion(component))


def tree(*nodes: tuple[int, int, int, int]) -> Mirror:
    """Return nodes under the root: made at, used at, tokens, live."""
    mirror = Mirror(("full", "swa"))
    for number, (made, used, length, live) in enumerate(nodes, start=1):
        mirror.apply(added(number, 0, length, at=made, touched_at=used, content_key=number, live=live))
    return mirror


def test_tokens_are_counted_at_their_ages_and_the_unseen_apart() -> None:
    page = page_of(tree((NOW - 1_000, NOW - 10, 7, 3), (-1, NOW - 10, 5, 1), (NOW - 1_000, NOW - 10, 9, 2)))
    assert page is not None
    assert (page.tokens, page.unseen_tokens) == (12, 5)
    assert (page.age_ns.count, page.age_ns.mean, page.age_ns.first) == (7, 1_000.0, bin_of(1_000))
    assert (page.idle_ns.count, page.idle_ns.mean) == (12, 10.0)
    windows = page_of(tree((NOW - 1_000, NOW - 10, 7, 3)), "swa")
    assert windows is not None and windows.tokens == 7


def test_idle_times_are_not_known_where_nobody_tells_of_use() -> None:
    untold = tree((NOW - 1_000, NOW - 10, 7, 3))
    untold.tells_use = False
    page = page_of(untold)
    assert page is not None and (page.age_ns.count, page.idle_ns.count) == (7, 0)


def test_without_a_tree_or_the_component_there_is_no_answer() -> None:
    assert page_of(None) is None
    assert page_of(tree(), "mamba") is None


def test_a_large_tree_is_looked_at_a_slice_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(residents, "SLICE_SLOTS", 4)
    mirror, asked = tree(*[(NOW - 5, NOW - 5, 3, 1)] * 10), ResidentAnswerer(leaping())
    pages = [page_of(mirror, asked=asked) for _ in range(3)]
    assert pages[:2] == [None, None]
    assert pages[2] is not None and pages[2].tokens == 30


TIMES = st.integers(-1, NOW)


@given(st.lists(st.tuples(TIMES, TIMES, st.integers(0, 50), st.integers(0, 3)), max_size=20))
def test_ages_are_those_of_a_model_that_looks_at_each_node(nodes: list[tuple[int, int, int, int]]) -> None:
    mirror = tree(*nodes)
    page = page_of(mirror)
    counted, tokens = Histogram(), 0
    bins: dict[int, int] = {}
    for made, _, length, live in nodes:
        if live & 1 and length:
            tokens += length
            if made >= 0:
                counted.add(max(1, NOW - made), length)
                place = bin_of(NOW - made)
                bins[place] = bins.get(place, 0) + length
    assert page is not None and page.tokens == tokens
    assert page.age_ns.count == counted.count
    assert {page.age_ns.first + i: held for i, held in enumerate(page.age_ns.bins) if held} == bins
    if counted.count:
        assert page.age_ns.mean == pytest.approx(counted.total / counted.count)
