"""The loop of `radixtop record`: turns the tape, looks at triggers and signals, tells how it goes, ends the file."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from probes.adapters.shm import POLL_BLOCKS, ShmAdapter
from probes.aggregator import RESTING
from probes.errors import RecordingError
from probes.recordings.file_reel import FileReel
from probes.recordings.tape import Tape
from probes.recordings.triggered_reel import TriggeredReel
from probes.snapshot import SourceState
from radixtop.recording.options import HELD_BYTES, RecordingOptions, path_of_firing
from radixtop.recording.progress import Narrator, Progress, progress_line
from radixtop.recording.trigger_watch import Firing, TriggerWatch
from radixtop.signals import Caught, StopSignals

POLL_S = 0.02
"""How long the loop sleeps when there was nothing: a ring holds many times what comes in that."""

FINISH_S = 10.0
"""How long the end may take: what the ring still has, and the rest of a statement of the tree."""

TREE_S = 2.0
"""How long it may wait for a tree that was asked for: a living cache tells it at its flushes."""

_COMMAND_ENDED, _FAULT = "the command ended", "a fault"
"""What ends a recording, where that has no name of its own."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a recording came to. `fault` says what broke it off."""

    files: tuple[Path, ...]
    size_bytes: int
    records: int
    lost_records: int
    torn_blocks: int
    duration_ns: int
    ended_by: str
    firings: tuple[Firing, ...] = ()
    fault: str = ""

    def describe(self) -> dict[str, object]:
        """Return it as JSON can hold it."""
        return {
            "files": [str(path) for path in self.files],
            "bytes": self.size_bytes,
            "records": self.records,
            "lost_records": self.lost_records,
            "torn_blocks": self.torn_blocks,
            "duration_s": round(self.duration_ns / 1e9, 3),
            "ended_by": self.ended_by,
            "triggers": [firing.describe() for firing in self.firings],
            "fault": self.fault,
        }


