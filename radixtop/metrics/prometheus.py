"""What `--prometheus [HOST:]PORT` does: figures for Prometheus to scrape, for as long as something is watched.

The thread that ticks leaves its newest snapshot in a `Shelf`, which is one store. Whoever scrapes takes it from
there. The server and prometheus_client are imported when they are asked for.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from radixtop.source import follower_of

if TYPE_CHECKING:
    from probes.mirror import Mirror
    from probes.snapshot import Snapshot
    from profiles.metric import Seen
    from radixtop.metrics.exposition import MetricsPage
    from radixtop.metrics.server import Answer
    from radixtop.playing.transport import Transport
    from radixtop.source import Watched

_TEXT = [("Content-Type", "text/plain; charset=utf-8")]


class Shelf:
    """Where the newest snapshot lies. `put` is called on the thread that ticks, `look` on any other."""

    def __init__(self) -> None:
        self._newest: tuple[Snapshot | None, int] = (None, perf_counter_ns())

    def put(self, snapshot: Snapshot) -> None:
        """Replace the snapshot."""
        self._newest = snapshot, perf_counter_ns()

    def look(self) -> Seen:
        """Return the snapshot and how long it has lain there."""
        from profiles.metric import Seen
        from radixtop import __version__

        snapshot, put_at = self._newest
        return Seen(snapshot, perf_counter_ns() - put_at, __version__)


class Scraped:
    """A source whose snapshots can be scraped, those of now where it is live. Everything else is the source's."""

    def __init__(self, source: Watched, shelf: Shelf) -> None:
        self._source = source
        self._shelf = shelf

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)

    @property
    def mirror(self) -> Mirror | None:
        """See Source."""
        return self._source.mirror

    @property
    def transport(self) -> Transport | None:
        """See Source."""
        return self._source.transport

    def tick(self, now: int) -> Snapshot:
        """See Source."""
        snapshot = self._source.tick(now)
        self._shelf.put((self.transport and self.transport.newest) or snapshot)
        return snapshot

    def follow(self, server: str, rank: int) -> str:
        """See Follower. Raises RadixtopError for a source of one cache."""
        return follower_of(self._source).follow(server, rank)

    def close(self) -> None:
        """See Watched."""
        self._source.close()

    def check(self) -> None:
        """See Watched."""
        self._source.check()


class Metrics:
    """What can be scraped, which is nothing: `url` says where, and is empty. Those who publish need not ask."""

    url = ""

    def put(self, snapshot: Snapshot) -> None:
        """Let this snapshot be what is scraped from now on."""

    def watching(self, source: Watched) -> Watched:
        """Return a source like this one whose snapshots can be scraped."""
        return source

    def narrate(self) -> None:
        """Say on stderr where to scrape."""
        if self.url:
            sys.stderr.write(f"metrics at {self.url}\n")

    def titled(self, title: str) -> str:
        """Return what stands over the screen: a title, and where to scrape."""
        return f"{title}  {self.url.removeprefix('http://')}" if self.url else title


class ServedMetrics(Metrics):
    """The newest snapshot as a page of metrics, and a word where that page is."""

    def __init__(self) -> None:
        self._shelf = Shelf()

    @cached_property
    def page(self) -> MetricsPage:
        """The page; prometheus_client is imported by the first who asks for it."""
        from radixtop.metrics.exposition import MetricsPage

        return MetricsPage(self._shelf.look)

    def put(self, snapshot: Snapshot) -> None:
        """See Metrics."""
        self._shelf.put(snapshot)

    def watching(self, source: Watched) -> Watched:
        """See Metrics."""
        return Scraped(source, self._shelf)

    def answer(self, environ: dict[str, str]) -> Answer:
        """Return the response to a request."""
        if environ["REQUEST_METHOD"] != "GET":
            return "405 Method Not Allowed", [("Allow", "GET"), *_TEXT], b"only GET\n"
        if environ["PATH_INFO"] == "/metrics":
            return self.page.answer(environ)
        if environ["PATH_INFO"] == "/":
            return "200 OK", _TEXT, b"radixtop: the metrics are at /metrics\n"
        return "404 Not Found", _TEXT, b"the metrics are at /metrics\n"


@contextmanager
def served_at(address: str | None) -> Iterator[Metrics]:
    """Serve metrics at `address` as long as the context lasts; None serves nothing.

    Raises RadixtopError when that address cannot be listened at.
    """
    if address is None:
        yield Metrics()
        return
    from ipaddress import ip_address

    from radixtop.listening import explained, host_and_port, socket_place
    from radixtop.metrics.server import MetricsServer

    metrics = ServedMetrics()
    host, port = host_and_port(address)
    with explained(host, port):
        server = MetricsServer(*socket_place(host, port), metrics.answer)
    bound_host, bound_port = (str(part) for part in server.server_address[:2])
    metrics.url = f"http://{f'[{bound_host}]' if ':' in bound_host else bound_host}:{bound_port}/metrics"
    if not ip_address(bound_host.partition("%")[0]).is_loopback:
        sys.stderr.write(f"note: whoever can reach {metrics.url} can read what this cache does\n")
    server.start()
    try:
        yield metrics
    finally:
        server.stop()
