"""The cache itself: every token of the trace goes through it, under a virtual clock."""

from __future__ import annotations

from collections.abc import Mapping

from radixtop.compare.job import Told
from radixtop.compare.taking import trace_of

MEASURED = ("wall_ns", "requests_per_wall_s")
"""What differs from one run to the next: how long the replay itself took."""


def replay(job: Mapping[str, object], told: Told) -> Mapping[str, object]:
    """Replay the trace under `settings` and return the document of the result, without what was measured."""
    from radixtop.replay.settings import ReplaySettings
    from radixtop.replay.trace_replay import replay_trace

    settings = job["settings"]
    assert isinstance(settings, dict), f"{job=}"
    result = replay_trace(
        trace_of(job), ReplaySettings.from_document(settings), progress=lambda progress: told(progress.requests)
    )
    return {name: value for name, value in result.document().items() if name not in MEASURED}
