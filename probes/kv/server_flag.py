"""The flag that makes a server publish its KV events, as it is written on a command line."""

from __future__ import annotations

import json

from probes.kv.endpoints import LAST_PORT, TCP

FLAG = "--kv-events-config"
LIVE = "tcp://*:5557"
"""Where events are had unless something speaks against it."""

LOCAL = "tcp://127.0.0.1:5557"
"""The same, for readers of the server's own machine alone."""

_APART = 1_000
"""From the port of live events to that of replays: each data-parallel rank takes the next port of both."""


def replay_beside(live: str) -> str:
    """Return where to tell again what is published at `live`: far enough for ports that count up by rank."""
    found = TCP.fullmatch(live)
    if found is None:
        return f"{live}_replay"
    port = int(found["port"])
    away = _APART if port + _APART <= LAST_PORT else -_APART
    return f"tcp://{found['host']}:{port + away if port else 0}"


def server_flag(engine: str, live: str = LIVE, *, bind: bool = False) -> str:
    """Return the flag that makes a server publish at `live`, and tell again what was missed.

    `bind` says it where the look of an address does not: servers connect to one of this machine unless they are told.
    """
    switched_on = {"enable_kv_cache_events": True} if engine == "vllm" else {}
    settings = {**switched_on, "publisher": "zmq", "endpoint": live, "replay_endpoint": replay_beside(live)}
    settings |= {"bind": True} if bind else {}
    return f"{FLAG} '{json.dumps(settings, separators=(',', ':'))}'"


def setting(name: str, endpoint: str) -> str:
    """Return one setting of the flag, in words."""
    return f'"{name}":"{endpoint}" in {FLAG}'
