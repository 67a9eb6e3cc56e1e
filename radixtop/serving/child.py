"""The parent's side of the worker process: starts it, hears what it says of itself, ends it.

The worker gets its run as the first line of stdin and lives as long as that stream is open. On stdout it writes
one JSON line per turn of its life (`Turn`); stderr goes to a file that is read when the worker dies.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from radixtop.errors import RadixtopError
from radixtop.serving.run_config import RunConfig

WORKER = "radixtop.serving.worker"
"""The module that serves a run, as a program."""
END_S = 3.0
"""How long the worker may take to leave once its stdin is closed; it promises two seconds."""
_LOG_TAIL_BYTES = 4000


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn in the worker's life, see `radixtop.serving.worker`, with what it has said of itself so far."""

    name: str
    details: Mapping[str, object] = field(default_factory=dict)


class EngineChild:
    """The worker process of one run. `listen` and `close` belong to one thread."""

    def __init__(self, run: RunConfig) -> None:
        self.turn = Turn("starting")
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close
        self._heard = b""
        # A session of its own: ctrl+c in the terminal is for the parent, which then ends the worker in order.
        self._process = subprocess.Popen(
            [sys.executable, "-m", WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        os.set_blocking(self._stdout.fileno(), False)
        self._stdin.write(run.to_json().encode() + b"\n")
        self._stdin.flush()

    @property
    def pid(self) -> int:
        """Return the process id of the worker."""
        return self._process.pid

    def listen(self) -> Turn:
        """Take in what the worker has said since and return its latest turn."""
        try:
            self._heard += os.read(self._stdout.fileno(), 1 << 16)
        except BlockingIOError:
            return self.turn
        *lines, self._heard = self._heard.split(b"\n")
        for line in lines:
            said = cast(dict[str, object], json.loads(line))
            self.turn = Turn(str(said.pop("turn")), {**self.turn.details, **said})
        return self.turn

    def death(self) -> RadixtopError | None:
        """Return why the worker is gone, or None while it lives."""
        code = self._process.poll()
        if code is None:
            return None
        said = self.listen()
        if said.name == "failed":
            message, hint, exit_code = (said.details[key] for key in ("message", "hint", "exit_code"))
            return RadixtopError(str(message), str(hint), cast(int, exit_code))
        number = -code if code < 0 else code - 128
        if number in signal.valid_signals():
            hint = "the kernel does that when memory runs out" if number == signal.SIGKILL else ""
            return RadixtopError(f"the engine process was ended by {signal.Signals(number).name}", hint)
        last = self._log_tail().rstrip().rsplit("\n", 1)[-1]
        return RadixtopError(f"the engine process ended with exit code {code}" + (f": {last}" if last else ""))

    def _log_tail(self) -> str:
        """Return the end of what the worker wrote to stderr."""
        log = self._log.fileno()
        start = max(0, os.fstat(log).st_size - _LOG_TAIL_BYTES)
        return os.pread(log, _LOG_TAIL_BYTES, start).decode("utf-8", "replace")

    def interrupt(self) -> None:
        """Ask the worker to stop and to say what its run came to."""
        self._process.send_signal(signal.SIGINT)

    def close(self) -> None:
        """End the worker: it flushes and leaves; one that does not is killed."""
        try:
            self._stdin.close()
        except BrokenPipeError:
            pass  # it was gone before it read its run
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.listen()
        self._stdout.close()
        self._log.close()
