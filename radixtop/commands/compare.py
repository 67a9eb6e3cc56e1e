"""`radixtop compare`: what if: the same trace under many settings, side by side."""

from __future__ import annotations

from pathlib import Path

import typer

from radixtop import options as flag
from radixtop.command import command_app, given_flags, require_use
from radixtop.compare import options as compare_flag
from radixtop.replay import options as replay_flag

app = command_app()


@app.command()
def compare(
    context: typer.Context,
    trace: compare_flag.Source,
    vary: compare_flag.Vary = [],  # noqa: B006 - typer wants a list, and nobody adds to it
    curve: compare_flag.Curve = False,
    sample: compare_flag.Sample = None,
    references: compare_flag.References = True,
    engine: compare_flag.Engine = "local",
    workers: compare_flag.Workers = None,
    address: compare_flag.Address = None,
    output: compare_flag.Output = None,
    json: flag.Document = False,
    format: replay_flag.Format = None,
    tokens: replay_flag.Tokens = None,
    outputs: replay_flag.Outputs = None,
    misses: replay_flag.Misses = True,
    limit: replay_flag.Limit = None,
    warm_up: replay_flag.WarmUp = "0",
    speed: replay_flag.Speed = 1.0,
    closed_loop: replay_flag.ClosedLoop = None,
    sessions: replay_flag.Sessions = True,
    cache: flag.Cache = "prefix",
    components: replay_flag.Components = None,
    preset: replay_flag.Preset = None,
    page_size: replay_flag.PageSize = None,
    window: replay_flag.Window = None,
    memory: replay_flag.Memory = None,
    full_slots: flag.FullSlots = None,
    swa_slots: flag.SwaSlots = None,
    swa_ratio: replay_flag.SwaRatio = None,
    swa_eviction: flag.SwaEviction = "tail_window_last",
    mamba_slots: flag.MambaSlots = None,
    mamba_chunk: flag.MambaChunk = 64,
    host_slots: flag.HostSlots = 0,
    write_policy: flag.WritePolicy = "write_through",
    policy: flag.Policy = "lru",
    policy_options: flag.PolicyOptions = [],  # noqa: B006 - as above
    evictor: flag.Evictor = "incremental",
    branching: flag.Branching = True,
    chunk_size: flag.ChunkSize = 8192,
    schedule: flag.Schedule = "fcfs",
    schedule_limit: flag.ScheduleLimit = "128",
    concurrency: flag.Concurrency = 64,
    prefill_rate: replay_flag.PrefillRate = None,
    decode_ms: replay_flag.DecodeMs = None,
    decode_request_ms: replay_flag.DecodeRequestMs = None,
    overhead_ms: replay_flag.OverheadMs = None,
    load_rate: replay_flag.LoadRate = None,
    costs_from: replay_flag.CostsFrom = None,
    seed: flag.Seed = 0,
) -> int:
    """What if: the same trace under many settings, side by side.

    Every combination is a pass over the trace, as `radixtop replay` makes one, on all cores; a recording brings its
    cache. Beside them stand an optimum that knows the future and the most that any size hits. Times are derived.

    Example: radixtop compare conversation.jsonl.gz --vary policy=lru,slru --vary full_slots=half,1x,2x -o if.svg
    """
    return _compared(context, trace, vary)


def _compared(context: typer.Context, trace: Path, vary: list[str]) -> int:
    from radixtop.compare.run import Asked, run
    from radixtop.replay.opening import needs

    varied = {text.partition("=")[0].strip().replace("-", "_") for text in vary}
    require_use(context, needs(trace, context.params, varied))
    return run(Asked(context.params, given_flags(context)))
