"""The messages of a pprof file, for `go tool pprof`, Pyroscope, Parca and others.

The file is one message, gzipped. A frame is a function and a location; what it weighs itself is a sample whose stack
is the path to it. Messages are written as the rows of the forest come, strings before their use; a reader puts the
parts of a message together in any order.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from probes.content_hash import content_hash
from profiles.forest import Frame
from profiles.palette import family
from profiles.pprof.fields import (
    THE_MAPPING,
    FunctionField,
    LabelField,
    LineField,
    LocationField,
    MappingField,
    ProfileField,
    SampleField,
    ValueTypeField,
)
from profiles.pprof.protobuf import integer, integers, message, text

FOLDED = "(folded)"
"""The name of all that is too small to be shown: one for all, or a comparison of two files is noise."""


@dataclass(frozen=True, slots=True)
class Head:
    """What is said before the rows: the name of the run, types and units of values, which of them is shown first.

    `began_ns` is a date; both times are 0 where they are not known.
    """

    title: str
    kinds: tuple[tuple[str, str], ...]
    chosen: str
    began_ns: int = 0
    length_ns: int = 0


class PprofRow(Protocol):
    """A row of a forest, of one or of two laid over each other."""

    @property
    def depth(self) -> int:
        """How many rows are above it."""

    @property
    def label(self) -> str:
        """What it is called."""

    @property
    def frame(self) -> Frame | None:
        """What it stands for; None for a fold."""

    @property
    def nodes(self) -> int:
        """How many frames are in it and below it."""


def write_pprof(head: Head, rows: Iterable[tuple[PprofRow, Sequence[int]]], out: BinaryIO) -> None:
    """Write a file of rows, depth first, each with its own values in the order of the head's kinds."""
    with gzip.GzipFile("", "wb", fileobj=out, mtime=0) as packed:
        for part in _Messages().all(head, rows):
            packed.write(part)


class _Messages:
    """The parts of one profile message."""

    def __init__(self) -> None:
        self._strings: dict[str, int] = {}
        self._string_count = 0
        self._waiting: list[bytes] = []
        self._locations = 0

    def all(self, head: Head, rows: Iterable[tuple[PprofRow, Sequence[int]]]) -> Iterator[bytes]:
        """Yield the parts."""
        yield from self._with_strings(self._head(head))
        # The path to the row at hand: its locations, the names of its functions, and that of its namespace.
        path: list[int] = []
        names: list[str] = []
        spaces: list[str] = []
        for row, values in rows:
            del path[row.depth :], names[row.depth :], spaces[row.depth :]
            self._locations += 1
            path.append(self._locations)
            names.append(_name(row, names))
            spaces.append(_namespace(row.frame) or (spaces[-1] if spaces else ""))
            function = self._function(names[-1], row, path[-1])
            sample = self._sample(row, values, path, spaces[-1]) if any(values) else b""
            yield from self._with_strings(function + sample)

    def _with_strings(self, part: bytes) -> Iterator[bytes]:
        yield from self._waiting
        self._waiting.clear()
        yield part

    def _head(self, head: Head) -> bytes:
        self._new_string("")
        kinds = (
            message(
                ProfileField.SAMPLE_TYPE,
                integer(ValueTypeField.TYPE, self._string(kind)),
                integer(ValueTypeField.UNIT, self._string(unit)),
            )
            for kind, unit in head.kinds
        )
        comment = integer(ProfileField.COMMENT, self._new_string("prefixes in a cache, by radixtop"))
        mapping = message(
            ProfileField.MAPPING,
            integer(MappingField.ID, THE_MAPPING),
            integer(MappingField.FILE, self._new_string(head.title or "radixtop")),
            integer(MappingField.HAS_FUNCTIONS, True),
        )
        chosen = integer(ProfileField.DEFAULT_SAMPLE_TYPE, self._string(head.chosen))
        times = integer(ProfileField.TIME_NS, head.began_ns) + integer(ProfileField.DURATION_NS, head.length_ns)
        return b"".join((*kinds, mapping, chosen, comment, times))

    def _function(self, called: str, row: PprofRow, location: int) -> bytes:
        """Return the function of a row, and the location that is in it and in nothing else."""
        function = message(
            ProfileField.FUNCTION,
            integer(FunctionField.ID, location),
            integer(FunctionField.NAME, self._new_string(called)),
            integer(FunctionField.SYSTEM_NAME, self._new_string(_system_name(row.frame))),
        )
        return function + message(
            ProfileField.LOCATION,
            integer(LocationField.ID, location),
            integer(LocationField.MAPPING, THE_MAPPING),
            message(LocationField.LINE, integer(LineField.FUNCTION, location)),
        )

    def _sample(self, row: PprofRow, values: Sequence[int], path: list[int], namespace: str) -> bytes:
        stack = integers(SampleField.LOCATIONS, reversed(path))
        weighed = integers(SampleField.VALUES, values)
        return message(ProfileField.SAMPLE, stack, weighed, *self._labels(row, namespace))

    def _labels(self, row: PprofRow, namespace: str) -> Iterator[bytes]:
        if namespace:
            yield self._tag("namespace", namespace)
        frame = row.frame
        if frame is None:
            yield self._number("nodes", row.nodes, "count")
        elif frame.end:
            yield self._tag("segment", family(frame.segment))
            yield self._tag("resident", "yes" if frame.resident else "no")
            yield self._number("start", frame.start, "tokens")
            for component in frame.lost if frame.resident else ():
                yield self._tag("lost", component)

    def _tag(self, key: str, value: str) -> bytes:
        named = integer(LabelField.KEY, self._string(key))
        return message(SampleField.LABEL, named, integer(LabelField.TEXT, self._string(value)))

    def _number(self, key: str, value: int, unit: str) -> bytes:
        named, counted = integer(LabelField.KEY, self._string(key)), integer(LabelField.UNIT, self._string(unit))
        return message(SampleField.LABEL, named, integer(LabelField.NUMBER, value), counted)

    def _string(self, value: str) -> int:
        """Return the number of a string that is used again and again."""
        if value not in self._strings:
            self._strings[value] = self._new_string(value)
        return self._strings[value]

    def _new_string(self, value: str) -> int:
        """Return the number of a string that is not remembered: the file may have it twice."""
        self._waiting.append(text(ProfileField.STRING, value))
        self._string_count += 1
        return self._string_count - 1


def _name(row: PprofRow, above: Sequence[str]) -> str:
    """Return the name of a row's function. That of a phase tells its operation: pprof adds up what has one name."""
    if row.frame is None:
        return FOLDED
    return f"{above[-1]} {row.label}" if above and row.frame.kind == "operation" else row.label


def _namespace(frame: Frame | None) -> str:
    """Return the name of the namespace that a frame stands for, or nothing."""
    return frame.segment if frame is not None and frame.kind == "namespace" else ""


def _system_name(frame: Frame | None) -> str:
    """Return what tells a function from others; if it were the name, pprof would take brackets out of that."""
    if frame is None:
        return "folded"
    return f"{'node' if frame.kind == 'content' else frame.kind}:{content_hash(frame.key)}"
