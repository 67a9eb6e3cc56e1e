"""The contract of a check of `radixtop doctor`, and the tables of them: what works here, and what a target gives.

A check is a function of what it looks at; it returns findings, raises no error that it can put into words, and waits
for nothing past the deadline: `doctor/examine.py` runs all at once and goes on without one that does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from cache_core.registry import Registry
from probes.engines.access import Access
from probes.engines.connection import Deadline
from radixtop.engine_target import EngineTarget, StreamTarget
from radixtop.target import Target


class Status(StrEnum):
    """How something is: it works, it works with a catch, it does not."""

    OK = "ok"
    WARN = "warn"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line: what was looked at, how it is, and what to do: a flag or a command, exactly."""

    status: Status
    what: str
    says: str
    hint: str = ""
    is_needed: bool = False
    """Whether the target cannot be watched while this is missing."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is examined: a target, how to get into it, and by when all has to be said."""

    target: Target | EngineTarget | StreamTarget | None
    access: Access
    deadline: Deadline


Check = Callable[[Subject], Iterable[Finding]]

HERE: Registry[Check] = Registry(
    "check",
    {
        "versions": "radixtop.checks.versions:check",
        "terminal": "radixtop.checks.terminal:check",
        "shared memory": "radixtop.checks.shared_memory:check",
        "torch": "radixtop.checks.torch:check",
        "gpu": "radixtop.checks.gpu:check",
        "py-spy": "radixtop.checks.pyspy:check",
        "extras": "radixtop.checks.extras:check",
        "rings": "radixtop.checks.rings:check",
    },
)
"""What works on this machine, in the order in which it is told."""

RING: Registry[Check] = Registry(
    "check", {"ring": "radixtop.checks.ring:check", "sampling": "radixtop.checks.sampling:check"}
)
"""What the ring of a process gives."""

ENGINE: Registry[Check] = Registry(
    "check", {"server": "radixtop.checks.server:check", "metrics": "radixtop.checks.metrics:check"}
)
"""What a server of an engine gives."""

STREAM: Registry[Check] = Registry("check", {"events": "radixtop.checks.stream:check"})
"""What a bare stream of KV events gives."""


def checks_for(target: Target | EngineTarget | StreamTarget | None) -> Registry[Check]:
    """Return the checks that a target calls for; those of this machine where there is none."""
    match target:
        case None:
            return HERE
        case EngineTarget():
            return ENGINE
        case StreamTarget():
            return STREAM
        case Target():
            return RING
