"""The Chrome trace of torch's profiler, read and mended, so that it can be written into a timeline of ours.

Slices of one thread must nest, or Perfetto drops what overlaps. torch's clocks sometimes let a slice end a little
after the one around it; it then ends with that one. How many were cut, and by how much at most, is counted.

    around  [--------------)
    slice          [----------)     becomes  [------)
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from profiles.errors import ProfilingError

Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class TorchTrace:
    """The events, dated as `base_ns` + 1000 * ts, and what it took to make their slices nest."""

    events: list[Event]
    base_ns: int
    cut_slices: int = 0
    most_cut_ns: int = 0

    def starts_of(self, name: str) -> list[int]:
        """Return when the slices of a name began, as dates in ns, in order."""
        return sorted(_ns(event["ts"]) + self.base_ns for event in _slices(self.events) if event["name"] == name)


def read_torch_trace(path: Path) -> TorchTrace:
    """Return a trace that torch wrote. Raises ProfilingError when it is none."""
    try:
        document = json.loads(path.read_bytes())
        events = [event for event in document["traceEvents"] if isinstance(event, dict)]
        return _nested(events, int(document["baseTimeNanoseconds"]))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ProfilingError(f"torch wrote what is no trace: {error!r}", "use another version of torch") from None


def _nested(events: list[Event], base_ns: int) -> TorchTrace:
    """Cut the slices that outlast the one around them, in place."""
    cut, most = 0, 0
    for slices in _by_thread(events):
        around: list[int] = []
        for event in slices:
            start, end = _ns(event["ts"]), _ns(event["ts"]) + _ns(event["dur"])
            while around and around[-1] <= start:
                around.pop()
            if around and end > around[-1]:
                cut, most = cut + 1, max(most, end - around[-1])
                end = around[-1]
                event["dur"] = (end - start) / 1000
            around.append(end)
    return TorchTrace(events, base_ns, cut, most)


def _by_thread(events: Iterable[Event]) -> Iterator[list[Event]]:
    """Yield the slices of each thread, those that enclose others first."""
    threads: dict[tuple[object, object], list[Event]] = {}
    for event in _slices(events):
        threads.setdefault((event["pid"], event["tid"]), []).append(event)
    for slices in threads.values():
        yield sorted(slices, key=lambda event: (event["ts"], -event["dur"]))


def _slices(events: Iterable[Event]) -> Iterator[Event]:
    return (event for event in events if event.get("ph") == "X")


def _ns(microseconds: float) -> int:
    return round(microseconds * 1000)
