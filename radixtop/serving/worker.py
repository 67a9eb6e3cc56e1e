"""`python -m radixtop.serving.worker`: the process that serves a live workload. Its parent starts it.

It reads its run as one line of JSON from stdin and serves until the run is over, then keeps the cache for those
who look at it. It leaves when stdin ends, within two seconds, flushing what waits. On stdout it says one JSON
line per turn of its life: `starting` (its ring can be read), `serving`, `finished`, and `ended` or `failed`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from cache_core import CacheError, PrefixCache, check_integrity
from cache_core.control import build
from probes.recorder import FlightRecorder, RecorderOptions
from profiles.driving.drive import Driven, Surroundings, drive
from radixtop.errors import RadixtopError, exit_code_of, message_of
from radixtop.serving import embedded
from radixtop.serving.lifeline import Lifeline
from radixtop.serving.run_config import RunConfig

if TYPE_CHECKING:
    from cache_core.engine import Engine

FLUSH_S = 0.1
"""How often an idle worker flushes, so that an idle cache is never stale."""
_SNAPSHOT_S = 0.005
"""How often it does while a reader waits for a snapshot, which is written a slice at a time."""

Say = Callable[..., None]
"""Says a turn by name, with what there is to say of it by keyword."""


def main() -> int:
    """Serve one run and leave; return the exit code when it failed."""
    say = _own_stdout()
    try:
        code = _Worker(_read_run(sys.stdin.fileno()), say).live()
        os._exit(code)  # everything is closed, and torch takes a third of a second to come down
    except Exception as error:
        known = exit_code_of(error)
        if known is None:
            raise
        message, hint = message_of(error)
        say("failed", message=message, hint=hint, exit_code=known)
        return known


class _Worker:
    """One run: its cache, its recorder and the loop that serves it."""

    def __init__(self, run: RunConfig, say: Say) -> None:
        self._run = run
        self._say = say
        config = embedded.cache_config(run)
        recording = None if run.record is None else Path(run.record)
        self._recorder = FlightRecorder(
            embedded.describe(run, config), RecorderOptions(recording=recording, budget=run.probe_budget)
        )
        self._cache: PrefixCache = build(run.cache, config, sink=self._recorder)
        self._recorder.follow(self._cache)
        self._feed = embedded.kv_feed(run, self._cache)
        ring = self._recorder.ring_path
        self._lifeline = Lifeline(sys.stdin.fileno(), at_forced_exit=lambda: ring.unlink(missing_ok=True))

    def live(self) -> int:
        """Serve, then wait for the end; return the exit code."""
        self._lifeline.watch()
        self._say("starting", ring=str(self._recorder.ring_path))
        engine = self._start_engine()
        self._say("serving", device=str(engine.model.weights.embedding.device), kv_events=self._published())
        driven = drive(
            embedded.build_workload(self._run),
            engine,
            embedded.to_request,
            embedded.pace(self._run),
            Surroundings(idle=self._idle, stop=self._must_stop, stepped=self._publish),
        )
        self._require_recorder()
        self._finish(driven)
        while not self._lifeline.is_cut:
            self._idle(FLUSH_S)
        engine.close()
        if self._feed is not None:
            self._feed.close()
        self._recorder.close("the workload was stopped")
        self._say("ended", recording_fault=self._recorder.recording_fault, kv_events=self._published())
        self._lifeline.over()
        return self._lifeline.exit_code

    def _start_engine(self) -> Engine:
        try:
            from cache_core.engine import Engine
        except ModuleNotFoundError as error:
            raise RadixtopError(f"the live workload needs {error.name}", "pip install 'radixtop[live]'") from error
        return Engine(self._cache, embedded.engine_config(self._run), ranges=embedded.ranges())

    def _must_stop(self) -> bool:
        return self._lifeline.is_cut or self._cache.sink_fault is not None

    def _require_recorder(self) -> None:
        """Raise if the cache gave its recorder up: who watches would take the last records for what is."""
        fault = self._cache.sink_fault
        if fault is not None:
            self._recorder.close("the recorder failed")
            raise RadixtopError(
                f"the flight recorder failed: {fault!r}", "this is a bug of radixtop: please report it"
            )

    def _finish(self, driven: Driven) -> None:
        """Check the cache and say what the run came to; everything it emitted is in the ring by then."""
        try:
            check_integrity(self._cache)
            integrity = "ok"
        except CacheError as error:
            integrity = str(error)
        self._cache.emit_pools()
        self._recorder.flush()
        self._publish()
        duration_s = round(driven.duration_ns / 1e9, 3)
        self._say(
            "finished",
            integrity=integrity,
            duration_s=duration_s,
            stopped_by=driven.ended_by,
            kv_events=self._published(),
        )

    def _publish(self) -> None:
        if self._feed is not None:
            self._feed.step()

    def _published(self) -> dict[str, object] | None:
        return None if self._feed is None else self._feed.describe()

    def _idle(self, seconds: float) -> None:
        self._recorder.flush()
        self._publish()
        self._lifeline.wait(_SNAPSHOT_S if self._recorder.snapshot_pending else min(seconds, FLUSH_S))


def _own_stdout() -> Say:
    """Keep stdout for the turns and send to stderr what a library prints; return how to say a turn."""
    channel = os.dup(1)
    os.dup2(2, 1)

    def say(turn: str, **details: object) -> None:
        line = json.dumps({"turn": turn, **details}) + "\n"
        try:
            os.write(channel, line.encode())
        except BrokenPipeError:
            pass  # the parent is gone; the lifeline says so too

    return say


def _read_run(descriptor: int) -> RunConfig:
    text = b""
    while not text.endswith(b"\n") and (more := os.read(descriptor, 1 << 16)):
        text += more
    return RunConfig.from_json(text.decode())


if __name__ == "__main__":
    sys.exit(main())
