"""What a job of a sweep is, and the table of kinds.

A job travels to whoever carries it out as JSON, and so does what it comes to: no object of ours leaves a process.
Equal jobs have equal results, wherever and in whichever order they are carried out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from cache_core.registry import Registry
from profiles.plain import json_text

Told = Callable[[int], None]
"""Called with how many requests a job has come to, as often as it likes."""

JobKind = Callable[[Mapping[str, object], Told], Mapping[str, object]]
"""Carries out a job, given as its document, and returns what it comes to."""

JOBS: Registry[JobKind] = Registry(
    "job",
    {
        "replay": "radixtop.compare.jobs.replay:replay",
        "simulate": "radixtop.compare.jobs.simulate:simulate",
        "curve": "radixtop.compare.jobs.curve:curve",
    },
)


def carry_out(job: str, told: Told) -> str:
    """Carry out a job and return what it comes to, both as JSON."""
    document = json.loads(job)
    return json_text(JOBS.load(document["kind"])(document, told))
