"""How to sample a process: a value, and the command line of py-spy that stands for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MOST_THREADS = 20
"""Stopping a process for every sample stops each of its threads: with more than so many it takes most of its time."""

RAW, TIMED = "raw", "chrometrace"
"""What py-spy may write: stacks with counts, or when each thread entered and left which frame."""


@dataclass(frozen=True, slots=True)
class SamplingPlan:
    """What to sample and how. The defaults never stop the target.

    `gil` counts only who holds the interpreter lock, `idle` also who waits. `functions` makes a function one frame
    whatever its line. With `stops` or `native` the target stands still for each sample.
    """

    rate_hz: int = 100
    duration_s: int | None = None
    gil: bool = True
    idle: bool = False
    functions: bool = False
    threads: bool = False
    subprocesses: bool = False
    native: bool = False
    stops: bool = False

    @property
    def is_blocking(self) -> bool:
        """Whether the target stands still while a sample is taken."""
        return self.stops or self.native

    def arguments(self, written: str, descriptor: int) -> list[str]:
        """Return what follows `py-spy record`, up to the target; the samples go to a descriptor, as RAW or TIMED."""
        flags = {
            "--nonblocking": not self.is_blocking, "--gil": self.gil, "--idle": self.idle, "--native": self.native,
            "--function": self.functions, "--threads": self.threads, "--subprocesses": self.subprocesses,
        }  # fmt: skip
        end = ["--duration", str(self.duration_s)] if self.duration_s is not None else []
        where = ["--format", written, "--output", f"/dev/fd/{descriptor}"]
        return ["--rate", str(self.rate_hz), *end, *where, *(flag for flag, is_set in flags.items() if is_set)]


@dataclass(frozen=True, slots=True)
class CodeTarget:
    """What to sample: the process `pid`, or a `command` that is started for it."""

    pid: int | None = None
    command: Sequence[str] = ()

    @property
    def words(self) -> list[str]:
        """The end of py-spy's command line."""
        return ["--pid", str(self.pid)] if self.pid is not None else ["--", *self.command]

    def __str__(self) -> str:
        """Return the target as errors name it; arguments of a command may be secret."""
        return f"process {self.pid}" if self.pid is not None else f"the command {self.command[0]}"
