"""What a process did over time as one trace: its threads by the samples, and what its cache recorded meanwhile.

While samples are taken the ring of the process is followed, and its records are drawn as they come. The samples are
drawn at the end. Both are on one clock: the latest moment of the sampler was before its first byte came, and its zero
after it was started. What that leaves open, a millisecond or two, is told in the trace.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from probes.errors import RingError
from probes.rings.folder import default_folder, list_rings, owner_of
from probes.rings.reader import RingReader
from probes.snapshot import component_names
from profiles.cpu.plan import CodeTarget, SamplingPlan
from profiles.cpu.sampler import Sampled, children_of
from profiles.cpu.thread_slices import ThreadSlices, read_slices
from profiles.dates import Origin
from profiles.timelines.timeline import Timeline
from profiles.timelines.trace_events import DATED, TraceWriter, Track

_LOOK_NS = 250_000_000
"""How often it is looked for rings that are new."""

_BLOCKS = 256
"""So many blocks of a ring are drawn at a time, so that pipes are read meanwhile."""


class SamplingTimeline:
    """Writes the trace of one sampling: `follow` it while it goes on, then `draw` it. Use it in a `with`.

    `remarks` say what is missing, one line each.
    """

    def __init__(self, out: BinaryIO, target: CodeTarget, title: str) -> None:
        """Begin the trace; time starts now."""
        self._origin = Origin(time.perf_counter_ns(), time.time_ns())
        about = {"source": "radixtop", "title": title, "clock": DATED}
        self._trace = TraceWriter(out, self._origin, about)
        self._root = os.getpid() if target.pid is None else target.pid
        self._title = title
        self._followed: dict[Path, _FollowedRing] = {}
        self._look_at_ns = 0
        self.remarks: list[str] = []

    def __enter__(self) -> SamplingTimeline:
        self._trace.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        for ring in self._followed.values():
            ring.close()
        self._trace.__exit__(kind, error, at)

    def follow(self) -> None:
        """Draw what the rings of the process, and of those it started, hold by now."""
        now = time.perf_counter_ns()
        if now >= self._look_at_ns:
            self._look_at_ns = now + _LOOK_NS
            self._look_for_rings()
        for ring in self._followed.values():
            ring.follow()

    def draw(self, found: Sampled, plan: SamplingPlan) -> None:
        """Draw the samples, and the last of the rings. Raises ProfilingError for samples that cannot be read."""
        self.follow()
        for ring in self._followed.values():
            self.remarks += ring.end()
        timed = read_slices(found.text)
        zero_ns, error_ns = clock_of(found, timed.last_ns)
        named: set[int] = set()
        for thread in timed.threads:
            if thread.pid not in named:
                named.add(thread.pid)
                self._name(thread, found, plan, zero_ns, error_ns)
            self._draw_thread(thread, zero_ns)

    def _name(self, thread: ThreadSlices, found: Sampled, plan: SamplingPlan, zero_ns: int, error_ns: int) -> None:
        process = thread.process or self._title
        self._trace.name_process(thread.pid, f"Python stacks: {process}", order=1)
        args = {
            "rate_hz": plan.rate_hz, "samples": found.samples, "unreadable_samples": found.errors,
            "edges_late_up_to_us": 1_000_000 // plan.rate_hz, "clock_error_us": error_ns // 1000,
        }  # fmt: skip
        self._trace.instant(Track(thread.pid, 0, "sampling"), "sampling begins", zero_ns, args)

    def _draw_thread(self, thread: ThreadSlices, zero_ns: int) -> None:
        track = Track(thread.pid, thread.number, "stack")
        self._trace.name_track(track, thread.name or f"thread {thread.number}", order=thread.number)
        for slice in thread.slices:
            self._trace.slice(track, str(slice.frame), zero_ns + slice.start_ns, zero_ns + slice.end_ns)

    def _look_for_rings(self) -> None:
        try:
            rings = list_rings(default_folder(owner_of(self._root)))
        except RingError:
            return
        new = [ring for ring in rings if ring.path not in self._followed]
        family = _family(self._root) if new else set()
        for ring in new:
            if ring.pid in family:
                try:
                    self._followed[ring.path] = _FollowedRing(self._trace, ring.path, self._origin.clock_ns)
                except RingError as error:
                    if str(error) not in self.remarks:
                        self.remarks.append(str(error))


class _FollowedRing:
    """A ring, and the timeline that is drawn of it; what was recorded before `since_ns` stays out of it."""

    def __init__(self, trace: TraceWriter, path: Path, since_ns: int) -> None:
        self._reader = RingReader(path)
        self._since_ns = since_ns
        config = self._reader.header().config
        self._pid = int(path.name.partition("-")[0])
        self._timeline = Timeline(trace, self._pid, str(config.get("workload") or ""), component_names(config))

    def follow(self) -> None:
        """Draw what is new; when much waits, the rest comes with the next call."""
        blocks, _ = self._reader.read(_BLOCKS)
        for block in blocks:
            for _, record in block.records():
                if getattr(record, "at", self._since_ns) >= self._since_ns:
                    self._timeline.apply(record)

    def end(self) -> list[str]:
        """End what goes on in the drawing, and return what it lacks."""
        self._timeline.close()
        lost, torn = self._reader.lost_records, self._reader.torn_blocks
        if not lost and not torn:
            return []
        return [f"the timeline of process {self._pid} lacks {lost:,} records and {torn:,} damaged blocks"]

    def close(self) -> None:
        """Let go of the ring."""
        self._reader.close()


def clock_of(found: Sampled, last_ns: int) -> tuple[int, int]:
    """Return when the sampler's clock was zero, and by how much that may be off; `last_ns` is its latest moment."""
    earliest = found.began_ns
    latest = max(earliest, found.written_ns - last_ns)
    return (earliest + latest) // 2, (latest - earliest + 1) // 2


def _family(pid: int) -> set[int]:
    """Return a process and everything it started, as far as that lives."""
    family, waiting = set(), [pid]
    while waiting:
        member = waiting.pop()
        if member not in family:
            family.add(member)
            waiting += children_of(member)
    return family
