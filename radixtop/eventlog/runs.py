"""Where the rows of a log begin when consecutive steps of the engine share one."""

from __future__ import annotations

from bisect import bisect_left

from cache_core.events import EngineStep
from probes.builtin.event_log import EventLog


class Runs:
    """The numbers of the events that begin a row, ascending: a run of steps keeps its number while it grows."""

    def __init__(self) -> None:
        self.heads: list[int] = []
        self._log: EventLog | None = None
        self._upto = 0
        self._ends_in_step = False

    def go_on(self, log: EventLog) -> None:
        """Take in what came, and forget what the log no longer keeps."""
        if log is not self._log or not log.first <= self._upto <= log.total:
            self._log, self._upto, self._ends_in_step = log, log.first, False
            self.heads = []
        for number, event in enumerate(log.span(self._upto, log.total), self._upto):
            is_step = type(event) is EngineStep
            if not (is_step and self._ends_in_step):
                self.heads.append(number)
            self._ends_in_step = is_step
        self._upto = log.total
        del self.heads[: bisect_left(self.heads, log.first)]
        if log.first < log.total and self.heads[:1] != [log.first]:
            self.heads.insert(0, log.first)  # what is left of a run
