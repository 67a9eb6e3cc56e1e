"""What torch's profiler found, for a person and as JSON: the operators that took longest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from radixtop.torch_profile.run import Profiled, microseconds

if TYPE_CHECKING:
    from cache_core.engine.profiling import OperatorTime

_CLOCK_ERROR_NS = 1_000_000
"""From here on it is said that torch's clock and ours disagree."""


def document(profiled: Profiled, trace: Path | None, most: int) -> dict[str, object]:
    """Return the report; a time on a device that there is not is null."""
    on_device = has_device(profiled)
    return {
        "trace": None if trace is None else str(trace),
        "device": profiled.device,
        "workload": profiled.config.get("workload"),
        "model": profiled.config.get("model"),
        "steps": profiled.steps,
        "duration_s": round(profiled.duration_ns / 1e9, 3),
        "clock_error_us": microseconds(profiled.clock_error_ns),
        "cut_slices": profiled.trace.cut_slices,
        "operators": [_operator(operator, on_device) for operator in longest(profiled, most)],
    }


def lines(profiled: Profiled, most: int) -> Iterator[str]:
    """Yield a table of the operators, the longest first."""
    on_device = has_device(profiled)
    whole = sum(operator.self_cpu_ns for operator in profiled.operators) or 1
    yield (
        f"{profiled.steps} steps on {profiled.device} in {profiled.duration_ns / 1e9:.2f} s, profiling included; "
        "by time in the operator itself"
    )
    yield f"{'operator':<44}{'calls':>9}{'self ms':>10}{'share':>8}{'total ms':>11}" + (
        f"{'device ms':>11}" * on_device
    )
    for operator in longest(profiled, most):
        name = operator.name if len(operator.name) <= 43 else f"{operator.name[:40]}..."
        times = (
            f"{operator.self_cpu_ns / 1e6:>10.1f}{operator.self_cpu_ns / whole:>8.1%}{operator.cpu_ns / 1e6:>11.1f}"
        )
        device = f"{operator.self_device_ns / 1e6:>11.1f}" * on_device
        yield f"{name:<44}{operator.calls:>9,}{times}{device}"


def remarks(profiled: Profiled) -> Iterator[str]:
    """Yield what to know of the trace, one line each."""
    cut, most_ns = profiled.trace.cut_slices, profiled.trace.most_cut_ns
    if cut:
        yield f"{cut:,} of torch's slices overlapped and were cut, by {most_ns / 1000:,.1f} us at most"
    error_ns = profiled.clock_error_ns
    if error_ns is not None and error_ns > _CLOCK_ERROR_NS:
        yield f"torch's clock and ours are {error_ns / 1e6:.1f} ms apart: so are its slices and those of the cache"
    if profiled.device.startswith("cuda") and not has_device(profiled):
        yield (
            "torch saw nothing of the device: CUPTI may be denied (set NVreg_RestrictProfilingToAdminUsers=0, or "
            "give CAP_SYS_ADMIN), or in use by another profiler such as nsys"
        )


def has_device(profiled: Profiled) -> bool:
    """Say whether anything was timed on a device."""
    return any(operator.device_ns for operator in profiled.operators)


def longest(profiled: Profiled, most: int) -> Sequence[OperatorTime]:
    """Return the operators that took longest, on the device and the CPU by themselves."""
    return sorted(profiled.operators, key=lambda operator: -(operator.self_cpu_ns + operator.self_device_ns))[:most]


def _operator(operator: OperatorTime, on_device: bool) -> dict[str, object]:
    return {
        "name": operator.name,
        "calls": operator.calls,
        "self_cpu_us": operator.self_cpu_ns / 1000,
        "cpu_us": operator.cpu_ns / 1000,
        "self_device_us": operator.self_device_ns / 1000 if on_device else None,
        "device_us": operator.device_ns / 1000 if on_device else None,
    }
