"""Replays a trace file to its end or to ctrl+c, and writes what it came to."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from probes.recorder import FlightRecorder, RecorderOptions
from profiles.plain import json_text
from profiles.trace import Trace
from radixtop.errors import INTERRUPTED, OK, RadixtopError, UsageError
from radixtop.output import tell_missing
from radixtop.replay.opening import Opened
from radixtop.replay.recorded_hits import far_off
from radixtop.replay.replay_bar import replay_bar
from radixtop.replay.result import ReplayResult
from radixtop.replay.result_lines import Said, result_lines
from radixtop.replay.settings import ReplaySettings
from radixtop.replay.trace_replay import replay_trace
from radixtop.replay.virtual_clock import VirtualClock
from radixtop.screenless.unattended import Stop
from radixtop.termination import TERMINATING, answered


def replay_file(opened: Opened, record: Path | None, as_json: bool) -> int:
    """Replay a trace, write the report to stdout, and return the exit code.

    A recording is saved as far as it came. Raises UsageError for a replay that cannot be recorded.
    """
    trace, settings = opened.trace, opened.settings
    if record is not None and settings.tokens == "blocks":
        raise UsageError("--tokens blocks cannot be recorded", "replay all tokens, or leave --record out")
    tell_missing(trace.name, opened.missing)
    stop = Stop()
    with answered(dict.fromkeys((signal.SIGINT, *TERMINATING), stop)):
        result = _replay(trace, settings, record, lambda: bool(stop.signal))
    _write(opened, result, as_json)
    if not stop.signal:
        return OK
    return INTERRUPTED if stop.signal == signal.SIGINT else 128 + stop.signal


def _replay(trace: Trace, settings: ReplaySettings, record: Path | None, stop: Callable[[], bool]) -> ReplayResult:
    requests = len(trace) if settings.limit is None else min(len(trace), settings.limit)
    clock = VirtualClock()
    with _recorded(trace.name, settings, record, clock) as sink, replay_bar(trace.name, requests) as progress:
        return replay_trace(trace, settings, sink=sink, clock=clock, stop=stop, progress=progress)


@contextmanager
def _recorded(
    name: str, settings: ReplaySettings, path: Path | None, clock: VirtualClock
) -> Iterator[FlightRecorder | None]:
    """Record to a file in a `with`, in virtual time; raise RadixtopError at its end when that failed."""
    if path is None:
        yield None
        return
    told = {key: value for key, value in settings.document().items() if key not in ("config", "costs")}
    config = {
        "target": "replay",
        "workload": name,
        "costs": settings.costs.name,
        **told,
        **settings.config.describe(),
    }
    recorder = FlightRecorder(config, RecorderOptions(recording=path), clock=clock)
    reason = "the replay broke off"
    try:
        yield recorder
        reason = "the replay is over"
    finally:
        recorder.close(reason)
    if recorder.recording_fault:
        raise RadixtopError(recorder.recording_fault)


def _write(opened: Opened, result: ReplayResult, as_json: bool) -> None:
    name, recorded = opened.trace.name, opened.recorded
    found = None if recorded is None else recorded.hit_rate
    is_as_recorded = recorded is not None and recorded.settings == opened.settings and not result.interrupted
    off = far_off(found, result.hit_rate) if is_as_recorded else ""
    notes = [note for note in (opened.note, off) if note]
    if as_json:
        told = {"trace": name, "missing": opened.missing.document(), "recorded_hit_rate": found}
        lines = json_text({**told, **result.document(), "notes": notes}, indent=2)
    else:
        lines = "\n".join(result_lines(name, result, Said(found, "; ".join(notes))))
    sys.stdout.write(lines + "\n")
    sys.stdout.flush()
