"""`radixtop doctor`: what works here, what of a target is reachable, and what to switch on."""

from __future__ import annotations

from typing import Annotated

import typer

from probes.engines.access import DEADLINE_S
from profiles.plain import json_text
from radixtop import engine_access as flag
from radixtop.command import command_app
from radixtop.errors import FAILED, OK

app = command_app()


@app.command()
def doctor(
    target: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TARGET ...]",
            help="shm:PID, sglang://HOST:PORT, vllm://HOST:PORT or tcp://HOST:PORT; without one, this machine.",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
    api_key: flag.ApiKey = None,
    api_key_file: flag.ApiKeyFile = None,
    ca_file: flag.CaFile = None,
    insecure: flag.Insecure = False,
    client_cert: flag.ClientCert = None,
    client_key: flag.ClientKey = None,
    timeout: flag.Timeout = DEADLINE_S,
) -> int:
    """Say what works here, or what of a target is reachable and what to switch on.

    It takes 3 seconds at most, unless --timeout is longer. Each line is ok, warn or missing; below it stands the flag
    or the command that helps. The exit code is 1 when a target, or an event port that it names, is unreachable.

    Example: radixtop doctor sglang://127.0.0.1:30000
    """
    from radixtop.doctor.examine import examine
    from radixtop.doctor.targets import targets_of
    from radixtop.doctor.telling import document_of, lines_of

    token = flag.token_of(api_key, "--api-key")
    given = flag.AccessFlags(token, api_key_file, ca_file, insecure, client_cert, client_key, timeout)
    examined = examine(targets_of(target or ()), flag.access_of(given))
    typer.echo(json_text(document_of(examined), indent=2) if json else "\n".join(lines_of(examined)))
    return OK if all(each.is_reachable for each in examined) else FAILED
