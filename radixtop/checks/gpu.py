"""Which GPUs there are, as NVML, the library of the driver, says."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

from radixtop.check import Finding, Status, Subject

_LIBRARY = "libnvidia-ml.so.1"
_NAME_BYTES = 96
_MOST_GPUS = 64
_NO_RIGHTS, _NO_DRIVER, _TOO_OLD = 4, 9, 18
_WHY = {
    _NO_RIGHTS: ("may not be asked by this user", "start the container with --gpus all, or ask for the video group"),
    _NO_DRIVER: ("says that no driver is loaded", "load the driver: nvidia-smi has to work first"),
    _TOO_OLD: ("does not fit the driver that is loaded", "restart the machine after an update of the driver"),
}
"""Errors of NVML, and what to do."""


def check(subject: Subject) -> Iterator[Finding]:
    """Ask NVML, where it is."""
    yield from findings_of(lambda: ctypes.CDLL(_LIBRARY))


def findings_of(load: Callable[[], Any]) -> Iterator[Finding]:
    """Ask the library that `load` returns; an OSError of it says that there is none."""
    try:
        nvml = load()
    except OSError:
        yield Finding(Status.MISSING, "gpu", "no NVML, so no GPU of NVIDIA: --device cpu, and figures of no GPU")
        return
    code = nvml.nvmlInit_v2()
    if code:
        why, hint = _WHY.get(code, (f"fails with error {code}", "see whether nvidia-smi works"))
        yield Finding(Status.MISSING, "gpu", f"NVML {why}", hint)
        return
    try:
        yield from _told(nvml)
    finally:
        nvml.nvmlShutdown()


def _told(nvml: Any) -> Iterator[Finding]:
    count = ctypes.c_uint()
    if nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) or not count.value:
        yield Finding(Status.MISSING, "gpu", "NVML works and sees no GPU", "start the container with --gpus all")
        return
    names = [_name_of(nvml, number) for number in range(min(count.value, _MOST_GPUS))]
    counted = (f"{names.count(name)} x {name}" for name in dict.fromkeys(names))
    yield Finding(Status.OK, "gpu", f"{', '.join(counted)}, driver {_driver_of(nvml)}")


def _name_of(nvml: Any, number: int) -> str:
    device = ctypes.c_void_p()
    name = ctypes.create_string_buffer(_NAME_BYTES)
    if nvml.nvmlDeviceGetHandleByIndex_v2(ctypes.c_uint(number), ctypes.byref(device)):
        return "unknown"
    return "unknown" if nvml.nvmlDeviceGetName(device, name, ctypes.c_uint(_NAME_BYTES)) else _text(name)


def _driver_of(nvml: Any) -> str:
    version = ctypes.create_string_buffer(_NAME_BYTES)
    return "unknown" if nvml.nvmlSystemGetDriverVersion(version, ctypes.c_uint(_NAME_BYTES)) else _text(version)


def _text(buffer: Any) -> str:
    return str(buffer.value.decode("utf-8", "replace"))
