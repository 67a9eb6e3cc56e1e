"""Recordings that are lists of records, and what reports make of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TypeVar

from cache_core import CacheConfig
from cache_core.events import Record
from profiles.forest import Forest
from profiles.profile import Profile
from profiles.report import Report, Stream, read
from tests.support.cache_runs import CacheRun
from tests.support.sinks import Sink

R = TypeVar("R")


class Listed(Profile):
    """A profile whose records are given."""

    def __init__(
        self, records: Iterable[Record], components: tuple[str, ...], config: Mapping[str, object] | None = None
    ) -> None:
        self._records = [*records]
        self.components = components
        self.config = config or {}

    @property
    def forest(self) -> Forest:
        raise AssertionError("reports read records")

    def records(self, kinds: Collection[type[Record]] | None = None) -> Iterator[Record]:
        return (record for record in self._records if kinds is None or type(record) in kinds)


def report_of(
    make: Callable[[Stream], Report[R]],
    records: Iterable[Record],
    components: tuple[str, ...] = ("full", "swa"),
    config: Mapping[str, object] | None = None,
) -> R:
    """Return the result of a report on some records."""
    return read(Listed(records, components, config), make)


def random_run(config: CacheConfig, seed: int, steps: int, kind: str = "prefix") -> tuple[CacheRun, list[Record]]:
    """Return a random run and everything that was recorded of it."""
    sink = Sink()
    run = CacheRun(config, sink, seed, kind)
    for _ in range(steps):
        run.step()
    run.cache.flush_sink(sink)
    return run, sink.flushed
