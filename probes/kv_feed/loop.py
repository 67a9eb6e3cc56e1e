"""The thread that serves feeds: one poll for the sockets of all, however many ranks are followed."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from probes.kv_feed.line import Line
from probes.readiness import readable

if TYPE_CHECKING:
    import zmq

    Socket = zmq.Socket[bytes]

_GATHER_S = 0.005
"""How long messages gather between two polls: many are served at the cost of one."""

_CLOSE_S = 0.9

_MOST_SOCKETS = 8192


class FeedLoop(threading.Thread):
    """Serves lines until it is closed. What one of them does wrong ends that line alone, and is its `fault`."""

    def __init__(self, clock: Callable[[], int] = time.perf_counter_ns) -> None:
        import zmq

        super().__init__(name="kv-feeds", daemon=True)
        self.clock = clock
        self.context: zmq.Context[Socket] = zmq.Context()
        self.context.set(zmq.MAX_SOCKETS, _MOST_SOCKETS)
        self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._coming: deque[Line] = deque()
        self._going: deque[tuple[Line, threading.Event]] = deque()
        self._lines: list[Line] = []
        self._stopping = self._is_changed = False
        self.start()

    def add(self, line: Line) -> None:
        """Serve a line from now on."""
        self._coming.append(line)
        self.wake()

    def remove(self, line: Line) -> None:
        """Serve a line no more; returns once its sockets are closed."""
        if not self.is_alive():
            return
        gone = threading.Event()
        self._going.append((line, gone))
        self.wake()
        gone.wait(_CLOSE_S)

    def wake(self) -> None:
        """Let the thread see which lines came, went, or wait for room that there is now."""
        if not self._stopping:
            os.eventfd_write(self._bell, 1)

    def close(self) -> None:
        """Close all lines and end the thread."""
        if not self._stopping:
            self._stopping = True
            os.eventfd_write(self._bell, 1)
            self.join(_CLOSE_S)
            if not self.is_alive():
                os.close(self._bell)

    def run(self) -> None:
        """Serve until closed."""
        owners: dict[object, Line] = {}
        poller = self._poller(owners)
        while not self._stopping:
            ready = poller.poll(self._timeout_ms())
            if any(socket == self._bell for socket, _ in ready):
                os.eventfd_read(self._bell)
                served = self._lines
            else:
                served = list(dict.fromkeys(owners[socket] for socket, _ in ready)) or self._due()
            more = [self._serve(line) for line in served]
            self._change()
            if self._is_changed or any(line.is_changed for line in self._lines):
                poller = self._poller(owners)
            if not any(more) and served:
                readable([self._bell], _GATHER_S)
        for line in [*self._lines, *self._coming]:
            line.close()
        for _, gone in self._going:
            gone.set()
        self.context.term()

    def _serve(self, line: Line) -> bool:
        try:
            return line.serve()
        except Exception as error:  # noqa: BLE001 - told where the state of the line is asked for
            line.fault = f"{type(error).__name__}: {error}"
            self._lines = [other for other in self._lines if other is not line]
            line.close()
            self._is_changed = True
            return True

    def _change(self) -> None:
        """Take in and let go of lines."""
        self._is_changed = self._is_changed or bool(self._coming or self._going)
        while self._coming:
            self._lines = [*self._lines, self._coming.popleft()]
        while self._going:
            line, gone = self._going.popleft()
            if line in self._lines:
                self._lines = [other for other in self._lines if other is not line]
                line.close()
            gone.set()

    def _poller(self, owners: dict[object, Line]) -> zmq.Poller:
        import zmq

        poller = zmq.Poller()
        poller.register(self._bell, zmq.POLLIN)
        owners.clear()
        self._is_changed = False
        for line in self._lines:
            line.is_changed = False
            for socket in line.sockets:
                poller.register(socket, zmq.POLLIN)
                owners[socket] = line
        return poller

    def _timeout_ms(self) -> int | None:
        due_at = min((at for line in self._lines if (at := line.due_at) is not None), default=None)
        return None if due_at is None else max(0, (due_at - self.clock()) // 1_000_000 + 1)

    def _due(self) -> list[Line]:
        now = self.clock()
        return [line for line in self._lines if (at := line.due_at) is not None and at <= now]
