"""What every adapter of the table promises, on each of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cache_core.event_codec import text_record
from cache_core.events import Label, NodeRemoved, RawRecord
from probes.adapter import ADAPTERS, ALL_RECORDS, Adapter
from probes.adapters.embedded import EmbeddedAdapter
from probes.adapters.recording import RecordingAdapter
from probes.adapters.shm import ShmAdapter
from tests.probes.conftest import MakeRecorder
from tests.probes.test_recorder import removed

EMITTED: list[RawRecord] = [removed(1), text_record(Label, 5, "question 1"), (999 | 1 << 16, 7), removed(2)]
EXPECTED = [(0, NodeRemoved(1, 1)), (1, Label(5, "question 1")), (3, NodeRemoved(2, 2))]


@pytest.fixture
def sources(make_recorder: MakeRecorder, folder: Path, tmp_path: Path) -> dict[str, Callable[[], Adapter]]:
    """Adapters by name, each on a source that has published EMITTED."""

    def embedded() -> Adapter:
        adapter = EmbeddedAdapter({"page_size": 1})
        adapter.records += EMITTED
        adapter.flush()
        return adapter

    def shm() -> Adapter:
        recorder = make_recorder()
        recorder.records += EMITTED
        recorder.flush()
        return ShmAdapter(os.getpid(), folder=folder)

    def recording() -> Adapter:
        path = tmp_path / "run.rtrec"
        recorder = make_recorder(recording=path)
        recorder.records += EMITTED
        recorder.close()
        return RecordingAdapter(path, speed=float("inf"))

    return {"embedded": embedded, "shm": shm, "recording": recording}


@pytest.fixture(params=ADAPTERS.names)
def adapter(request: pytest.FixtureRequest, sources: dict[str, Callable[[], Adapter]]) -> Adapter:
    return sources[request.param]()


def test_records_come_once_and_in_order(adapter: Adapter) -> None:
    assert adapter.poll().records == EXPECTED
    assert adapter.poll().records == []


def test_a_stream_without_loss_is_no_resync(adapter: Adapter) -> None:
    assert not adapter.poll().resync
    state = adapter.state()
    assert (state.dropped_records, state.torn_blocks) == (0, 0)


def test_the_configuration_comes_along(adapter: Adapter) -> None:
    assert adapter.state().config["page_size"] == 1


def test_what_it_provides_is_a_set_of_record_classes(adapter: Adapter) -> None:
    assert adapter.provides <= ALL_RECORDS


def test_the_present_is_not_before_the_last_record(adapter: Adapter) -> None:
    adapter.poll()
    assert adapter.now() >= 2


def test_closing_twice_is_closing_once(adapter: Adapter) -> None:
    adapter.close()
    adapter.close()