class RecordingRun:
    """One recording of one ring. `go` runs it; the adapter is closed with it."""

    def __init__(self, adapter: ShmAdapter, options: RecordingOptions, narrator: Narrator, path: Path) -> None:
        """Make the file, unless a trigger is to make it. Raises RecordingError when it cannot be written."""
        self._options = options
        self._narrator = narrator
        self._clock = time.perf_counter_ns
        self._config: Mapping[str, object] = {**adapter.state().config, "recorded_by": "radixtop record"}
        self._path = path
        self._reel, self._watch = self._make_reel()
        self._tape = Tape(adapter, self._reel)
        if self._watch is not None:
            self._tape.use(self._watch.triggers(self._tape.mirror))
        self._began = self._clock()
        self._rated = (self._began, 0)
        self._empty_turns = 0
        self._fault = ""

    def _make_reel(self) -> tuple[FileReel | TriggeredReel, TriggerWatch | None]:
        options = self._options
        if not options.triggers:
            return FileReel(self._path, self._config, options.max_bytes, options.keep), None
        reel = TriggeredReel(round(options.keep_s * 1e9), options.max_bytes or HELD_BYTES)
        return reel, TriggerWatch(options.triggers, reel, self._name_of, round(options.after_s * 1e9))

    def go(self, signals: StopSignals, on_signal: Callable[[Caught], bool], is_over: Callable[[], bool]) -> Outcome:
        """Record until something ends it and return what it came to.

        `on_signal` says whether a signal ends the recording; `is_over` whether what was recorded for is over.
        """
        try:
            ended_by = self._record(signals, on_signal, is_over)
        except RecordingError as error:
            self._fault, ended_by = str(error), _FAULT
        self._reel.close(ended_by, self._clock())
        outcome = self._outcome(ended_by)
        self._tape.close()
        return outcome

    def _record(self, signals: StopSignals, on_signal: Callable[[Caught], bool], is_over: Callable[[], bool]) -> str:
        while True:
            over = is_over()
            self._turn()
            ended_by = _COMMAND_ENDED if over else self._why_over()
            caught = self._pause(signals)
            if caught is not None and on_signal(caught):
                ended_by = ended_by or caught.number.name
            if ended_by:
                self._take_the_rest(signals)
                return self._last_words(ended_by)
            self._tell()

    def _pause(self, signals: StopSignals) -> Caught | None:
        """Sleep if the last turn brought nothing, and return a signal if one came."""
        has_more = self._empty_turns == 0 or self._tape.is_stating
        return signals.wait(0 if has_more else POLL_S)

    def _turn(self) -> None:
        self._empty_turns = 0 if self._tape.turn() else self._empty_turns + 1
        if self._watch is not None:
            self._look_at_triggers(self._watch)

    def _look_at_triggers(self, watch: TriggerWatch) -> None:
        firing = watch.look(self._tape, self._config, self._clock())
        if firing is not None:
            self._narrator.say(f"{firing.name}: {firing.reason}; keeping it in {firing.file}")

    def _why_over(self) -> str:
        """Return what ends the recording, nothing while it goes on."""
        if self._reel.fault:
            return _FAULT
        now = self._clock()
        if self._watch is not None and self._watch.finish(self._tape, now) and not self._options.again:
            return self._watch.firings[-1].name
        if self._options.duration_s is not None and now - self._began >= self._options.duration_s * 1e9:
            return "--duration"
        state = self._tape.state()
        return _end_of(state) if state.state in RESTING and self._empty_turns > 1 else ""

    def _take_the_rest(self, signals: StopSignals) -> None:
        """Wind on what is in the ring, and the tree to its end, unless another signal says to leave it."""
        began = self._clock()
        until, tree_until = began + int(FINISH_S * 1e9), began + int(TREE_S * 1e9)
        is_gone = self._tape.state().state in RESTING
        self._empty_turns = 0
        while not self._reel.fault and self._clock() < until and self._pause(signals) is None:
            blocks = self._tape.turn()
            self._empty_turns = 0 if blocks else self._empty_turns + 1
            has_come = self._empty_turns > 1 if is_gone else blocks < POLL_BLOCKS
            tree_comes = not is_gone and not self._tape.is_whole and self._clock() < tree_until
            if has_come and not self._tape.is_stating and not tree_comes:
                return

    def _last_words(self, ended_by: str) -> str:
        """Return why it ended, with what the watched process said about it if that is gone meanwhile."""
        state = self._tape.state()
        return _end_of(state) if ended_by == _COMMAND_ENDED and state.state in RESTING else ended_by

    def _tell(self) -> None:
        now = self._clock()
        if self._narrator.is_due(now):
            state = self._tape.state()
            then, records = self._rated
            per_s = (self._reel.records - records) * 1e9 / (now - then) if now > then else None
            self._rated = (now, self._reel.records)
            held = self._reel.held_bytes if isinstance(self._reel, TriggeredReel) else None
            waiting = "" if state.state == "live" else state.message or state.state
            progress = Progress(
                now - self._began, self._reel.records, per_s, self._reel.size_bytes, state.dropped_records,
                state.torn_blocks, held, waiting,
            )  # fmt: skip
            self._narrator.show(progress_line(progress), now)

    def _outcome(self, ended_by: str) -> Outcome:
        state = self._tape.state()
        return Outcome(
            files=tuple(self._reel.files),
            size_bytes=sum(path.stat().st_size for path in self._reel.files if path.exists()),
            records=self._reel.records,
            lost_records=state.dropped_records,
            torn_blocks=state.torn_blocks,
            duration_ns=self._clock() - self._began,
            ended_by=ended_by,
            firings=() if self._watch is None else tuple(self._watch.firings),
            fault=self._fault or self._reel.fault,
        )

    def _name_of(self, firing: int) -> Path:
        """Return the file of a firing; with --again they are numbered, and what is there already is left alone."""
        if not self._options.again:
            return self._path
        while not self._options.force and path_of_firing(self._path, firing).exists():
            firing += 1
        return path_of_firing(self._path, firing)


def _end_of(state: SourceState) -> str:
    return f"{state.name} ended" + (f": {state.message}" if state.message else "")
