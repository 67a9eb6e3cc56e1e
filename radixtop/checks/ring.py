"""Whether the ring of a process can be read."""

from __future__ import annotations

import os
from collections.abc import Iterator

from probes.rings.folder import default_folder, is_locked, owner_of, ring_path
from probes.rings.processes import process_started
from radixtop.check import Finding, Status, Subject
from radixtop.target import HOW_TO_PUBLISH, Target, targets


def check(subject: Subject) -> Iterator[Finding]:
    """Look at the process and at its ring."""
    target = subject.target
    assert isinstance(target, Target), f"{target=}"
    if process_started(target.pid) is None:
        yield _missing("process", f"no process {target.pid} runs here", _others())
        return
    owner = owner_of(target.pid)
    path = ring_path(default_folder(owner), target.pid, target.rank)
    if not path.exists():
        yield _missing("ring", f"process {target.pid} publishes no cache", f"{HOW_TO_PUBLISH}. {_others()}")
    elif not os.access(path, os.R_OK):
        yield _missing("ring", f"{path} may not be read", f"run it as user {owner}, or with sudo")
    elif not is_locked(path):
        yield Finding(Status.WARN, "ring", f"{path} is not written to any more", f"its cache has ended. {_others()}")
    else:
        yield Finding(Status.OK, "ring", str(path))


def _missing(what: str, says: str, hint: str) -> Finding:
    return Finding(Status.MISSING, what, says, hint, is_needed=True)


def _others() -> str:
    found = targets()
    return f"published now: {', '.join(map(str, found))}" if found else "no cache is published now"
