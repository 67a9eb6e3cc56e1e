"""Removes the rings and side files that dead processes left behind."""

from __future__ import annotations

import os
from pathlib import Path

from probes.rings import ring
from probes.rings.folder import is_locked, named_files, ring_path
from probes.rings.processes import process_started


def sweep(folder: Path) -> list[Path]:
    """Remove the files of every writer in `folder` that is gone, and return those that could be removed.

    A writer is gone when nobody holds its ring's lock and its process is dead, or a later one has its number.
    """
    stale = [
        path for name, path in named_files(folder) if _is_stale(folder, path, int(name["pid"]), int(name["rank"]))
    ]
    return [path for path in stale if _is_removed(path)]


def _is_removed(path: Path) -> bool:
    try:
        path.unlink(missing_ok=True)
    except OSError:  # a folder of such a name, say: what is not ours to remove must not keep a recorder from starting
        return False
    return True


def _is_stale(folder: Path, path: Path, pid: int, rank: int) -> bool:
    of_ring = ring_path(folder, pid, rank)
    if is_locked(path) or is_locked(of_ring):
        return False
    running = process_started(pid)
    return running is None or (of_ring.exists() and running != _stated_start(of_ring))


def _stated_start(path: Path) -> int:
    """Return when the process that made a ring says it started."""
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NOFOLLOW)) as file:
            return ring.word_at(file.read(ring.HEADER_BYTES).ljust(ring.HEADER_BYTES, b"\0"), ring.PROCESS_STARTED)
    except OSError:
        return -1
