"""The page that Prometheus scrapes: the table of metrics, read off the newest snapshot with prometheus_client.

Everything here runs on the threads of the server. It reads frozen snapshots, and never waits for the thread that
makes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import Lock

from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

from probes.aggregator import RESTING
from probes.histogram import Quantiles
from profiles.metric import Metric, Seen, all_metrics, bound_ns
from radixtop.metrics.server import Answer

_MOST_LABEL_CHARACTERS = 64
_NS = 1e9
_Labels = tuple[str, ...]


class MetricsPage:
    """Answers scrapes in the format that they ask for."""

    def __init__(self, look: Callable[[], Seen]) -> None:
        registry = CollectorRegistry()
        registry.register(SnapshotCollector(look))
        self._app = make_wsgi_app(registry)

    def answer(self, environ: dict[str, str]) -> Answer:
        """Return the response to a request, which is told in the words of WSGI.

        Who asks for a format in words that are none gets the plain one.
        """
        try:
            return self._answer(environ)
        except (TypeError, ValueError):  # from its comparison of versions
            return self._answer({name: value for name, value in environ.items() if name != "HTTP_ACCEPT"})

    def _answer(self, environ: dict[str, str]) -> Answer:
        began: list[tuple[str, list[tuple[str, str]]]] = []
        body = b"".join(self._app(environ, lambda *start: began.append(start)))
        return (*began[0], body)


class SnapshotCollector(Collector):
    """Turns the metrics of the table into families of samples, as of what `look` returns.

    What is counted never falls from one scrape to the next: what a source takes back (a load from the host that
    failed after it was told, or a recording that is played from an earlier moment) is made up for by what comes next.
    """

    def __init__(self, look: Callable[[], Seen]) -> None:
        self._look = look
        self._metrics = all_metrics()
        self._highest: dict[tuple[str, _Labels], float] = {}
        self._fullest: dict[tuple[str, _Labels], Quantiles] = {}
        self._scrape = Lock()

    def describe(self) -> Iterable[Family]:
        """Return every family, without samples."""
        return [_family(metric) for metric in self._metrics]

    def collect(self) -> Iterable[Family]:
        """Return the families of which anything is known."""
        with self._scrape:
            seen = self._look()
            families = [self._filled(metric, seen) for metric in self._metrics]
        return [family for family in families if family.samples]

    def _filled(self, metric: Metric, seen: Seen) -> Family:
        family = _family(metric)
        known = {} if _is_past(metric, seen) else metric.read(seen)
        for words, value in {_cleaned(words): value for words, value in known.items()}.items():
            labels = dict(zip(metric.labels, words, strict=True))
            if isinstance(value, Quantiles):
                _add_buckets(family, metric, labels, self._spread(metric, words, value))
            elif value is not None:
                shown = self._counted(metric, words, value) if metric.kind == "counter" else value
                family.add_sample(metric.name, labels, shown)
        return family

    def _counted(self, metric: Metric, words: _Labels, value: float) -> float:
        """Return the highest value that a counter has had."""
        highest = max(value, self._highest.get((metric.name, words), 0))
        self._highest[metric.name, words] = highest
        return highest

    def _spread(self, metric: Metric, words: _Labels, value: Quantiles) -> Quantiles:
        """Return the distribution of the most that a histogram has counted."""
        fullest = max(value, self._fullest.get((metric.name, words), value), key=lambda spread: spread.count)
        self._fullest[metric.name, words] = fullest
        return fullest


def _family(metric: Metric) -> Family:
    """Return the family of a metric; its name lacks the suffix that its samples have by their type."""
    name = metric.name.removesuffix("_total").removesuffix("_info")
    return Family(name, metric.help, metric.kind, metric.unit)


def _is_past(metric: Metric, seen: Seen) -> bool:
    """Return whether a metric is of now and the cache that it is about is gone."""
    is_over = seen.snapshot is not None and seen.snapshot.source.state in RESTING
    return is_over and metric.kind == "gauge" and bool(metric.sample)


def _cleaned(words: _Labels) -> _Labels:
    """Return label values that fit on a page: names are another's word."""
    return tuple("".join(filter(str.isprintable, word[:_MOST_LABEL_CHARACTERS])) for word in words)


def _add_buckets(family: Family, metric: Metric, labels: dict[str, str], spread: Quantiles) -> None:
    bounds = [(repr(bound_ns(digits) / _NS), spread.at_most(digits)) for digits in metric.digits]
    for bound, count in (*bounds, ("+Inf", spread.count)):
        family.add_sample(f"{metric.name}_bucket", {**labels, "le": bound}, count)
    family.add_sample(f"{metric.name}_count", labels, spread.count)
    family.add_sample(f"{metric.name}_sum", labels, spread.total / _NS)
