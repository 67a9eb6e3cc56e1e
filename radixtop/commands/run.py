"""`radixtop run`: start an engine with our in-process probes loaded."""

from __future__ import annotations

from typing import Annotated

import typer

from radixtop.command import HELP, command_app

app = command_app()

Words = Annotated[list[str], typer.Argument(metavar="-- COMMAND ...", help="What to start, and its arguments.")]


@app.command(no_args_is_help=True, context_settings={**HELP, "allow_interspersed_args": False})
def run(words: Words) -> None:
    """Start an SGLang or vLLM server with probes in its process, which then publishes its cache.

    Nothing is installed in the server's Python and nothing of it is edited: it finds the probes as a plugin, on
    PYTHONPATH. The command takes the place of this process, so its signals and its exit code are its own. What is
    watched are calls of the prefix cache; a version of another shape is left alone, and the dashboard says so.

    Example: radixtop run -- python -m sglang.launch_server --model-path MODEL
    """
    from radixtop.launching import replace_process

    replace_process(words)
