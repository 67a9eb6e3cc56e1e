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
    "ADAPTERS",
    "PROBES",
    "Adapter",
    "Aggregator",
    "Batch",
    "FlightRecorder",
    "Probe",
    "ProbeError",
    "RecorderOptions",
    "RecordingError",
    "RingError",
    "Snapshot",
    "SourceState",
]

_MODULES = {
    "adapter": ("ADAPTERS", "Adapter", "Batch"),
    "aggregator": ("Aggregator",),
    "errors": ("ProbeError", "RecordingError", "RingError"),
    "probe": ("PROBES", "Probe"),
    "recorder": ("FlightRecorder", "RecorderOptions"),
    "snapshot": ("Snapshot", "SourceState"),
}


def __getattr__(name: str) -> object:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"probes.{module}"), name)
    raise AttributeError(f"module 'probes' has no attribute {name!r}")
