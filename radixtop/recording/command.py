"""The command that `radixtop record -- COMMAND` starts, and the ring of the cache in it or in what it starts."""

from __future__ import annotations

import math
import subprocess
import time
from collections.abc import Sequence

from radixtop.errors import FAILED, OK, RadixtopError
from radixtop.signals import Caught, StopSignals
from radixtop.target import HOW_TO_PUBLISH, Target, ring_below

LOOK_S = 0.005
"""How often a ring is looked for: a short run is over soon."""

MOST_ASKED = 3
"""The signal that is no longer passed on: who sends so many wants the recording to end."""


class RecordedCommand:
    """A child that keeps the terminal and its streams to itself. It is never killed: it may outlive the recording."""

    def __init__(self, words: Sequence[str], signals: StopSignals) -> None:
        """Start it. Raises RadixtopError when that is not possible."""
        self._signals = signals
        self._asked: list[Caught] = []
        try:
            self._process = subprocess.Popen(words, preexec_fn=signals.release)
        except OSError as error:
            hint = "a process that runs already is named by its target, shm:PID"
            raise RadixtopError(f"cannot start {words[0]}: {error.strerror}", hint) from error

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    @property
    def is_over(self) -> bool:
        """Whether it ended."""
        return self._process.poll() is not None

    def ring(self) -> Target:
        """Wait for the first ring of it or of its descendants.

        Raises RadixtopError when it ends without one, or at one signal too many.
        """
        while True:
            over = self.is_over
            found = ring_below(self.pid)
            if found is not None:
                return found
            if over or self.pass_on(self._signals.wait(LOOK_S)):
                raise RadixtopError(f"{self.describe_end()} and published no cache", HOW_TO_PUBLISH)

    def pass_on(self, caught: Caught | None) -> bool:
        """Give a signal to the command, unless the terminal did; say whether it was one too many."""
        if caught is None:
            return False
        self._asked.append(caught)
        if len(self._asked) >= MOST_ASKED:
            return True
        if not caught.from_terminal and not self.is_over:
            self._process.send_signal(caught.number)
        return False

    def wait(self, seconds: float = math.inf) -> None:
        """Wait for its end, at most so long, or for one signal too many."""
        until = time.monotonic() + seconds
        while not self.is_over and time.monotonic() < until:
            if self.pass_on(self._signals.wait(LOOK_S)):
                return

    @property
    def exit_code(self) -> int:
        """What becomes of its exit code: 1 for one that failed, but not because it was asked to end."""
        code = self._process.returncode
        asked = {caught.number for caught in self._asked}
        return OK if not code or {-code, code - 128} & asked else FAILED

    def describe_end(self) -> str:
        """Return how it ended, in words."""
        code = self._process.returncode
        if code is None:
            return f"the command goes on as process {self.pid}"
        return f"the command was ended by signal {-code}" if code < 0 else f"the command ended with exit code {code}"
