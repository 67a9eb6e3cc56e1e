"""The part of a run that is profiled: it begins and ends between two steps of the engine."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from profiles.dates import Origin
from radixtop.errors import RadixtopError

if TYPE_CHECKING:
    from cache_core.engine.profiling import TorchProfiler


class ProfiledSpan:
    """Profiles at most `most` steps behind the first `skipped` ones. `began` is its beginning on both clocks."""

    def __init__(self, profiler: TorchProfiler, skipped: int, most: int) -> None:
        self.profiler = profiler
        self.steps = 0
        self.began = Origin(0, 0)
        self._waiting = skipped
        self._most = most
        self._ended_ns = 0
        self._is_open = False
        if not skipped:
            self._begin()

    @property
    def duration_ns(self) -> int:
        """How long the steps took, with what lay between them."""
        return self._ended_ns - self.began.clock_ns

    @property
    def is_over(self) -> bool:
        """Whether as many steps were profiled as were asked for."""
        return self.steps >= self._most

    def stepped(self) -> None:
        """Take note of a step of the engine."""
        if self._is_open:
            self.steps += 1
            self._ended_ns = time.perf_counter_ns()
            if self.is_over:
                self._end()
        else:
            self._waiting -= 1
            if not self._waiting:
                self._begin()

    def close(self) -> None:
        """End it with the run. Raises RadixtopError when no step was profiled."""
        if self._is_open:
            self._end()
        if not self.steps:
            raise RadixtopError(
                "the run was over before a step was profiled", "ask for more --requests, or skip fewer steps (--skip)"
            )

    def _begin(self) -> None:
        self.profiler.start()  # ctrl+c may come in here: what did not begin is not ended
        self.began = Origin(time.perf_counter_ns(), time.time_ns())
        self._is_open = True

    def _end(self) -> None:
        self._is_open = False
        self.profiler.stop()
