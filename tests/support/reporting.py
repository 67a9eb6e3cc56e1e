"""What reports make of records that are given, and the records of random runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from cache_core import CacheConfig
from cache_core.events import Record
from profiles.report import Report, Stream, read
from tests.support.cache_runs import CacheRun
from tests.support.listed_profile import COMPONENTS, ListedProfile
from tests.support.sinks import Sink

R = TypeVar("R")


def report_of(
    make: Callable[[Stream], Report[R]],
    records: Iterable[Record],
    components: tuple[str, ...] = COMPONENTS,
    config: Mapping[str, object] | None = None,
) -> R:
    """Return the result of a report on some records."""
    return read(ListedProfile(records, components, config), make)


def random_run(config: CacheConfig, seed: int, steps: int, kind: str = "prefix") -> tuple[CacheRun, list[Record]]:
    """Return a random run and everything that was recorded of it."""
    sink = Sink()
    run = CacheRun(config, sink, seed, kind)
    for _ in range(steps):
        run.step()
    run.cache.flush_sink(sink)
    return run, sink.flushed
