"""The program of a worker of a sweep: jobs come as lines on stdin, what becomes of them goes to stdout.

    python -m radixtop.compare.worker NUMBER

A line of stdout is JSON: {"requests": n} now and then while a job goes on, then {"result": text} or
{"failure": text}.
A worker has nothing to lose: it leaves at once when stdin ends, whatever it is doing, so that none outlives the
process that started it.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from time import monotonic
from typing import TextIO

from radixtop.compare.job import carry_out
from radixtop.errors import exit_code_of, message_of

TELL_EVERY_S = 0.1


class Teller:
    """Writes what becomes of jobs; how far they are at most every `TELL_EVERY_S`."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._due_at = 0.0

    def requests(self, count: int) -> None:
        """Tell how far the job is, if it is time."""
        now = monotonic()
        if now >= self._due_at:
            self._due_at = now + TELL_EVERY_S
            self.say(requests=count)

    def say(self, **values: object) -> None:
        """Write a line."""
        self._out.write(json.dumps(values) + "\n")
        self._out.flush()


CarryOut = Callable[[str, Teller], str]
"""Returns what a job comes to; raises what a user can cause."""


def main(name: str, carried_out: CarryOut | None = None) -> None:
    """Carry out jobs until nobody has any more for us; those of a sweep unless told how."""
    _call_this_process(f"rtop-{name}")  # at most 15 characters
    # What a library prints must not look like something of ours.
    teller = Teller(os.fdopen(os.dup(1), "w", encoding="utf-8"))
    os.dup2(2, 1)
    jobs: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_listen, args=(jobs,), name="jobs", daemon=True).start()
    while True:
        answer(jobs.get(), teller, carried_out or _of_sweep)


def answer(job: str, teller: Teller, carried_out: CarryOut) -> None:
    """Carry out one job and tell what became of it; what can only be a bug ends this process."""
    try:
        result = carried_out(job, teller)
    except MemoryError:
        teller.say(failure="it takes more memory than there is")
    except Exception as error:
        if exit_code_of(error) is None:
            raise
        teller.say(failure=": ".join(part for part in message_of(error) if part))
    else:
        teller.say(result=result)


def _of_sweep(job: str, teller: Teller) -> str:
    return carry_out(job, teller.requests)


def _listen(jobs: SimpleQueue[str]) -> None:
    for line in sys.stdin:
        jobs.put(line)
    os._exit(0)


def _call_this_process(name: str) -> None:
    """Have lists of processes show a name of ours; where the system has no such thing nothing changes."""
    try:
        Path("/proc/self/comm").write_text(name)
    except OSError:
        pass


if __name__ == "__main__":
    main(sys.argv[1])
