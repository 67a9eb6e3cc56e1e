"""`radixtop record`: save what a cache does to a file, for as long as wanted or around what triggers wait for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from radixtop.command import command_app, require_use
from radixtop.errors import UsageError
from radixtop.quantities import seconds, size_bytes
from radixtop.recording.options import HELD_BYTES, RecordingOptions
from radixtop.recording.trigger_watch import TriggerOrder, order_of, said_of_triggers
from radixtop.render.units import size

app = command_app()


def _trigger(text: str) -> TriggerOrder:
    try:
        return order_of(text)
    except ValueError as error:
        raise typer.BadParameter(f"{error}.") from None


Words = Annotated[
    list[str] | None,
    typer.Argument(metavar="[TARGET | -- COMMAND ...]", help="PID, shm:PID or shm:PID-RANK, or what to start."),
]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE", help="Where to; unless told radixtop-PID-DATE-TIME.rtrec."),
]
Force = Annotated[bool, typer.Option("--force", help="Write over a file that is there.")]
Duration = Annotated[
    float | None, typer.Option("--duration", metavar="TIME", parser=seconds, help="Stop after 10s, 5m or 2h.")
]
MaxSize = Annotated[
    int | None,
    typer.Option(
        "--max-size",
        metavar="SIZE",
        parser=size_bytes,
        help="Go on in a new file after 100MB; with --on the most that a file takes, half of it held in memory "
        f"before (unless told {size(HELD_BYTES)}).",
    ),
]
Keep = Annotated[
    int, typer.Option("--keep", metavar="N", min=1, max=1000, help="How many files stay: FILE, FILE.1, ...")
]
On = Annotated[
    list[TriggerOrder] | None,
    typer.Option(
        "--on",
        metavar="TRIGGER",
        parser=_trigger,
        help=f"Write nothing until this happens; may be given again. {said_of_triggers()}; other numbers: "
        "--on hit-drop:factor=0.3,rate=0.5.",
    ),
]
KeepSeconds = Annotated[
    float, typer.Option("--keep-seconds", metavar="N", min=1, max=1e6, help="What to keep of the time before.")
]
After = Annotated[float, typer.Option("--after", metavar="TIME", parser=seconds, help="How long to go on then.")]
Again = Annotated[bool, typer.Option("--again", help="Wait for the next time; files are numbered.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document at the end.")]


@app.command(no_args_is_help=False)
def record(
    context: typer.Context,
    words: Words = None,
    output: Output = None,
    force: Force = False,
    duration: Duration = None,
    max_size: MaxSize = None,
    keep: Keep = 2,
    on: On = None,
    keep_seconds: KeepSeconds = 30.0,
    after: After = "10s",  # type: ignore[assignment]
    again: Again = False,
    json: Json = False,
) -> int:
    """Save what a cache does to a file, for `radixtop play` and `radixtop profile`.

    The cache is that of a process that called radixtop.attach(cache), or of a `radixtop live`: without a TARGET the
    only one there is. It is read from outside and pays nothing. A COMMAND is recorded until it ends, and gets the
    signals that this process gets. Each file begins with the tree. Losses are counted, and are gaps in the file.

    Example: radixtop record -o run.rtrec --duration 1m 4711

    Example: radixtop record --on eviction-storm --on hit-drop -- python server.py
    """
    from radixtop.recording.record import record_command, record_process
    from radixtop.target import is_server, is_target

    waits = bool(on), "--on TRIGGER"
    turns = max_size is not None and not on, "--max-size SIZE, and with --on"
    require_use(context, {"keep_seconds": waits, "after": waits, "again": waits, "keep": turns})
    options = RecordingOptions(
        path=output, force=force, duration_s=duration, max_bytes=max_size, keep=keep, triggers=tuple(on or ()),
        keep_s=keep_seconds, after_s=after, again=again, as_json=json,
    )  # fmt: skip
    words = words or []
    if len(words) == 1 and is_server(words[0]):
        raise UsageError(
            f"{words[0]!r} is a server, which cannot be recorded: it tells blocks and counters, no single requests",
            "radixtop run -- COMMAND starts one that publishes a ring; then radixtop record PID",
        )
    if len(words) > 1 or (words and not is_target(words[0])):
        return record_command(words, options)
    return record_process(words[0] if words else None, options)
