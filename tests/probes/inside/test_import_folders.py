"""Folders of links to our packages go when nobody uses them any more."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from probes.inside.environment import import_folder
from probes.inside.import_folders import held_folder, sweep_folders


def old(folder: Path) -> Path:
    """Return a folder that was last taken into use long ago."""
    os.utime(folder, (0, 0))
    return folder


def test_a_folder_is_there_as_long_as_somebody_holds_it_and_goes_at_the_next_start(tmp_path: Path) -> None:
    mine, fd = held_folder("1.0", tmp_path)
    theirs, other = held_folder("1.1", tmp_path)
    holder = subprocess.Popen(
        [sys.executable, "-c", "input()"], pass_fds=[other], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    os.close(other)
    with holder:
        assert os.get_inheritable(fd)
        assert sweep_folders(tmp_path, mine) == [] and old(theirs).is_dir()
        assert sweep_folders(tmp_path, mine) == []
        holder.communicate(b"\n", timeout=30)
    assert sweep_folders(tmp_path, old(mine)) == [theirs]
    assert (mine / "probes" / "inside").is_dir() and not theirs.exists()
    os.close(fd)


def test_what_was_just_made_and_what_is_no_folder_of_ours_stay(tmp_path: Path) -> None:
    fresh = import_folder("1.2", tmp_path)
    link = tmp_path / "import-link"
    link.symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "import-file").write_text("")
    assert sweep_folders(tmp_path, tmp_path / "import-mine") == []
    assert fresh.is_dir() and link.is_symlink()


def test_the_packages_that_a_folder_links_to_are_not_removed_with_it(tmp_path: Path) -> None:
    folder = old(import_folder("1.3", tmp_path))
    package = (folder / "probes").resolve()
    assert sweep_folders(tmp_path, tmp_path / "import-mine") == [folder]
    assert (package / "__init__.py").is_file()
