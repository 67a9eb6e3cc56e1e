"""The profile of pprof: to open with `go tool pprof`, in Pyroscope, Parca and others.

Format: https://github.com/google/pprof/blob/main/proto/profile.proto, gzipped.
"""

from __future__ import annotations

import gzip

from profiles.cpu.format import CodeFormat, Samples
from profiles.cpu.stacks import CodeFrame
from profiles.pprof.protobuf import integer, integers, message, text

_SAMPLE_TYPE, _SAMPLE, _MAPPING, _LOCATION, _FUNCTION, _STRING = 1, 2, 3, 4, 5, 6
_PERIOD_TYPE, _PERIOD, _DEFAULT_SAMPLE_TYPE = 11, 12, 14
_THE_MAPPING = 1


class Pprof(CodeFormat):
    """Samples, and the time that they stand for; a location is a line, a function is a name in a file."""

    suffix = ".pb.gz"
    is_text = False

    def render(self, samples: Samples) -> bytes:
        """See CodeFormat."""
        return gzip.compress(_Tables().profile(samples), mtime=0)


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
            message(_SAMPLE, integers(1, map(self._location, stack[::-1])), integers(2, (n, n * samples.period_ns)))
            for stack, n in samples.stacks.items()
        ]
        whole = integer(1, _THE_MAPPING), integer(5, self._string(samples.title)), integer(7, 1)
        parts = (
            message(_SAMPLE_TYPE, counted), message(_SAMPLE_TYPE, timed), *seen, message(_MAPPING, *whole),
            *self._location_messages(), *self._function_messages(),
            message(_PERIOD_TYPE, timed), integer(_PERIOD, samples.period_ns),
            integer(_DEFAULT_SAMPLE_TYPE, self._string("time")),
        )  # fmt: skip
        return b"".join((*parts, *(text(_STRING, string) for string in self._strings)))

    def _location_messages(self) -> list[bytes]:
        return [
            message(
                _LOCATION,
                integer(1, id_),
                integer(2, _THE_MAPPING),
                message(4, integer(1, self._function(frame)), integer(2, frame.line)),
            )
            for frame, id_ in self._locations.items()
        ]

    def _function_messages(self) -> list[bytes]:
        # A system name of its own keeps pprof from "demangling" what stands in brackets out of the name.
        numbered = [
            (id_, self._string(name), self._string(f"python:{name}"), self._string(file))
            for (name, file), id_ in self._functions.items()
        ]
        return [message(_FUNCTION, *(integer(n, value) for n, value in enumerate(fields, 1))) for fields in numbered]

    def _unit(self, kind: str, unit: str) -> bytes:
        return integer(1, self._string(kind)) + integer(2, self._string(unit))

    def _string(self, string: str) -> int:
        return self._strings.setdefault(string, len(self._strings))

    def _function(self, frame: CodeFrame) -> int:
        return self._functions.setdefault((frame.name, frame.file), len(self._functions) + 1)

    def _location(self, frame: CodeFrame) -> int:
        return self._locations.setdefault(frame, len(self._locations) + 1)
