"""What a server says of itself, and whether its KV events can be had."""

from __future__ import annotations

from collections.abc import Iterator

from probes.engines.access import Access
from probes.engines.errors import EngineError
from probes.engines.http import HttpClient
from probes.engines.server import ServerInfo, read_server
from probes.kv.server_flag import LOCAL, server_flag
from radixtop.check import Finding, Status, Subject
from radixtop.doctor.event_ports import event_findings
from radixtop.engine_target import EngineTarget

_FOR_WHOM = "whoever reaches those ports reads token ids of prompts: let a firewall admit nobody else"


def check(subject: Subject) -> Iterator[Finding]:
    """Ask the server, then try every port that it names."""
    target = subject.target
    assert isinstance(target, EngineTarget), f"{target=}"
    client = HttpClient(target.address, subject.access, subject.deadline)
    try:
        server = read_server(target.engine, client)
    except EngineError as error:
        yield Finding(Status.MISSING, "server", error.message, error.hint, is_needed=True)
        return
    yield from findings_of(server, target)
    yield from key_findings(subject.access, target)
    yield from event_findings(server.kv, subject.deadline)
    yield from reader_findings(server, target)


def findings_of(server: ServerInfo, target: EngineTarget) -> Iterator[Finding]:
    """Return what a server's words mean for watching it; of its metrics another check tells."""
    version = server.version or "of an unknown version"
    yield Finding(Status.OK, "server", f"{server.engine} {version} at {target.address}")
    known = {
        "model": server.model,
        "page": f"{server.page_size} tokens" if server.page_size else None,
        "capacity": f"{server.capacity_tokens:,} tokens a rank" if server.capacity_tokens else None,
        "ranks": str(server.dp_size) if server.dp_size else None,
    }
    for what, says in known.items():
        if says is not None:
            yield Finding(Status.OK, what, says)
    for warning in (*server.warnings, *filter(None, (server.left_out,))):
        yield Finding(Status.WARN, "server", warning)
    for lack in server.missing:
        if lack.feature != "metrics":
            open_too = f"; {_FOR_WHOM}" if "tcp://*" in lack.start else ""
            yield Finding(Status.MISSING, "flag", lack.why, lack.start + open_too)


def reader_findings(server: ServerInfo, target: EngineTarget) -> Iterator[Finding]:
    """Return who can read prompts, where that is not this machine alone."""
    if not server.kv_is_open or not server.kv:
        return
    live = [each.live for each in server.kv]
    what = f"the port of {live[0]}" if len(live) == 1 else f"the ports from {live[0]} to {live[-1]}"
    hint = "let a firewall admit machines that may read prompts, and no other"
    if target.address.is_loopback and server.engine == "sglang":
        hint += (
            f"; for readers on this machine alone, from SGLang 0.5.22 on: {server_flag('sglang', LOCAL, bind=True)}"
        )
    yield Finding(Status.WARN, "events", f"whoever reaches {what} reads token ids of prompts", hint)


def key_findings(access: Access, target: EngineTarget) -> Iterator[Finding]:
    """Return what is wrong with the way that a key takes."""
    if access.token is not None and not target.address.is_tls and not target.address.is_loopback:
        hint = f"serve over TLS, and name it {target.engine}+https://"
        yield Finding(Status.WARN, "key", "the API key goes over the network in clear text", hint)
