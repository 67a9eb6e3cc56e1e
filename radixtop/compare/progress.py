"""How far a sweep is, on stderr: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from radixtop.compare.engine import Step
from radixtop.needs import is_terminal
from radixtop.printable import clean
from radixtop.recording.progress import Narrator
from radixtop.render.units import grouped


class Count:
    """Adds up what jobs of so many requests each have told."""

    def __init__(self, jobs: int, requests: int) -> None:
        self.total_requests = jobs * requests
        self.over = 0
        self._requests = requests
        self._done: dict[int, int] = {}

    def take(self, step: Step) -> None:
        """Take in how far a job is."""
        self.over += step.is_over
        self._done[step.job] = self._requests if step.is_over else min(step.requests, self._requests)

    @property
    def requests(self) -> int:
        """How many requests of all jobs are done."""
        return sum(self._done.values())


@contextmanager
def shown(name: str, jobs: int, requests: int) -> Iterator[Callable[[Step], None]]:
    """Show in a `with` how far so many jobs are, and hand over whom to tell."""
    count = Count(jobs, requests)
    if not is_terminal(sys.stderr):
        narrator = Narrator(sys.stderr)

        def narrate(step: Step) -> None:
            count.take(step)
            now = time.monotonic_ns()
            if narrator.is_due(now):
                narrator.show(f"{count.over} of {jobs} passes done, {grouped(count.requests)} requests", now)

        yield narrate
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    said = TextColumn("{task.description}", markup=False)
    passes = TextColumn("{task.fields[passes]}", markup=False)
    columns = (said, BarColumn(), TaskProgressColumn(), passes, TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(clean(name), total=max(1, count.total_requests), passes="")

        def draw(step: Step) -> None:
            count.take(step)
            bar.update(task, completed=count.requests, passes=f"{count.over} of {jobs} passes")

        yield draw
