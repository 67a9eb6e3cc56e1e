"""What goes next: told before a cache does it, for every order, at a slice a time, and when it cannot be known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count

import pytest

from cache_core import CacheConfig
from cache_core.events import Lock, Match, NodeRemoved, NodeTouched, Tombstoned
from cache_core.policy import POLICIES
from probes.mirror import Mirror
from probes.snapshot import Snapshot, SourceState
from radixtop.eviction import answerer
from radixtop.eviction.answerer import NextAnswerer
from radixtop.eviction.order import ORDERS
from radixtop.eviction.page import NextPage, NextQuestion
from tests.support.cache_runs import CacheRun
from tests.support.records import added, record
from tests.support.sinks import Sink

S = 1_000_000_000


def leaping() -> Callable[[], int]:
    """Return a clock on which every slice takes its time."""
    return count(step=S).__next__


FULL: Mapping[str, object] = {"components": ["full", "swa"], "policy": "lru", "window": 128}


@dataclass
class Watched:
    """A mirror to ask about."""

    mirror: Mirror | None

    def tick(self, now: int) -> Snapshot:
        raise AssertionError("nobody ticks here")


def page_of(
    mirror: Mirror | None,
    config: Mapping[str, object] = FULL,
    asked: NextAnswerer | None = None,
    question: NextQuestion | None = None,
) -> NextPage | None:
    """Return one answer."""
    snapshot = Snapshot(1, S, S, SourceState("test", "live", config=config), {})
    return (asked or NextAnswerer()).answer(Watched(mirror), snapshot, question or NextQuestion())


def rows(page: NextPage | None) -> list[int]:
    assert page is not None
    return [row.node for row in page.rows]


def flat(*touched: int) -> Mirror:
    """Return leaves under the root, used at these times."""
    mirror = Mirror(("full", "swa"))
    for number, at in enumerate(touched, start=1):
        mirror.apply(added(number, 0, 10, at=number, touched_at=at, content_key=number, live=3))
    return mirror


def test_every_policy_of_the_cache_has_an_order() -> None:
    assert set(POLICIES.names) == set(ORDERS)


@pytest.mark.parametrize("policy", [name for name, order in ORDERS.items() if not order.doubt])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_cache_evicts_what_was_said_to_go_next(policy: str, seed: int) -> None:
    config = CacheConfig(components=("full",), full_slots=300, policy=policy)
    sink, mirror = Sink(), Mirror(("full",))
    run = CacheRun(config, sink, seed)
    for _ in range(150):
        run.step()
    taken = told = 0
    while told < 25:
        run.cache.flush_sink(sink)
        for each in sink.flushed[taken:]:
            mirror.apply(each)
        taken = len(sink.flushed)
        said = rows(page_of(mirror, config.describe()))
        if not said:
            break
        run.cache.evict(full_tokens=1)
        run.cache.flush_sink(sink)
        gone = [each.node for each in sink.flushed[taken:] if isinstance(each, NodeRemoved)]
        assert gone[:1] == said[:1]
        told += 1
    assert told >= 5


def test_locked_nodes_and_inner_ones_and_those_without_the_component_do_not_go() -> None:
    mirror = flat(10, 20, 30, 40)
    mirror.apply(added(5, 1, 10, at=5, touched_at=50, content_key=5, live=3, start=10))
    mirror.apply(Lock(60, 3, ()))
    mirror.apply(Tombstoned(61, 4, 0))
    page = page_of(mirror)
    assert rows(page) == [2, 5]
    assert page is not None and (page.evictable, page.doubt) == (2, "")


def test_the_counters_of_the_cache_rank_where_its_policy_says_so() -> None:
    mirror = flat(10, 20, 30)
    mirror.apply(NodeTouched(1, 5, 7))
    mirror.apply(NodeTouched(2, 1, 9))
    assert rows(page_of(mirror, {**FULL, "policy": "lfu"})) == [3, 2, 1]
    assert rows(page_of(mirror, {**FULL, "policy": "priority"})) == [3, 1, 2]
    slru = {**FULL, "policy": "slru", "policy_options": {"threshold": 1}}
    assert rows(page_of(mirror, slru)) == [3, 1, 2]


def test_windows_that_nothing_needs_go_first() -> None:
    mirror = flat(10)
    for number in (2, 3):
        mirror.apply(added(number, number - 1, 200, at=5, touched_at=50 + number, content_key=number, live=3))
    config = {**FULL, "swa_eviction": "tail_window_last"}
    page = page_of(mirror, config, question=NextQuestion("swa"))
    assert rows(page) == [1, 2, 3]
    mirror.apply(added(4, 1, 5, at=5, touched_at=1, content_key=4, live=1))
    page = page_of(mirror, config, question=NextQuestion("swa"))
    assert page is not None and page.doubt
    assert rows(page) == [2, 1, 3]


@pytest.mark.parametrize(
    "config", [{**FULL, "policy": "clock"}, {"components": ["full"]}, {}, {**FULL, "cache": "block_hash"}]
)
def test_an_order_that_nobody_told_is_not_made_up(config: Mapping[str, object]) -> None:
    page = page_of(flat(10), config)
    assert page is not None
    assert (page.sentence, page.rows, page.evictable) == ("", (), None)


def test_without_a_tree_there_is_no_answer() -> None:
    assert page_of(None) is None


def test_a_large_tree_is_looked_at_a_slice_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answerer, "SLICE_SLOTS", 4)
    mirror, asked = flat(*range(100, 80, -1)), NextAnswerer(leaping())
    pages = [page_of(mirror, asked=asked) for _ in range(6)]
    assert [page is not None and page.behind_ns is not None for page in pages] == [False] * 5 + [True]
    assert rows(pages[-1]) == list(range(20, 0, -1))
    assert pages[-1] is not None and pages[-1].evictable == 20


def test_between_two_looks_rows_are_ranked_by_what_nodes_are_now(monkeypatch: pytest.MonkeyPatch) -> None:
    mirror, asked = flat(10, 20, 30, 40), NextAnswerer(leaping())
    page_of(mirror, asked=asked)
    monkeypatch.setattr(answerer, "SLICE_SLOTS", 1)
    mirror.apply(record(Match, at=35, node=1, full_node=1))
    mirror.apply(NodeRemoved(50, 2))
    assert rows(page_of(mirror, asked=asked)) == [3, 1, 4]


def test_another_question_starts_anew() -> None:
    mirror, asked = flat(10, 20, 30), NextAnswerer()
    assert rows(page_of(mirror, asked=asked)) == [1, 2, 3]
    assert rows(page_of(mirror, asked=asked, question=NextQuestion(count=2))) == [1, 2]
    assert rows(page_of(mirror, {**FULL, "policy": "mru"}, asked)) == [3, 2, 1]
