"""The flag that makes a server publish its KV events, as it is written on a command line."""

from __future__ import annotations

import json

FLAG = "--kv-events-config"
LIVE, REPLAY = "tcp://*:5557", "tcp://*:5558"
"""Where events, and those that were missed, are had unless something speaks against it."""


def server_flag(engine: str, live: str = LIVE, replay: str = REPLAY) -> str:
    """Return the flag that makes a server publish at `live`, and tell again what was missed at `replay`."""
    switched_on = {"enable_kv_cache_events": True} if engine == "vllm" else {}
    settings = {**switched_on, "publisher": "zmq", "endpoint": live, "replay_endpoint": replay}
    return f"{FLAG} '{json.dumps(settings, separators=(',', ':'))}'"


def setting(name: str, endpoint: str) -> str:
    """Return one setting of the flag, in words."""
    return f'"{name}":"{endpoint}" in {FLAG}'
