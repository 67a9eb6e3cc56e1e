"""From what is to be explained to its evidence: a recording, or a cache that is watched for some seconds."""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from probes.recordings.missing import WHOLE, Missing
from radixtop.errors import RadixtopError, UsageError
from radixtop.target import is_server, is_target

if TYPE_CHECKING:
    from profiles.evidence.evidence import Evidence

_LOOK_S = 0.05


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found of a source, what it is called, and what is missing of a recording."""

    name: str
    evidence: Evidence
    missing: Missing = WHOLE


def is_recording(text: str) -> bool:
    """Say whether a text names a file rather than a target. Raises UsageError for a server."""
    if Path(text).exists() or not is_target(text):
        return True
    if is_server(text):
        raise UsageError(
            f"{text[:80]!r} is a server, which tells blocks and counters, no single requests",
            "radixtop run -- COMMAND starts one that publishes a ring; then radixtop why PID",
        )
    return False


def look_at_file(path: Path, from_ns: float = 0, to_ns: float = inf) -> Looked:
    """Return the evidence of a recording, or of a part of it.

    Raises RecordingError when it cannot be read, UsageError for a part of it in which there is nothing.
    """
    from probes.adapters.recording import RecordingAdapter
    from profiles.evidence.gather import Gatherer, evidence_of

    if from_ns >= to_ns:
        raise UsageError("--from is not before --to", "give two moments of the recording, the earlier one first")
    adapter = RecordingAdapter(path, inf)
    try:
        evidence = evidence_of(adapter, Gatherer(from_ns, to_ns), lambda: adapter.is_at_end)
        missing = adapter.state().missing
    finally:
        adapter.close()
    if from_ns and not evidence.span_ns:
        raise UsageError(f"{path.name} ends before --from", "radixtop profile info FILE says how long it is")
    return Looked(path.name, evidence, missing)


def look_at_target(text: str | None, seconds: float) -> Looked:
    """Watch the cache of a process for so long. Raises RadixtopError when it tells nothing, RingError without one."""
    from probes.adapters.shm import ShmAdapter
    from probes.aggregator import RESTING
    from profiles.evidence.gather import Gatherer
    from radixtop.target import only_target, target_of

    target = only_target() if text is None else target_of(text)
    adapter, gatherer = ShmAdapter(target.pid, target.rank), Gatherer()
    try:
        aggregator = gatherer.reader(adapter, adapter.state())
        source, until = aggregator.take_in(), time.monotonic() + seconds
        while time.monotonic() < until and source.state not in RESTING:
            time.sleep(_LOOK_S)
            source = aggregator.take_in()
        if source.state in ("starting", "lost"):
            raise RadixtopError(f"{target}: {source.message or 'it told nothing whole'}", "is its process alive?")
        now = time.perf_counter_ns() if source.state == "live" else 0  # the clock that stamps the records
        return Looked(str(target), gatherer.evidence(source, now))
    finally:
        adapter.close()
