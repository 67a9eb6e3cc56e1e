"""A part of footage as a recording of its own: what is in it, and what is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from probes.blocks import DELTAS, SLICE, SNAPSHOT_BEGIN, SNAPSHOT_END
from probes.errors import RecordingError
from probes.travel.clip import Clip
from probes.travel.file_footage import FileFootage
from probes.travel.footage import Footage
from probes.travel.history import History
from probes.travel.keeping import KeepingAdapter
from profiles.profile import RecordedProfile
from tests.support.block_script import BlockScript
from tests.support.travelled import write_run


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("clip") / "run.rtrec", steps=120)


def clipped(footage: Footage, until: int) -> list[object]:
    clip = Clip(footage, until)
    assert clip.copy(lambda: True)
    with RecordedProfile(f"/dev/fd/{clip.descriptor}") as profile:
        records: list[object] = list(profile.records())
    clip.close()
    return records


def test_it_has_what_the_run_has_up_to_a_moment(path: Path) -> None:
    footage = FileFootage(path)
    middle = (footage.start + footage.end) // 2
    with RecordedProfile(path) as whole, RecordedProfile(path, middle) as half:
        everything, before = list(whole.records()), list(half.records())
    assert clipped(footage, footage.end) == everything
    assert clipped(footage, middle) == before
    assert 0 < len(before) < len(everything)
    footage.close()


def kept(path: Path, room: int) -> tuple[KeepingAdapter, History, BlockScript]:
    """Return the history of a run that was watched, and the run."""
    script = BlockScript(path, frozenset({DELTAS, SLICE, SNAPSHOT_BEGIN, SNAPSHOT_END}))
    history = History(room, clock=lambda: 0)
    return KeepingAdapter(script, history), history, script


def test_what_is_kept_of_a_live_run_is_as_in_a_recording_of_it(path: Path) -> None:
    adapter, history, script = kept(path, 1 << 20)
    while script.blocks:
        adapter.poll()
    with RecordedProfile(path) as whole:
        assert clipped(history, script.at) == list(whole.records())
    adapter.close()


def test_what_was_written_over_meanwhile_is_told(path: Path) -> None:
    adapter, history, script = kept(path, 1 << 14)
    adapter.poll()
    clip = Clip(history, 1 << 62)
    while script.blocks:
        adapter.poll()
    with pytest.raises(RecordingError, match="was written over"):
        clip.copy(lambda: True)
    clip.close()
    adapter.close()


def test_it_is_copied_as_long_as_one_may(path: Path) -> None:
    footage = FileFootage(path)
    clip = Clip(footage, footage.end)
    turns = iter([True, True, False])
    assert not clip.copy(lambda: next(turns))
    assert clip.copy(lambda: True)
    clip.close()
    footage.close()
