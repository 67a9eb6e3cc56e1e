"""The in-process source: order, its own snapshot, and a reader that is too slow."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from cache_core.events import NodeRemoved, Pool, RawRecord
from probes.adapters.embedded import EmbeddedAdapter
from probes.mirror import Mirror
from tests.probes.test_mirror_converges import assert_same
from tests.probes.test_recorder import removed
from tests.support.raw import raw
from tests.support.toy_tree import ToyTree


def test_records_come_in_order_with_their_numbers() -> None:
    adapter = EmbeddedAdapter({"page_size": 4})
    for number in range(10):
        adapter.records.append(removed(number))
        if number % 3 == 0:
            adapter.flush()
    adapter.flush()
    assert adapter.poll().records == [(n, NodeRemoved(n, n)) for n in range(10)]
    assert adapter.state().config == {"page_size": 4}


def test_what_is_not_read_is_left_out_and_counted() -> None:
    adapter = EmbeddedAdapter(unread=(Pool,))
    adapter.records += [removed(0), raw(Pool(1, 0, 2, 3, 4, 5)), removed(2)]
    adapter.flush()
    assert adapter.poll().records == [(0, NodeRemoved(0, 0)), (2, NodeRemoved(2, 2))]


def test_states_from_start_to_end() -> None:
    adapter = EmbeddedAdapter()
    seen = [adapter.state().state]
    adapter.flush()
    seen.append(adapter.state().state)
    adapter.end("done")
    seen.append(adapter.state().state)
    assert seen == ["starting", "live", "ended"]
    assert adapter.state().message == "done"


def test_pools_are_told_at_every_flush() -> None:
    adapter = EmbeddedAdapter()
    adapter.bind(pools=lambda: adapter.records.append(raw(Pool(1, 0, 2, 3, 4, 5))))
    adapter.flush()
    adapter.flush()
    assert [seq for seq, _ in adapter.poll().records] == [0, 1]


@pytest.mark.parametrize("seed", range(10))
def test_a_slow_reader_is_told_what_it_lost_and_gets_back_in_step(seed: int) -> None:
    adapter = EmbeddedAdapter(most_runs=4)
    tree = ToyTree(random.Random(seed))

    def walk() -> Iterator[RawRecord]:
        return map(raw, tree.walk())

    adapter.bind(snapshot=walk)
    mirror = Mirror(("full", "swa"))
    emitted = seen = 0
    for turn in range(60):
        tree.step()
        emitted += len(tree.stream)
        adapter.records += map(raw, tree.stream)
        tree.stream.clear()
        adapter.flush()
        if turn % 25 == 24 or turn > 50:
            batch = adapter.poll()
            if batch.resync:
                mirror.clear()
            for _, record in batch.records:
                mirror.apply(record)
            seen += len(batch.records)
    while batch := adapter.poll().records:
        for _, record in batch:
            mirror.apply(record)
    assert adapter.state().state == "live"
    assert adapter.state().dropped_records > 0
    assert_same(mirror, tree)
