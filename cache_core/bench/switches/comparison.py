"""One figure twice: with a switch off and with it on."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Literal, TypeVar

Figure = Literal[
    "hit rate",
    "us a request",
    "us an eviction",
    "us a request, new keys",
    "us a request, known keys",
    "us a pass",
    "nodes",
    "us a match",
    "us a lock",
]
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Comparison:
    """A figure of one load, in one of its sizes (`case`), with a switch off and on."""

    switch: str
    load: str
    case: str
    figure: Figure
    off: float
    on: float

    @property
    def ratio(self) -> float | None:
        """How many times as much it is with the switch on; None where there is nothing to compare with."""
        return self.on / self.off if self.off else None

    def describe(self) -> dict[str, object]:
        """Return everything, and the ratio, as JSON-able values."""
        return {**asdict(self), "ratio": self.ratio}


def in_turns(runs: int, off: Callable[[], Made], on: Callable[[], Made]) -> tuple[list[Made], list[Made]]:
    """Do both so often, in turns, so that what else the machine does meets both alike."""
    pairs = [(_undisturbed(off), _undisturbed(on)) for _ in range(runs)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def _undisturbed(measure: Callable[[], Made]) -> Made:
    """Measure without the garbage collector, which would come to whom it likes."""
    gc.collect()
    gc.disable()
    try:
        return measure()
    finally:
        gc.enable()


def least_us(runs: Sequence[Sequence[int]]) -> float:
    """Return the sum over calls of the least time that each took in any run; the same calls are made in all."""
    total_ns: int = sum(min(times_ns) for times_ns in zip(*runs, strict=True))
    return total_ns / 1e3
