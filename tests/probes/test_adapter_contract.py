"""What every adapter of the table promises, on each of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from cache_core.event_codec import text_record
from cache_core.events import CacheReset, Label, NodeAdded, NodeRemoved, RawRecord
from probes.adapter import ADAPTERS, ALL_RECORDS, Adapter, is_record
from probes.adapters.embedded import EmbeddedAdapter
from probes.adapters.recording import RecordingAdapter
from probes.adapters.shm import ShmAdapter
from probes.adapters.zmq import ZmqAdapter
from probes.kv.wire import Stored, WireBatch
from probes.kv_feed.happenings import Delivery, FeedState, Happening, Joined
from tests.probes.conftest import MakeRecorder
from tests.probes.test_recorder import removed
from tests.support import engine_pages
from tests.support.fake_server import serving
from tests.support.processes import until
from tests.support.records import OF_ENGINES

EMITTED: list[RawRecord] = [removed(1), text_record(Label, 5, "question 1"), (999 | 1 << 16, 7), removed(2)]
EXPECTED = [(0, NodeRemoved(1, 1)), (1, Label(5, "question 1")), (3, NodeRemoved(2, 2))]
OF_AN_ENGINE = [(0, CacheReset(9)), (1, NodeAdded(9, 1, 0, 0, 1, 5, 0, 1, 0, 0, 0, 9))]
"""What a stream of one stored block, published at 9, comes to, with a clock that stands at 7."""


class OneBlock:
    """A feed of one block, which came at 9."""

    def __init__(self) -> None:
        block = Stored([5], None, [], 1)
        self._waiting: list[Happening] = [Joined(0, False), Delivery(WireBatch(1.0, (block,)), 0, 9)]

    def take(self) -> list[Happening]:
        taken, self._waiting = self._waiting, []
        return taken

    def state(self) -> FeedState:
        return FeedState(is_connected=True, last_seq=0)

    def close(self) -> None:
        """Nothing is held."""


@pytest.fixture
def sources(
    make_recorder: MakeRecorder, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, resources: ExitStack
) -> dict[str, Callable[[], Adapter]]:
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

    def zmq() -> Adapter:
        return ZmqAdapter(OneBlock(), "tcp://127.0.0.1:5557", clock=lambda: 7)

    def engine(name: str) -> Callable[[], Adapter]:
        def make() -> Adapter:
            monkeypatch.setattr("probes.fleet.engine_link.Feed", lambda *_, **__: OneBlock())
            pages = (
                engine_pages.sglang("0.5.23")
                if name == "sglang"
                else engine_pages.vllm("0.33.0", {"0": engine_pages.vllm_source()})
            )
            server = resources.enter_context(serving(pages))
            adapter = ADAPTERS.load(name)(server.address, clock=lambda: 7)
            until(lambda: adapter._links[0]._discovery.info is not None, 10, "the server to say what it is")
            return adapter

        return make

    made = {"embedded": embedded, "shm": shm, "recording": recording, "zmq": zmq}
    return {**made, "sglang": engine("sglang"), "vllm": engine("vllm")}


@pytest.fixture
def resources() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture(params=ADAPTERS.names)
def adapter(request: pytest.FixtureRequest, sources: dict[str, Callable[[], Adapter]]) -> Iterator[Adapter]:
    adapter = sources[request.param]()
    yield adapter
    adapter.close()


def test_records_come_once_and_in_order(adapter: Adapter) -> None:
    expected = EXPECTED if adapter.provides == ALL_RECORDS else OF_AN_ENGINE
    records = [(number, record) for number, record in adapter.poll().records if is_record(record)]
    assert records == expected
    assert [record for _, record in adapter.poll().records if is_record(record)] == []


def test_a_stream_without_loss_is_no_resync(adapter: Adapter) -> None:
    assert not adapter.poll().resync
    state = adapter.state()
    assert (state.dropped_records, state.torn_blocks) == (0, 0)


def test_the_configuration_comes_along(adapter: Adapter) -> None:
    adapter.poll()
    assert adapter.state().config["page_size"] == 1


def test_what_it_provides_is_a_set_of_record_classes(adapter: Adapter) -> None:
    assert adapter.provides <= ALL_RECORDS | OF_ENGINES


def test_the_present_is_not_before_the_last_record(adapter: Adapter) -> None:
    adapter.poll()
    assert adapter.now() >= 2


def test_closing_twice_is_closing_once(adapter: Adapter) -> None:
    adapter.close()
    adapter.close()
