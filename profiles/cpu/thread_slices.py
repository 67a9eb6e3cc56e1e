"""When each thread was in which frame, read from what py-spy writes as begins and ends.

Its ends may be missing or in another order than its begins; here they become slices that nest. A slice begins and
ends with the sample that first saw it and saw it no more, so its edges are late by up to one period of sampling.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from profiles.cpu.stacks import CodeFrame, clean, read_frame
from profiles.errors import ProfilingError


@dataclass(frozen=True, slots=True)
class Slice:
    """A thread was in a frame, `depth` frames below the outermost one, in [start, end) of the sampler's clock."""

    frame: CodeFrame
    depth: int
    start_ns: int
    end_ns: int


@dataclass(slots=True)
class ThreadSlices:
    """The slices of one thread, those that enclose others first; what its outermost frames say of it."""

    pid: int
    number: int
    process: str = ""
    name: str = ""
    slices: list[Slice] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Timed:
    """The threads that were seen, and when the last thing was written on the sampler's clock."""

    threads: list[ThreadSlices]
    last_ns: int


def read_slices(text: bytes) -> Timed:
    """Return the slices of py-spy's timed output. Raises ProfilingError for what is none."""
    try:
        events = json.loads(text or b"[]")
        threads: dict[tuple[int, int], _Reading] = {}
        for event in events:
            key = int(event["pid"]), int(event["tid"])
            reading = threads.setdefault(key, _Reading(ThreadSlices(key[0], len(threads) + 1)))
            reading.take(event["ph"], _frame(event), int(event["ts"]) * 1000)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ProfilingError(f"py-spy wrote what is no trace: {error!r}", "pip install -U 'py-spy>=0.4'") from None
    return Timed(
        [reading.whole() for reading in threads.values()], max((r.at_ns for r in threads.values()), default=0)
    )


class _Reading:
    """One thread while its events are read: what is open, the outermost first."""

    def __init__(self, thread: ThreadSlices) -> None:
        self._thread = thread
        self._open: list[tuple[CodeFrame, int]] = []
        self.at_ns = 0

    def take(self, phase: str, frame: CodeFrame, at_ns: int) -> None:
        """Take in an event; time does not go back, and an end of nothing is none."""
        self.at_ns = max(self.at_ns, at_ns)
        if phase == "B":
            self._open.append((frame, self.at_ns))
        elif phase == "E" and any(frame == opened for opened, _ in self._open):
            while self._close() != frame:
                pass

    def whole(self) -> ThreadSlices:
        """Close what is open and return the thread."""
        while self._open:
            self._close()
        self._thread.slices.sort(key=lambda slice: (slice.start_ns, slice.depth))
        return self._thread

    def _close(self) -> CodeFrame:
        frame, start_ns = self._open.pop()
        above = sum(bool(opened.file) for opened, _ in self._open)
        if not frame.file:
            self._say(frame.name)
        elif self.at_ns > start_ns:
            self._thread.slices.append(Slice(frame, above, start_ns, self.at_ns))
        return frame

    def _say(self, name: str) -> None:
        """Keep what py-spy puts above the first frame: the process, innermost last, and the thread."""
        if name.endswith("]") and " [thread " in name:
            self._thread.name = name
        elif not self._thread.process:
            self._thread.process = name


def _frame(event: Mapping[str, Any]) -> CodeFrame:
    """Return the frame of an event; a process or a thread has no file."""
    name, file = str(event["name"]), str(event["args"]["filename"])
    if not file:
        return read_frame(name)
    return CodeFrame(clean(name), clean(file.rpartition("/")[2]), int(event["args"]["line"]))
