"""SIGTERM and SIGHUP taken as ctrl+c is: whoever cleans up when interrupted cleans up then as well.

Their default ends a process on the spot, and leaves half a file, or a process that it has started, behind.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType

Handler = Callable[[int, FrameType | None], object]

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
def answered(answers: Mapping[int, Handler]) -> Iterator[None]:
    """In a `with`, answer signals like this, and afterwards as before. Does nothing off the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, answer) for number, answer in answers.items()}
    try:
        yield
    finally:
        for number, answer in before.items():
            signal.signal(number, answer)


@contextmanager
def held_back() -> Iterator[None]:
    """In a `with`, keep signals that ask this process to end until it is left.

    For the imports of libraries that swallow whatever an import of theirs raises, or go on with half of one. Handlers
    and no mask: that would hold for one thread, and the kernel gives a signal to any.
    """
    heard: list[int] = []
    numbers = [n for n in (signal.SIGINT, *TERMINATING) if signal.getsignal(n) is not signal.SIG_IGN]
    try:
        with answered(dict.fromkeys(numbers, lambda number, _: heard.append(number))):
            yield
    finally:
        if heard:  # in place of what the library may have raised because of it
            signal.raise_signal(heard[0])


def _raise(number: int, frame: FrameType | None) -> None:
    raise Terminated(number)
