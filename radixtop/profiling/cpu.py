"""`radixtop profile cpu`: where a Python process spends its time, sampled from outside."""

from __future__ import annotations

from typing import Annotated

import typer

from profiles.cpu.format import CODE_FORMATS
from profiles.cpu.plan import MOST_THREADS, SamplingPlan
from radixtop import options as flag
from radixtop.code_profile import DURATION_S, TIMELINE, CodeProfileRequest, code_target, profile_code
from radixtop.errors import UsageError

Words = Annotated[
    list[str], typer.Argument(metavar="PID | -- COMMAND ...", help="A process (or shm:PID), or what to start.")
]
Format = Annotated[str, flag.choice("--format", [*CODE_FORMATS, TIMELINE], "What the profile opens in.")]
Duration = Annotated[
    int | None,
    typer.Option(
        "--duration",
        metavar="S",
        min=1,
        max=86_400,
        help=f"Seconds; unless told {DURATION_S} for a process, to its end for a command, which is ended after S.",
    ),
]
Rate = Annotated[int, typer.Option("--rate", metavar="HZ", min=1, max=1_000, help="Samples a second.")]
Gil = Annotated[
    bool | None,
    typer.Option("--gil/--no-gil", help="Count only who holds the interpreter lock; else whoever runs."),
]
Force = Annotated[
    bool,
    typer.Option(
        "--force", help=f"Try it in spite of what forbids it, and stop a process of more than {MOST_THREADS} threads."
    ),
]


def cpu(
    words: Words,
    format: Format = "html",
    duration: Duration = None,
    rate: Rate = 100,
    gil: Gil = None,
    idle: Annotated[bool, flag.switch("--idle", "Count who waits, too.")] = False,
    function: Annotated[bool, flag.switch("--function", "A function is one frame, whatever its line.")] = False,
    threads: Annotated[bool, flag.switch("--threads", "Keep threads apart.")] = False,
    subprocesses: Annotated[bool, flag.switch("--subprocesses", "What the process started, too.")] = False,
    native: Annotated[bool, flag.switch("--native", "C frames, too; stops the process for every sample.")] = False,
    blocking: Annotated[
        bool, flag.switch("--blocking", "Stop the process for every sample: no torn stacks.")
    ] = False,
    force: Force = False,
    output: flag.Output = None,
) -> int:
    """Sample with py-spy where a Python process spends its time, from outside and without stopping it.

    chrome_trace shows what each thread did over time, and beside it, on the same clock, requests, operations and
    pools of a process with a cache that radixtop can watch. An edge there is late by up to a period (10 ms at 100
    Hz), and by more on a busy machine.

    Example: radixtop profile cpu 4242 --format chrome_trace --duration 5 -o run.trace.json
    """
    is_timeline = format == TIMELINE
    if is_timeline and gil:
        raise UsageError(
            "chrome_trace cannot show the interpreter lock alone: gaps would look like work", "leave out --gil"
        )
    if gil and idle:
        raise UsageError("--gil counts who holds the lock and --idle who waits", "choose one of them")
    target = code_target(words)
    plan = SamplingPlan(
        rate_hz=rate,
        duration_s=duration if duration is not None or target.pid is None else DURATION_S,
        gil=not (is_timeline or idle) if gil is None else gil,
        idle=idle or is_timeline,
        functions=function or is_timeline,
        threads=threads or is_timeline,
        subprocesses=subprocesses,
        native=native,
        stops=blocking,
    )
    return profile_code(CodeProfileRequest(target, plan, format, output, force))
