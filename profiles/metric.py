"""A metric that others can scrape: its name, what it says, and how it is read off a snapshot. And the table of all.

A name says the rest, as Prometheus has it: base units, the unit as the last word, and `_total` behind that for what
only grows. What is not known has no value, which is not 0. Label values are words of tables and names of components:
there are never many, and no text of a prompt is among them.

Metrics of samples count from when the watch began. Gauges among them are of now: they have no value once the cache is
gone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

from cache_core.registry import Registry
from probes.histogram import Quantiles
from probes.snapshot import Snapshot

S = TypeVar("S")

Kind = Literal["counter", "gauge", "histogram", "info"]
UNITS = ("seconds", "bytes", "tokens", "ratio")
"""The units that a name can end in."""

OPERATION_DIGITS = range(9, 31)
"""The buckets of what the cache does: 511 ns to 1.07 s."""
STEP_DIGITS = range(17, 36)
"""The buckets of what the engine does: 131 us to 34 s."""
WAIT_DIGITS = range(16, 39)
"""The buckets of what a request waits for: 65 us to 275 s."""

Value = float | Quantiles | None
Values = Mapping[tuple[str, ...], Value]
"""A value for each combination of label values; None where it is not known. A distribution is in nanoseconds."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A snapshot as somebody finds it, and how long ago it was taken; there is none before the first one.

    `version` is that of the program that asks.
    """

    snapshot: Snapshot | None
    age_ns: int = 0
    version: str = ""


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric of the table. `sample` names what it is read off, and is empty for what is known of the source.

    `digits` are the bounds of a histogram's buckets, by their number of binary digits; other metrics have none.
    """

    name: str
    help: str
    read: Callable[[Seen], Values]
    labels: tuple[str, ...] = ()
    sample: str = ""
    digits: range = range(0)

    @property
    def kind(self) -> Kind:
        """The type of the metric."""
        if self.digits:
            return "histogram"
        if self.name.endswith("_total"):
            return "counter"
        return "info" if self.name.endswith("_info") else "gauge"

    @property
    def unit(self) -> str:
        """The unit that the name ends in, or nothing."""
        word = self.name.removesuffix("_total").rpartition("_")[2]
        return word if word in UNITS else ""


def read_off(
    sample: type[S],
    name: str,
    help: str,
    read: Callable[[S], Values],
    labels: tuple[str, ...] = (),
    digits: range = range(0),
) -> Metric:
    """Return a metric of a class of sample; it has no value while there is no such sample."""

    def read_seen(seen: Seen) -> Values:
        found = seen.snapshot.get(sample) if seen.snapshot else None
        return {} if found is None else read(found)

    return Metric(name, help, read_seen, labels, sample.__name__, digits)


def one(value: Value) -> Values:
    """Return the value of a metric without labels."""
    return {(): value}


def each(values: Mapping[str, Value] | None) -> Values:
    """Return the values of a metric with one label; None are no values at all."""
    return {(label,): value for label, value in (values or {}).items()}


def seconds(ns: int | None) -> float | None:
    """Return nanoseconds in the base unit."""
    return None if ns is None else ns / 1e9


def bound_ns(digits: int) -> int:
    """Return the inclusive upper bound of a histogram's bucket: the greatest integer of so many binary digits.

    That is an edge of the histograms that probes keep (`probes/histogram.py`), so what is counted up to it is exact.
    """
    return (1 << digits) - 1


METRICS: Registry[tuple[Metric, ...]] = Registry(
    "group of metrics",
    {
        "source": "profiles.metrics.source:METRICS",
        "hit_rate": "profiles.metrics.hit_rate:METRICS",
        "occupancy": "profiles.metrics.occupancy:METRICS",
        "tree_shape": "profiles.metrics.tree_shape:METRICS",
        "branching": "profiles.metrics.branching:METRICS",
        "evictions": "profiles.metrics.evictions:METRICS",
        "requests": "profiles.metrics.requests:METRICS",
        "request_log": "profiles.metrics.request_log:METRICS",
        "tenants": "profiles.metrics.tenants:METRICS",
        "throughput": "profiles.metrics.throughput:METRICS",
        "capacity": "profiles.metrics.capacity:METRICS",
        "operations": "profiles.metrics.operations:METRICS",
        "overhead": "profiles.metrics.overhead:METRICS",
        "fleet": "profiles.metrics.fleet:METRICS",
    },
)
"""Groups by the probe that they are read off; a new group is one file and one line."""


def all_metrics() -> tuple[Metric, ...]:
    """Return every metric, in the order of the table."""
    return tuple(metric for group in METRICS for metric in METRICS.load(group))
