"""The records of a run in a few numbers: how often what was done, how long it took, what requests found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from cache_core.events import (
    EngineStep,
    Evict,
    Insert,
    Match,
    Record,
    RequestFinished,
    RequestRefused,
    RequestRetracted,
    SchedulePass,
)
from probes.histogram import Histogram
from probes.snapshot import component_name
from profiles.hits import Found, Hits

Timed = EngineStep | SchedulePass | Match | Insert | Evict
_TIMED: dict[type[Timed], str] = {
    EngineStep: "engine step", SchedulePass: "scheduling", Match: "match", Insert: "insert", Evict: "evict",
}  # fmt: skip
_ENDS: dict[type[Record], str] = {
    RequestFinished: "finished", RequestRetracted: "retracted", RequestRefused: "refused",
}  # fmt: skip


@dataclass(slots=True)
class Summary:
    """What was counted. `times` are durations by operation, `untimed` calls of which none is known.

    `found` sums what requests found, each at its first admission; `evicted_tokens` are by component.
    """

    records: int = 0
    first_ns: int = 0
    last_ns: int = 0
    times: dict[str, Histogram] = field(default_factory=lambda: {name: Histogram() for name in _TIMED.values()})
    untimed: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    evicted_tokens: Counter[str] = field(default_factory=Counter)
    found: Found = field(default_factory=Found)

    def add(self, _: int, found: Found) -> None:
        """Count what one request found."""
        self.found = Found(*(total + more for total, more in zip(self.found, found, strict=True)))


def summarise(records: Iterable[Record], components: Sequence[str]) -> Summary:
    """Return the summary of a stream of records."""
    summary = Summary()
    hits = Hits(summary.add)
    for record in records:
        summary.records += 1
        at = getattr(record, "at", 0)
        summary.first_ns = summary.first_ns or at
        summary.last_ns = max(summary.last_ns, at)
        kind = type(record)
        if isinstance(record, Timed):
            _time(summary, record)
        if isinstance(record, Evict):
            for number, tokens in enumerate(record.freed_tokens):
                summary.evicted_tokens[component_name(components, number)] += tokens
        if kind in hits.folds:
            hits.folds[kind](record)
        if kind in _ENDS:
            summary.ends[_ENDS[kind]] += 1
    return summary


def _time(summary: Summary, record: Timed) -> None:
    name = _TIMED[type(record)]
    if record.duration_ns > 0:
        summary.times[name].add(record.duration_ns)
    else:
        summary.untimed[name] += 1
