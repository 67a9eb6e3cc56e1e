"""Whatever happened to a recording, every way of reading it ends in a result or in one clear error."""

from __future__ import annotations

import json
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cache_core.events import RequestFinished
from probes.blocks import HEADER_BYTES, INDEX, MAGIC, MAX_BLOCK_WORDS, TRAILER, encode_block, open_block
from probes.errors import RecordingError
from probes.recordings.header import RECORDING_MAGIC, encode_header
from probes.recordings.outline import outline
from probes.recordings.recording import RecordingReader
from profiles.overview import overview
from profiles.profile import RecordedProfile
from profiles.recording import Recording
from radixtop import cli
from radixtop.playing.saved_run import SavedRun
from radixtop.reports import overview_text
from tests.probes.recordings.test_playback import tape
from tests.support.taped import Cut

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module")
def taped(tmp_path_factory: pytest.TempPathFactory) -> Cut:
    """A recording of a real cache with snapshots, an index and a trailer."""
    return tape(tmp_path_factory.mktemp("taped") / "run.rtrec", 11)[1]


def read_in_every_way(path: Path) -> None:
    """Read a file as a report, as a stream, as a screen and as a tree, or not at all and say so."""
    try:
        overview(path, check=True)
    except RecordingError:
        for read in (export_it, lambda of: overview(of, check=True)):
            with pytest.raises(RecordingError):
                read(path)
        return
    for check in (False, True):
        found = overview(path, check)
        text = list(overview_text.lines(found))
        assert all(line.isprintable() for line in text)
    if found.records.total:
        stream(path)
    with suppress(RecordingError):  # what is whole may yet be too large to be true
        export_it(path)
    play(path)


def stream(path: Path) -> None:
    with Recording(path) as recording:
        every = list(recording.records())
        assert list(recording.records({RequestFinished})) == [r for r in every if isinstance(r, RequestFinished)]
        assert all(remark.isprintable() for remark in recording.remarks)


def export_it(path: Path) -> None:
    with RecordedProfile(path) as profile:
        assert profile.forest is not None


def play(path: Path) -> None:
    passed = 0
    run = SavedRun(path, clock=lambda: passed)
    run.begin(0, 1.0, is_paused=True)
    for place in (None, 0.7, 0.2, 0.9):
        if place is not None:
            assert run.moment is not None
            run.seek(run.moment.start + int(place * min(run.moment.end - run.moment.start, 10**12)))
        for _ in range(3):
            assert run.tick(0).faults == ()
            passed += 10**7
    run.close()


def _cut(raw: bytearray, rng: Random) -> bytearray:
    return raw[: rng.randrange(len(raw) + 1)]


def _flip(raw: bytearray, rng: Random) -> bytearray:
    if raw:
        raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
    return raw


