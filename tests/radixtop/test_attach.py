"""Any cache can be published with one line, and watched from another process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from array import array
from collections.abc import Iterator

import pytest

import radixtop
from cache_core import CacheConfig, PrefixCache, RadixKey
from probes.builtin.hit_rate import HitRateSample
from probes.builtin.tree_shape import TreeShapeSample
from probes.snapshot import Snapshot
from radixtop import cli
from radixtop.bench.terminal import Terminal
from radixtop.session import attach as watch
from radixtop.target import Target, target_of
from tests.support.processes import is_running, rings_of, until
from tests.support.publishing import EMBEDDING

SIZE = (120, 40)


@pytest.fixture
def cache() -> Iterator[PrefixCache]:
    """A small cache without a sink."""
    cache = PrefixCache(CacheConfig(components=("full",), full_slots=1000))
    yield cache
    if cache.sink is not None:
        cache.sink.close()  # type: ignore[attr-defined]


def settled(target: str) -> Snapshot:
    """Return the first snapshot that knows the whole tree of a target."""
    session = watch(target)
    try:
        until(lambda: session.tick(time.perf_counter_ns()).source.state == "live", 10, "a live source")
        return session.tick(time.perf_counter_ns())
    finally:
        session.close()


def test_what_the_cache_does_after_the_call_is_seen(cache: PrefixCache) -> None:
    recorder = radixtop.attach(cache)
    cache.admit(RadixKey(array("i", range(100))))
    recorder.flush()
    sample = settled(f"shm:{os.getpid()}").get(HitRateSample)
    assert sample is not None
    assert sample.total.queries == 1


def test_a_cache_is_published_once(cache: PrefixCache) -> None:
    radixtop.attach(cache)
    with pytest.raises(ValueError, match="sink already"):
        radixtop.attach(cache)


def test_closing_the_recorder_takes_the_ring_away(cache: PrefixCache) -> None:
    recorder = radixtop.attach(cache, rank=7)
    assert rings_of(os.getpid()) != []
    recorder.close()
    assert rings_of(os.getpid()) == []


def test_what_was_there_before_is_seen_too(publisher: subprocess.Popen[bytes]) -> None:
    sample = settled(f"shm:{publisher.pid}").get(TreeShapeSample)
    assert sample is not None
    assert (sample.nodes, sample.tokens) == (1, 300)


def test_a_process_stands_for_the_one_child_that_has_a_ring(publisher: subprocess.Popen[bytes]) -> None:
    assert target_of(f"shm:{os.getpid()}") == target_of(f"{os.getpid()}") == Target(publisher.pid, 0)


def test_of_several_children_none_is_guessed(
    publisher: subprocess.Popen[bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    with subprocess.Popen([sys.executable, "-c", EMBEDDING], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"ready\n"
        code = cli.main(["attach", f"shm:{os.getpid()}"])
        other.kill()
    said = capsys.readouterr().err
    assert code == 1
    assert all(f"shm:{pid}" in said for pid in (publisher.pid, other.pid))


def test_the_dashboard_leaves_the_process_it_watched_alone(publisher: subprocess.Popen[bytes]) -> None:
    with Terminal([sys.executable, "-m", "radixtop", "attach", f"shm:{publisher.pid}"], SIZE) as terminal:
        terminal.read_until("● live", 30)
        terminal.type("q")
        assert terminal.wait(10) == 0
    assert is_running(publisher.pid)


def test_the_end_of_the_watched_process_is_said(publisher: subprocess.Popen[bytes]) -> None:
    with Terminal([sys.executable, "-m", "radixtop", "attach", f"shm:{publisher.pid}"], SIZE) as terminal:
        terminal.read_until("● live", 30)
        publisher.send_signal(signal.SIGKILL)
        publisher.wait()
        terminal.read_until("is gone without a word", 10)


OURS = "PID-OF-OURS"
"""Stands for the number of the process that runs the test."""


@pytest.mark.parametrize(
    ("target", "code", "words"),
    [
        ("shm:999999999", 1, "there is no process 999999999"),
        (OURS, 1, f"process {OURS} publishes no cache\nhint: call radixtop.attach(cache)"),
        (f"{OURS}-2", 1, "publishes no cache of rank 2"),
        ("run.radixtop", 2, "radixtop play FILE"),
        ("http://127.0.0.1:5", 2, "say which engine it is: sglang://HOST:PORT"),
        ("shm:" + 5_000 * "9", 2, "shm:PID"),
    ],
)
def test_a_target_that_cannot_be_watched_is_explained(
    target: str, code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ours = str(os.getpid())  # not in the name of the test, which is the same in every process that collects it
    assert cli.main(["attach", target.replace(OURS, ours)]) == code
    assert words.replace(OURS, ours) in capsys.readouterr().err
