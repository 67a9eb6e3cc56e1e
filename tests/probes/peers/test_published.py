"""What an engine's own publisher sends over ZeroMQ leads to what its cache holds: live, late, and after a crash."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from probes.adapter import Adapter, Batch
from probes.adapters.sglang import SGLangAdapter
from probes.adapters.vllm import VllmAdapter
from probes.aggregator import Aggregator
from probes.kv_feed.feed import Feed
from probes.kv_mirror.follower import TOLD, RankFollower
from probes.snapshot import SourceState
from tests.support import engine_pages
from tests.support.fake_server import serving, unused_port
from tests.support.peer_checks import Held, Truth, assert_no_doubt, held_by, held_by_sglang, held_by_vllm
from tests.support.peer_process import Engine, Life, PeerOf, sglang_engines, vllm_engines

TIMEOUT_S = 60


class Followed(Adapter):
    """A follower as a source of a screen, so that what a screen knows is looked at as well."""

    provides = TOLD

    def __init__(self, feed: Feed) -> None:
        self.feed = feed
        self.follower = RankFollower(feed, "peer")
        self.aggregator = Aggregator(self)

    def poll(self) -> Batch:
        return self.follower.poll()

    def state(self) -> SourceState:
        return self.follower.state()

    def close(self) -> None:
        self.follower.close()

    def catches_up(self, life: Life, held: Callable[[Truth], Held], restarts: int = 0) -> None:
        """Wait for the last batch of a cache, and compare."""
        truth = life.ask("truth")
        deadline = time.monotonic() + TIMEOUT_S
        while self.follower.rank.last_seq != truth["after"] or self.feed.state().restarts < restarts:
            assert time.monotonic() < deadline, (self.feed.state(), truth["after"])
            self.aggregator.tick(0)
            time.sleep(0.01)
        wanted = held(truth)
        assert held_by(self.follower.rank.blocks) == wanted
        assert self.follower.rank.blocks.orphans == 0
        page_tokens = self.follower.rank.tree.block_tokens
        assert shown_tokens(self.aggregator) == len({name for _, name in wanted}) * page_tokens


def shown_tokens(aggregator: Aggregator) -> int:
    """Return the tokens of all nodes that a screen would show."""
    return sum(node.length for node in aggregator.mirror.nodes.values() if node.live)


@contextmanager
def following(live: str, replay: str) -> Iterator[Followed]:
    followed = Followed(Feed(live, replay))
    try:
        yield followed
    finally:
        followed.close()


def survive(begin: Callable[..., Life], folder: Path, held: Callable[[Truth], Held]) -> None:
    """Follow a cache from its start, another time from its middle, and one that takes its place after a crash."""
    at = {"live": f"ipc://{folder}/live", "replay": f"ipc://{folder}/replay"}
    with following(**at) as first:
        with begin(seed=1, **at) as life:
            life.ask("run", operations=600)
            first.catches_up(life, held)
            with following(**at) as late:
                late.catches_up(life, held)
                life.ask("run", operations=300)
                for each in (first, late):
                    each.catches_up(life, held)
                    assert_no_doubt(each.follower.rank)
            life.kill()
        with begin(seed=2, **at) as life:
            life.ask("run", operations=300)
            first.catches_up(life, held, restarts=1)
            life.ask("empty")
            first.catches_up(life, held)
            assert_no_doubt(first.follower.rank)
            life.ask("end")


@pytest.mark.needs("peers")
@pytest.mark.parametrize("core", ["python", "rust"])
@pytest.mark.parametrize("engine", sglang_engines(), ids=str)
def test_what_sglang_publishes_leads_to_its_tree(peer_of: PeerOf, engine: Engine, core: str, tmp_path: Path) -> None:
    shape = {"kind": "unified", "core": core, "page": 4, "pages": 200, "window": 3}
    survive(lambda **more: peer_of(engine).begin(**shape, **more), tmp_path, held_by_sglang)


@pytest.mark.needs("vllm-peer")
@pytest.mark.parametrize("engine", vllm_engines(), ids=str)
def test_what_vllm_publishes_leads_to_its_block_pool(peer_of: PeerOf, engine: Engine, tmp_path: Path) -> None:
    shape = {"hashes": "ints", "page": 4, "pages": 200, "window": 3}
    told = engine.version != "0.12.0"
    survive(lambda **more: peer_of(engine).begin(**shape, **more), tmp_path, lambda truth: held_by_vllm(truth, told))


@pytest.mark.needs("peers")
@pytest.mark.parametrize("engine", [each for each in sglang_engines() if each.version == "0.5.23"], ids=str)
def test_who_attaches_to_sglang_late_sees_its_whole_tree(peer_of: PeerOf, engine: Engine) -> None:
    live, replay = unused_port(), unused_port()
    shape = {"kind": "unified", "core": "rust", "page": 16, "pages": 100, "window": None, "seed": 3}
    events = {"endpoint_port_base": live, "replay_endpoint_port_base": replay}
    with (
        peer_of(engine).begin(**shape, live=f"tcp://*:{live}", replay=f"tcp://*:{replay}") as life,
        serving(engine_pages.sglang(engine.version, kv_events={**EVENTS, **events})) as server,
    ):
        life.ask("run", operations=400)
        sees_all(SGLangAdapter(server.address), {name for name, *_ in life.ask("truth")["blocks"]}, 16)


@pytest.mark.needs("vllm-peer")
@pytest.mark.parametrize("engine", [each for each in vllm_engines() if each.version == "0.33.0"], ids=str)
def test_who_attaches_to_vllm_late_sees_its_whole_pool(peer_of: PeerOf, engine: Engine) -> None:
    live, replay = f"tcp://*:{unused_port()}", f"tcp://*:{unused_port()}"
    shape = {"hashes": "ints", "page": 16, "pages": 100, "window": None, "seed": 3}
    source = engine_pages.vllm_source(live, replay_endpoint=replay, topic="")
    with (
        peer_of(engine).begin(**shape, live=live, replay=replay) as life,
        serving(engine_pages.vllm(engine.version, {"0": source})) as server,
    ):
        life.ask("run", operations=400)
        sees_all(VllmAdapter(server.address), {name for _, name, *_ in life.ask("truth")["blocks"]}, 16)


EVENTS = {"publisher": "zmq", "endpoint_host": "*", "topic": "", "block_size": 16, "dp_size": 1}


def sees_all(adapter: Adapter, blocks: set[Any], page_tokens: int) -> None:
    """Wait until a screen would show all tokens of some blocks, and nobody doubts that."""
    aggregator = Aggregator(adapter)
    deadline = time.monotonic() + TIMEOUT_S
    try:
        while shown_tokens(aggregator) != len(blocks) * page_tokens:
            assert time.monotonic() < deadline, (adapter.state(), shown_tokens(aggregator), len(blocks))
            aggregator.tick(0)
            time.sleep(0.01)
        source = aggregator.tick(0).source
        assert (source.state, source.tree_known) == ("live", True)
        assert not source.message.startswith(("partial", "repaired", "unsure"))
    finally:
        adapter.close()
