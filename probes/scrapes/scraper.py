"""Asks several servers for their metrics, each on a thread of its own, so that a slow one keeps up no other."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from threading import Event, Lock, Thread

from probes.scrapes.advice import about_failure, about_page
from probes.scrapes.figures import EngineFigures
from probes.scrapes.metric import ENGINES
from probes.scrapes.pace import Pace
from probes.scrapes.page import read_page
from probes.scrapes.reading import Origin, read_figures
from probes.window import SECOND_NS

MOST_WAITING = 16_384
CLOSE_S = 0.5
SILENT_NS = SECOND_NS
"""A server that has not answered for this long is said to be slow."""

PageSource = Callable[[float], str]
"""Returns the page of a server within so many seconds, or raises."""


@dataclass(frozen=True, slots=True)
class ScrapeTarget:
    """A server to be asked: whose page it is, of which engine, and where it comes from."""

    origin: Origin
    engine: str
    source: PageSource


@dataclass(frozen=True, slots=True)
class ScrapeState:
    """How asking a server goes. `is_up` is None until it is known; `message` says what is wrong and what to do.

    `failures` are those in a row; `last_at` is the time of the newest page on the reader's clock, which took
    `took_ns` to come and `read_ns` to be read.
    """

    server: str
    engine: str
    is_up: bool | None = None
    message: str = ""
    scrapes: int = 0
    failures: int = 0
    last_at: int | None = None
    took_ns: int = 0
    read_ns: int = 0
    malformed_lines: int = 0


class Scraper:
    """Asks until it is closed. `take` and `state` never wait for a server."""

    def __init__(
        self,
        targets: Iterable[ScrapeTarget],
        pace: Pace | None = None,
        clock: Callable[[], int] = time.perf_counter_ns,
    ) -> None:
        self._waiting: deque[EngineFigures] = deque(maxlen=MOST_WAITING)
        self._servers = [_Server(target, pace or Pace(), clock, self._waiting) for target in targets]
        for server in self._servers:
            server.start()

    def take(self) -> list[EngineFigures]:
        """Return what has come since the last call, in the order in which it came."""
        return [self._waiting.popleft() for _ in range(len(self._waiting))]

    def state(self) -> tuple[ScrapeState, ...]:
        """Return how each server is doing now."""
        return tuple(server.state() for server in self._servers)

    def learn(self, origin: Origin) -> None:
        """Take in how many ranks a server has, by its name; what was read without that and not taken is dropped."""
        for server in self._servers:
            server.learn(origin)

    def close(self) -> None:
        """Stop asking. An answer that is still being waited for is left to its deadline, and dropped."""
        for server in self._servers:
            server.stop()
        until = time.monotonic() + CLOSE_S
        for server in self._servers:
            server.join(max(0.0, until - time.monotonic()))


class _Server:
    """One server and the thread that asks it."""

    def __init__(
        self, target: ScrapeTarget, pace: Pace, clock: Callable[[], int], waiting: deque[EngineFigures]
    ) -> None:
        self._target = target
        self._origin = target.origin
        self._metrics = ENGINES.load(target.engine)
        self._pace = pace
        self._clock = clock
        self._waiting = waiting
        self._stopped = Event()
        self._wanted = Event()
        """Set when the next page is not to be waited for."""
        self._lock = Lock()
        self._state = ScrapeState(target.origin.server, target.engine)
        self._asked_at: int | None = None
        self._thread = Thread(target=self._run, name=f"scrape {target.origin.server}", daemon=True)

    def start(self) -> None:
        """Begin to ask."""
        self._thread.start()

    def learn(self, origin: Origin) -> None:
        """Take in what is known of the server, if it is this one: it is asked at once, and read with that."""
        if origin.server == self._origin.server:
            with self._lock:
                self._origin = origin
                kept = [figures for figures in self._waiting if figures.server != origin.server]
                self._waiting.clear()
                self._waiting.extend(kept)
            self._wanted.set()

    def stop(self) -> None:
        """Ask no more."""
        self._stopped.set()
        self._wanted.set()

    def join(self, timeout: float) -> None:
        """Wait for the thread to end."""
        self._thread.join(timeout)

    def state(self) -> ScrapeState:
        """Return how it goes, and whether an answer is long in coming."""
        with self._lock:
            state, asked_at = self._state, self._asked_at
        silent_ns = 0 if asked_at is None else self._clock() - asked_at
        if silent_ns < SILENT_NS or state.failures:
            return state
        return replace(state, message=f"no answer for {silent_ns // SECOND_NS} s; it may be overloaded or hang")

    def _run(self) -> None:
        while True:
            began = self._clock()
            with self._lock:
                self._asked_at = began
            state = self._asked(began)
            if self._stopped.is_set():
                return
            with self._lock:
                self._state, self._asked_at = state, None
            took_s, read_s = state.took_ns / SECOND_NS, state.read_ns / SECOND_NS
            self._wanted.wait(self._pace.wait_s(state.failures, took_s, read_s))
            self._wanted.clear()
            if self._stopped.is_set():
                return

    def _asked(self, began: int) -> ScrapeState:
        """Ask once, hand out what came, and return how that went. Whatever a server does, the thread lives on."""
        try:
            text = self._target.source(self._pace.deadline_s)
            at = self._clock()
            return self._read(text, at, at - began)
        except Exception as error:  # noqa: BLE001 - of a source that is another's, or of a page: all are told
            return replace(
                self._state,
                is_up=False,
                message=about_failure(error, self._metrics),
                failures=self._state.failures + 1,
                took_ns=self._clock() - began,
                read_ns=0,
            )

    def _read(self, text: str, at: int, took_ns: int) -> ScrapeState:
        origin = self._origin
        page = read_page(text, self._metrics.wanted)
        figures = read_figures(page, self._metrics, origin, at)
        with self._lock:
            if not self._stopped.is_set() and origin is self._origin:
                self._waiting.extend(figures)
        return replace(
            self._state,
            is_up=bool(figures),
            message=about_page(page, figures, self._metrics, origin.dp_ranks),
            scrapes=self._state.scrapes + 1,
            failures=0 if figures else self._state.failures + 1,
            last_at=at,
            took_ns=took_ns,
            read_ns=self._clock() - at,
            malformed_lines=page.malformed_lines,
        )
