"""KV events from process to process: what a subscriber knows at the end is what the cache has."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import pytest

import radixtop
from cache_core import ConfigError
from probes.builtin.tree_shape import TreeShapeSample
from radixtop import cli
from radixtop.command import OPTIONAL_VALUES, with_values
from radixtop.errors import RadixtopError
from radixtop.flag_values import publishing_address
from radixtop.serving.child import Turn
from radixtop.serving.kv_feed import KVFeed
from radixtop.serving.run_config import RunConfig
from radixtop.session import LiveSession, attach
from tests.support.caches import insert, swa_cache
from tests.support.kv_client import Subscriber
from tests.support.kv_naive import blocks
from tests.support.kv_process import ANY_PORT, KVProcess


@pytest.mark.parametrize("layout", ["0.5.9", "0.5.22"])
def test_a_subscriber_from_the_start_ends_with_the_blocks_of_the_tree(layout: str) -> None:
    with KVProcess(layout=layout) as cache, Subscriber(cache.live, cache.replay) as subscriber:
        for _ in range(4):
            subscriber.follow(cache.run(150))
            assert subscriber.mirror.blocks() == cache.blocks()
        assert subscriber.mirror.gaps == 0


def test_one_that_comes_late_is_complete_after_a_replay() -> None:
    with KVProcess() as cache:
        last = cache.run(300)
        with Subscriber(cache.live, cache.replay) as subscriber:
            subscriber.follow(last)
            assert subscriber.mirror.blocks() == cache.blocks()
            subscriber.follow(cache.run(100))
            assert subscriber.mirror.blocks() == cache.blocks()


def test_one_that_comes_too_late_for_the_ring_is_complete_one_step_later() -> None:
    with KVProcess(buffer_batches=10) as cache:
        cache.run(300)
        with Subscriber(cache.live, cache.replay) as subscriber:
            assert len(subscriber.replay(0)) == 11
            subscriber.follow(cache.run(1))
            assert subscriber.mirror.blocks() == cache.blocks()
            assert subscriber.mirror.gaps > 0


def test_another_program_publishes_its_cache_with_one_call() -> None:
    cache = swa_cache(page=4)
    insert(cache, "A8")
    feed = radixtop.publish_kv_events(cache, "tcp://127.0.0.1:0", groups=True)
    with Subscriber(feed.publisher.endpoint, feed.publisher.replay_endpoint) as subscriber:
        feed.step()
        insert(cache, "A4 B4")
        feed.step()
        subscriber.follow(1)
        assert [subscriber.mirror.blocks(group=group) for group in (0, 1)] == [blocks(cache)] * 2
    feed.close()
    assert cache.watcher is None


def test_a_step_without_changes_publishes_nothing() -> None:
    cache = swa_cache()
    feed = radixtop.publish_kv_events(cache, "tcp://127.0.0.1:0")
    for _ in range(3):
        feed.step()
    feed.close()
    assert feed.publisher.published_batches == 1


@pytest.mark.parametrize(
    ("endpoint", "warned"), [("tcp://127.0.0.1:5557", False), ("ipc:///tmp/kv", False), ("tcp://*:5557", True)]
)
def test_an_address_that_others_can_reach_is_announced(
    endpoint: str, warned: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    assert publishing_address(endpoint) == endpoint
    said = capsys.readouterr()
    assert said.out == ""
    assert (f"whoever can reach {endpoint} can read the token ids of every prompt" in said.err) is warned


def test_what_is_no_address_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["live", "--headless", "--kv-events", "5557"]) == 2
    assert "use tcp://HOST:PORT" in " ".join(capsys.readouterr().err.split())


def test_a_publisher_that_failed_fails_the_run() -> None:
    session = LiveSession(RunConfig(kv_events=ANY_PORT))
    session.worker.turn = Turn("ended", {"kv_events": {"fault": "TypeError('planted')"}})
    with pytest.raises(RadixtopError, match=r"publishing KV events failed: TypeError\('planted'\)"):
        session.check()


def test_groups_need_a_layout_that_has_a_field_for_them() -> None:
    with pytest.raises(ConfigError, match=r"layout 0\.5\.18 has no field for groups; use 0\.5\.22"):
        KVFeed(swa_cache(), layout="0.5.18", groups=True)


@pytest.mark.parametrize(
    ("arguments", "filled"),
    [
        (["--kv-events"], ["--kv-events", "DEFAULT"]),
        (["--kv-events", "--seed", "3"], ["--kv-events", "DEFAULT", "--seed", "3"]),
        (["--kv-events", "tcp://127.0.0.1:1"], ["--kv-events", "tcp://127.0.0.1:1"]),
        (["--kv-events=tcp://127.0.0.1:1", "--json"], ["--kv-events=tcp://127.0.0.1:1", "--json"]),
        (["--seed", "3"], ["--seed", "3"]),
        ([], []),
    ],
)
def test_the_flag_may_stand_alone(arguments: list[str], filled: list[str]) -> None:
    default = OPTIONAL_VALUES["--kv-events"]
    assert with_values(arguments) == [default if word == "DEFAULT" else word for word in filled]


@contextmanager
def worker(run: RunConfig) -> Iterator[tuple[int, Iterator[dict[str, Any]], IO[str]]]:
    """Start a worker; its number, its turns, and the stream that it lives by."""
    command = [sys.executable, "-m", "tests.support.modelless_worker"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(run.to_json() + "\n")
        process.stdin.flush()
        yield process.pid, (json.loads(line) for line in process.stdout), process.stdin
        process.stdin.close()


@pytest.mark.needs("torch")
def test_a_live_run_publishes_what_its_records_tell() -> None:
    run = RunConfig(device="cpu", requests=40, page_size=4, full_slots=2000, swa_slots=800, kv_events=ANY_PORT)
    with worker(run) as (pid, turns, _):
        finished = next(turn for turn in turns if turn["turn"] == "finished")
        published = finished["kv_events"]
        told = attach(f"shm:{pid}")
        shape = told.rest(told.tick(0)).get(TreeShapeSample)
        told.close()
        with Subscriber(published["endpoint"], published["replay_endpoint"]) as subscriber:
            subscriber.follow(published["published_batches"] - 1)
            stored = subscriber.mirror.blocks().total()
    assert finished["integrity"] == "ok"
    assert published["dropped_batches"] == 0
    assert shape is not None
    assert stored * 4 == shape.tokens > 0


@pytest.mark.needs("torch")
def test_a_headless_run_says_where_and_how_much() -> None:
    command = [
        sys.executable,
        "-m",
        "tests.support.modelless_live",
        "live",
        "--headless",
        "--requests",
        "3",
        "--json",
    ]
    ran = subprocess.run([*command, "--kv-events", ANY_PORT], capture_output=True, text=True, check=True)
    published = json.loads(ran.stdout)["kv_events"]
    assert f"KV events at {published['endpoint']}, replay at {published['replay_endpoint']}" in ran.stderr
    assert published["published_batches"] > 1
    assert (published["dropped_batches"], published["dropped_blocks"], published["fault"]) == (0, 0, "")


@pytest.mark.needs("torch")
def test_a_port_in_use_ends_the_run_with_a_way_out() -> None:
    with KVProcess() as other:
        command = [sys.executable, "-m", "radixtop", "live", "--headless", "--requests", "1"]
        ran = subprocess.run([*command, "--kv-events", other.live], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert f"{other.live} is in use" in ran.stderr
    assert "choose another port" in ran.stderr
