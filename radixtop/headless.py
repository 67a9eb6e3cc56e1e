"""A live run without a screen: serve, then report."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping

from probes.builtin.requests import RequestsSample
from probes.snapshot import Snapshot
from radixtop.errors import FAILED, INTERRUPTED, OK
from radixtop.needs import need_torch
from radixtop.prometheus import Metrics, served_at
from radixtop.report import Document, document
from radixtop.report_text import lines
from radixtop.run_config import RunConfig
from radixtop.session import LiveSession

_TICK_S = 0.25
_NARRATED = ("starting", "serving")


def report_run(run: RunConfig, as_json: bool, prometheus: str | None = None) -> int:
    """Serve `run` to its end or to ctrl+c, write the report to stdout, and return the exit code.

    Metrics can be scraped at the address `prometheus` until the report is written. Raises RadixtopError when the
    engine does not live to the end, or its recording does not.
    """
    need_torch()
    session = LiveSession(run)
    try:
        with served_at(prometheus) as metrics:
            metrics.narrate()
            snapshot, interrupted = _serve(session, metrics)
            report = document(snapshot, session.worker.turn.details)
            write_report(report, as_json)
    finally:
        session.close()
    session.check()
    if interrupted:
        return INTERRUPTED
    return OK if report["integrity"] == "ok" and _was_served(snapshot) else FAILED


def write_report(report: Document, as_json: bool) -> None:
    """Write a report to stdout: as one JSON document, or as lines for a person."""
    sys.stdout.write((json.dumps(report, indent=2) if as_json else "\n".join(lines(report))) + "\n")
    sys.stdout.flush()


def _was_served(snapshot: Snapshot) -> bool:
    """Return whether the run came to anything; say so when requests did not fit the pools."""
    requests = snapshot.get(RequestsSample)
    if requests is None or not requests.refused:
        return True
    sys.stderr.write(f"{requests.refused} requests fit no pool: enlarge --full-slots and --swa-slots\n")
    return requests.finished > 0


def _narrate_kv_events(said: Mapping[str, object]) -> bool:
    """Say where KV events are, which may be a port that nobody chose. Returns whether it was known."""
    published = said.get("kv_events")
    if not isinstance(published, dict):
        return False
    sys.stderr.write(f"KV events at {published['endpoint']}, replay at {published['replay_endpoint']}\n")
    return True


def _serve(session: LiveSession, metrics: Metrics) -> tuple[Snapshot, bool]:
    """Tick until the worker says that the run is over; return the last snapshot, and whether ctrl+c ended it."""
    interrupted = False
    worker = session.worker
    narrated = ""
    told_kv_events = False
    while True:
        try:
            snapshot = session.tick(time.perf_counter_ns())
            metrics.put(snapshot)
            if "integrity" in worker.turn.details:
                if not told_kv_events:  # a short run may be over before anybody looked
                    _narrate_kv_events(worker.turn.details)
                snapshot = session.rest(snapshot)
                metrics.put(snapshot)
                return snapshot, interrupted
            if worker.death is not None:
                raise KeyboardInterrupt if interrupted else worker.death
            # Before it has a ring the worker checks what it was asked for: until then it is not known to start.
            if worker.turn.name != narrated and worker.turn.name in _NARRATED and "ring" in worker.turn.details:
                narrated = worker.turn.name
                sys.stderr.write(f"{narrated} {session.run.workload} on the {session.run.model} model\n")
                told_kv_events = _narrate_kv_events(worker.turn.details) or told_kv_events
            time.sleep(_TICK_S)
        except KeyboardInterrupt:
            if interrupted:
                raise
            interrupted = True
            worker.interrupt()
