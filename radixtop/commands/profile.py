"""`radixtop profile`: export what a recording holds to other tools, and report on it."""

from __future__ import annotations

from importlib import import_module

from radixtop.command import command_app
from radixtop.profiling import SUBCOMMANDS

app = command_app()


@app.callback()
def profile() -> None:
    """Export what a recording holds to other tools, and report on it.

    Example: radixtop profile flame run.rtrec --format svg -o tree.svg
    """


for _name, _command in SUBCOMMANDS.items():
    app.command(_name, short_help=_command.summary)(getattr(import_module(_command.module), _name))
