"""Feeds a workload into anything that takes requests and steps, and the answers back into the workload."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from profiles.driving.outbox import Outbox
from profiles.driving.pace import Arrivals, Pace
from profiles.workload import Prompt, Workload

RequestT = TypeVar("RequestT")
RequestC = TypeVar("RequestC", contravariant=True)

_LONGEST_IDLE_NS = 50_000_000


class Answer(Protocol):
    """What a target says about a request that ended."""

    @property
    def request_id(self) -> int:
        """The id that `submit` returned."""

    @property
    def output(self) -> array[int]:
        """The generated tokens; none when the request was refused."""


class Target(Protocol[RequestC]):
    """Something that serves requests of one type, one step at a time."""

    @property
    def has_work(self) -> bool:
        """Whether a request waits or runs."""

    def submit(self, request: RequestC, /) -> int:
        """Queue a request and return its id."""

    def step(self) -> Sequence[Answer]:
        """Work on the running requests and return those that ended."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a run takes from outside: a clock in ns, how to wait some seconds, and whether to stop now.

    `idle` is called when nothing runs and the next arrival is still ahead, for 50 ms at most. `stop` is asked
    before every step, `stepped` is called after it.
    """

    clock: Callable[[], int] = time.perf_counter_ns
    idle: Callable[[float], object] = time.sleep
    stop: Callable[[], bool] = bool
    stepped: Callable[[], object] = bool


@dataclass(frozen=True, slots=True)
class Driven:
    """What a run came to; `ended_by` is "requests", "workload", "duration" or "stop", the first to happen.

    Requests and workload end a run when everything is answered; the other two leave what is running.
    """

    submitted: int
    finished: int
    duration_ns: int
    ended_by: str


def drive(
    workload: Workload,
    target: Target[RequestT],
    translate: Callable[[Prompt], RequestT],
    pace: Pace,
    surroundings: Surroundings | None = None,
) -> Driven:
    """Send the prompts of `workload` to `target` at `pace` until one of the limits; `translate` makes requests."""
    return _Run(workload, target, translate, pace, surroundings or Surroundings()).run()


class _Run(Generic[RequestT]):
    """One run: what is outstanding and what is still to come."""

    def __init__(
        self,
        workload: Workload,
        target: Target[RequestT],
        translate: Callable[[Prompt], RequestT],
        pace: Pace,
        surroundings: Surroundings,
    ) -> None:
        self._outbox = Outbox(workload, pace.pondering)
        self._target = target
        self._translate = translate
        self._pace = pace
        self._around = surroundings
        self._start = surroundings.clock()
        self._arrivals = None if pace.rate_per_s is None else Arrivals(pace.rate_per_s, pace.seed, self._start)
        self._outstanding: dict[int, Prompt] = {}
        self._submitted = self._finished = 0

    def run(self) -> Driven:
        """Loop until a limit and say which one it was."""
        ended_by = ""
        while not ended_by:
            ended_by = self._cut_off() or self._turn()
        return Driven(self._submitted, self._finished, self._around.clock() - self._start, ended_by)

    def _cut_off(self) -> str:
        """Return the limit that ends the run with requests still running, or nothing."""
        if self._around.stop():
            return "stop"
        duration_ns = self._pace.duration_ns
        over = duration_ns is not None and self._around.clock() - self._start >= duration_ns
        return "duration" if over else ""

    def _turn(self) -> str:
        """Submit what is due, then work or wait; return the limit when there is nothing more to do."""
        while self._due():
            self._submit(self._outbox.take())
        if self._target.has_work:
            for answer in self._target.step():
                self._outbox.answered(self._outstanding.pop(answer.request_id), answer.output)
                self._finished += 1
            self._around.stepped()
        elif self._arrivals is not None and self._more():
            wait_ns = min(self._arrivals.next - self._around.clock(), _LONGEST_IDLE_NS)
            self._around.idle(max(wait_ns, 0) / 1e9)
        else:
            assert not self._outstanding, f"a target without work owes {len(self._outstanding)} answers"
            return "workload" if self._below_limit() else "requests"
        return ""

    def _due(self) -> bool:
        """Whether a prompt goes out now."""
        if not self._more():
            return False
        if self._arrivals is None:
            return len(self._outstanding) < self._pace.concurrency
        return self._arrivals.next <= self._around.clock()

    def _more(self) -> bool:
        return bool(self._outbox) and self._below_limit()

    def _below_limit(self) -> bool:
        return self._pace.requests is None or self._submitted < self._pace.requests

    def _submit(self, prompt: Prompt) -> None:
        self._outstanding[self._target.submit(self._translate(prompt))] = prompt
        self._submitted += 1
        if self._arrivals is not None:
            self._arrivals.advance()
