"""torch's profiler over an engine, told in values: what to record, the trace as a file, the time of each operator."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile


@dataclass(frozen=True, slots=True)
class TorchOptions:
    """What is recorded beside the operators. Each makes the run slower and the trace larger, `stacks` many times."""

    shapes: bool = False
    memory: bool = False
    stacks: bool = False


@dataclass(frozen=True, slots=True)
class OperatorTime:
    """What one operator took, on the CPU and on the device, by itself and with what it called."""

    name: str
    calls: int
    self_cpu_ns: int
    cpu_ns: int
    self_device_ns: int
    device_ns: int


class TorchProfiler:
    """Profiles what runs between `start` and `stop`; then `export` and `operators` say what that was."""

    def __init__(self, options: TorchOptions) -> None:
        self._with_device = torch.cuda.is_available()
        if not self._with_device:
            # It says on stderr when it starts and stops. With a device it may have to say that it was denied one.
            os.environ.setdefault("KINETO_LOG_LEVEL", "99")
        activities = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * self._with_device
        self._profile = profile(
            activities=activities,
            record_shapes=options.shapes,
            profile_memory=options.memory,
            with_stack=options.stacks,
        )

    def start(self) -> None:
        """Begin to record."""
        self._profile.start()

    def stop(self) -> None:
        """End it, once the device has done what it was given."""
        if self._with_device:
            torch.cuda.synchronize()
        self._profile.stop()

    def export(self, path: Path) -> None:
        """Write a Chrome trace."""
        self._profile.export_chrome_trace(str(path))

    def operators(self) -> Iterator[OperatorTime]:
        """Yield the operators, in no order."""
        for row in self._profile.key_averages():
            yield OperatorTime(
                name=row.key,
                calls=row.count,
                self_cpu_ns=round(row.self_cpu_time_total * 1000),
                cpu_ns=round(row.cpu_time_total * 1000),
                self_device_ns=round(row.self_device_time_total * 1000),
                device_ns=round(row.device_time_total * 1000),
            )
