"""What `--kv-events-config` says: whether, where and at which ports ranks publish, as seen from another place.

Both engines take the same JSON, and both decide by the look of an endpoint whether to bind it or to connect to it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from probes.engines.access import Address
from probes.engines.fields import Fields, switch_in, text_in
from probes.engines.server import KVEndpoint, Missing
from probes.kv.endpoints import LAST_PORT, is_loopback
from probes.kv.server_flag import LIVE, LOCAL, replay_beside, server_flag, setting
from probes.plural import plural

_WILDCARDS = ("*", "0.0.0.0", "::", "[::]")
_TCP = re.compile(r"tcp://(?P<host>\*|::|\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9._-]{1,253}):(?P<port>[0-9]{1,5})")
_START = f"start it with {setting('endpoint', LIVE)}"


@dataclass(frozen=True, slots=True)
class KVConfig:
    """What the flag says, in the words of the flag."""

    is_publishing: bool
    endpoint: str = LIVE
    replay_endpoint: str | None = None
    topic: str = ""
    bind: bool | None = None


@dataclass(frozen=True, slots=True)
class Publishing:
    """Where events can be had, and what stands in the way."""

    kv: tuple[KVEndpoint, ...] = ()
    missing: tuple[Missing, ...] = ()
    warnings: tuple[str, ...] = ()
    is_open: bool = False
    """Whether other machines may reach the ports."""


@dataclass(frozen=True, slots=True)
class Vantage:
    """From where a server is looked at: by which address, and whether from its own machine."""

    server: Address
    is_same_machine: bool


def config_of(fields: Fields) -> KVConfig:
    """Return what the object behind the flag says; fields of the wrong type are not there."""
    publisher = text_in(fields, "publisher")
    is_enabled = switch_in(fields, "enable_kv_cache_events")
    return KVConfig(
        is_enabled is not False and (publisher == "zmq" or (publisher is None and bool(is_enabled))),
        text_in(fields, "endpoint") or LIVE,
        text_in(fields, "replay_endpoint"),
        text_in(fields, "topic") or "",
        switch_in(fields, "bind"),
    )


def split_tcp(endpoint: str) -> tuple[str, int] | None:
    """Return host, an IPv6 address in brackets, and port of a tcp endpoint; None for any other."""
    found = _TCP.fullmatch(endpoint)
    if found is None or not 0 < int(found["port"]) <= LAST_PORT:
        return None
    return found["host"], int(found["port"])


def publishing_of(config: KVConfig, ranks: range, binds: bool, seen: Vantage) -> Publishing:
    """Return where some ranks publish, each at a port that is its number higher.

    `binds` says whether the publisher waits to be connected to.
    """
    where = split_tcp(config.endpoint)
    if where is None:
        return _local(config, ranks, seen)
    if _is_out_of_reach(config.endpoint, seen):
        return _unreadable(config, "its own machine alone can reach")
    live = [_at(config.endpoint, rank, seen.server) for rank in ranks]
    replay = [_at(config.replay_endpoint, rank, seen.server) for rank in ranks]
    kv = tuple(
        KVEndpoint(rank, address, back, config.topic, not binds)
        for rank, address, back in zip(ranks, live, replay, strict=True)
        if address is not None
    )
    missing = () if config.replay_endpoint else (no_replay(f"tcp://*:{where[1]}"),)
    return Publishing(kv, missing, _warnings(config, binds, seen), binds and not is_loopback(config.endpoint))


def _local(config: KVConfig, ranks: range, seen: Vantage) -> Publishing:
    """Return what is published at a path of its own machine, which the first rank alone can have."""
    if not config.endpoint.startswith("ipc://"):
        return _unreadable(config, "no other process can read")
    if not seen.is_same_machine:
        return _unreadable(config, "its own machine alone can reach")
    replay = config.replay_endpoint if (config.replay_endpoint or "").startswith("ipc://") else None
    missing = () if replay else (no_replay(config.endpoint),)
    return Publishing(tuple(KVEndpoint(rank, config.endpoint, replay, config.topic) for rank in ranks[:1]), missing)


def _unreadable(config: KVConfig, why: str) -> Publishing:
    return Publishing(warnings=(f"events go to {config.endpoint}, which {why}; {_START}",))


def _warnings(config: KVConfig, binds: bool, seen: Vantage) -> tuple[str, ...]:
    warnings = []
    if not binds:
        said = f"its publisher connects to {config.endpoint} and waits for nobody"
        warnings.append(f"{said}: a reader has to bind there; or {_START}")
    if config.replay_endpoint and _is_out_of_reach(config.replay_endpoint, seen):
        warnings.append(f"replays are had at {config.replay_endpoint}, on its own machine alone")
    return tuple(warnings)


def _is_out_of_reach(endpoint: str, seen: Vantage) -> bool:
    return not seen.is_same_machine and is_loopback(endpoint)


def _at(endpoint: str | None, rank: int, server: Address) -> str | None:
    """Return where a rank is found: a wildcard stands for the host of the server."""
    where = split_tcp(endpoint) if endpoint else None
    if where is None or where[1] + rank > LAST_PORT:
        return None
    return f"tcp://{server.spoken_host if where[0] in _WILDCARDS else where[0]}:{where[1] + rank}"


def no_events(engine: str, why: str, *, is_local: bool = False) -> Missing:
    """Return what is missing where a server publishes no events, for all that it says.

    `is_local` says that it can publish for its own machine alone, and need not for another.
    """
    flag = server_flag(engine, LOCAL, bind=True) if is_local else server_flag(engine)
    return Missing("events", f"start it with {flag}", why)


def clash_of(kv: Sequence[KVEndpoint]) -> tuple[str, ...]:
    """Say that some rank's events and another's replays are at one port, where only one of them can listen."""
    replays = {each.replay: each.rank for each in kv if each.replay is not None}
    shared = [each for each in kv if each.live in replays and not each.is_awaited]
    if not shared:
        return ()
    first, others = shared[0], len(shared) - 1
    both = f"events of rank {first.rank} and replays of rank {replays[first.live]} are both at {first.live}"
    more = f", and {plural(others, 'port')} more like that" if others else ""
    base = split_tcp(kv[0].live)
    better = setting("replay_endpoint", replay_beside(f"tcp://*:{base[1]}" if base else kv[0].live))
    return (f"{both}{more}: one of them cannot listen; start it with {better}",)


def no_replay(live: str = LIVE) -> Missing:
    """Return what is missing where events, which are had at `live`, cannot be asked for again."""
    why = "what was cached before radixtop came, and what is lost on the way, stays unknown"
    return Missing("replay", f"start it with {setting('replay_endpoint', replay_beside(live))}", why)
