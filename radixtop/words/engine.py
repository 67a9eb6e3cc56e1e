"""What share of prompt tokens hit, as a server's metrics tell where nobody tells of requests."""

from __future__ import annotations

from probes.builtin.engine import EngineSample
from probes.builtin.fleet import FleetSample
from probes.scrapes.figures import SERVER
from probes.scrapes.hits import HitWindow, joined_hits
from probes.snapshot import Snapshot
from radixtop.render.lines import Line, Role, Span
from radixtop.render.units import age, share

_ROLES: dict[str, Role] = {"device": "device", "host": "host"}


def hits(snapshot: Snapshot) -> Line:
    """Return the hits of the last minute of all servers that are watched; of several ranks, of which."""
    sample = snapshot.get(EngineSample)
    window = None if sample is None else joined_hits(sample.hits_of(server) for server in sample.servers)
    if sample is None or window is None or window.rate is None:
        return (("hits and misses: -  the metrics tell of no new requests yet", "dim"),)
    spans: list[Span] = [
        (f"{_whose(sample, snapshot.get(FleetSample))}last {age(window.elapsed_ns)}: ", "label"),
        (share(window.rate), "device"),
        (" of prompt tokens were hits", "text"),
        *_tiers(window),
        ("; by the server's metrics, which tell no misses", "dim"),
    ]
    return tuple(spans)


def _whose(sample: EngineSample, fleet: FleetSample | None) -> str:
    """Return of which ranks the hits are that are told, where there are several."""
    known = () if fleet is None else [rank.name for rank in fleet.ranks if rank.name.rank != SERVER]
    if len(known) < 2:
        return ""
    if any(joined_hits(rank.hits_minute for rank in sample.of(server)) is None for server in sample.servers):
        return "server as a whole, " if len(sample.servers) == 1 else "whole servers, "
    told = sum(len(sample.of(server)) for server in sample.servers)
    if told < len(known):
        return f"{told} of {len(known)} ranks, "
    return "both ranks, " if len(known) == 2 else f"all {len(known)} ranks, "


def _tiers(window: HitWindow) -> list[Span]:
    """Return what each tier had, where there are several."""
    told = [(tier, rate) for tier in window.hit_tokens if (rate := window.rate_of(tier))]
    if len(told) < 2:
        return []
    spans: list[Span] = []
    for place, (tier, rate) in enumerate(told):
        spans += [(", " if place else ": ", "text"), (share(rate), _ROLES.get(tier, "text")), (f" {tier}", "text")]
    return spans
