"""The worker's tie to the process that started it: it must not outlive its parent by more than two seconds.

The parent holds the other end of the worker's stdin. When it closes that end, or dies in any way, the kernel
ends the stream; the worker then finishes what it is doing and leaves. A step that takes too long for that, or
an import that does, is cut short: the process leaves without it.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType

from probes.readiness import readable

GRACE_S = 1.5
"""How long an orderly end may take; with the time to notice it stays below two seconds."""


class Lifeline:
    """Turns the end of a stream, SIGTERM and SIGINT into `is_cut`, and enforces it when nobody looks.

    `at_forced_exit` runs on another thread just before the process is ended by force; it must be quick and must
    not need the main thread.
    """

    def __init__(self, descriptor: int, at_forced_exit: Callable[[], None]) -> None:
        self.is_cut = False
        self.exit_code = 0
        self._descriptor = descriptor
        self._at_forced_exit = at_forced_exit
        # A pipe and not an Event: a signal handler may write to it whatever the main thread is in the middle of.
        self._cut_reader, self._cut_writer = os.pipe()
        self._over = threading.Event()

    def watch(self) -> None:
        """Start watching; call it on the main thread, which is the one that signals reach."""
        signal.signal(signal.SIGTERM, self._on_signal)
        signal.signal(signal.SIGINT, self._on_signal)
        threading.Thread(target=self._guard, name="lifeline", daemon=True).start()

    def wait(self, seconds: float) -> bool:
        """Wait until it is time to leave, at most so long; return `is_cut`."""
        readable([self._cut_reader], seconds)
        return self.is_cut

    def over(self) -> None:
        """Tell that the orderly end has come, so that nothing is forced any more."""
        self._over.set()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.exit_code = 128 + number
        self._cut()

    def _cut(self) -> None:
        self.is_cut = True
        os.write(self._cut_writer, b".")

    def _guard(self) -> None:
        while not self.is_cut:
            ready = readable([self._descriptor, self._cut_reader])
            if self._descriptor in ready and not os.read(self._descriptor, 4096):
                self._cut()
        if not self._over.wait(GRACE_S):
            try:
                self._at_forced_exit()
            finally:
                os._exit(self.exit_code)
