"""What is promised of a figure, and whether it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from cache_core.bench.table import table


@dataclass(frozen=True, slots=True)
class Promise:
    """A figure and the most that it may be. None is a figure that could not be measured."""

    what: str
    value: float | None
    most: float
    unit: str

    @property
    def holds(self) -> bool:
        """Whether the figure is known and no more than that."""
        return self.value is not None and self.value <= self.most

    def describe(self) -> dict[str, object]:
        """Return the figure with its limit and the verdict, for a document."""
        return {**asdict(self), "holds": self.holds}


def verdicts(promises: Sequence[Promise]) -> str:
    """Return a row for each promise: the figure, the most it may be, and whether it holds."""
    rows = [
        [promise.what, _figure(promise.value), f"{promise.most:g}", promise.unit, "yes" if promise.holds else "NO"]
        for promise in promises
    ]
    return table(["what", "figure", "at most", "of", "holds"], rows)


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:,.3g}" if value < 100 else f"{value:,.0f}"
