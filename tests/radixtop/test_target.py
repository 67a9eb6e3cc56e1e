"""What is watched when nothing is named, and which ring belongs to a command."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cache_core import CacheConfig, PrefixCache
from probes.recorder import FlightRecorder
from probes.rings.processes import parent_of
from profiles.cpu.facts import command_of
from profiles.cpu.stacks import program
from radixtop import attach, cli
from radixtop.errors import RadixtopError, UsageError
from radixtop.target import Target, only_target, ring_below


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No ring of anybody else is seen."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        monkeypatch.setattr("probes.rings.folder.SHARED_MEMORY", Path(folder))
        yield


@pytest.fixture
def publish() -> Iterator[Callable[[int], FlightRecorder]]:
    """Publishes a cache of this process under a rank."""
    recorders: list[FlightRecorder] = []

    def publish(rank: int) -> FlightRecorder:
        recorders.append(attach(PrefixCache(CacheConfig(components=("full",), full_slots=100)), rank))
        return recorders[-1]

    yield publish
    for recorder in recorders:
        recorder.close()


def test_the_only_cache_needs_no_name(publish: Callable[[int], FlightRecorder]) -> None:
    publish(3)
    assert only_target() == Target(os.getpid(), 3)
    assert str(only_target()) == f"shm:{os.getpid()}-3"


def test_the_only_cache_is_attached_to(
    publish: Callable[[int], FlightRecorder], capsys: pytest.CaptureFixture[str]
) -> None:
    publish(0)
    assert cli.main(["attach", "--json", "--duration", "0.1"]) == 0
    assert json.loads(capsys.readouterr().out)["config"]["components"] == ["full"]


def test_of_several_none_is_guessed(
    publish: Callable[[int], FlightRecorder], capsys: pytest.CaptureFixture[str]
) -> None:
    publish(0)
    publish(1)
    with pytest.raises(UsageError):
        only_target()
    assert [cli.main(["record"]), cli.main(["attach"])] == [2, 2]
    said = capsys.readouterr().err
    runs = re.escape(program(command_of(os.getpid())))
    assert re.search(rf"choose from: shm:{os.getpid()} \({runs}\), shm:{os.getpid()}-1 \({runs}\)", said)


def test_without_any_it_is_said_how_to_make_one(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RadixtopError):
        only_target()
    assert cli.main(["record"]) == 1
    assert "radixtop.attach(cache)" in capsys.readouterr().err


def test_what_a_dead_process_left_is_no_target(publish: Callable[[int], FlightRecorder]) -> None:
    path = publish(0).ring_path
    path.with_name("999999-0.ring").write_bytes(path.read_bytes())
    assert only_target() == Target(os.getpid(), 0)


def test_a_ring_is_below_every_ancestor_of_its_process(publish: Callable[[int], FlightRecorder]) -> None:
    publish(0)
    target = Target(os.getpid(), 0)
    parent = parent_of(os.getpid())
    assert parent is not None
    assert (ring_below(os.getpid()), ring_below(parent)) == (target, target)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert ring_below(child.pid) is None


@pytest.mark.parametrize("word", ["localhost:30000", "10.0.0.7:8000/", "[::1]:30000"])
@pytest.mark.parametrize("command", ["attach", "doctor"])
def test_a_server_whose_engine_is_not_said_is_asked_for_it(
    command: str, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([command, word]) == 2
    said = capsys.readouterr().err
    assert said.endswith("hint: say which engine it is: sglang://HOST:PORT or vllm://HOST:PORT\n")


@pytest.mark.parametrize("word", ["sglang://gpu1:30000", "tcp://gpu1:5557", "localhost:30000"])
def test_a_server_is_not_recorded_and_the_way_to_a_recording_is_told(
    word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["record", word]) == 2
    said = capsys.readouterr().err
    assert f"{word!r} is a server, which cannot be recorded" in said and "radixtop run -- COMMAND" in said


def test_a_process_that_does_not_run_is_not_asked_to_publish(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["attach", str(2**22 + 1), "--once"]) == 1
    said = capsys.readouterr().err
    assert "there is no process" in said and "it has ended" in said and "radixtop.attach" not in said
