"""Whether there is room in memory for the ring of a cache."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from probes.errors import RingError
from probes.rings.folder import default_folder
from radixtop.check import Finding, Status, Subject

ROOM_BYTES = 64 * 1024 * 1024
"""For a ring and the snapshot of a tree of some size beside it."""


def check(subject: Subject) -> Iterator[Finding]:
    """Look at the folder that rings go to."""
    try:
        folder = default_folder()
    except RingError as error:
        yield Finding(Status.MISSING, "shared memory", error.message, error.hint)
        return
    try:
        room = os.statvfs(folder.parent)
    except OSError as error:
        hint = "mount a tmpfs there: docker run --shm-size 1g"
        yield Finding(Status.MISSING, "shared memory", f"{folder.parent}: {error.strerror}", hint)
        return
    yield finding_of(folder.parent, room.f_bavail * room.f_frsize)


def finding_of(place: Path, free_bytes: int) -> Finding:
    """Return what so much room means."""
    says = f"{place}: {free_bytes / 2**20:,.0f} MiB free"
    if free_bytes < ROOM_BYTES:
        hint = "give the container more: docker run --shm-size 1g; or remove what is in there"
        return Finding(Status.WARN, "shared memory", f"{says}, little for a ring and its snapshots", hint)
    return Finding(Status.OK, "shared memory", says)
