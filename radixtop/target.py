"""What `radixtop attach` and `radixtop record` are told to watch: a ring, named by a process."""

from __future__ import annotations

import re
from dataclasses import dataclass

from probes.rings.folder import default_folder, is_locked, list_rings, owner_of, ring_path, spoken_name
from probes.rings.processes import parent_of
from radixtop.errors import RadixtopError, UsageError

_TARGET = re.compile(r"(?:shm:)?(?P<pid>[0-9]{1,18})(?:-(?P<rank>[0-9]{1,18}))?")

_SERVER = re.compile(r".*://.*|(?!shm:)(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):[0-9]{1,5}/?", re.DOTALL)

HOW_TO_PUBLISH = "call radixtop.attach(cache) in the process that has it"


@dataclass(frozen=True, slots=True)
class Target:
    """The ring of a process."""

    pid: int
    rank: int

    @property
    def is_there(self) -> bool:
        """Whether there is a file of that name; it may be none that can be read."""
        return ring_path(default_folder(owner_of(self.pid)), self.pid, self.rank).exists()

    def __str__(self) -> str:
        """Return the text that names this ring."""
        return spoken_name(self.pid, self.rank)


def is_target(text: str) -> bool:
    """Say whether a word can only be meant as a target, not as a command."""
    return ":" in text or _TARGET.fullmatch(text) is not None


def is_server(text: str) -> bool:
    """Say whether a word means a server, also one whose engine it does not say."""
    return _SERVER.fullmatch(text) is not None


def target_of(text: str) -> Target:
    """Return the ring that a text names, by the process that has the cache or by the one that started it.

    A process that has no ring and not exactly one descendant with one is taken at its word. Raises UsageError for a
    text of no known form, RingError where no ring can be.
    """
    found = _TARGET.fullmatch(text)
    if found is None:
        hint = "use PID, shm:PID or shm:PID-RANK; a server: sglang://HOST:PORT; for a file: radixtop play FILE"
        if is_server(text):
            hint = "say which engine it is: sglang://HOST:PORT or vllm://HOST:PORT"
        raise UsageError(f"{text!r} is no target", hint)
    pid, rank = int(found["pid"]), int(found["rank"] or 0)
    writers = {ring.pid for ring in list_rings(default_folder(owner_of(pid))) if ring.rank == rank}
    if pid in writers:
        return Target(pid, rank)
    below = [writer for writer in writers if _descends(writer, pid)]
    return Target(below[0] if len(below) == 1 else pid, rank)


def targets() -> list[Target]:
    """Return the rings of this user that are being written."""
    return [Target(ring.pid, ring.rank) for ring in list_rings(default_folder()) if is_locked(ring.path)]


def only_target() -> Target:
    """Return the one ring of this user that is being written.

    Raises RadixtopError when there is none, UsageError with the list when there are several.
    """
    found = targets()
    if not found:
        raise RadixtopError("no process publishes a cache", f"start one: radixtop live, or {HOW_TO_PUBLISH}")
    if len(found) > 1:
        raise UsageError(f"{len(found)} caches are published", f"choose from: {', '.join(map(_with_program, found))}")
    return found[0]


def ring_below(pid: int) -> Target | None:
    """Return the first ring, by pid and rank, of a process or of anything that descends from it."""
    rings = (ring for ring in list_rings(default_folder()) if is_locked(ring.path))
    return next((Target(ring.pid, ring.rank) for ring in rings if _descends(ring.pid, pid)), None)


def _with_program(target: Target) -> str:
    """Return the target and what its process runs, by which it is known."""
    from profiles.cpu.facts import command_of
    from profiles.cpu.stacks import program

    return f"{target} ({program(command_of(target.pid))})"


def _descends(pid: int | None, ancestor: int) -> bool:
    while pid and pid != ancestor:
        pid = parent_of(pid)
    return pid == ancestor
