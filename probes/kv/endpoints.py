"""Addresses of ZeroMQ sockets: checked, shifted by rank, and told apart by who can reach them."""

from __future__ import annotations

import ipaddress
import re

from probes.errors import PublishError

HINT = "use tcp://HOST:PORT, such as tcp://127.0.0.1:5557, or ipc://PATH"

TCP = re.compile(r"tcp://(?P<host>\[[0-9a-fA-F:.]+\]|[^:/\[\]\s]+):(?P<port>\d{1,5})")
LAST_PORT = 65_535


def shifted(endpoint: str, by: int) -> str:
    """Return the address of a rank: its port is `by` higher, a path has the rank at its end.

    Port 0, any that is free, stays 0. Raises PublishError for what is no address.
    """
    if re.fullmatch(r"(ipc|inproc)://\S+", endpoint):
        return f"{endpoint}_dp{by}" if by else endpoint
    found = TCP.fullmatch(endpoint)
    if found is None:
        raise PublishError(f"{endpoint!r} is no address to publish at", HINT)
    port = int(found["port"])
    if port + by > LAST_PORT:
        raise PublishError(f"{endpoint!r} has no port {port + by}: ports end at {LAST_PORT}", "use a lower port")
    return f"tcp://{found['host']}:{port + by if port else 0}"


def is_loopback(endpoint: str) -> bool:
    """Say whether this machine alone can reach an address."""
    found = TCP.fullmatch(endpoint)
    if found is None:
        return endpoint.startswith(("ipc://", "inproc://"))
    host = found["host"].strip("[]")
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
