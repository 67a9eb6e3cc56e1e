"""`radixtop profile torch`: a live workload under torch's profiler."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Annotated

import typer

from radixtop import options as flag
from radixtop.serving.run_config import RunConfig

Steps = Annotated[
    int,
    typer.Option("--steps", metavar="N", min=1, max=100_000, help="Steps to profile; each takes 0.2 MB of trace."),
]
Skip = Annotated[int, typer.Option("--skip", metavar="N", min=0, help="Steps to run before that.")]
Top = Annotated[int, typer.Option("--top", metavar="N", min=0, help="Operators in the table.")]
Requests = Annotated[
    int, typer.Option("--requests", metavar="N", min=1, help="The run is over with so many requests.")
]
TraceOutput = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="OUT", help="Write the trace, too; .gz packs it.")
]


def torch(
    context: typer.Context,
    workload: flag.Workload = "mixed",
    model: flag.Model = "tiny",
    device: flag.Device = "auto",
    cache: flag.Cache = "prefix",
    page_size: flag.PageSize = 1,
    window: flag.Window = 128,
    full_slots: flag.FullSlots = None,
    swa_slots: flag.SwaSlots = None,
    components: flag.Components = "full,swa",
    mamba_slots: flag.MambaSlots = None,
    mamba_chunk: flag.MambaChunk = 64,
    host_slots: flag.HostSlots = 0,
    policy: flag.Policy = "lru",
    branching: flag.Branching = True,
    chunk_size: flag.ChunkSize = 512,
    schedule: flag.Schedule = "fcfs",
    concurrency: flag.Concurrency = 4,
    rate: flag.Rate = None,
    seed: flag.Seed = 0,
    requests: Requests = 1_000,
    steps: Steps = 50,
    skip: Skip = 4,
    shapes: Annotated[bool, flag.switch("--shapes", "Shapes of what operators were given.")] = False,
    memory: Annotated[bool, flag.switch("--memory", "What operators allocated.")] = False,
    stacks: Annotated[bool, flag.switch("--stacks", "Python stacks: several times slower and larger.")] = False,
    nvtx: Annotated[
        bool, flag.switch("--nvtx", "NVTX ranges, too, for nsys; also RADIXTOP_NVTX=1 with live.")
    ] = False,
    top: Top = 12,
    json: Annotated[bool, flag.switch("--json", "The table as one JSON document.")] = False,
    output: TraceOutput = None,
) -> int:
    """Serve a live workload in this process under torch's profiler, and print the operators that took longest.

    The trace opens in Perfetto: torch's operators with the engine's phases around them, and beside them, on the same
    clock, requests, the cache's operations and pools. A step is several times slower than without a profiler.

    Example: radixtop profile torch --workload shared_prompt --steps 20 -o run.trace.json.gz
    """
    from radixtop.torch_profile.profile import TorchProfileRequest, profile_torch

    asked = context.params
    run = RunConfig(**{field.name: asked[field.name] for field in fields(RunConfig) if field.name in asked})
    what = TorchProfileRequest(run, steps, skip, shapes, memory, stacks, nvtx, top, json, output)
    return profile_torch(what)
