"""What was evicted for want of which component's slots, how long that took, and which windows went."""

from __future__ import annotations

from cache_core.events import Evict, Tombstoned
from probes.fold import Folds
from probes.lives.gaps import STATES, WINDOWS
from probes.plausible import measured
from profiles.evidence.evidence import ComponentEvictions, WindowLosses
from profiles.evidence.scope import Scope
from profiles.evidence.vain_windows import VainWindows
from profiles.judging import number_of


class _Sums:
    __slots__ = ("base", "build_ns", "build_since", "calls", "freed", "leaves", "most_ns", "ns", "since")

    def __init__(self, at: int) -> None:
        self.calls = self.ns = self.build_ns = self.most_ns = self.leaves = self.freed = self.base = 0
        self.since = at
        self.build_since: int | None = None


class Evicting:
    """Adds up evict calls by the component that asked for them, and what nodes lost that stayed."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._sums: dict[int, _Sums] = {}
        self._nodes = self._ends = self._others = 0
        self._since: int | None = None
        self._vain = VainWindows()
        self.stateless = 0
        """How many nodes lost a state and stayed."""
        self.stateless_at: int | None = None
        """When the first of them did."""

    def folds(self) -> Folds:
        """Return what takes which record class."""
        return {Evict: self._evict, Tombstoned: self._tombstoned}

    def evictions(self) -> tuple[ComponentEvictions, ...]:
        """Return the sums by component."""
        scope = self._scope
        return tuple(
            ComponentEvictions(
                component=scope.mirror.component_name(number),
                calls=sums.calls,
                ns=sums.ns,
                build_ns=sums.build_ns,
                most_ns=sums.most_ns,
                most_leaves=sums.leaves,
                freed_tokens=sums.freed,
                freed_base_tokens=sums.base,
                since_ns=scope.since(sums.since),
                build_since_ns=scope.since(sums.build_since),
            )
            for number, sums in sorted(self._sums.items())
        )

    def windows(self) -> WindowLosses:
        """Return which windows were evicted from nodes that stayed."""
        return WindowLosses(self._nodes, self._ends, self._others, self._scope.since(self._since), self._vain.share)

    def _evict(self, record: Evict) -> None:
        if self._scope.mirror.component_name(record.component) == WINDOWS:
            self._look_for_vain(record)
        if not self._scope.counts(record.at):
            return
        sums = self._sums.get(record.component)
        if sums is None:
            sums = self._sums[record.component] = _Sums(record.at)
        sums.calls += 1
        sums.leaves = max(sums.leaves, record.leaves_considered)
        freed = record.freed_tokens
        if freed:
            sums.base += freed[0]
            sums.freed += freed[record.component] if 0 <= record.component < len(freed) else 0
        if measured(record.duration_ns):
            sums.ns += record.duration_ns
            sums.most_ns = max(sums.most_ns, record.duration_ns)
            build_ns = max(0, min(record.queue_build_ns, record.duration_ns))
            sums.build_ns += build_ns
            if build_ns and sums.build_since is None:
                sums.build_since = record.at

    def _look_for_vain(self, record: Evict) -> None:
        """Look for windows that another order would have taken first."""
        config = self._scope.config
        window, pool = number_of(config, "window"), number_of(config, "swa_slots")
        if window and pool and config.get("swa_eviction") == "lru":
            self._vain.evicted(self._scope.mirror, record.component, window, pool)

    def _tombstoned(self, record: Tombstoned) -> None:
        mirror, name = self._scope.mirror, self._scope.mirror.component_name(record.component)
        node = mirror.nodes.get(record.node) if self._scope.counts(record.at) else None
        if node is None:
            return
        if name == STATES:
            self.stateless += 1
            self.stateless_at = record.at if self.stateless_at is None else self.stateless_at
        if name != WINDOWS:
            return
        self._nodes += 1
        self._since = record.at if self._since is None else self._since
        if len(node.children) == 1:
            self._others += node.length
        else:
            self._ends += node.length
