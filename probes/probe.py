"""A probe: one fold of records into one sample. And the table of all probes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from cache_core.events import Record
from cache_core.registry import Registry
from probes.fold import Folds
from probes.mirror import Mirror


class Probe(ABC):
    """Folds records into a sample. Time comes with the records and with `now`: a probe reads no clock.

    A probe is constructed with the mirror of the tree, which has seen each record before the probe folds it and which
    it only reads. It observes records in the order of the stream.
    """

    needs: ClassVar[frozenset[type]]
    """The record classes without which the sample would be wrong. An adapter that lacks one has no such sample."""

    whole_tree: ClassVar[bool] = False
    """Whether the sample is wrong while the mirror does not know the whole tree yet."""

    def __init__(self, mirror: Mirror) -> None:
        self.mirror = mirror

    def configured(self, config: Mapping[str, object]) -> None:
        """Take note of what the source says of itself; called whenever that changes, with another's word."""

    def shares(self) -> Mapping[type, object]:
        """Return what other probes may read of this one, by class: it lives on, and this one alone writes it."""
        return {}

    def meet(self, shared: Mapping[type, object]) -> None:
        """Take note of what all probes share; called once, before the first record."""

    def before(self) -> Folds:
        """Return what takes which record class before the mirror does: what leaves is still there."""
        return {}

    @abstractmethod
    def folds(self) -> Folds:
        """Return what takes which record class. More than `needs` may be in it."""

    @abstractmethod
    def sample(self, now: int) -> object | None:
        """Return the sample as of `now`, frozen; None when it is not known yet."""

    def observe(self, record: Record) -> None:
        """Take one record; classes that the probe has no use for change nothing."""
        fold = self.folds().get(type(record))
        if fold is not None:
            fold(record)

    def lost(self) -> None:
        """Records are missing before the next one: forget what can no longer be known. Counts stay."""

    def whole(self) -> None:
        """The mirror knows the whole tree, for the first time or again after `lost`."""

    def advance(self, records: int, since: int, until: int) -> None:
        """The stream moved on by `records` records of the times `since` to `until`. Called once per batch."""


PROBES: Registry[type[Probe]] = Registry(
    "probe",
    {
        "hit_rate": "probes.builtin.hit_rate:HitRate",
        "occupancy": "probes.builtin.occupancy:Occupancy",
        "tree_shape": "probes.builtin.tree_shape:TreeShape",
        "branching": "probes.builtin.branching:Branching",
        "evictions": "probes.builtin.evictions:Evictions",
        "ghosts": "probes.builtin.ghosts:Ghosts",
        "ages": "probes.builtin.ages:Ages",
        "requests": "probes.builtin.requests:Requests",
        "throughput": "probes.builtin.throughput:Throughput",
        "operations": "probes.builtin.operations:Operations",
        "overhead": "probes.builtin.overhead:Overhead",
        "request_log": "probes.builtin.request_log:RequestLogProbe",
        "miss_kinds": "probes.builtin.miss_kinds:MissKinds",
        "tenants": "probes.builtin.tenants:Tenants",
        "windows": "probes.builtin.windows:Windows",
        "capacity": "probes.builtin.capacity:Capacity",
        "event_log": "probes.builtin.event_log:EventLogProbe",
        "engine": "probes.builtin.engine:Engine",
        "fleet": "probes.builtin.fleet:Fleet",
        "tree_mirror": "probes.builtin.tree_mirror:TreeMirror",
    },
)

OF_SERVERS = frozenset({"engine", "fleet"})
"""Those of what inference servers tell: nothing of them is imported for a cache."""
