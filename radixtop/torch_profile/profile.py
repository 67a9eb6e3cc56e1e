"""What `radixtop profile torch` does once its flags are read: serve under the profiler, write the trace, report."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from profiles.plain import json_text
from radixtop.errors import INTERRUPTED, OK
from radixtop.needs import need_torch
from radixtop.output import opened, packed, tell_written
from radixtop.printable import tell
from radixtop.serving.run_config import RunConfig
from radixtop.termination import held_back

if TYPE_CHECKING:
    from radixtop.torch_profile.run import Profiled, TorchRun

SUFFIX = ".trace.json"


@dataclass(frozen=True, slots=True)
class TorchProfileRequest:
    """A run as it was asked for, and what to tell of it. Without an output there is no trace, only the table."""

    run: RunConfig
    steps: int
    skip_steps: int
    shapes: bool
    memory: bool
    stacks: bool
    nvtx: bool
    top: int
    as_json: bool
    output: Path | None


def profile_torch(request: TorchProfileRequest) -> int:
    """Profile the run, write its trace, then the table to stdout; return the exit code."""
    need_torch()
    with held_back():
        from cache_core.engine.profiling import TorchOptions
        from radixtop.torch_profile.report import document, lines, remarks
        from radixtop.torch_profile.run import TorchRun

    options = TorchOptions(request.shapes, request.memory, request.stacks)
    asked = TorchRun(request.run, options, request.steps, request.skip_steps, request.nvtx)
    if request.stacks:
        sys.stderr.write("note: with --stacks the end of the run may take minutes\n")
    sys.stderr.write(f"profiling {request.run.workload} on the {request.run.model} model\n")
    profiled = _profiled(asked, request.output)
    if request.as_json:
        sys.stdout.write(json_text(document(profiled, request.output, request.top), indent=2) + "\n")
    else:
        sys.stdout.write("\n".join(lines(profiled, request.top)) + "\n")
    for remark in remarks(profiled):
        tell(f"note: {remark}")
    return INTERRUPTED if profiled.interrupted else OK


def _profiled(asked: TorchRun, output: Path | None) -> Profiled:
    """Run, and write the trace where one is wanted."""
    from radixtop.torch_profile.run import profile_run, write_trace

    if output is None:
        return profile_run(asked)
    # The file is made first: a run must not be lost because its trace cannot be written.
    with opened(output) as out, packed(out, output, SUFFIX) as trace:
        profiled = profile_run(asked)
        write_trace(profiled, trace)
    tell_written(output)
    return profiled
