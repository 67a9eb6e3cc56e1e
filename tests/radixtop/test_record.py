"""`radixtop record` on real processes: the tree in the file is the cache's, whoever ends and however."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from probes.adapters.recording import RecordingAdapter
from probes.blocks import SNAPSHOT_END
from probes.recordings.recording import RecordingReader
from probes.rings.folder import default_folder
from radixtop import cli
from radixtop.bench.terminal import Terminal
from tests.probes.test_two_processes import Follower, assert_mirrors
from tests.support.cache_process import CacheProcess
from tests.support.processes import is_running, rings_of, until
from tests.support.recorded_tree import recorded_mirror
from tests.support.recorder_process import OWN_TERMINAL, Record


@pytest.fixture
def start() -> Iterator[Callable[..., CacheProcess]]:
    """Starts processes with a cache under random load and ends them."""
    started: list[CacheProcess] = []

    def start(slots: int = 1024, seed: int = 1) -> CacheProcess:
        started.append(CacheProcess(default_folder(), slots=slots, seed=seed))
        return started[-1]

    yield start
    for process in started:
        process.end()


@pytest.fixture
def watched(start: Callable[..., CacheProcess]) -> CacheProcess:
    """A process with a cache that has something in it."""
    process = start()
    process.ask("run 300")
    return process


def seen(path: Path) -> int:
    """Return how many records a growing file has."""
    return sum(block.record_count for block in RecordingReader(path).blocks())


def flush_until_whole(process: CacheProcess, path: Path, snapshots: int) -> None:
    """Let a process answer what the recorder asks for, which it does at its flushes."""

    def is_whole() -> bool:
        process.ask("run 1")
        return [block.kind for block in RecordingReader(path).blocks()].count(SNAPSHOT_END) >= snapshots

    until(is_whole, 20, "a recording with the tree")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_file_in_order(
    number: signal.Signals, record: Record, watched: CacheProcess, tmp_path: Path
) -> None:
    recorder = record("-o", "run.rtrec", f"shm:{watched.pid}").begun()
    watched.ask("run 500")
    ended = recorder.ended(number)
    path = tmp_path / "run.rtrec"
    assert (ended.code, ended.document["ended_by"]) == (0, number.name)
    assert_mirrors(recorded_mirror(path), watched.tree())
    assert ended.document["files"] == ["run.rtrec"]
    assert ended.document["bytes"] == path.stat().st_size
    assert "radixtop play run.rtrec" in ended.said


def test_a_recording_from_the_first_record_on_counts_all_of_them(
    record: Record, start: Callable[..., CacheProcess], tmp_path: Path
) -> None:
    process = start(seed=5)
    recorder = record("-o", "run.rtrec", f"shm:{process.pid}").begun()
    process.ask("run 400")
    document = recorder.ended(signal.SIGINT).document
    reader = RecordingReader(tmp_path / "run.rtrec")
    assert document["records"] == [*reader.blocks()][-1].end_seq
    assert (document["lost_records"], document["torn_blocks"], reader.ending) == (0, 0, "")


def test_a_late_one_begins_with_the_tree(record: Record, start: Callable[..., CacheProcess], tmp_path: Path) -> None:
    process = start(slots=16)
    process.ask("run 2000")
    recorder = record("-o", "run.rtrec", f"shm:{process.pid}").begun()
    flush_until_whole(process, tmp_path / "run.rtrec", snapshots=1)
    process.ask("run 20")
    recorder.ended(signal.SIGINT)
    assert_mirrors(recorded_mirror(tmp_path / "run.rtrec"), process.tree())


def test_what_was_missed_is_counted_and_the_tree_is_right_again(
    record: Record, start: Callable[..., CacheProcess], tmp_path: Path
) -> None:
    process = start(slots=16)
    recorder = record("-o", "run.rtrec", f"shm:{process.pid}").begun()
    process.ask("run 5")
    until(lambda: seen(tmp_path / "run.rtrec"), 10, "a record")
    recorder.process.send_signal(signal.SIGSTOP)
    process.ask("run 3000")
    recorder.process.send_signal(signal.SIGCONT)
    flush_until_whole(process, tmp_path / "run.rtrec", snapshots=1)
    ended = recorder.ended(signal.SIGINT)
    assert ended.document["lost_records"] > 1000
    assert f"{ended.document['lost_records']:,} lost" in ended.said
    tree = process.tree()
    assert_mirrors(recorded_mirror(tmp_path / "run.rtrec"), tree)
    played = Follower(RecordingAdapter(tmp_path / "run.rtrec", speed=float("inf")))
    while played.poll():
        pass
    assert_mirrors(played.mirror, tree)
    assert played.adapter.state().dropped_records == ended.document["lost_records"]


def test_a_process_that_ends_ends_its_recording(record: Record, watched: CacheProcess, tmp_path: Path) -> None:
    recorder = record("-o", "run.rtrec", f"shm:{watched.pid}").begun()
    watched.end()
    ended = recorder.ended()
    assert (ended.code, ended.document["ended_by"]) == (0, f"shm:{watched.pid} ended: told to end")
    reader = RecordingReader(tmp_path / "run.rtrec")
    assert [*reader.blocks()]
    assert reader.closed_reason == ended.document["ended_by"]


def test_what_a_process_says_at_its_end_cannot_draw_on_the_terminal(record: Record, tmp_path: Path) -> None:
    script = """
