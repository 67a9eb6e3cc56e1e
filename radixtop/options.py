"""The flags that subcommands share: their names, limits and help.

Names come from the tables of the layers below, so a new workload or policy is a valid choice at once, and a
wrong one is answered with the list.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from cache_core.component import COMPONENTS
from cache_core.config import CHOICES
from cache_core.control import CACHES
from cache_core.engine import SHAPES
from cache_core.engine.config import DEVICES
from cache_core.evictor import EVICTORS
from cache_core.policy import POLICIES
from cache_core.schedule import SCHEDULES
from profiles.forest import WEIGHTS
from profiles.workload import WORKLOADS
from profiles.workload_options import OPTIONS
from radixtop.flag_values import (
    a_limit,
    all_named,
    all_numbered,
    names_of,
    one_of,
    publishing_address,
    serving_address,
)
from radixtop.quantities import some, some_or_none


def switch(flag: str, help_text: str) -> object:
    """Return a flag that is there or not."""
    return typer.Option(flag, help=help_text)


def choice(flag: str, names: Iterable[str], help_text: str) -> object:
    """Return the flag of a name out of a table."""
    known = [*names]
    check = one_of(known)

    def check_if_given(name: str | None) -> str | None:
        return None if name is None else check(name)

    return typer.Option(flag, metavar="|".join(known), callback=check_if_given, help=help_text)


def _known_options() -> str:
    """Return which policies have options, with what they are unless told."""
    options = {name: POLICIES.load(name).options for name in POLICIES}
    return "; ".join(
        f"{policy}: " + ", ".join(f"{name}={option.default}" for name, option in known.items())
        for policy, known in options.items()
        if known
    )


Workload = Annotated[str, choice("--workload", WORKLOADS, "What the requests look like.")]
WorkloadOptions = Annotated[
    list[str],
    typer.Option(
        "--workload-option",
        metavar="NAME=VALUE",
        callback=all_named,
        help=f"Sizes, tenants=3,1,1, salt=request, timestamp=first, once for each option: {', '.join(OPTIONS)}.",
    ),
]
Model = Annotated[str, choice("--model", SHAPES, "Size of the model that serves them.")]
Device = Annotated[str, choice("--device", DEVICES, "Where the model runs.")]
Cache = Annotated[
    str,
    choice(
        "--cache",
        CACHES,
        "The cache; or a control: chunk reuses nothing, block_hash finds blocks by hash (with --page-size 16).",
    ),
]
Components = Annotated[
    str,
    typer.Option(
        "--components",
        metavar="NAME,...",
        callback=names_of(COMPONENTS),
        help=f"What the cache keeps: full first, in the order of {', '.join(COMPONENTS)}.",
    ),
]
Policy = Annotated[str, choice("--policy", POLICIES, "Which leaf is evicted first.")]
PolicyOptions = Annotated[
    list[str],
    typer.Option(
        "--policy-option",
        metavar="NAME=N",
        callback=all_numbered,
        help=f"What the policy goes by, once for each option. {_known_options()}.",
    ),
]
Evictor = Annotated[str, choice("--evictor", EVICTORS, "Keep leaves in order, or sort them at every call.")]
Schedule = Annotated[str, choice("--schedule", SCHEDULES, "Which waiting request runs next.")]
ScheduleLimit = Annotated[
    str,
    typer.Option(
        "--schedule-limit",
        metavar="N|none",
        callback=a_limit,
        help="How many may wait before lpm and hrrn become fcfs.",
    ),
]
PageSize = Annotated[
    int, typer.Option("--page-size", metavar="N", min=1, help="Tokens in the smallest unit of reuse.")
]
Window = Annotated[int, typer.Option("--window", metavar="N", min=1, help="Tokens that a sliding-window layer sees.")]
FullSlots = Annotated[
    int | None,
    typer.Option("--full-slots", metavar="N", parser=some, help="Tokens the full pool holds: 200k."),
]
SwaSlots = Annotated[
    int | None, typer.Option("--swa-slots", metavar="N", parser=some, help="Tokens the window pool holds.")
]
SwaEviction = Annotated[
    str,
    choice("--swa-eviction", CHOICES["swa_eviction"], "Which windows go first: by age alone, or those at no end."),
]
MambaSlots = Annotated[
    int | None, typer.Option("--mamba-slots", metavar="N", parser=some, help="Recurrent states the mamba pool holds.")
]
MambaChunk = Annotated[
    int, typer.Option("--mamba-chunk", metavar="N", min=1, help="Tokens between positions where a state is kept.")
]
HostSlots = Annotated[
    int,
    typer.Option(
        "--host-slots", metavar="N", parser=some_or_none, help="Tokens that the host tier holds; 0 for no such tier."
    ),
]
WritePolicy = Annotated[str, choice("--write-policy", CHOICES["write_policy"], "When the host tier gets its copy.")]
Branching = Annotated[bool, typer.Option("--branching/--no-branching", help="Keep a window where prompts part.")]
ChunkSize = Annotated[int, typer.Option("--chunk-size", metavar="N", min=1, help="Most tokens of one prefill step.")]
Concurrency = Annotated[int, typer.Option("--concurrency", metavar="N", min=1, help="Requests in flight at once.")]
Rate = Annotated[
    float | None,
    typer.Option("--rate", metavar="R", min=0.001, max=1e9, help="New requests a second, if not at once."),
]
Seed = Annotated[
    int, typer.Option("--seed", metavar="N", min=0, max=2**63 - 1, help="What weights and workload are drawn from.")
]
Duration = Annotated[float | None, typer.Option("--duration", min=0.1, max=1e9, metavar="S", help="Seconds to run.")]
Requests = Annotated[int | None, typer.Option("--requests", metavar="N", min=1, help="Prompts to serve.")]
KvEvents = Annotated[
    str | None,
    typer.Option(
        "--kv-events",
        metavar="[ADDR]",
        callback=publishing_address,
        help="Publish KV events as SGLang does, at tcp://127.0.0.1:5557 unless told.",
    ),
]
Prometheus = Annotated[
    str | None,
    typer.Option(
        "--prometheus",
        metavar="[HOST:]PORT",
        callback=serving_address,
        help="Serve /metrics for Prometheus meanwhile, to this machine alone unless told; port 0 is any.",
    ),
]
Headless = Annotated[bool, typer.Option("--headless", help="No screen: print a report when done.")]
Json = Annotated[bool, typer.Option("--json", help="The report as one JSON document; no screen.")]
Once = Annotated[
    bool, typer.Option("--once", "-1", help="One moment as text, or with --json as a document; then exit.")
]
Watch = Annotated[bool, typer.Option("--watch", help="With --json: a line of JSON at every look, until it ends.")]
Document = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
ProbeBudget = Annotated[
    float,
    typer.Option(
        "--probe-budget", metavar="SHARE", min=0, max=1, help="Of the cache's time, before it tells no durations."
    ),
]
RecordingFile = Annotated[Path, typer.Argument(metavar="FILE", help="A recording: of `record`, or of --record.")]
Weight = Annotated[str, choice("--weight", WEIGHTS, "What the width of a frame stands for.")]
Full = Annotated[bool, typer.Option("--full", help="Every frame of a flame graph, small ones too.")]
Output = Annotated[Path | None, typer.Option("-o", "--output", metavar="OUT", help="Instead of stdout.")]
ExportOutput = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="OUT", help="A file, or a folder for it, not stdout; .gz packs it."),
]
