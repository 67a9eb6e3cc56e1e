"""The flags of commands that replay a trace, besides those that they share with a live run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, get_args

import typer

from cache_core.component import COMPONENTS
from profiles.presets import PRESETS
from profiles.trace_format import TRACE_FORMATS
from radixtop.flag_values import names_of
from radixtop.options import choice
from radixtop.quantities import memory_bytes
from radixtop.replay.settings import Granularity


def _warm_up(text: str) -> str:
    number = text.removesuffix("%")
    if not (number.isascii() and number.isdecimal() and len(number) < 10) or (number != text and int(number) > 100):
        raise typer.BadParameter(f"{text!r} is neither a number of requests nor a share, such as 1000 or 50%.")
    return text


TraceFile = Annotated[Path, typer.Argument(metavar="TRACE", help="A file of requests, .gz too, or a recording.")]
Format = Annotated[
    str | None,
    choice("--format", TRACE_FORMATS, "How the trace is written, if that is not plain from its beginning."),
]
Components = Annotated[
    str | None,
    typer.Option(
        "--components",
        metavar="NAME,...",
        callback=lambda text: None if text is None else names_of(COMPONENTS)(text),
        help=f"What it keeps, in the order of {', '.join(COMPONENTS)}; unless told full, with --window swa as well.",
    ),
]
Window = Annotated[
    int | None, typer.Option("--window", metavar="N", min=1, help="Tokens that a sliding-window layer sees.")
]
Memory = Annotated[
    int | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        parser=memory_bytes,
        help="Size the pools by memory for KV: 20GiB; not --full-slots.",
    ),
]
Preset = Annotated[
    str | None, choice("--preset", PRESETS, "Window, page, ratio of pools and KV sizes of a model, unless flags say.")
]
SwaRatio = Annotated[
    float | None,
    typer.Option(
        "--swa-ratio", metavar="R", min=1e-4, max=10, help="Window slots for each full slot, 1 unless told."
    ),
]
PageSize = Annotated[
    int | None, typer.Option("--page-size", metavar="N", min=1, help="Tokens in the smallest unit of reuse, else 1.")
]
Tokens = Annotated[
    str | None,
    choice(
        "--tokens",
        get_args(Granularity),
        "Replay all tokens, or blocks of the trace as one token each: faster, and the same where blocks have one "
        "length, nothing is evicted and prompts end with their blocks. All, unless ids have not one length.",
    ),
]
Outputs = Annotated[
    bool | None,
    typer.Option(
        "--outputs/--no-outputs", help="Decode made-up answers and cache them, or end with the first token."
    ),
]
Speed = Annotated[
    float, typer.Option("--speed", metavar="X", min=1e-6, max=1e9, help="Requests arrive so many times as fast.")
]
ClosedLoop = Annotated[
    int | None,
    typer.Option(
        "--closed-loop", metavar="N", min=1, help="Ignore arrivals: N requests are outstanding at any time."
    ),
]
Sessions = Annotated[
    bool,
    typer.Option(
        "--sessions/--no-sessions", help="Start a request of a session once the one before it ended, or not."
    ),
]
Limit = Annotated[
    int | None,
    typer.Option(
        "--limit", metavar="N", min=1, help="Replay the first N requests; a log in order of time is read no further."
    ),
]

WarmUp = Annotated[
    str,
    typer.Option("--warm-up", metavar="N|P%", callback=_warm_up, help="The first of them fill the cache, uncounted."),
]
Misses = Annotated[
    bool, typer.Option("--misses/--no-misses", help="Tell missed tokens apart by cause, or be a few times as fast.")
]
Record = Annotated[
    Path | None, typer.Option("--record", metavar="FILE", help="Save the run, in place of a file that is there.")
]
PrefillRate = Annotated[
    float | None,
    typer.Option("--prefill-rate", metavar="N", min=1e-3, max=1e12, help="Prompt tokens that a second prefills."),
]
DecodeMs = Annotated[
    float | None, typer.Option("--decode-ms", metavar="MS", min=0, max=1e6, help="What a step takes that decodes.")
]
DecodeRequestMs = Annotated[
    float | None,
    typer.Option(
        "--decode-request-ms", metavar="MS", min=0, max=1e6, help="And for each request that decodes in it."
    ),
]
OverheadMs = Annotated[
    float | None, typer.Option("--overhead-ms", metavar="MS", min=0, max=1e6, help="What every step takes besides.")
]
LoadRate = Annotated[
    float | None,
    typer.Option(
        "--load-rate", metavar="N", min=1e-3, max=1e12, help="Tokens that a second loads from the host tier."
    ),
]
CostsFrom = Annotated[
    Path | None,
    typer.Option("--costs-from", metavar="FILE", help="Measure what steps take from a recording of an engine."),
]
