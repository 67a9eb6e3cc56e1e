"""Records a ring into a file: of a process that runs already, or of a command that is started for it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence

from probes.adapters.shm import ShmAdapter
from probes.errors import ProbeError, RingError
from profiles.plain import json_text
from radixtop.errors import FAILED, OK
from radixtop.recording.command import RecordedCommand
from radixtop.recording.options import RecordingOptions
from radixtop.recording.progress import Narrator, losses
from radixtop.recording.run import Outcome, RecordingRun
from radixtop.render.units import elapsed, grouped, size
from radixtop.signals import StopSignals
from radixtop.target import Target, only_target, ring_below, target_of

LEAVE_S = 2.0
"""How long a command may take to leave after its cache."""


def record_process(target: str | None, options: RecordingOptions) -> int:
    """Record the cache of a process, the only one that publishes when there is no `target`; return the exit code.

    Raises UsageError for a target of no known form or a file that is there, ProbeError for what cannot be read or
    written.
    """
    ring = only_target() if target is None else target_of(target)
    options.check_path()
    with StopSignals() as signals:
        narrator = Narrator(sys.stderr)
        run = _start(ring, options, narrator)
        outcome = run.go(signals, lambda caught: True, lambda: False)
    _report(outcome, options, narrator)
    return FAILED if outcome.fault else OK


def record_command(words: Sequence[str], options: RecordingOptions) -> int:
    """Start a command, record the cache that it publishes until it ends, and return the exit code.

    Raises what `record_process` raises, and RadixtopError when the command cannot be started or publishes nothing.
    """
    options.check_path()
    narrator = Narrator(sys.stderr, silent=sys.stderr.isatty())
    with StopSignals() as signals:
        command = RecordedCommand(words, signals)
        try:
            run = _start_below(command, options, narrator)
        except ProbeError as error:
            narrator.say(f"nothing is recorded: {error}")
            _outlive(command, narrator)
            raise
        outcome = run.go(signals, command.pass_on, lambda: command.is_over)
        command.wait(LEAVE_S)  # a cache is closed before its process is gone
        if not command.is_over:
            narrator.say(f"the recording is over ({outcome.ended_by}), the command goes on")
            command.wait()
    _report(outcome, options, narrator)
    if command.exit_code != OK:
        narrator.end(command.describe_end())
    return FAILED if outcome.fault else command.exit_code


def _outlive(command: RecordedCommand, narrator: Narrator) -> None:
    """Wait for the end of a command that is not recorded, and say how it ended, or that it goes on."""
    if not command.is_over:
        narrator.say(command.describe_end())
        command.wait()
    narrator.end(command.describe_end())


def _start_below(command: RecordedCommand, options: RecordingOptions, narrator: Narrator) -> RecordingRun:
    """Start with the first ring of a command that is still there when it is opened."""
    while True:
        ring = command.ring()
        try:
            return _start(ring, options, narrator)
        except RingError:
            if command.is_over or ring_below(command.pid) == ring:
                raise


def _start(ring: Target, options: RecordingOptions, narrator: Narrator) -> RecordingRun:
    adapter = ShmAdapter(ring.pid, ring.rank)
    path = options.path_for(ring.pid)
    run = RecordingRun(adapter, options, narrator, path)
    if options.triggers:
        names = ", ".join(order.name for order in options.triggers)
        narrator.say(f"watching {ring} for {names}; nothing is written before; ctrl-c ends it")
    else:
        narrator.say(f"recording {ring} to {path}; ctrl-c ends it")
    return run


def _report(outcome: Outcome, options: RecordingOptions, narrator: Narrator) -> None:
    """Say what was written and what can be done with it, and print the document if it was asked for."""
    files = [str(path) for path in outcome.files]
    if files:
        lost = losses(outcome.lost_records, outcome.torn_blocks)
        narrator.end(
            f"wrote {', '.join(files)}: {grouped(outcome.records)} records in {elapsed(outcome.duration_ns)}, "
            f"{size(outcome.size_bytes)}, {lost} ({outcome.ended_by})"
        )
    elif not outcome.fault:
        narrator.end(f"wrote nothing: no trigger fired in {elapsed(outcome.duration_ns)} ({outcome.ended_by})")
    if outcome.fault:
        narrator.end(f"radixtop: {outcome.fault}")
    if files:
        file = _argument(files[0])
        narrator.end(f"look at it: radixtop play {file}   radixtop profile flame {file}")
    if options.as_json:
        sys.stdout.write(json_text(outcome.describe(), indent=2) + "\n")


def _argument(path: str) -> str:
    """Return a path as a shell takes it for one, and a command does not for a flag."""
    return shlex.quote(f"./{path}" if path.startswith("-") else path)
