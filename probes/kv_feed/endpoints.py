"""The addresses of a publisher, checked."""

from __future__ import annotations

import os
from dataclasses import dataclass

from probes.errors import FeedError
from probes.kv.endpoints import LAST_PORT, TCP

HINT = "use tcp://HOST:PORT, such as tcp://127.0.0.1:5557, or ipc://PATH"

_LONGEST_PATH_BYTES = 107


@dataclass(frozen=True, slots=True)
class Endpoints:
    """The addresses of one publisher: live batches, and where to ask for others ("" for nowhere).

    With `binds` the publisher connects to us.
    """

    live: str
    replay: str = ""
    topic: bytes = b""
    binds: bool = False


def checked(endpoints: Endpoints) -> Endpoints:
    """Return addresses that can be. Raises FeedError that says which cannot."""
    _check(endpoints.live, endpoints.binds)
    if endpoints.replay:
        _check(endpoints.replay, False)
    return endpoints


def _check(endpoint: str, binds: bool) -> None:
    if endpoint.startswith("ipc://") and 0 < len(os.fsencode(endpoint)) - len("ipc://") <= _LONGEST_PATH_BYTES:
        return
    found = TCP.fullmatch(endpoint)
    if found is None or not endpoint.isprintable():
        raise FeedError(f"{endpoint!r} is no address to follow", HINT)
    port, host = int(found["port"]), found["host"].strip("[]")
    if port > LAST_PORT or not (port or binds):
        raise FeedError(f"{endpoint!r} has a port that cannot be", f"ports are 1 to {LAST_PORT}")
    if not binds and host in ("*", "0.0.0.0", "::"):
        raise FeedError(f"{endpoint!r} is where a server listens, not where it is", "name its host")
