"""What a report is, the table of reports, and the one pass over a recording that makes one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar, Generic, TypeVar

from cache_core.events import (
    CacheReset,
    Label,
    Namespace,
    NodeAdded,
    NodeLabelled,
    NodeRemoved,
    NodeSplit,
    NodeTiers,
    Recovered,
    Tombstoned,
)
from cache_core.registry import Registry
from probes.aggregator import TIMELESS
from probes.fold import Folds, joined
from probes.mirror import Mirror
from probes.snapshot import state_grid
from profiles.plain import plain
from profiles.profile import Profile

R = TypeVar("R", covariant=True)

STRUCTURE: frozenset[type] = frozenset({
    CacheReset, NodeAdded, NodeRemoved, NodeSplit, NodeTiers, Recovered, Tombstoned,
})  # fmt: skip
"""The record classes that say what nodes there are and where their data is."""

NAMES: frozenset[type] = frozenset({Label, Namespace, NodeLabelled})
"""The record classes that say how nodes and namespaces are called."""

VERSION = 1
"""Of the documents. It grows when a key changes its meaning or goes; new keys may come without it."""


class Stream:
    """What a report reads beside the records: the mirror of the tree, the configuration, and the time.

    `first_at` and `last_at` are the times of the first and of the newest record that has one, 0 before.
    """

    __slots__ = ("_span_ns", "config", "first_at", "last_at", "mirror")

    def __init__(self, components: tuple[str, ...] = (), config: Mapping[str, object] | None = None) -> None:
        self.config = config or {}
        self.mirror = Mirror(components)
        self.mirror.grid_tokens = state_grid(self.config)
        self.mirror.has_host_tier = bool(self.config.get("host_slots"))
        self.first_at = self.last_at = 0
        self._span_ns: tuple[int, int] | None = None

    def end(self, span_ns: tuple[int, int] | None) -> None:
        """Take note of when the whole recording began and ended, as far as that is known."""
        self._span_ns = span_ns

    @property
    def span_ns(self) -> int:
        """How long the recording is: from its first record to its last, those that a report skips among them."""
        began, ended = self._span_ns or (self.first_at, self.last_at)
        return max(0, max(ended, self.last_at) - min(began, self.first_at))


class Report(ABC, Generic[R]):
    """Folds records into one frozen result. What it keeps depends on the tree, never on how long the stream is."""

    mirrored: ClassVar[frozenset[type] | None] = None
    """The record classes that the mirror needs to take for this report; None for all that it knows."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.mirror = stream.mirror

    def before(self) -> Folds:
        """Return what takes which record class while the mirror is as it was before the record."""
        return {}

    @abstractmethod
    def after(self) -> Folds:
        """Return what takes which record class once the mirror has taken it."""

    @abstractmethod
    def result(self) -> R:
        """Return what was taken in so far amounts to, frozen."""


REPORTS: Registry[type[Report[object]]] = Registry(
    "report",
    {
        "evict": "profiles.reports.evict:Evictions",
        "branching": "profiles.reports.branching:BranchingPoints",
        "ages": "profiles.reports.ages:Ages",
        "tenants": "profiles.reports.tenants:Tenants",
    },
)


def read(profile: Profile, make: Callable[[Stream], Report[R]]) -> R:
    """Return the result of a report over a whole profile, read once from the first record to the last.

    Raises RecordingError for a profile without records.
    """
    stream = Stream(profile.components, profile.config)
    report = make(stream)
    kept = stream.mirror.folds
    if report.mirrored is not None:
        kept = {kind: fold for kind, fold in kept.items() if kind in report.mirrored}
    takers = joined((report.before(), kept, report.after()))
    for record in profile.records(takers.keys()):
        kind = type(record)
        if kind not in TIMELESS:
            stream.last_at = record[0]
            if not stream.first_at:
                stream.first_at = stream.last_at
        for fold in takers[kind]:
            fold(record)
    stream.end(profile.span_ns)
    return report.result()


def document(name: str, result: object, more: Mapping[str, object] | None = None) -> dict[str, object]:
    """Return a result as JSON-able values, under the name of its report and the version of its keys."""
    values, others = plain(result), plain(more or {})
    assert isinstance(values, dict) and isinstance(others, dict), f"{result=} is no dataclass"
    return {"report": name, "version": VERSION, **values, **others}
