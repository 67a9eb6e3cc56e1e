"""The flags that subcommands share: their names, limits and help.

Names come from the tables of the layers below, so a new workload or policy is a valid choice at once, and a
wrong one is answered with the list.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
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
from probes.endpoints import is_loopback, shifted
from probes.errors import PublishError
from profiles.forest import WEIGHTS
from profiles.workload import WORKLOADS
from radixtop.errors import UsageError
from radixtop.listening import host_and_port

_MOST_DIGITS = len(str(2**31 - 1))


def one_of(names: Iterable[str]) -> Callable[[str], str]:
    """Return a callback that lets only `names` pass and answers anything else with all of them."""
    known = [*names]

    def check(name: str) -> str:
        if name not in known:
            raise typer.BadParameter(f"{name!r} is not one of {', '.join(known)}.")
        return name

    return check


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


def limit_of(text: str) -> int | None:
    """Return the number that a limit names, or None for "none"."""
    return None if text == "none" else int(text)


def a_limit(text: str) -> str:
    """Let only a number or "none" pass."""
    if text != "none" and not (text.isascii() and text.isdecimal()):
        raise typer.BadParameter(f"{text!r} is neither a number nor none.")
    _check_digits(text, "the limit")
    return text


def options_of(texts: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """Return the pairs that texts such as "threshold=3" name; of those with one name the last one counts."""
    pairs = (text.partition("=") for text in texts)
    return tuple({name: int(number) for name, _, number in pairs}.items())


def all_numbered(texts: list[str]) -> list[str]:
    """Let only texts of a name and a number pass."""
    for text in texts:
        name, _, number = text.partition("=")
        if not name or not (number.isascii() and number.isdecimal()):
            raise typer.BadParameter(f"{text!r} is no name and number, such as threshold=3.")
        _check_digits(number, f"the number of {name!r}")
    return texts


def _check_digits(number: str, what: str) -> None:
    """Refuse what is no int32 by its length: Python reads no number of thousands of digits."""
    if len(number) > _MOST_DIGITS:
        raise typer.BadParameter(f"{what} has {len(number):,} digits, an int32 is needed.")


def _known_options() -> str:
    """Return which policies have options, with what they are unless told."""
    options = {name: POLICIES.load(name).options for name in POLICIES}
    return "; ".join(
        f"{policy}: " + ", ".join(f"{name}={option.default}" for name, option in known.items())
        for policy, known in options.items()
        if known
    )


def publishing_address(endpoint: str | None) -> str | None:
    """Let an address pass that one can publish at; say so when others than this machine can reach it."""
    if endpoint is None:
        return None
    try:
        shifted(endpoint, 1)
    except PublishError as error:
        raise typer.BadParameter(str(error)) from None
    if not is_loopback(endpoint):
        sys.stderr.write(f"note: whoever can reach {endpoint} can read the token ids of every prompt\n")
    return endpoint


def serving_address(address: str | None) -> str | None:
    """Let an address pass that metrics can be served at."""
    if address is not None:
        try:
            host_and_port(address)
        except UsageError as error:
            raise typer.BadParameter(f"{error.message}; {error.hint}") from None
    return address


def names_of(names: Iterable[str]) -> Callable[[str], str]:
    """Return a callback that lets only `names` pass, with commas between them."""
    check = one_of(names)

    def check_all(text: str) -> str:
        return ",".join(check(name.strip()) for name in text.split(","))

    return check_all


Workload = Annotated[str, choice("--workload", WORKLOADS, "What the requests look like.")]
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
    int | None, typer.Option("--full-slots", metavar="N", min=1, help="Tokens the full pool holds.")
]
SwaSlots = Annotated[
    int | None, typer.Option("--swa-slots", metavar="N", min=1, help="Tokens the window pool holds.")
]
MambaSlots = Annotated[
    int | None, typer.Option("--mamba-slots", metavar="N", min=1, help="Recurrent states the mamba pool holds.")
]
MambaChunk = Annotated[
    int, typer.Option("--mamba-chunk", metavar="N", min=1, help="Tokens between positions where a state is kept.")
]
HostSlots = Annotated[
    int, typer.Option("--host-slots", metavar="N", min=0, help="Tokens that the host tier holds; 0 for no such tier.")
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
Hz = Annotated[
    float, typer.Option("--hz", metavar="HZ", min=0.1, max=30, help="How often the screen looks at the cache.")
]
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
