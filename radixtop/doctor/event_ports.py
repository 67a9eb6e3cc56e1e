"""Whether what listens at the ports of KV events is what was promised there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from probes.engines.connection import Deadline
from probes.engines.kv_config import split_tcp
from probes.engines.server import KVEndpoint
from probes.engines.zmtp import Port, look_at
from radixtop.check import Finding, Status

_MOST_TRIED = 64
_PORT_S = 0.7

_NOBODY = 'start the server with "publisher":"zmq" in --kv-events-config, and open the port in the firewall'
_STRANGER = "name the port that the publisher has: see the endpoint in --kv-events-config"
_SWAPPED = "the ports of live events and of replays are mixed up: see --kv-events-config"


def event_findings(endpoints: Sequence[KVEndpoint], deadline: Deadline) -> Iterator[Finding]:
    """Try where every rank publishes and replays, at once, and say what is there."""
    tried = [*_ports_of(endpoints)][:_MOST_TRIED]
    if not tried:
        return
    with ThreadPoolExecutor(len(tried), thread_name_prefix="port") as pool:
        yield from pool.map(lambda each: _finding_at(each, deadline), tried)
    if len(endpoints) > _MOST_TRIED // 2:
        yield Finding(Status.WARN, "events", f"the ports of {len(endpoints)} ranks were not all tried")


def finding_of(what: str, endpoint: str, port: Port, expected: str) -> Finding:
    """Return what it means that a port is like this, where a socket of ZeroMQ of a kind is expected."""
    is_needed = expected == "PUB"
    if port.fault:
        return Finding(Status.MISSING, what, f"{endpoint}: {port.fault}", _NOBODY, is_needed)
    if not port.is_zeromq:
        return Finding(Status.MISSING, what, f"what listens at {endpoint} is no ZeroMQ", _STRANGER, is_needed)
    if port.kind not in (None, expected, "X" + expected):
        says = f"{endpoint} is a {port.kind} socket, not {expected}"
        return Finding(Status.MISSING, what, says, _SWAPPED, is_needed)
    return Finding(Status.OK, what, endpoint)


def _ports_of(endpoints: Iterable[KVEndpoint]) -> Iterator[tuple[str, str, str]]:
    for each in endpoints:
        if each.is_awaited:
            continue  # nobody listens there until a reader does
        yield f"events {each.rank}", each.live, "PUB"
        if each.replay is not None:
            yield f"replay {each.rank}", each.replay, "ROUTER"


def _finding_at(each: tuple[str, str, str], deadline: Deadline) -> Finding:
    what, endpoint, expected = each
    where = split_tcp(endpoint)
    if where is None:
        path = Path(endpoint.removeprefix("ipc://"))
        port = Port(is_zeromq=path.is_socket(), fault="" if path.exists() else "nothing is there")
        return finding_of(what, endpoint, port, expected)
    try:
        within = Deadline(min(_PORT_S, deadline.left()))
    except TimeoutError:
        return Finding(Status.WARN, what, f"{endpoint} was not tried: time is up")
    return finding_of(what, endpoint, look_at(where[0].strip("[]"), where[1], within), expected)
