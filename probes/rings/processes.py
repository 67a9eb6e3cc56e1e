"""What Linux says of other processes."""

from __future__ import annotations

from pathlib import Path

_STATE, _PARENT, _STARTED = 0, 1, 19
"""Of what follows the name of a program in /proc/PID/stat."""


def process_started(pid: int) -> int | None:
    """Return when a process started, in clock ticks since boot, or None when there is no such process.

    One that is dead and waits to be reaped is none: in a container that may last as long as the container.
    """
    fields = _fields_of(pid)
    return None if not fields or fields[_STATE] in "ZX" else int(fields[_STARTED])


def parent_of(pid: int) -> int | None:
    """Return the process that a process is a child of, None for one that is not there."""
    fields = _fields_of(pid)
    return int(fields[_PARENT]) if fields else None


def _fields_of(pid: int) -> list[str]:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()  # the name before that may hold anything, brackets as well
