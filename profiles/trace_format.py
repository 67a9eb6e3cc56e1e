"""What a format of request traces is, the table of formats, and `open_trace`, which finds the one that fits."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cache_core.registry import Registry
from profiles.trace import Trace, TraceError
from profiles.trace_lines import head_of, lines_of

_HEAD_BYTES = 16


@dataclass(frozen=True, slots=True)
class TraceHead:
    """How a file begins: its first bytes as they lie there, its first line unpacked, and the JSON object in that."""

    path: Path
    start: bytes
    line: bytes
    fields: Mapping[str, object]


class TraceFormat(ABC):
    """One way to write a trace down. Of a log in order of time the `wanted` requests are enough, None for all."""

    wanted: int | None = None

    @abstractmethod
    def fits(self, head: TraceHead) -> bool:
        """Say whether a file that begins so is written in this way."""

    @abstractmethod
    def open(self, path: Path) -> Trace:
        """Open a trace. Raises TraceError, which names the file and the line, for what cannot be read."""


TRACE_FORMATS: Registry[type[TraceFormat]] = Registry(
    "trace format",
    {
        "recording": "profiles.traces.recording:RecordingTrace",
        "weka": "profiles.traces.weka:Weka",
        "ragpulse": "profiles.traces.ragpulse:RagPulse",
        "mooncake": "profiles.traces.mooncake:Mooncake",
        "azure": "profiles.traces.azure:AzureLengths",
        "request_log": "profiles.traces.request_log:RequestLog",
    },
)
"""The formats, the stricter first: the first one that fits is taken."""


def open_trace(path: Path, format: str | None = None, wanted: int | None = None) -> Trace:
    """Open a trace, plain or compressed with gzip, in one of the TRACE_FORMATS or in the one that fits its head.

    Of some formats only the first `wanted` requests are read where the file is in order up to there. Raises
    TraceError for a file that cannot be read, UnknownNameError for another format.
    """
    if format is not None:
        asked = TRACE_FORMATS.load(format)()
        asked.wanted = wanted
        return asked.open(path)
    head = _head(path)
    for name in TRACE_FORMATS:
        found = TRACE_FORMATS.load(name)()
        if found.fits(head):
            found.wanted = wanted
            return found.open(path)
    known = ", ".join(TRACE_FORMATS)
    raise TraceError(f"{path}:1 begins like no trace that is known", f"name its format if it is one of: {known}")


def _head(path: Path) -> TraceHead:
    """Look at the beginning of a file; a line that is no JSON object has no fields."""
    start = head_of(path, _HEAD_BYTES)
    if not start:
        raise TraceError(f"{path} is empty", "name a trace that has requests")
    line = next((line for _, line in lines_of(path)), b"")
    try:
        read = json.loads(line)
    except (ValueError, RecursionError):
        read = None
    return TraceHead(path, start, line, read if isinstance(read, dict) else {})
