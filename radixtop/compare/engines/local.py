"""Workers of this machine, a process each, fresh interpreters that get their jobs one by one."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from probes.readiness import readable
from radixtop.compare.engine import Outcome, Step, SweepEngine
from radixtop.worker_process import WorkerProcess

PROGRAM = "radixtop.compare.worker"


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
                    worker.begin(*waiting.popleft())
                for descriptor in readable(workers):
                    worker = workers[descriptor]
                    for said in worker.hear():
                        _note(worker, said, outcomes, told)
                    if worker.is_gone:
                        _bury(workers.pop(descriptor), outcomes, told)
                    elif worker.job is None and waiting:
                        worker.begin(*waiting.popleft())
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


class _Worker(WorkerProcess):
    """A process that carries out one job at a time. `job` is the number of that, None between two."""

    def __init__(self, program: str, number: int) -> None:
        super().__init__(program, f"compare-{number}")
        self.number = number
        self.job: int | None = None

    def begin(self, number: int, job: str) -> None:
        """Send a job."""
        self.job = number
        self.give(job)
