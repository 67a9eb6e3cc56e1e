"""Which folders of links to our packages are still in use: each version and place of radixtop has one of its own.

Who uses one holds a shared lock on it. The lock outlives `exec` and is seen from other containers, which process ids
are not.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree

from probes.errors import RingError
from probes.inside.environment import import_folder

_FRESH_S = 60.0
"""Who has just made one may not have locked it yet."""


def held_folder(version: str, beside: Path | None = None) -> tuple[Path, int]:
    """Make the folder unless it is there, and return it with the descriptor that keeps it there.

    Whatever takes the place of this process inherits that. Raises RingError where the folder cannot be.
    """
    while True:
        folder = import_folder(version, beside)
        try:
            fd = _held(folder)
        except FileNotFoundError:  # swept between the two
            continue
        except OSError as error:
            raise RingError(f"cannot use {folder}: {error.strerror}", "remove it") from error
        os.set_inheritable(fd, True)
        return folder, fd


def _held(folder: Path) -> int:
    """Return a descriptor of a folder that holds its lock. Raises FileNotFoundError when it went before that."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(fd, fcntl.LOCK_SH)
        os.utime(folder)
        if not os.path.samestat(os.fstat(fd), os.stat(folder)):
            raise FileNotFoundError(folder)
    except OSError:
        os.close(fd)
        raise
    return fd


def sweep_folders(beside: Path, but: Path) -> list[Path]:
    """Remove the folders that nobody uses, besides one, and return them."""
    stale = [folder for folder in sorted(beside.glob("import-*")) if folder != but]
    return [folder for folder in stale if _is_removed(folder)]


def _is_removed(folder: Path) -> bool:
    try:
        with _alone(folder) as is_alone:
            if is_alone and time.time() - os.lstat(folder).st_mtime > _FRESH_S:
                rmtree(folder)
                return True
    except OSError:  # a file of such a name, or one of another user: not ours to remove, and no reason not to start
        pass
    return False


@contextmanager
def _alone(folder: Path) -> Iterator[bool]:
    """In a `with`, say whether nobody else holds a folder; nobody can begin to meanwhile."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield True
    except BlockingIOError:
        yield False
    finally:
        os.close(fd)
