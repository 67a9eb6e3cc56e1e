"""The profile of pprof, with files and lines: to open with `go tool pprof`, in Pyroscope, Parca and others."""

from __future__ import annotations

import gzip
from typing import BinaryIO

from profiles.cpu.format import CodeFormat, Samples
from profiles.cpu.stacks import CodeFrame
from profiles.pprof.fields import (
    THE_MAPPING,
    FunctionField,
    LineField,
    LocationField,
    MappingField,
    ProfileField,
    SampleField,
    ValueTypeField,
)
from profiles.pprof.protobuf import integer, integers, message, text


class Pprof(CodeFormat):
    """Samples, and the time that they stand for; a location is a line, a function is a name in a file."""

    suffix = ".pb.gz"
    is_text = False

    def write(self, samples: Samples, out: BinaryIO) -> None:
        """See CodeFormat."""
        out.write(gzip.compress(_Tables().profile(samples), mtime=0))


class _Tables:
    """The tables that the messages of a profile refer to by number; the first string is empty."""

    def __init__(self) -> None:
        self._strings: dict[str, int] = {"": 0}
        self._functions: dict[tuple[str, str], int] = {}
        self._locations: dict[CodeFrame, int] = {}

    def profile(self, samples: Samples) -> bytes:
        """Return the message of a whole profile."""
        counted, timed = self._unit("samples", "count"), self._unit("time", "nanoseconds")
        seen = [
            message(
                ProfileField.SAMPLE,
                integers(SampleField.LOCATIONS, map(self._location, stack[::-1])),
                integers(SampleField.VALUES, (number, number * samples.period_ns)),
            )
            for stack, number in samples.stacks.items()
        ]
        mapping = message(
            ProfileField.MAPPING,
            integer(MappingField.ID, THE_MAPPING),
            integer(MappingField.FILE, self._string(samples.title)),
            integer(MappingField.HAS_FUNCTIONS, True),
        )
        parts = (
            message(ProfileField.SAMPLE_TYPE, counted), message(ProfileField.SAMPLE_TYPE, timed), *seen, mapping,
            *self._location_messages(), *self._function_messages(),
            message(ProfileField.PERIOD_TYPE, timed), integer(ProfileField.PERIOD, samples.period_ns),
            integer(ProfileField.DEFAULT_SAMPLE_TYPE, self._string("time")),
        )  # fmt: skip
        return b"".join((*parts, *(text(ProfileField.STRING, string) for string in self._strings)))

    def _location_messages(self) -> list[bytes]:
        return [
            message(
                ProfileField.LOCATION,
                integer(LocationField.ID, id_),
                integer(LocationField.MAPPING, THE_MAPPING),
                message(
                    LocationField.LINE,
                    integer(LineField.FUNCTION, self._function(frame)),
                    integer(LineField.LINE, frame.line),
                ),
            )
            for frame, id_ in self._locations.items()
        ]

    def _function_messages(self) -> list[bytes]:
        # A system name of its own keeps pprof from "demangling" what stands in brackets out of the name.
        return [
            message(
                ProfileField.FUNCTION,
                integer(FunctionField.ID, id_),
                integer(FunctionField.NAME, self._string(name)),
                integer(FunctionField.SYSTEM_NAME, self._string(f"python:{name}")),
                integer(FunctionField.FILE, self._string(file)),
            )
            for (name, file), id_ in self._functions.items()
        ]

    def _unit(self, kind: str, unit: str) -> bytes:
        return integer(ValueTypeField.TYPE, self._string(kind)) + integer(ValueTypeField.UNIT, self._string(unit))

    def _string(self, string: str) -> int:
        return self._strings.setdefault(string, len(self._strings))

    def _function(self, frame: CodeFrame) -> int:
        return self._functions.setdefault((frame.name, frame.file), len(self._functions) + 1)

    def _location(self, frame: CodeFrame) -> int:
        return self._locations.setdefault(frame, len(self._locations) + 1)
