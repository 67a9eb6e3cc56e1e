"""SIGTERM and SIGHUP taken as ctrl+c is: whoever cleans up when interrupted cleans up then as well.

Their default ends a process on the spot, and leaves half a file, or a process that it has started, behind.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

TERMINATING = (signal.SIGTERM, signal.SIGHUP)


class Terminated(KeyboardInterrupt):
    """The process was asked to end; `exit_code` is what a shell says of a process that such a signal ended."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.exit_code = 128 + number


@contextmanager
def terminated_in_order() -> Iterator[None]:
    """In a `with`, raise Terminated at a signal that would end the process; one that is ignored stays so.

    Nothing changes off the main thread, which is the only one that hears of signals.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    taken = [number for number in TERMINATING if signal.getsignal(number) is signal.SIG_DFL]
    for number in taken:
        signal.signal(number, _raise)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def held_back() -> Iterator[None]:
    """In a `with`, keep signals that ask this process to end until it is left.

    For the imports of libraries that swallow whatever an import of theirs raises, or go on with half of one.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, *TERMINATING})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _raise(number: int, frame: FrameType | None) -> None:
    raise Terminated(number)
