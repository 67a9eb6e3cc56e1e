"""Probes: what carries the records of a cache out of its process, and folds them into what a screen shows.

The public names are loaded when they are first used, so that a cache's process pays only for its recorder.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from probes.adapter import ADAPTERS, Adapter, Batch
    from probes.aggregator import Aggregator
    from probes.errors import ProbeError, RecordingError, RingError
    from probes.probe import PROBES, Probe
    from probes.recorder import FlightRecorder, RecorderOptions
    from probes.snapshot import Snapshot, SourceState

__all__ = [
    "ADAPTERS", "PROBES", "Adapter", "Aggregator", "Batch", "FlightRecorder", "Probe", "ProbeError",
    "RecorderOptions", "RecordingError", "RingError", "Snapshot", "SourceState",
]  # fmt: skip

_MODULES = {
    "ADAPTERS": "adapter", "Adapter": "adapter", "Batch": "adapter", "Aggregator": "aggregator",
    "ProbeError": "errors", "RecordingError": "errors", "RingError": "errors", "PROBES": "probe", "Probe": "probe",
    "FlightRecorder": "recorder", "RecorderOptions": "recorder", "Snapshot": "snapshot", "SourceState": "snapshot",
}  # fmt: skip
"""Where a name lives."""


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value
