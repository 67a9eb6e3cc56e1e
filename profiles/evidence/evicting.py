"""What was evicted for want of which component's slots, how long that took, and which windows went."""

from __future__ import annotations

from cache_core.events import Evict, Tombstoned
from probes.fold import Folds
from probes.newest import forget_oldest
from probes.plausible import measured
from profiles.evidence.evidence import ComponentEvictions, WindowLosses
from profiles.evidence.scope import Scope
from profiles.evidence.vain_windows import VainWindows
from profiles.judging import number_of

WINDOWS = "swa"
_MOST_TIMES = 1 << 16


class _Sums:
    __slots__ = ("base", "build_ns", "build_since", "calls", "freed", "leaves", "most_ns", "ns", "since")

    def __init__(self, at: int) -> None:
        self.calls = self.ns = self.build_ns = self.most_ns = self.leaves = self.freed = self.base = 0
        self.since = at
        self.build_since: int | None = None


class Evicting:
    """Adds up evict calls by the component that asked for them, and remembers when those of windows were."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._sums: dict[int, _Sums] = {}
        self._for_windows: dict[int, None] = {}
        self._nodes = self._ends = self._others = 0
        self._since: int | None = None
        self._vain = VainWindows()

    def folds(self) -> Folds:
        """Return what takes which record class."""
        return {Evict: self._evict, Tombstoned: self._tombstoned}

    def window_took(self, at: int | None) -> bool:
        """Say whether what left at a time went because the pool of windows was short."""
        return at in self._for_windows

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
            self._for_windows[record.at] = None
            self._look_for_vain(record)
            if len(self._for_windows) > _MOST_TIMES:
                forget_oldest(self._for_windows)
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
        mirror = self._scope.mirror
        if mirror.component_name(record.component) != WINDOWS or not self._scope.counts(record.at):
            return
        node = mirror.nodes.get(record.node)
        if node is None:
            return
        self._nodes += 1
        self._since = record.at if self._since is None else self._since
        if len(node.children) == 1:
            self._others += node.length
        else:
            self._ends += node.length
