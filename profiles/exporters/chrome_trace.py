"""A timeline in the Chrome trace format, to open at ui.perfetto.dev or in chrome://tracing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import BinaryIO

from cache_core.events import Record
from profiles.dates import Origin, origin_of
from profiles.exporter import Exporter, ExportOptions
from profiles.labels import clean
from profiles.profile import Profile
from profiles.timelines.timeline import PIDS, Timeline
from profiles.timelines.trace_events import DATED, TraceWriter

_MOST_EARLY = 4096
"""So many records without a time may come before the first one that has one."""

_MARGIN_NS = 1_000_000_000
"""How much earlier than the first record an undated timeline begins: records say when things ended."""


class ChromeTrace(Exporter):
    """Requests, steps, operations, evictions and pools of a recording over time, record by record."""

    suffix = ".trace.json"
    shows = "timeline"

    def write(self, profile: Profile, options: ExportOptions, out: BinaryIO) -> None:
        """See Exporter; weights and parts are those of forests and change nothing here."""
        records = profile.records()
        early = [*_until_timed(records)]
        first_ns = _time(early[-1]) if early else 0
        with TraceWriter(out, _origin(profile.config, first_ns), _about(profile)) as trace:
            timeline = Timeline(trace, _pid(profile.config), clean(profile.title, unnamed=""), profile.components)
            for record in chain(early, records):
                timeline.apply(record)
            timeline.close()


def _until_timed(records: Iterator[Record]) -> Iterator[Record]:
    """Yield records up to the first one that says when it was, or as many as one may hold."""
    for record in islice(records, _MOST_EARLY):
        yield record
        if _time(record):
            return


def _time(record: Record) -> int:
    return getattr(record, "at", 0)


def _origin(config: Mapping[str, object], first_ns: int) -> Origin:
    """Return the anchor of the recording, moved to the first record when that is older; without one, a date of 0."""
    anchor = origin_of(config)
    if anchor is None:
        return Origin(max(0, first_ns - _MARGIN_NS), 0)
    earlier_ns = max(0, anchor.clock_ns - first_ns)
    return Origin(anchor.clock_ns - earlier_ns, anchor.epoch_ns - earlier_ns)


def _pid(config: Mapping[str, object]) -> int:
    pid = config.get("pid")
    return pid if isinstance(pid, int) and 0 <= pid < PIDS else 0


def _about(profile: Profile) -> dict[str, object]:
    dated = origin_of(profile.config) is not None
    return {
        "source": "radixtop",
        "title": clean(profile.title, unnamed=""),
        "components": ", ".join(profile.components),
        "clock": DATED if dated else "the date is not known",
    }
