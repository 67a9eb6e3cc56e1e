"""A trace in the order of time, whatever the order of its file."""

from __future__ import annotations

from abc import abstractmethod
from array import array
from collections.abc import Iterator
from itertools import pairwise
from math import inf
from pathlib import Path

from profiles.trace import Trace, TraceError, TraceRequest

MOST_HELD_BYTES = 1 << 30
"""The paths of requests that wait for earlier ones further down the file."""


LEAST_READ = 1000
"""So many requests are read however few are wanted: what all lines have in common shows in them."""


class TimeOrdered(Trace):
    """The requests of a file in stable order of time, the first at 0.

    Opening it reads the file once, which finds whatever is wrong with it, and keeps 8 bytes for each request. A file
    in order is then streamed; where it is not, requests wait for those that come later in it and are earlier.
    """

    def __init__(self, path: Path, wanted: int | None = None) -> None:
        """Read the file; as far as its first `wanted` requests where it is in order up to there."""
        self.path = path
        self.name = path.name
        self.zero_ns = 0
        """What is subtracted from the times of the file."""
        times = self._times(wanted)
        if not times:
            raise TraceError(f"{path} holds no request", "name a trace that has some")
        self._requests = len(times)
        self.zero_ns = min(times)
        self._places: array[int] | None = None  # of each request of the file, its place in time
        if any(later < earlier for earlier, later in pairwise(times)):
            self._places = _places(times)

    def _times(self, wanted: int | None) -> array[int]:
        """Return the times of the requests in the order of the file: a log in order is taken to go on so."""
        enough = inf if wanted is None else max(wanted, LEAST_READ)
        times: array[int] = array("q")
        is_in_order = True
        for request in self.in_file_order():
            is_in_order = is_in_order and (not times or request.at_ns >= times[-1])
            times.append(request.at_ns)
            if is_in_order and len(times) >= enough:
                break
        return times

    @abstractmethod
    def in_file_order(self) -> Iterator[TraceRequest]:
        """Yield the requests as the file has them, their times less `zero_ns`."""

    def __len__(self) -> int:
        """See Trace."""
        return self._requests

    def __iter__(self) -> Iterator[TraceRequest]:
        """See Trace."""
        count = 0
        for count, request in enumerate(self._ordered(), 1):
            yield request
            if count == self._requests:  # whoever writes the file may have gone on since
                return
        problem = f"{self.path} has lost {self._requests - count:,} requests since it was opened"
        raise TraceError(problem, "leave it alone while it is read")

    def _ordered(self) -> Iterator[TraceRequest]:
        places = self._places
        if places is None:
            yield from self.in_file_order()
            return
        held: dict[int, TraceRequest] = {}
        held_bytes = due = 0
        for place, request in zip(places, self.in_file_order(), strict=False):
            held[place] = request
            held_bytes += len(request.path)
            while (next_one := held.pop(due, None)) is not None:
                held_bytes -= len(next_one.path)
                due += 1
                yield next_one
            if held_bytes > MOST_HELD_BYTES:
                waiting = f"{len(held):,} requests wait for the one before them"
                raise TraceError(f"{self.path} is too far out of order: {waiting}", "sort it by time")


def _places(times: array[int]) -> array[int]:
    """Return the place of each time among all of them, equal ones in the order they are in."""
    places = array("q", bytes(8 * len(times)))
    for place, index in enumerate(sorted(range(len(times)), key=times.__getitem__)):
        places[index] = place
    return places
