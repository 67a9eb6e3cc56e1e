"""Servers that are watched under two names of this machine, whose blocks would count as copies of each other."""

from __future__ import annotations

from collections.abc import Iterable

from probes.kv.endpoints import is_loopback
from radixtop.render.lines import Line, clean


def same_servers(servers: Iterable[str]) -> list[Line]:
    """Return a line for each server that stands among `servers` (scheme://HOST:PORT) more than once."""
    found: dict[tuple[str, str], list[str]] = {}
    for server in dict.fromkeys(servers):
        scheme, is_address, place = server.partition("://")
        if is_address and is_loopback(f"tcp://{place}"):
            found.setdefault((scheme, place.rpartition(":")[2]), []).append(server)
    return [
        ((f"{clean(' and '.join(names))} seem to be one server", "warn"), (": leave one of them out", "text"))
        for names in found.values()
        if len(names) > 1
    ]
