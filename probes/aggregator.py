"""Ticks: takes what an adapter has, folds it into the mirror and the probes, hands out a frozen snapshot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from types import MappingProxyType

from cache_core.events import (
    Label,
    Match,
    Namespace,
    NodeAdded,
    NodeForked,
    NodeLabelled,
    NodeMarked,
    NodeTokenKeys,
    NodeTouched,
)
from probes.adapter import ALL_RECORDS, Adapter, Batch, Told
from probes.fold import Fold, Folds, joined
from probes.mirror import Mirror
from probes.probe import OF_SERVERS, PROBES, Probe
from probes.snapshot import Snapshot, SourceState, component_names, state_grid
from probes.twins import twin_of

TIMELESS = frozenset({
    Label, Namespace, NodeAdded, NodeForked, NodeLabelled, NodeMarked, NodeTokenKeys, NodeTouched,
})  # fmt: skip
"""The record classes that do not say when the stream is; every other one has that time as its first field.

A node that a snapshot states again carries the time at which it was made.
"""

RESTING = frozenset({"ended", "lost"})
"""States in which a stream stands still while the clock goes on: windows end at its newest record."""


class Aggregator:
    """Owns the mirror and those probes whose `needs` the adapter provides.

    `probes` names the probes to run; None means all. `also` is what else takes records. The aggregator polls the
    adapter but does not close it. A probe that raises is left out from then on, and `faults` of the snapshots say so:
    what it counted may be wrong, what the others know is not.
    """

    def __init__(self, adapter: Adapter, probes: Iterable[str] | None = None, also: Iterable[Folds] = ()) -> None:
        self.mirror = Mirror()
        self.mirror.tells_use = Match in adapter.provides
        self.mirror.texts = adapter.texts
        self._adapter = adapter
        idle = OF_SERVERS if adapter.provides <= ALL_RECORDS else frozenset()
        wanted = [name for name in PROBES.names if name not in idle] if probes is None else probes
        classes = {name: PROBES.load(name) for name in wanted}
        self.probes: Mapping[str, Probe] = {
            name: probe_class(self.mirror)
            for name, probe_class in classes.items()
            if probe_class.needs <= adapter.provides
        }
        shared = {kind: part for probe in self.probes.values() for kind, part in probe.shares().items()}
        for probe in self.probes.values():
            probe.meet(shared)
        self._config: Mapping[str, object] | None = None
        self._faults: tuple[str, ...] = ()
        self._also = (*also,)
        self.folds = self._joined()
        self._seq = -1
        self._at = 0
        self._since = 0
        self._lost = 0
        self._is_whole = False
        self._source: SourceState | None = None

    def tick(self, now: int) -> Snapshot:
        """Apply what has come and return every sample as of `now` (ns of the clock that stamps the records).

        A stream that does not move with the clock has its own present: that of a replay is the adapter's, that of
        a dead source is its last record, so that what was seen last stays on the screen.
        """
        return self.snapshot(now, self.take_in())

    def take_in(self) -> SourceState:
        """Apply what has come since the last time, and return how the source is doing."""
        batch = self._adapter.poll()
        source = self._adapter.state()
        if source is not self._source:
            self._configure(source)
            self._source = source
        self._note_losses(batch, source)
        if batch.records:
            self._apply(batch.records)
        if not self._is_whole and self._seq >= 0 and _is_whole(source):
            self._is_whole = True
            self._tell(lambda probe: probe.whole())
        return source

    def snapshot(self, now: int, source: SourceState) -> Snapshot:
        """Return every sample as of `now`, of what was taken in so far; see `tick`."""
        if source.state in RESTING:
            now = self._at
        elif source.state == "replay":
            now = self._adapter.now()
        samples = MappingProxyType(self._samples(now, source))
        return Snapshot(self._seq, self._at, now, source, samples, self._since, self._faults)

    def twin(self, adapter: Adapter) -> Aggregator:
        """Return one that knows what this one knows and goes on with another adapter; neither changes the other.

        What `also` takes records stays with this one.
        """
        twin = copy(self)
        twin._adapter = adapter
        twin.mirror, twin.probes = twin_of((self.mirror, dict(self.probes)))
        twin._also = ()
        twin.folds = twin._joined()
        return twin

    def _joined(self) -> dict[type, tuple[Fold, ...]]:
        """Return what takes which record class, and note whose the folds of probes are."""
        befores = {name: probe.before() for name, probe in self.probes.items()}
        afters = {name: probe.folds() for name, probe in self.probes.items()}
        named = (*befores.items(), *afters.items())
        self._owners = {id(fold): (name, fold) for name, folds in named for fold in folds.values()}
        return joined((*befores.values(), self.mirror.folds, *afters.values(), *self._also))

    def _leave_out(self, name: str, error: Exception) -> None:
        """Go on without a probe."""
        if name not in self.probes:
            return
        self._faults = (*self._faults, f"{name} is not known any more: {type(error).__name__}: {error}")
        self.probes = {other: probe for other, probe in self.probes.items() if other != name}
        gone = {number for number, (owner, _) in self._owners.items() if owner == name}
        self.folds = {cls: tuple(fold for fold in folds if id(fold) not in gone) for cls, folds in self.folds.items()}

    def _tell(self, call: Callable[[Probe], object]) -> dict[str, object]:
        """Call with each probe and return what comes of it, by their names."""
        found: dict[str, object] = {}
        for name, probe in self.probes.items():
            try:
                found[name] = call(probe)
            except Exception as error:  # noqa: BLE001 - whatever it was, the others know what they know
                self._leave_out(name, error)
        return found

    def _configure(self, source: SourceState) -> None:
        self.mirror.components = component_names(source.config) or self.mirror.components
        self.mirror.grid_tokens = state_grid(source.config)
        self.mirror.has_host_tier = bool(source.config.get("host_slots"))
        if source.config is not self._config:
            self._config = source.config
            self._tell(lambda probe: probe.configured(source.config))

    def _note_losses(self, batch: Batch, source: SourceState) -> None:
        if batch.resync:
            self.mirror.clear()
        lost = source.dropped_records + source.torn_blocks
        joins_late = self._seq < 0 and bool(batch.records) and batch.records[0][0] > 0
        if batch.resync or joins_late or lost > self._lost:
            self._is_whole = False
            self._tell(lambda probe: probe.lost())
        self._lost = lost

    def _apply(self, records: Sequence[tuple[int, Told]]) -> None:
        folds = self.folds
        nothing: tuple[Fold, ...] = ()
        for _, record in records:
            for fold in folds.get(type(record), nothing):
                try:
                    fold(record)
                except Exception as error:  # of a probe: the others go on
                    if id(fold) not in self._owners:
                        raise
                    self._leave_out(self._owners[id(fold)][0], error)
                    folds = self.folds
        first = records[0][0] - 1 if self._seq < 0 else self._seq
        since = self._at or _first_time(records)
        self._since = min(self._since or since, _first_time(records) or since)  # who is joined late tells of before
        self._seq = max(self._seq, records[-1][0])
        self._at = max(self._at, _first_time(reversed(records)))
        self._tell(lambda probe: probe.advance(self._seq - first, since, self._at))

    def _samples(self, now: int, source: SourceState) -> dict[str, object]:
        if self._seq < 0:
            return {}
        is_whole = _is_whole(source)
        samples = self._tell(lambda probe: probe.sample(now) if is_whole or not probe.whole_tree else None)
        return {name: sample for name, sample in samples.items() if sample is not None}


def _is_whole(source: SourceState) -> bool:
    return source.state != "starting" and source.tree_known


def _first_time(records: Iterable[tuple[int, Told]]) -> int:
    """Return the time of the first record that has one, 0 when none does."""
    for _, record in records:
        if type(record) not in TIMELESS:
            at = record[0]
            assert isinstance(at, int)
            return at
    return 0
