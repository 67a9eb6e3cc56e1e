"""The folder of the rings: whose it is, and which files in it are swept."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from probes.errors import RingError
from probes.rings import folder as folders
from probes.rings import ring
from probes.rings.folder import check_folder, default_folder, list_rings, make_folder
from probes.rings.sweep import sweep
from tests.probes.conftest import MakeRecorder
from tests.probes.rings.test_reader import poke
from tests.support.processes import dead_pid


def test_a_new_folder_is_private(folder: Path) -> None:
    assert stat.S_IMODE(make_folder(folder).stat().st_mode) == 0o700


def test_a_folder_of_ours_that_others_may_enter_is_closed(folder: Path) -> None:
    folder.mkdir(mode=0o755)
    make_folder(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_link_in_place_of_the_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    folder.symlink_to(tmp_path)
    with pytest.raises(RingError, match="is no folder"):
        make_folder(folder)


def test_a_folder_of_someone_else_is_refused(folder: Path) -> None:
    folder.mkdir()
    with pytest.raises(RingError, match="belongs to user"):
        check_folder(folder, os.geteuid() + 1)


def test_the_folder_is_in_shared_memory_or_in_the_runtime_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(folders, "SHARED_MEMORY", tmp_path)
    assert default_folder(7) == tmp_path / "radixtop-7"
    monkeypatch.setattr(folders, "SHARED_MEMORY", tmp_path / "missing")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert default_folder(7) == tmp_path / "radixtop-7"
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    with pytest.raises(RingError, match="XDG_RUNTIME_DIR"):
        default_folder()


def test_files_of_dead_processes_are_swept_and_the_rest_stays(make_recorder: MakeRecorder) -> None:
    ours = make_recorder().ring_path
    pid = dead_pid()
    stale = [ours.with_name(f"{pid}-0.{rest}") for rest in ("ring", "ring.new", "3.snapshot")]
    foreign = ours.with_name("notes.txt")
    side_file = ours.with_name(f"{os.getpid()}-0.1.snapshot")
    for path in (*stale, foreign, side_file):
        path.touch()
    assert sorted(sweep(ours.parent)) == sorted(stale)
    assert {path.name for path in ours.parent.iterdir()} == {ours.name, foreign.name, side_file.name}


def test_a_ring_whose_number_went_to_a_later_process_is_swept(make_recorder: MakeRecorder) -> None:
    ours = make_recorder().ring_path
    copy = ours.with_name(f"{os.getpid()}-5.ring")
    copy.write_bytes(ours.read_bytes())
    assert sweep(ours.parent) == []
    poke(copy, ring.PROCESS_STARTED, 1)
    assert sweep(ours.parent) == [copy]


def test_the_next_start_sweeps(make_recorder: MakeRecorder, folder: Path) -> None:
    make_folder(folder)
    left = folder / f"{dead_pid()}-0.ring"
    left.touch()
    make_recorder()
    assert not left.exists()


def test_what_cannot_be_swept_stays_and_stops_nobody(make_recorder: MakeRecorder, folder: Path) -> None:
    make_folder(folder)
    strange = folder / f"{dead_pid()}-0.ring"
    strange.mkdir()
    assert make_recorder().ring_path.exists()
    assert sweep(folder) == []
    assert strange.exists()


def test_rings_are_listed_by_process_and_rank(folder: Path) -> None:
    make_folder(folder)
    for name in ("20-1.ring", "20-0.ring", "3-0.ring", "3-0.1.snapshot", "x.ring"):
        (folder / name).touch()
    assert [(ring_name.pid, ring_name.rank) for ring_name in list_rings(folder)] == [(3, 0), (20, 0), (20, 1)]
