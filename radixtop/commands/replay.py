"""`radixtop replay`: drive the core with a request trace, no model."""

from __future__ import annotations

import typer

from profiles.presets import PRESETS
from radixtop import options as flag
from radixtop.command import command_app, require_use
from radixtop.replay import options as replay_flag

app = command_app()


@app.command()
def replay(
    context: typer.Context,
    trace: replay_flag.TraceFile,
    format: replay_flag.Format = None,
    tokens: replay_flag.Tokens = "all",
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
    cost model, so every time it tells is derived. Without a size the full pool is that of 20 GiB of Llama-3-8B.

    Example: radixtop replay conversation.jsonl.gz --full-slots 1000000 --warm-up 50% --limit 2000
    """
    from profiles.trace_format import open_trace
    from radixtop.replay.asked import asked_settings
    from radixtop.replay.replay_file import replay_file

    _require_use(context)
    opened = open_trace(trace, format)
    return replay_file(opened, asked_settings(context.params, len(opened)), record, json)


def _require_use(context: typer.Context) -> None:
    flags = context.params
    components, preset = flags["components"], PRESETS.get((flags["preset"] or "").lower())
    others = None if preset is None or components is not None else preset.others
    has_swa = flags["window"] is not None if components is None else "swa" in components
    has_swa, has_mamba = has_swa or others == "window", "mamba" in (components or "") or others == "state"
    has_host, has_arrivals = flags["host_slots"] > 0, flags["closed_loop"] is None
    of_swa, of_mamba, of_host = "--window N", "--components full,mamba", "--host-slots N"
    require_use(
        context,
        {
            "window": (components is None or has_swa, "--components full,swa"),
            "swa_slots": (has_swa, of_swa), "swa_ratio": (has_swa, of_swa), "swa_eviction": (has_swa, of_swa),
            "branching": (has_swa or has_mamba, of_swa),
            "mamba_slots": (has_mamba, of_mamba), "mamba_chunk": (has_mamba, of_mamba),
            "write_policy": (has_host, of_host), "load_rate": (has_host, of_host),
            "speed": (has_arrivals, "arrivals, and --closed-loop has none"),
        },
    )  # fmt: skip
