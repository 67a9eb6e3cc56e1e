"""The thread that ticks the source and answers questions about it; it posts frames and touches no widget."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from queue import SimpleQueue
from threading import Event, Thread
from time import perf_counter_ns
from typing import TYPE_CHECKING

from radixtop.errors import RadixtopError
from radixtop.messages import Frame
from radixtop.printable import clean
from radixtop.question import Desk, Question
from radixtop.source import Source

if TYPE_CHECKING:
    from probes.snapshot import Snapshot
    from radixtop.playing.transport import Transport

JOIN_S = 2.0
"""How long `stop` waits for a step that is under way."""

REST = 0.5
"""After a step the thread rests for so much of the time that it took: floods leave the screen its turn."""

SWITCH_S = 0.001
"""How long one thread may keep the other waiting; the screen's waits many times for each key."""

TICK_NS = 250_000_000
"""The longest time between two ticks."""

BREATH_NS = 5_000_000
"""At least so long between two ticks, also on the way to a moment: the screen gets its turn."""


class Poller:
    """Ticks a source, posts `hz` frames a second, and answers new questions at once.

    A slow screen does not slow the ticks: a ring is emptied before its writer comes round, and a death is shown
    when it is seen. An errand that fails is told, and the source stays; a tick that fails is the end of it.
    `post` takes frames from the polling thread; it must be safe to call from there.
    """

    def __init__(self, source: Source, post: Callable[[Frame], object], hz: float = 1.0) -> None:
        self._source = source
        self._post = post
        self._desk = Desk()
        self._questions: Sequence[Question] = ()
        self._answers: tuple[object, ...] = ()
        self._errands: SimpleQueue[Callable[[Source], object]] = SimpleQueue()
        self._snapshot: Snapshot | None = None
        self._failure = ""
        self._notice = (0, "")
        self._faults: tuple[str, ...] = ()
        self._period_ns = round(1e9 / hz)
        self._tick_due = 0
        self._frame_due = 0
        self._wake = Event()
        self._stopped = False
        self._thread = Thread(target=self._run, name="radixtop-poller", daemon=True)

    def start(self) -> None:
        """Start the thread; the first tick is due at once."""
        sys.setswitchinterval(SWITCH_S)
        self._thread.start()

    def stop(self) -> None:
        """End the thread after the step that is under way."""
        self._stopped = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(JOIN_S)

    def set_rate(self, hz: float) -> None:
        """Post `hz` frames a second from now on, the first at once."""
        self._period_ns = round(1e9 / hz)
        self._frame_due = 0
        self._wake.set()

    def ask(self, questions: Sequence[Question]) -> None:
        """Say what the screen wants to know from now on; the answers come with every frame."""
        self._questions = questions
        self._wake.set()

    def ask_hushed(self, questions: Sequence[Question], post: Callable[[Frame], object]) -> None:
        """Have questions answered once, without text of prompts, and `post` called with the frame from our thread."""

        def answer(source: Source) -> None:
            post(self._hushed(questions))

        self.run_errand(answer)

    def run_errand(self, errand: Callable[[Source], object]) -> None:
        """Call `errand` with the source, on the polling thread; text that it returns is shown."""
        self._errands.put(errand)
        self._wake.set()

    def step(self, now: int, is_asked: bool = True) -> None:
        """Tick if a tick is due; post a frame if one is due, asked for, or tells of a new state.

        Runs on the polling thread.
        """
        shows = is_asked or now >= self._frame_due
        before = self._state
        has_run = self._run_errands()
        if (has_run or now >= self._tick_due) and not self._failure:
            self._guard(lambda: self._tick(now))
            self._tick_due = now + min(self._period_ns, TICK_NS)
            if self._snapshot is not None and self._snapshot.source.has_more:
                self._tick_due = now
            if self._transport is not None and self._transport.is_busy:
                self._tick_due = now
                self._frame_due = min(self._frame_due, now + TICK_NS)
            if self._desk.is_busy:
                self._desk.go_on(self._source)
                self._tick_due = now
                self._frame_due = min(self._frame_due, now + TICK_NS)
        if shows or has_run or self._state != before:
            self._frame_due = now + self._period_ns if now >= self._frame_due else self._frame_due
            self._guard(self._answer)
            self._tell_faults()
            self._guard(self._show)

    @property
    def _transport(self) -> Transport | None:
        return self._source.transport

    @property
    def _state(self) -> tuple[object, ...]:
        """What is shown as soon as it changes."""
        state = self._snapshot.source.state if self._snapshot else ""
        moment = self._transport.moment if self._transport and not self._failure else None
        if moment is None:
            mirror = self._source.mirror
            return (state, self._failure, mirror.texts.version if mirror is not None else 0)
        shown = moment.is_newest, moment.counted_from, moment.is_tree_only
        return (state, self._failure, moment.heading_for, *shown)

    def _run_errands(self) -> bool:
        """Do what the screen asked for, and say whether there was anything."""
        has_run = not self._errands.empty()
        while not self._errands.empty():
            try:
                if isinstance(said := self._errands.get()(self._source), str):
                    self._give_notice(said)
            except Exception as error:  # noqa: BLE001 - whatever it was, the source is there as before
                said = str(error) if isinstance(error, RadixtopError) else f"{type(error).__name__}: {error}"
                self._give_notice(said)
        return has_run

    def _give_notice(self, said: str) -> None:
        self._notice = (self._notice[0] + 1, clean(said))

    def _tell_faults(self) -> None:
        """Give notice of what answerers and probes failed at since the last time."""
        of_probes = self._snapshot.faults if self._snapshot else ()
        new = [fault for fault in (*of_probes, *self._desk.faults) if fault not in self._faults]
        if new:
            self._faults = (*self._faults, *new)
            self._give_notice("; ".join(new))

    def _tick(self, now: int) -> None:
        self._snapshot = self._source.tick(now)

    def _show(self) -> None:
        self._post(self._frame())

    def _frame(self) -> Frame:
        transport, mirror = self._transport, self._source.mirror
        moment, course = (transport.moment, transport.course) if transport is not None else (None, None)
        frame = Frame(self._snapshot, self._answers, self._failure, moment, course, self._notice)
        if mirror is None or not mirror.texts.is_on:
            return frame
        return replace(frame, text="shown" if mirror.texts.version else "asked for")

    def _hushed(self, questions: Sequence[Question]) -> Frame:
        from probes.node_texts.hushed import HushedTexts  # where text is shown alone

        mirror, answers = self._source.mirror, self._answers
        if mirror is not None and self._snapshot is not None:
            texts, mirror.texts = mirror.texts, HushedTexts(mirror.texts)
            try:
                answers = self._desk.answers(self._source, self._snapshot, questions)
            finally:
                mirror.texts = texts
        return replace(self._frame(), answers=answers, is_hushed=True)

    def _answer(self) -> None:
        self._answers = self._desk.answers(self._source, self._snapshot, self._questions) if self._snapshot else ()

    def _guard(self, call: Callable[[], object]) -> None:
        """Call, and turn what it raises into the reason on screen: what was seen so far must stay visible."""
        try:
            call()
        except Exception as error:  # noqa: BLE001 - whatever ends the source, the screen says why and stays
            self._failure = f"{type(error).__name__}: {error}"

    def _run(self) -> None:
        is_asked = True
        while not self._stopped:
            began = perf_counter_ns()
            self.step(began, is_asked)
            now = perf_counter_ns()
            wait_ns = max(BREATH_NS, min(self._tick_due, self._frame_due) - now, int(REST * (now - began)))
            self._wake.wait(None if self._failure else wait_ns / 1e9)
            is_asked = self._wake.is_set()
            self._wake.clear()
        self._desk.close()
