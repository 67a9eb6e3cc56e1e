"""Chrome trace events, written one by one: what Perfetto, chrome://tracing and editors show as a timeline.

Format: "Trace Event Format", the object form. Times are decimal microseconds, exact to the nanosecond, since an
origin whose date is the file's `baseTimeNanoseconds`, as in the traces of torch: date = baseTimeNanoseconds + 1000 *
ts. So what two tools saw of one run lies on one time axis. A reader sorts by time; events may come in any order.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import BinaryIO

from profiles.dates import Origin

DATED = "date in ns = baseTimeNanoseconds + 1000 * ts"
"""What the `otherData` of a trace says of its times when its origin is a date."""

Args = Mapping[str, object]
"""What a viewer shows of an event that was clicked: plain JSON values."""


@dataclass(frozen=True, slots=True)
class Track:
    """A row of the timeline: the slices of one (pid, tid) must nest, or viewers drop what overlaps."""

    pid: int
    tid: int
    category: str


class TraceWriter:
    """Writes a trace to an open binary file, which it leaves open. Use it in a `with`, which ends the document.

    All times are nanoseconds on the clock of the origin, which is the zero; what lies before it is drawn at it.
    """

    def __init__(self, out: BinaryIO, origin: Origin, about: Args) -> None:
        """Begin the document; `about` becomes its `otherData`."""
        self._out = out
        self._zero_ns = origin.clock_ns
        self._separator = "\n"
        head = {"displayTimeUnit": "ns", "baseTimeNanoseconds": origin.epoch_ns, "otherData": about}
        out.write(f'{_json(head)[:-1]},"traceEvents":['.encode())

    def __enter__(self) -> TraceWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        if error is None:
            self._out.write(b"\n]}\n")

    def name_process(self, pid: int, name: str, order: int = 0) -> None:
        """Say what a process is called, and its place among the others."""
        self._name(pid, 0, "process", name, order)

    def name_track(self, track: Track, name: str, order: int = 0) -> None:
        """Say what a track is called, and its place in its process."""
        self._name(track.pid, track.tid, "thread", name, order)

    def slice(self, track: Track, name: str, start_ns: int, end_ns: int, args: Args | None = None) -> None:
        """Write that something went on in [start, end)."""
        duration = _microseconds(max(0, end_ns - max(start_ns, self._zero_ns)))
        self._write(track, "X", name, start_ns, f',"dur":{duration}{_args(args)}')

    def instant(self, track: Track, name: str, at_ns: int, args: Args | None = None) -> None:
        """Write that something happened on a track."""
        self._write(track, "i", name, at_ns, f',"s":"t"{_args(args)}')

    def counter(self, track: Track, name: str, at_ns: int, values: Mapping[str, float]) -> None:
        """Write what counters are from here on; each key is a curve of its own."""
        self._write(track, "C", name, at_ns, _args(values))

    def begin(self, track: Track, name: str, id_: int, at_ns: int, args: Args | None = None) -> None:
        """Write that one of several things at a time begins; those of one `id_` must nest."""
        self._write(track, "b", name, at_ns, f',"id2":{{"local":"{id_:#x}"}}{_args(args)}')

    def end(self, track: Track, name: str, id_: int, at_ns: int, args: Args | None = None) -> None:
        """Write that what has begun under this name and `id_` ends."""
        self._write(track, "e", name, at_ns, f',"id2":{{"local":"{id_:#x}"}}{_args(args)}')

    def flow(self, name: str, id_: int, source: tuple[Track, int], target: tuple[Track, int]) -> None:
        """Write an arrow between two (track, time), each of them inside a slice."""
        self._write(source[0], "s", name, source[1], f',"id":{id_}')
        self._write(target[0], "f", name, target[1], f',"bp":"e","id":{id_}')

    def copy(self, event: Mapping[str, object]) -> None:
        """Write an event of another trace, whose times are on the same axis, as it is."""
        self._put(_json(event))

    def _name(self, pid: int, tid: int, what: str, name: str, order: int) -> None:
        self._put(f'{{"ph":"M","pid":{pid},"tid":{tid},"name":"{what}_name","args":{{"name":{_json(name)}}}}}')
        self._put(f'{{"ph":"M","pid":{pid},"tid":{tid},"name":"{what}_sort_index","args":{{"sort_index":{order}}}}}')

    def _write(self, track: Track, phase: str, name: str, at_ns: int, rest: str) -> None:
        ts = _microseconds(max(0, at_ns - self._zero_ns))
        self._put(
            f'{{"ph":"{phase}","pid":{track.pid},"tid":{track.tid},"ts":{ts},'
            f'"cat":"{track.category}","name":{_json(name)}{rest}}}'
        )

    def _put(self, event: str) -> None:
        self._out.write((self._separator + event).encode())
        self._separator = ",\n"


_json = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode
"""JSON in ASCII: a name may hold what is no valid UTF-8."""


def _args(args: Args | None) -> str:
    return f',"args":{_json(dict(args))}' if args else ""


def _microseconds(ns: int) -> str:
    """Return nanoseconds as decimal microseconds; a float would lose digits after some weeks."""
    return f"{ns // 1000}.{ns % 1000:03d}"
