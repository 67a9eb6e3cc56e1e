"""What share of prompt tokens hit, as a server's metrics tell where nobody tells of requests."""

from __future__ import annotations

from probes.builtin.engine import EngineSample
from probes.scrapes.hits import HitWindow, joined_hits
from probes.snapshot import Snapshot
from radixtop.render.lines import Line, Role, Span
from radixtop.render.units import age, share

_ROLES: dict[str, Role] = {"device": "device", "host": "host"}


def hits(snapshot: Snapshot) -> Line:
    """Return the hits of the last minute in a sentence, of all servers that are watched."""
    sample = snapshot.get(EngineSample)
    window = None if sample is None else joined_hits(sample.hits_of(server) for server in sample.servers)
    if window is None or window.rate is None:
        return (("hits and misses: -  the metrics tell of no new requests yet", "dim"),)
    spans: list[Span] = [
        (f"last {age(window.elapsed_ns)}: ", "label"),
        (share(window.rate), "device"),
        (" of prompt tokens were hits", "text"),
        *_tiers(window),
        ("; by the server's metrics, which tell no misses", "dim"),
    ]
    return tuple(spans)


def _tiers(window: HitWindow) -> list[Span]:
    """Return what each tier had, where there are several."""
    told = [(tier, rate) for tier in window.hit_tokens if (rate := window.rate_of(tier))]
    if len(told) < 2:
        return []
    spans: list[Span] = []
    for place, (tier, rate) in enumerate(told):
        spans += [(", " if place else ": ", "text"), (share(rate), _ROLES.get(tier, "text")), (f" {tier}", "text")]
    return spans