def _overwrite(raw: bytearray, rng: Random) -> bytearray:
    at, size = rng.randrange(len(raw) + 1), rng.randrange(200)
    raw[at : at + size] = rng.choice((bytes(size), rng.randbytes(size), MAGIC.to_bytes(8, "little") * (size // 8)))
    return raw


def _leave_out(raw: bytearray, rng: Random) -> bytearray:
    at = rng.randrange(len(raw) + 1)
    del raw[at : at + rng.randrange(3000)]
    return raw


def _repeat(raw: bytearray, rng: Random) -> bytearray:
    at = rng.randrange(len(raw) + 1)
    piece = raw[at : at + rng.randrange(3000)]
    to = rng.randrange(len(raw) + 1)
    return raw[:to] + piece + raw[to:]


MUTATIONS: tuple[Callable[[bytearray, Random], bytearray], ...] = (
    _cut,
    _flip,
    _flip,
    _overwrite,
    _leave_out,
    _repeat,
)


@given(st.integers(0, 2**32), st.lists(st.sampled_from(MUTATIONS), min_size=1, max_size=5))
@settings(max_examples=40, deadline=None)
def test_damage_of_bytes(taped: Cut, seed: int, mutations: list[Callable[[bytearray, Random], bytearray]]) -> None:
    rng = Random(seed)
    raw = bytearray(taped.header + b"".join(block for _, block in taped.blocks))
    for mutate in mutations:
        raw = mutate(raw, rng)
    taped.path.write_bytes(raw)
    read_in_every_way(taped.path)


@given(st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_whole_blocks_in_disorder(taped: Cut, seed: int) -> None:
    rng = Random(seed)
    blocks = [block for _, block in taped.blocks]
    for _ in range(rng.randrange(1, 6)):
        at, to, many = rng.randrange(len(blocks)), rng.randrange(len(blocks)), rng.randrange(1, 12)
        moved = blocks[at : at + many]
        if rng.random() < 0.6:
            del blocks[at : at + many]
        if rng.random() < 0.6:
            blocks[to:to] = moved
        blocks = blocks or [blocks_of_nothing()]
    taped.path.write_bytes(taped.header + b"".join(blocks))
    read_in_every_way(taped.path)


def blocks_of_nothing() -> bytes:
    return encode_block(open_block(0, 0, 0), [])


@given(st.data())
@settings(max_examples=35, deadline=None)
def test_an_index_and_a_trailer_that_lie(taped: Cut, data: st.DataObject) -> None:
    whole = taped.header + b"".join(block for _, block in taped.blocks)
    starts = [len(taped.header)]
    for _, block in taped.blocks:
        starts.append(starts[-1] + len(block))
    offsets = st.one_of(st.sampled_from(starts), st.integers(-(2**63), 2**63 - 1), st.integers(0, len(whole)))
    raw = bytearray(whole)
    for number in (n for n, (kind, _) in enumerate(taped.blocks) if kind in (INDEX, TRAILER)):
        words = len(taped.blocks[number][1]) // 8
        for _ in range(data.draw(st.integers(0, 2))):
            word = data.draw(st.integers(7, words - 1))
            struct.pack_into("<q", raw, starts[number] + 8 * word, data.draw(offsets))
        seal(raw, starts[number], words)
    taped.path.write_bytes(raw)
    read_in_every_way(taped.path)


def seal(raw: bytearray, at: int, words: int) -> None:
    """Give a block the checksum of what is in it now."""
    struct.pack_into("<I", raw, at + 40, 0)
    struct.pack_into("<I", raw, at + 40, crc32(raw[at : at + 8 * words]))


def test_a_chain_of_indexes_that_leads_to_itself_is_left(taped: Cut) -> None:
    raw = bytearray(taped.header + b"".join(block for _, block in taped.blocks))
    number = taped.numbers(INDEX)[-1]
    at = len(taped.header) + sum(len(block) for _, block in taped.blocks[:number])
    struct.pack_into("<q", raw, at + HEADER_BYTES + 16, at)
    seal(raw, at, len(taped.blocks[number][1]) // 8)
    taped.path.write_bytes(raw)
    found = outline(RecordingReader(taped.path))
    assert sum(found.kinds.values()) == found.totals.records > 0
    assert len(found.places) == 4


FORGERIES: dict[str, bytes] = {
    "headers that claim the longest block": struct.pack("<6q", MAGIC, 1, 0, 0, MAX_BLOCK_WORDS << 32, 0),
    "headers that claim a middling block": struct.pack("<6q", MAGIC, 1, 0, 0, 4096 << 32, 0),
    "magic words": MAGIC.to_bytes(8, "little"),
    "empty blocks": encode_block(open_block(1, 0, 0), []),
    "snapshots that never end": encode_block(open_block(0, 0, 0, 2), []),
    "gaps before snapshots that never end": b"".join(
        encode_block(open_block(0, seq, 0, kind), []) for seq, kind in ((0, 0), (9, 2), (2, 1), (20, 0), (30, 2))
    ),
    "text": b"RTBLOCK",
}


@pytest.mark.parametrize("name", FORGERIES)
def test_time_grows_with_the_file_and_no_faster(name: str, tmp_path: Path) -> None:
    def seconds(size: int) -> float:
        path = tmp_path / str(size)
        path.write_bytes(encode_header({}) + FORGERIES[name] * (size // len(FORGERIES[name])))
        began = time.process_time()
        for read in (overview, export_it):
            with suppress(RecordingError):
                read(path)
        return time.process_time() - began

    small = seconds(1 << 18)
    assert seconds(1 << 20) < 12 * small + 1


@pytest.mark.parametrize(
    "config",
    [
        b'{"a": "\xff"}',
        b"{" + b'"a":{' * 500 + b"}" * 501,
        b"[" * 900 + b"]" * 900,
        b'{"a": 1',
        b"7",
        b"1" * 5000,
        b"",
    ],
)
def test_a_configuration_that_is_none_is_one_error(config: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.rtrec"
    path.write_bytes(struct.pack("<8s4I", RECORDING_MAGIC, 2, len(config), crc32(config), 0) + config)
    read_in_every_way(path)
    with pytest.raises(RecordingError, match="no configuration"):
        overview(path)


def test_odd_configurations_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.rtrec"
    text = b'{"a": NaN, "workload": "\\ud800\\u001b[31m", "anchor": [1e400, {}], "components": ["x"], "x_slots": -5}'
    path.write_bytes(struct.pack("<8s4I", RECORDING_MAGIC, 2, len(text), crc32(text), 0) + text)
    read_in_every_way(path)
    assert cli.main(["profile", "info", str(path)]) == 0
    assert "\x1b" not in capsys.readouterr().out
    assert cli.main(["profile", "info", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["config"]["a"] is None


@pytest.mark.parametrize("command", ["info", "flame"])
def test_a_file_that_is_no_recording_is_one_error_and_exit_1(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.rtrec"
    for raw in (b"", b"hello", RECORDING_MAGIC, RECORDING_MAGIC + bytes(16), encode_header({})[:-1]):
        path.write_bytes(raw)
        assert cli.main(["profile", command, str(path)]) == 1
        shown = capsys.readouterr()
        assert shown.out == ""
        assert "Traceback" not in shown.err
        assert str(path) in shown.err


def test_a_file_of_nothing_but_damage_is_one_error_and_exit_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.rtrec"
    path.write_bytes(encode_header({}) + b"nonsense" * 1000)
    for command in ("info", "flame"):
        assert cli.main(["profile", command, str(path)]) == 1
        shown = capsys.readouterr()
        assert shown.out == ""
        assert shown.err.count("\n") <= 2  # what happened, and what to do
        assert "nothing that can be read" in shown.err


@pytest.mark.parametrize("seed", range(20))
def test_commands_on_damage_end_with_a_result_and_a_remark_or_with_an_error(
    taped: Cut, seed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = Random(seed)
    raw = bytearray(taped.header + b"".join(block for _, block in taped.blocks))
    for _ in range(3):
        raw = rng.choice(MUTATIONS)(raw, rng)
    taped.path.write_bytes(raw)
    for command in (["info"], ["info", "--check"], ["flame"]):
        code = cli.main(["profile", *command, str(taped.path)])
        shown = capsys.readouterr()
        assert code in (0, 1)
        assert bool(shown.out) == (code == 0)
        assert "Traceback" not in shown.err
        assert shown.err or command != ["flame"], "damage must be told"
