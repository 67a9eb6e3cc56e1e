"""What `radixtop attach` is told to watch: a ring, named by a process."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from probes.folder import default_folder, list_rings, owner_of
from radixtop.errors import UsageError

_SHM = re.compile(r"shm:(?P<pid>[0-9]{1,18})(?:-(?P<rank>[0-9]{1,18}))?")


@dataclass(frozen=True, slots=True)
class Target:
    """The ring of a process."""

    pid: int
    rank: int


def target_of(text: str) -> Target:
    """Return the ring that a text names, by the process that has the cache or by the one that started it.

    A process that has no ring and not exactly one child with one is taken at its word. Raises UsageError for a text
    of no known form, RingError where no ring can be.
    """
    found = _SHM.fullmatch(text)
    if found is None:
        raise UsageError(f"{text!r} is no target", "use shm:PID or shm:PID-RANK; for a file: radixtop play FILE")
    pid, rank = int(found["pid"]), int(found["rank"] or 0)
    writers = {ring.pid for ring in list_rings(default_folder(owner_of(pid))) if ring.rank == rank}
    if pid in writers:
        return Target(pid, rank)
    children = [writer for writer in writers if _parent_of(writer) == pid]
    return Target(children[0] if len(children) == 1 else pid, rank)


def _parent_of(pid: int) -> int | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    return int(text.rpartition(")")[2].split()[1])
