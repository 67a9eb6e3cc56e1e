"""How far a replay is, as a bar on stderr while that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from radixtop.needs import is_terminal
from radixtop.printable import clean
from radixtop.render.units import share
from radixtop.replay.trace_replay import ReplayProgress

_NAME_CELLS = 20
"""Of the name of a trace, so that all of the bar fits into 80 columns."""


@contextmanager
def replay_bar(name: str, requests: int) -> Iterator[Callable[[ReplayProgress], object] | None]:
    """Show a bar in a `with`, and hand over whom to tell of progress: nobody where nothing can be shown."""
    if not is_terminal(sys.stderr):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(20),
        MofNCompleteColumn(),
        TextColumn("{task.fields[told]}", markup=False),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(clean(name)[:_NAME_CELLS], total=requests, told="")

        def tell(progress: ReplayProgress) -> None:
            hit_rate = progress.hit_tokens / progress.prompt_tokens if progress.prompt_tokens else None
            bar.update(task, completed=progress.requests, told=f"hit rate {share(hit_rate)}")

        yield tell
