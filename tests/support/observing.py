"""Feed records to one probe the way the aggregator does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from cache_core.events import Record
from probes.mirror import Mirror
from probes.probe import Probe

P = TypeVar("P", bound=Probe)

S = 1_000_000_000
"""A second in ns."""


def probe_of(probe_class: type[P], records: Iterable[Record], components: tuple[str, ...] = ("full", "swa")) -> P:
    """Return a probe that has observed `records`, each after its mirror did."""
    probe = probe_class(Mirror(components))
    feed(probe, records)
    return probe


def feed(probe: Probe, records: Iterable[Record]) -> None:
    """Let the mirror and then the probe take each record, and those folds before it that want to."""
    before = probe.before()
    for record in records:
        if type(record) in before:
            before[type(record)](record)
        probe.mirror.apply(record)
        probe.observe(record)


def history(*newest: float | None) -> tuple[float | None, ...]:
    """Return a minute of points that ends with `newest`; what is before that is not known."""
    return (*[None] * (60 - len(newest)), *newest)
