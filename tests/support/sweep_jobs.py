"""Jobs of a sweep for tests: they add up, wait, fail, die."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping

from cache_core.registry import Registry
from radixtop.compare.job import JobKind, Told
from radixtop.errors import RadixtopError

NAMES = ("add", "wait", "refuse", "fill", "die", "bug", "shout")
JOBS: Registry[JobKind] = Registry("job", {name: f"tests.support.sweep_jobs:{name}" for name in NAMES})


def add(job: Mapping[str, object], told: Told) -> Mapping[str, object]:
    """Return the sum of some numbers."""
    numbers = job["numbers"]
    assert isinstance(numbers, list)
    told(len(numbers))
    return {"sum": sum(numbers)}


def wait(job: Mapping[str, object], told: Told) -> Mapping[str, object]:
    """Tell that it has begun and go on for ever, deaf to what asks it to end."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        told(1)
        time.sleep(0.05)


def refuse(job: Mapping[str, object], told: Told) -> Mapping[str, object]:
    """Fail as bad input does."""
    raise RadixtopError("line 3 is no request", "look at it")


def fill(job: Mapping[str, object], told: Told) -> Mapping[str, object]:
    """Fail as what finds no memory does."""
    raise MemoryError


def die(job: Mapping[str, object], told: Told) -> Mapping[str, object]:
    """End the process as the kernel does when memory runs out."""
    os.kill(os.getpid(), signal.SIGKILL)
    return {}


def bug(job: Mapping[str, object], told: Told) -> Mapping[str, object]:
    """Fail as nothing should."""
    raise AssertionError("the tree is upside down")


def shout(job: Mapping[str, object], told: Told) -> Mapping[str, object]:
    """Print something, as libraries do."""
    print("a library says hello", flush=True)
    return {"sum": 0}
