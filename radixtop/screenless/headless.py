"""A live run without a screen: serve, then report."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping

from probes.builtin.requests import RequestsSample
from probes.snapshot import Snapshot
from profiles.plain import json_text
from radixtop.errors import FAILED, INTERRUPTED, OK
from radixtop.metrics.prometheus import Metrics, served_at
from radixtop.needs import need_torch
from radixtop.reports.report import Document, document
from radixtop.reports.report_text import lines
from radixtop.serving.child import Turn
from radixtop.serving.run_config import RunConfig
from radixtop.session import LiveSession

_TICK_S = 0.25
_TURNS = ("starting", "serving")
"""The turns of a worker's life that are told, in their order."""


def report_run(run: RunConfig, as_json: bool, prometheus: str | None = None) -> int:
    """Serve `run` to its end or to ctrl+c, write the report to stdout, and return the exit code.

    Metrics can be scraped at the address `prometheus` until the report is written. Raises RadixtopError when the
    engine does not live to the end, or its recording does not.
    """
    need_torch()
    session = LiveSession(run)
    session.gather()
    try:
        with served_at(prometheus) as metrics:
            metrics.narrate()
            snapshot, interrupted = _serve(session, metrics)
            report = document(snapshot, session.worker.turn.details, session.evidence())
            write_report(report, as_json)
    finally:
        session.close()
    session.check()
    if interrupted:
        return INTERRUPTED
    return OK if report["integrity"] == "ok" and _was_served(snapshot) else FAILED


def write_report(report: Document, as_json: bool) -> None:
    """Write a report to stdout: as one JSON document, or as lines for a person."""
    sys.stdout.write((json_text(report, indent=2) if as_json else "\n".join(lines(report))) + "\n")
    sys.stdout.flush()


def _was_served(snapshot: Snapshot) -> bool:
    """Return whether the run came to anything; say so when requests did not fit the pools."""
    requests = snapshot.get(RequestsSample)
    if requests is None or not requests.refused:
        return True
    sys.stderr.write(f"{requests.refused} requests fit no pool: enlarge --full-slots and --swa-slots\n")
    return requests.finished > 0


class _Narration:
    """Says on stderr how far a run has come, each turn once; a short one may be over before anybody looked."""

    def __init__(self, run: RunConfig) -> None:
        self._run = run
        self._told_turns = 0
        self._told_kv_events = False

    def follow(self, turn: Turn) -> None:
        """Say what was reached since the last call.

        Before it has a ring the worker checks what it was asked for: until then it is not known to start.
        """
        if "ring" not in turn.details or turn.name == "failed":
            return
        reached = _TURNS[:1] if turn.name == _TURNS[0] else _TURNS  # whatever comes after served before
        for name in reached[self._told_turns :]:
            sys.stderr.write(f"{name} {self._run.workload} on the {self._run.model} model\n")
        self._told_turns = len(reached)
        self._tell_kv_events(turn.details)

    def _tell_kv_events(self, said: Mapping[str, object]) -> None:
        """Say where KV events are, which may be a port that nobody chose."""
        published = said.get("kv_events")
        if isinstance(published, dict) and not self._told_kv_events:
            self._told_kv_events = True
            sys.stderr.write(f"KV events at {published['endpoint']}, replay at {published['replay_endpoint']}\n")


def _serve(session: LiveSession, metrics: Metrics) -> tuple[Snapshot, bool]:
    """Tick until the worker says that the run is over; return the last snapshot, and whether ctrl+c ended it."""
    interrupted = False
    worker = session.worker
    narration = _Narration(session.run)
    while True:
        try:
            snapshot = session.tick(time.perf_counter_ns())
            metrics.put(snapshot)
            narration.follow(worker.turn)
            if "integrity" in worker.turn.details:
                snapshot = session.rest(snapshot)
                metrics.put(snapshot)
                return snapshot, interrupted
            if worker.death is not None:
                raise KeyboardInterrupt if interrupted else worker.death
            time.sleep(_TICK_S)
        except KeyboardInterrupt:
            if interrupted:
                raise
            interrupted = True
            worker.interrupt()