import radixtop
from cache_core import CacheConfig, PrefixCache
recorder = radixtop.attach(PrefixCache(CacheConfig(components=("full",), full_slots=100)))
recorder.flush()
input()
recorder.close("bye \\x1b[31m\\rred")
"""
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE) as process:
        until(lambda: rings_of(process.pid), 20, "a ring")
        recorder = record("-o", "run.rtrec", f"shm:{process.pid}").begun()
        process.communicate(b"\n")
        assert "bye ·[31m·red" in recorder.ended().said


def test_a_process_that_is_killed_leaves_all_it_flushed(
    record: Record, watched: CacheProcess, tmp_path: Path
) -> None:
    recorder = record("-o", "run.rtrec", f"shm:{watched.pid}").begun()
    watched.ask("run 700")
    tree = watched.tree()
    watched.kill()
    ended = recorder.ended()
    assert ended.code == 0
    assert "gone without a word" in ended.said
    assert_mirrors(recorded_mirror(tmp_path / "run.rtrec"), tree)


def test_a_recorder_that_is_killed_leaves_a_file_and_a_living_cache(
    record: Record, watched: CacheProcess, tmp_path: Path
) -> None:
    path = tmp_path / "run.rtrec"
    recorder = record("-o", str(path), f"shm:{watched.pid}").begun()
    watched.ask("run 300")
    tree = watched.tree()
    size = path.stat().st_size
    until(lambda: path.stat().st_size == size or seen(path) > 500, 10, "all records")
    recorder.process.kill()
    recorder.process.wait()
    reader = RecordingReader(path)
    assert [*reader.blocks()]
    assert "was not closed" in reader.ending
    assert watched.tree().rows == tree.rows


def test_a_full_disk_ends_it_and_keeps_what_is_there(record: Record, watched: CacheProcess, tmp_path: Path) -> None:
    path = tmp_path / "run.rtrec"
    recorder = record("-o", "run.rtrec", f"shm:{watched.pid}").begun()
    limit = path.stat().st_size + 60_000
    resource.prlimit(recorder.process.pid, resource.RLIMIT_FSIZE, (limit, limit))
    watched.ask("run 5000")
    ended = recorder.ended()
    assert ended.code == 1
    assert "File too large" in ended.document["fault"]
    assert ended.document["fault"] in ended.said
    assert seen(path) >= ended.document["records"] > 100
    assert is_running(watched.pid)


@pytest.mark.parametrize("size", ["64000", "70.001kB", "0.0655MiB"])
def test_files_of_any_size_are_whole(size: str, record: Record, watched: CacheProcess, tmp_path: Path) -> None:
    recorder = record("-o", "run.rtrec", "--max-size", size, "--keep", "3", f"shm:{watched.pid}").begun()
    for _ in range(40):
        watched.ask("run 100")
    ended = recorder.ended(signal.SIGINT)
    assert ended.document["files"] == ["run.rtrec", "run.rtrec.1", "run.rtrec.2"]
    assert_mirrors(recorded_mirror(tmp_path / "run.rtrec"), watched.tree())
    ends = [0]
    for name in reversed(ended.document["files"]):
        reader = RecordingReader(tmp_path / name)
        blocks = [*reader.blocks()]
        assert reader.ending == ""
        assert blocks[0].first_seq == ends[-1] or len(ends) == 1
        ends.append(blocks[-1].end_seq)
        assert (tmp_path / name).stat().st_size <= 70_001
    assert ended.document["bytes"] == sum((tmp_path / name).stat().st_size for name in ended.document["files"])


def test_a_file_that_is_removed_meanwhile_is_a_fault(record: Record, watched: CacheProcess, tmp_path: Path) -> None:
    recorder = record("-o", "run.rtrec", f"shm:{watched.pid}").begun()
    (tmp_path / "run.rtrec").unlink()
    ended = recorder.ended(signal.SIGINT)
    assert (ended.code, ended.document["files"]) == (1, [])
    assert "run.rtrec was removed while it was written" in ended.said
    assert "look at it" not in ended.said


def test_a_name_is_shown_as_a_shell_takes_it(record: Record, watched: CacheProcess) -> None:
    ended = record("--duration", "1s", "-o", "-a b.rtrec", f"shm:{watched.pid}").ended()
    assert ended.code == 0
    assert "radixtop play './-a b.rtrec'" in ended.said


def test_a_duration_ends_it(record: Record, watched: CacheProcess) -> None:
    ended = record("--duration", "0.3s", f"shm:{watched.pid}").ended()
    assert (ended.code, ended.document["ended_by"]) == (0, "--duration")
    assert 0.3 <= ended.document["duration_s"] < 10
    assert ended.document["files"][0].startswith(f"radixtop-{watched.pid}-")


def test_a_file_that_is_there_is_left_alone_unless_told(
    record: Record, watched: CacheProcess, tmp_path: Path
) -> None:
    (tmp_path / "run.rtrec").write_text("mine")
    refused = record("-o", "run.rtrec", f"shm:{watched.pid}").ended()
    assert (refused.code, (tmp_path / "run.rtrec").read_text()) == (2, "mine")
    assert "--force" in refused.said
    assert record("-o", "run.rtrec", "--force", "--duration", "0.1s", f"shm:{watched.pid}").ended().code == 0


@pytest.mark.parametrize(
    ("path", "code", "words"),
    [
        ("missing/run.rtrec", 1, "No such file or directory"),
        ("/dev/null", 2, "no regular file"),
        (".", 2, "no regular file"),
    ],
)
def test_a_place_that_takes_no_file_is_refused_at_once(
    path: str, code: int, words: str, capsys: pytest.CaptureFixture[str], watched: CacheProcess
) -> None:
    assert cli.main(["record", "-o", path, f"shm:{watched.pid}"]) == code
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--keep", "3", "shm:1"], "--max-size"),
        (["--after", "3s", "shm:1"], "--on"),
        (["--again", "shm:1"], "--on"),
        (["--on", "flood", "shm:1"], "choose from eviction-storm, hit-drop"),
        (["--on", "hit-drop:speed=1", "shm:1"], "factor"),
        (["--on", "hit-drop:factor=much", "shm:1"], "no number"),
        (["--max-size", "10", "shm:1"], "at least 64kB"),
        (["--max-size", "ten", "shm:1"], "such as 100MB"),
        (["--duration", "soon", "shm:1"], "such as 10s"),
        (["--duration", "0", "shm:1"], "such as 10s"),
        (["tcp://127.0.0.1:5"], "which cannot be recorded"),
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["record", *arguments]) == 2
    assert words in " ".join(capsys.readouterr().err.split())


def test_on_a_terminal_one_line_is_written_over(watched: CacheProcess, tmp_path: Path) -> None:
    path = tmp_path / "run.rtrec"
    command = [sys.executable, "-m", "radixtop", "record", "-o", str(path), f"shm:{watched.pid}"]
    with Terminal([sys.executable, "-c", OWN_TERMINAL, *command], (100, 30)) as terminal:
        terminal.read_until("records", 20)
        terminal.read_until("00:00:01", 20)
        terminal.type("\x03")
        assert terminal.wait(20) == 0
    assert "wrote " in terminal.text
    assert terminal.text.count("\r") > terminal.text.count("\n") + 3
    drawn = [line for line in terminal.text.replace("\n", "\r").split("\r") if line.startswith("00:")]
    assert len(drawn) > 3
    assert max(map(len, drawn)) < 100
