"""What reports tell of the metrics of a rank, or of a server for all its ranks: as on the overview, in numbers."""

from __future__ import annotations

from collections.abc import Mapping

from probes.builtin.engine import EngineRank, Rates
from probes.scrapes.buckets import Spread
from probes.scrapes.hits import HitWindow

Document = dict[str, object]


def metrics_document(engine: EngineRank, now: int) -> Document:
    """Return what the metrics tell as of `now`, by role; what is not told has no entry, what is not known is null."""
    return {
        "age_s": round(max(0, now - engine.at) / 1e9, 3),
        "hits_10s": _hits(engine.hits_10s),
        "hits_last_minute": _hits(engine.hits_minute),
        "hits_total": _hits(engine.hits_total),
        "gauges": dict(sorted(engine.gauges.items())),
        "per_s_10s": _per_s(engine.rates_10s),
        "per_s_last_minute": _per_s(engine.rates_minute),
        "grown_total": {role: grown.amount for role, grown in sorted(engine.rates_total.items())},
        "spreads_last_minute": _spreads(engine.spreads_minute),
        "spreads_total": _spreads(engine.spreads_total),
        "resets": engine.resets,
        "notes": [*engine.notes],
    }


def quantiles(spread: Spread) -> Document:
    """Return a distribution; a quantile is a `value` that it `is`: about, at most, more than."""
    told = {"p50": spread.p50, "p95": spread.p95, "p99": spread.p99}
    return {
        "count": spread.count,
        **{name: {"value": one.value, "is": one.side} if one else None for name, one in told.items()},
    }


def _hits(window: HitWindow | None) -> Document | None:
    if window is None:
        return None
    return {
        "counted": window.view,
        "seconds": round(window.elapsed_ns / 1e9, 3),
        "rate": window.rate,
        "queried_tokens": window.queried_tokens,
        "hit_tokens": dict(window.hit_tokens),
    }


def _per_s(rates: Rates) -> Document:
    return {role: grown.per_s for role, grown in sorted(rates.items())}


def _spreads(spreads: Mapping[str, Spread]) -> Document:
    return {
        role: {**quantiles(spread), "mean": spread.mean} for role, spread in sorted(spreads.items()) if spread.count
    }
