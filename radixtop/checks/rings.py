"""Which caches are published on this machine."""

from __future__ import annotations

from collections.abc import Iterator

from profiles.cpu.facts import command_of
from profiles.cpu.stacks import program
from radixtop.check import Finding, Status, Subject
from radixtop.target import HOW_TO_PUBLISH, targets

_MOST_TOLD = 20


def check(subject: Subject) -> Iterator[Finding]:
    """List the rings of this user that are being written."""
    found = targets()
    for target in found[:_MOST_TOLD]:
        says = f"{target} ({program(command_of(target.pid))})"
        yield Finding(Status.OK, "cache", says, f"radixtop attach {target}")
    if len(found) > _MOST_TOLD:
        yield Finding(Status.OK, "caches", f"and {len(found) - _MOST_TOLD} more")
    if not found:
        yield Finding(Status.OK, "cache", "no process publishes one now", f"to watch one: {HOW_TO_PUBLISH}")
