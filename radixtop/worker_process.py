"""A process that carries out jobs for this one: lines of JSON go in, lines of JSON come out.

Its program is one whose `main` is that of `radixtop.compare.worker`: it leaves as soon as its stdin ends.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Collection

END_S = 1.0
"""How long a worker may take to leave once its stdin is closed; it is killed then."""
_LOG_TAIL_BYTES = 4000


class WorkerProcess:
    """A process of ours, called by a name: it is given jobs, and heard. `is_gone` once its stdout has ended.

    It has the descriptors in `shared`, too, under the same numbers. `descriptor` can be waited for.
    """

    def __init__(self, program: str, name: str, shared: Collection[int] = ()) -> None:
        self.is_gone = False
        self._heard = b""
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by end
        # A session of its own: ctrl+c in the terminal is for this process, which then ends its workers.
        self._process = subprocess.Popen(
            [sys.executable, "-m", program, name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, start_new_session=True,
            pass_fds=tuple(shared),
        )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self.descriptor = self._stdout.fileno()

    def give(self, job: str) -> None:
        """Send a job, one line of JSON; a worker that is gone is noticed when it is heard."""
        try:
            self._stdin.write(job.encode() + b"\n")
            self._stdin.flush()
        except BrokenPipeError:
            pass

    def hear(self) -> list[dict[str, object]]:
        """Return what it has written since; call it when there is something, or when it is gone."""
        read = os.read(self.descriptor, 1 << 16)
        self.is_gone = not read
        *lines, self._heard = (self._heard + read).split(b"\n")
        return [json.loads(line) for line in lines]

    def death(self) -> str:
        """Return what a worker died of that is gone, and forget it."""
        code = self._process.wait()
        log = self._log.fileno()
        start = max(0, os.fstat(log).st_size - _LOG_TAIL_BYTES)
        last = os.pread(log, _LOG_TAIL_BYTES, start).decode("utf-8", "replace").rstrip().rpartition("\n")[2]
        self.end()
        if code == -signal.SIGKILL:
            return "its process was killed, as the kernel does when memory runs out"
        if code < 0:
            return f"its process was ended by {signal.Signals(-code).name}"
        return f"its process ended with exit code {code}" + (f": {last}" if last else "")

    def let_go(self) -> None:
        """Close its stdin, whereupon it leaves."""
        try:
            self._stdin.close()
        except BrokenPipeError:
            pass

    def drop(self) -> None:
        """Have it end at once, whatever it is doing."""
        self._process.kill()
        self.end()

    def end(self) -> None:
        """Let it go and wait until it has left; one that does not is killed."""
        self.let_go()
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._stdout.close()
        self._log.close()
