"""Workers of this machine, a process each, fresh interpreters that get their jobs one by one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from probes.readiness import readable
from radixtop.compare.engine import Outcome, Step, SweepEngine

PROGRAM = "radixtop.compare.worker"
END_S = 1.0
"""How long a worker may take to leave once its stdin is closed; it is killed then."""
_LOG_TAIL_BYTES = 4000


class LocalEngine(SweepEngine):
    """Carries out each job in one of so many processes; one that dies fails its job and is replaced."""

    program = PROGRAM

    def outcomes(self, jobs: Sequence[str], told: Callable[[Step], None]) -> list[Outcome]:
        """See SweepEngine."""
        outcomes: list[Outcome | None] = [None] * len(jobs)
        waiting = deque(enumerate(jobs))
        with _workers() as workers:
            while waiting or workers:
                while waiting and len(workers) < self.workers:
                    worker = _Worker(self.program, _lowest_free(workers))
                    workers[worker.descriptor] = worker
                    worker.give(*waiting.popleft())
                for descriptor in readable(workers):
                    worker = workers[descriptor]
                    for said in worker.hear():
                        _note(worker, said, outcomes, told)
                    if worker.is_gone:
                        _bury(workers.pop(descriptor), outcomes, told)
                    elif worker.job is None and waiting:
                        worker.give(*waiting.popleft())
                    elif worker.job is None:
                        workers.pop(descriptor).end()
        assert all(outcomes), f"{outcomes=}"
        return [outcome for outcome in outcomes if outcome is not None]


def _note(
    worker: _Worker, said: dict[str, object], outcomes: list[Outcome | None], told: Callable[[Step], None]
) -> None:
    """Take in a line that a worker has written about its job."""
    job = worker.job
    assert job is not None, f"{said=}"
    if "requests" in said:
        told(Step(job, int(str(said["requests"]))))
        return
    result, failure = said.get("result"), said.get("failure", "")
    outcomes[job] = Outcome(None if result is None else str(result), str(failure))
    worker.job = None
    told(Step(job, 0, is_over=True))


def _bury(worker: _Worker, outcomes: list[Outcome | None], told: Callable[[Step], None]) -> None:
    """Note that a worker has died, and with it its job."""
    why = worker.death()
    if worker.job is not None:
        outcomes[worker.job] = Outcome(None, why)
        told(Step(worker.job, 0, is_over=True))


@contextmanager
def _workers() -> Iterator[dict[int, _Worker]]:
    """Yield an empty table of workers; those that are in it at the end are ended, all at once."""
    workers: dict[int, _Worker] = {}
    try:
        yield workers
    finally:
        for worker in workers.values():
            worker.let_go()
        for worker in workers.values():
            worker.end()


def _lowest_free(workers: dict[int, _Worker]) -> int:
    taken = {worker.number for worker in workers.values()}
    return next(number for number in range(1, len(taken) + 2) if number not in taken)


class _Worker:
    """A process that carries out one job at a time. `job` is the number of that, None between two."""

    def __init__(self, program: str, number: int) -> None:
        self.number = number
        self.job: int | None = None
        self.is_gone = False
        self._heard = b""
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by end
        # A session of its own: ctrl+c in the terminal is for this process, which then ends the workers.
        self._process = subprocess.Popen(
            [sys.executable, "-m", program, f"compare-{number}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, start_new_session=True,
        )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self.descriptor = self._stdout.fileno()

    def give(self, number: int, job: str) -> None:
        """Send a job, one line of JSON; a worker that is gone is noticed when it is heard."""
        self.job = number
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
