"""`radixtop replay`: drive the core with a request trace, no model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import typer

from radixtop import options as flag
from radixtop.command import command_app, given_flags, require_use
from radixtop.replay import options as replay_flag

app = command_app()


@app.command()
def replay(
    context: typer.Context,
    trace: replay_flag.TraceFile,
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
    policy_options: flag.PolicyOptions = [],  # noqa: B006 - typer wants a list, and nobody adds to it
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
    record: replay_flag.Record = None,
    json: flag.Document = False,
) -> int:
    """Drive the core with a request trace, no model.

    Requests arrive when the trace says, in virtual time: the run waits for nothing. What steps take comes from a
    cost model, so every time it tells is derived. Without a size the full pool is that of 20 GiB of Llama-3-8B. A
    recording brings its cache, engine and load: flags say what is to be different.

    Example: radixtop replay conversation.jsonl.gz --full-slots 1000000 --warm-up 50% --limit 2000
    """
    return _replayed(context, trace, record, json)


def _replayed(context: typer.Context, trace: Path, record: Path | None, as_json: bool) -> int:
    from radixtop.replay.opening import needs, opened, with_flags
    from radixtop.replay.replay_file import replay_file

    flags, given = context.params, given_flags(context)
    require_use(context, needs(trace, flags))
    found = opened(trace, flags, given)
    if found.recorded is not None:
        found = replace(found, settings=with_flags(found.settings, flags, given))
    return replay_file(found, record, as_json)
