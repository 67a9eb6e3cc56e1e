"""`radixtop live`: serve a live workload on the embedded cache and watch it, or report on it without a screen."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from radixtop import options as flag
from radixtop.command import command_app, require_use
from radixtop.flag_values import limit_of, options_of, texts_of
from radixtop.serving.run_config import RunConfig
from radixtop.settings.flags import with_settings
from radixtop.settings.setting import Settings

if TYPE_CHECKING:
    from radixtop.screenless.telling import Telling

app = command_app()


@app.command()
@with_settings
def live(
    context: typer.Context,
    workload: flag.Workload = "mixed",
    workload_options: flag.WorkloadOptions = [],  # noqa: B006 - see policy_options
    model: flag.Model = "tiny",
    device: flag.Device = "auto",
    cache: flag.Cache = "prefix",
    page_size: flag.PageSize = 1,
    window: flag.Window = 128,
    full_slots: flag.FullSlots = None,
    swa_slots: flag.SwaSlots = None,
    swa_eviction: flag.SwaEviction = "tail_window_last",
    components: flag.Components = "full,swa",
    mamba_slots: flag.MambaSlots = None,
    mamba_chunk: flag.MambaChunk = 64,
    host_slots: flag.HostSlots = 0,
    write_policy: flag.WritePolicy = "write_through",
    policy: flag.Policy = "lru",
    policy_options: flag.PolicyOptions = [],  # noqa: B006 - typer wants a list, and nobody adds to it
    evictor: flag.Evictor = "incremental",
    branching: flag.Branching = True,
    chunk_size: flag.ChunkSize = 512,
    schedule: flag.Schedule = "fcfs",
    schedule_limit: flag.ScheduleLimit = "128",
    concurrency: flag.Concurrency = 4,
    rate: flag.Rate = None,
    seed: flag.Seed = 0,
    duration: flag.Duration = None,
    requests: flag.Requests = None,
    headless: flag.Headless = False,
    json: flag.Json = False,
    once: flag.Once = False,
    watch: flag.Watch = False,
    record: Annotated[
        Path | None, typer.Option("--record", metavar="FILE", help="Save the run, in place of a file that is there.")
    ] = None,
    kv_events: flag.KvEvents = None,
    probe_budget: flag.ProbeBudget = 0.03,
    prometheus: flag.Prometheus = None,
    *,
    settings: Settings,
) -> int:
    """Serve a live workload on the embedded cache and watch it.

    A model runs in a process of its own; the screen shows what its prefix cache does. Pools that are not given
    are small enough to evict something, or with --headless and --requests large enough to hold everything.

    Example: radixtop live --workload shared_prompt --window 128 --chunk-size 4096
    """
    from radixtop.screenless.telling import Telling

    run = _asked(context.params)
    _require_use(context, run)
    telling = Telling.asked(once, watch, json, headless, prometheus is not None)
    if telling:
        return _tell(run, telling, settings, prometheus)
    return _report(run, json, prometheus) if headless or json else _watch(run, settings, prometheus)


def _asked(flags: Mapping[str, Any]) -> RunConfig:
    """Return the run that the flags of `live` ask for; a flag and the field it sets have the same name."""
    given = {field.name: flags[field.name] for field in fields(RunConfig) if field.name in flags}
    given["workload_options"] = texts_of(flags["workload_options"])
    given["policy_options"] = options_of(flags["policy_options"])
    given["schedule_limit"] = limit_of(flags["schedule_limit"])
    given["duration_s"] = flags["duration"]
    given["record"] = str(flags["record"]) if flags["record"] else None
    given["pools_hold_everything"] = flags["headless"] and flags["requests"] is not None
    return RunConfig(**given)


def _require_use(context: typer.Context, run: RunConfig) -> None:
    has_mamba = "mamba" in run.components.split(","), "--components full,swa,mamba"
    has_host = run.host_slots > 0, "--host-slots N"
    require_use(context, {"mamba_slots": has_mamba, "mamba_chunk": has_mamba, "write_policy": has_host})


def _tell(run: RunConfig, telling: Telling, settings: Settings, prometheus: str | None) -> int:
    from radixtop.metrics.prometheus import served_at
    from radixtop.needs import need_torch
    from radixtop.screenless.telling import Shown, tell_of
    from radixtop.session import LiveSession

    need_torch()
    with served_at(prometheus) as metrics:
        title = metrics.titled(f"live {run.workload} · {run.model}")
        seconds = math.inf if telling.watch else run.duration_s
        return tell_of(LiveSession(run), metrics, telling, Shown(title, settings, seconds))


def _report(run: RunConfig, as_json: bool, prometheus: str | None) -> int:
    from radixtop.screenless.headless import report_run

    return report_run(run, as_json, prometheus)


def _watch(run: RunConfig, settings: Settings, prometheus: str | None) -> int:
    from radixtop.watch import watch_run

    return watch_run(run, settings, prometheus)
