"""Where the time of a cache's operations went: by operation, phase and, where it is known, namespace.

Whole matches, inserts and evictions have a record each; what is too short for that is summed in Timing records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from cache_core.events import INSERT, LOCK, MATCH, SPLIT, UNLOCK, WHOLE, Evict, Insert, Match, Timing
from probes.plausible import measured
from profiles.forest import TOP
from profiles.frames import Named, name_key
from profiles.growth.planting import NamedRow

_BRIEF = {LOCK: "lock", UNLOCK: "unlock"}
_TOLD = {(MATCH, SPLIT), (INSERT, SPLIT), *((operation, WHOLE) for operation in _BRIEF)}
"""The operations and phases that Timing records tell; another is unknown here, or part of what has its own record."""


class OperationTimes:
    """Sums of what was measured. A duration of 0 was not, and says nothing."""

    def __init__(self) -> None:
        self._walks: dict[int, Counter[int]] = {MATCH: Counter(), INSERT: Counter()}
        """By namespace, the time of whole operations."""
        self._sums: Counter[tuple[int, int]] = Counter()
        """By operation and phase, the time that Timing records tell."""
        self._evict_ns = self._queue_ns = 0

    def match(self, record: Match) -> None:
        """Take in a match."""
        if measured(record.duration_ns):
            self._walks[MATCH][record.namespace] += record.duration_ns

    def insert(self, record: Insert) -> None:
        """Take in an insert."""
        if measured(record.duration_ns):
            self._walks[INSERT][record.namespace] += record.duration_ns

    def evict(self, record: Evict) -> None:
        """Take in a component's share of an evict call."""
        if measured(record.duration_ns):
            self._evict_ns += record.duration_ns
            self._queue_ns += max(0, min(record.queue_build_ns, record.duration_ns))

    def timing(self, record: Timing) -> None:
        """Take in a sum of short operations."""
        if measured(record.duration_ns) and (record.operation, record.phase) in _TOLD:
            self._sums[record.operation, record.phase] += record.duration_ns

    def rows(self, namespaces: Mapping[int, str]) -> list[NamedRow]:
        """Return a row per operation, below it its phases, below those the namespaces that have a name."""
        rows: list[NamedRow] = []
        for operation, name in ((MATCH, "match"), (INSERT, "insert")):
            by_namespace = self._walks[operation]
            splits = min(self._sums[operation, SPLIT], by_namespace.total())
            if by_namespace:
                top = _add(rows, TOP, 0, name)
                walk = _add(rows, top, 0, name, "walk")
                for space, took_ns in _walks(by_namespace, splits, namespaces):
                    if space:
                        _add(rows, walk, took_ns, name, "walk", space)
                    else:
                        rows[walk] = NamedRow(top, rows[walk].named, {"time_ns": took_ns})
                _add(rows, top, splits, name, "split")
        if self._evict_ns:
            top = _add(rows, TOP, 0, "evict")
            _add(rows, top, self._queue_ns, "evict", "build the queue")
            _add(rows, top, self._evict_ns - self._queue_ns, "evict", "remove")
        for operation, name in _BRIEF.items():
            if self._sums[operation, WHOLE]:
                _add(rows, TOP, self._sums[operation, WHOLE], name)
        return rows


def _walks(times: Counter[int], splits: int, namespaces: Mapping[int, str]) -> Iterator[tuple[str, int]]:
    """Yield the time of each named namespace, and last of all others; splits are taken off in proportion."""
    named: Counter[str] = Counter()
    for id_, took_ns in times.items():
        named[namespaces.get(id_, "")] += took_ns
    left = times.total() - splits
    for space, took_ns in sorted(named.items()):
        if space:
            share = took_ns - splits * took_ns // times.total()
            share = min(share, left)
            left -= share
            yield space, share
    yield "", left


def _add(rows: list[NamedRow], parent: int, took_ns: int, *path: str) -> int:
    """Add the row of an operation, a phase or, below that, a namespace, and return its number."""
    named = Named("operation", path[-1], name_key("operation", *path), is_ours=len(path) < 3)
    rows.append(NamedRow(parent, named, {"time_ns": took_ns}))
    return len(rows) - 1
