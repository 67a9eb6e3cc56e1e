"""A minute of figures, one a second, where each scrape tells what was since the one before it."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from probes.window import HISTORY_SECONDS, SECOND_NS

_KEPT_NS = (HISTORY_SECONDS + 1) * SECOND_NS
_MOST = 1_024

History = tuple[float | None, ...]


class Step(NamedTuple):
    """The figures from one scrape to the next (ns of the reader's clock); None where one is not known."""

    since: int
    until: int
    hit_rate: float | None
    generated_tokens_per_s: float | None
    usage: float | None


class Steps:
    """The steps of the last minute."""

    def __init__(self) -> None:
        self._steps: deque[Step] = deque(maxlen=_MOST)

    def add(self, step: Step) -> None:
        """Take a step that follows on the last."""
        self._steps.append(step)
        while self._steps[0].until < step.until - _KEPT_NS:
            self._steps.popleft()

    def histories(self, now: int) -> tuple[History, History, History]:
        """Return hit rate, generated tokens a second and usage at each second of the last minute, oldest first.

        The newest step holds for one more step's length plus a second; after that nothing is known.
        """
        last = now // SECOND_NS * SECOND_NS
        points: list[Step | None] = []
        steps = iter(self._steps)
        step = next(steps, None)
        newest = self._steps[-1] if self._steps else None
        for moment in range(last - (HISTORY_SECONDS - 1) * SECOND_NS, last + 1, SECOND_NS):
            while step is not None and step.until < moment:
                step = next(steps, None)
            if step is None:
                points.append(newest if newest is not None and moment <= _holds_until(newest) else None)
            else:
                points.append(step if step.since < moment else None)
        return (
            tuple(point and point.hit_rate for point in points),
            tuple(point and point.generated_tokens_per_s for point in points),
            tuple(point and point.usage for point in points),
        )


def _holds_until(step: Step) -> int:
    return step.until + (step.until - step.since) + SECOND_NS
