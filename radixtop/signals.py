"""Signals as something to wait for: what a loop sleeps in, so that no handler cuts into what it writes."""

from __future__ import annotations

import signal
import time
from dataclasses import dataclass

STOPPING = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
_SI_KERNEL = 128
"""What Linux says of a signal that a terminal sent, to every process in its foreground."""


@dataclass(frozen=True, slots=True)
class Caught:
    """A signal, and whether it came from the terminal: a child in the same foreground has it as well then."""

    number: signal.Signals
    from_terminal: bool


class StopSignals:
    """In a `with`, holds back the signals that ask to stop; `wait` hands them over one by one.

    Those that the process was started to ignore, as by nohup, stay ignored.
    """

    def __init__(self) -> None:
        self._held = frozenset(number for number in STOPPING if signal.getsignal(number) is not signal.SIG_IGN)
        self._before: set[int | signal.Signals] = set()

    def __enter__(self) -> StopSignals:
        self._before = signal.pthread_sigmask(signal.SIG_BLOCK, self._held)
        return self

    def __exit__(self, *_: object) -> None:
        while self.wait(0) is not None:
            pass
        self.release()

    def wait(self, seconds: float) -> Caught | None:
        """Return the next signal, or sleep so long and then return one that came meanwhile, or None.

        Not `sigtimedwait`: in a process that was stopped and goes on, CPython may return a signal that never came.
        """
        if not signal.sigpending() & self._held:
            time.sleep(seconds)
        pending = signal.sigpending() & self._held
        if not pending:
            return None
        found = signal.sigwaitinfo(pending)  # returns at once
        return Caught(signal.Signals(found.si_signo), found.si_code == _SI_KERNEL)

    def release(self) -> None:
        """Let signals act as they did before; a child calls it between fork and exec."""
        signal.pthread_sigmask(signal.SIG_SETMASK, self._before)
