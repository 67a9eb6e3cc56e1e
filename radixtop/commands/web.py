"""`radixtop web`: the dashboard in a browser, on this machine, for who has the token."""

from __future__ import annotations

import shlex
import signal
import socket
import stat
import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from probes.kv.endpoints import LAST_PORT
from radixtop.command import command_app, load, show_as_written, with_values
from radixtop.errors import INTERRUPTED, OK, RadixtopError, UsageError
from radixtop.printable import tell

WATCHING = ("live", "attach", "play")
"""The commands that have screens."""
_ITS_OWN = ("--port", "--host", "--token-file")
_WITHOUT_A_SCREEN = ("headless", "json", "once", "watch", "debug_options")

app = command_app()


@app.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
def web(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[COMMAND ...]", help="live (unless told), attach or play, with its flags."),
    ] = None,
    port: Annotated[
        int, typer.Option("--port", min=0, max=LAST_PORT, metavar="N", help="0 is any that is free.")
    ] = 8765,
    host: Annotated[
        str, typer.Option("--host", metavar="HOST", help="Whom to listen to; others than this machine are warned of.")
    ] = "127.0.0.1",
    token_file: Annotated[
        Path | None,
        typer.Option(
            "--token-file", metavar="FILE", help="Holds the token, for its owner's eyes; else a random one."
        ),
    ] = None,
) -> int:
    """Show the dashboard in a browser.

    Its address, with the token that opens it, is written to stderr. Every tab is a session of its own: in each the
    command that follows is run, with its own flags.

    Example: radixtop web --port 8765 play run.rtrec --theme light
    """
    asked = _checked(words or [])
    token = _token(token_file)
    _need_textual_serve()
    from radixtop.listening import explained, socket_place
    from radixtop.web.access import Access, is_loopback, new_token
    from radixtop.web.server import WebServer, serve

    token = token or new_token()
    with explained(host, port):
        place, family = socket_place(host, port)
        listener = socket.create_server(place[:2], family=family)
    with listener:
        port = listener.getsockname()[1]
        if not is_loopback(host):
            tell(f"note: whoever can reach {host} and has the token can see this; nothing on the way is encrypted")
        shown = f"[{host}]" if ":" in host else host
        said = f"radixtop {shlex.join(asked)}, in a browser: http://{shown}:{port}/?token={token}"
        command = shlex.join([sys.executable, "-m", "radixtop", *asked])
        server = WebServer(f"exec {command}", Access(token, host, port))
        ended_by = serve(server, listener, announce=partial(tell, said))
    return INTERRUPTED if ended_by == signal.SIGINT else OK


def _checked(words: list[str]) -> list[str]:
    """Return the command to run in every tab. Raises UsageError for one without a screen, and typer's own."""
    if not words or words[0].startswith("-"):
        words = ["live", *words]
    name, *flags = words
    if name not in WATCHING:
        raise UsageError(f"{name!r} has no screen", f"choose from: {', '.join(WATCHING)}")
    own = next((flag for word in flags if (flag := word.partition("=")[0]) in _ITS_OWN), None)
    if own is not None:
        raise UsageError(f"{own} is a flag of `web`, not of {name}", f"write it before {name}")
    command = typer.main.get_command(load(name))
    show_as_written(command)
    with command.make_context(f"radixtop {name}", with_values([*flags])) as context:
        said = [flag for flag in _WITHOUT_A_SCREEN if context.params.get(flag)]
    if said:
        raise UsageError(f"--{said[0].replace('_', '-')} has no screen", "leave it out, or leave `web` out")
    return words


def _token(path: Path | None) -> str:
    """Return the token that a file holds, "" where there is no file."""
    if path is None:
        return ""
    from radixtop.web.access import fault_of_token

    if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise RadixtopError(f"{path}: others can read this token", f"chmod 600 {shlex.quote(str(path))}")
    with open(path, encoding="ascii", errors="replace") as file:
        token = file.read(4096).strip()
    fault = fault_of_token(token)
    if fault:
        raise RadixtopError(f"{path}: {fault}", "such as: openssl rand -hex 24 > FILE; chmod 600 FILE")
    return token


def _need_textual_serve() -> None:
    from importlib.util import find_spec

    if find_spec("textual_serve") is None:
        raise RadixtopError("the dashboard in a browser needs textual-serve", "pip install 'radixtop[web]'")
