"""Who holds how much of the base component, and who evicted whose: by namespace."""

from __future__ import annotations

from collections import Counter

from cache_core.events import CacheReset, Evict, EvictionCause, NodeAdded, NodeRemoved, NodeTiers
from probes.fold import Folds
from probes.lives.leaving import Causes
from probes.lives.miss_sums import MOST_PAIRS, REST, Pair
from probes.mirror import Mirror


class Tenancy:
    """Counts tokens of the base component on the device by namespace, and those that evict calls took, by whom.

    A call that no request asked for is nobody's. `resident` drifts where records are lost: then `recount` it.
    """

    def __init__(self, mirror: Mirror) -> None:
        self._mirror = mirror
        self._causes = Causes()
        self.resident: Counter[int] = Counter()
        self.evicted: dict[Pair, int] = {}

    def before(self) -> Folds:
        """Return what takes which record class while the mirror is as it was before the record."""
        return {
            NodeAdded: self._restated, NodeRemoved: self._removed, NodeTiers: self._moved, CacheReset: self._emptied,
            EvictionCause: self._causes.begins, Evict: self._causes.ends,
        }  # fmt: skip

    def after(self) -> Folds:
        """Return what takes which record class once the mirror has taken it."""
        return {NodeAdded: self._added}

    def recount(self) -> None:
        """Count anew what is there."""
        columns = self._mirror.columns
        self.resident.clear()
        for slot in columns.slots():
            if slot and columns.live[slot] & 1:
                self.resident[columns.namespace[slot]] += columns.length[slot]

    def lost(self) -> None:
        """Take note that an evict call may have begun or ended unseen."""
        self._causes.ends()

    def _restated(self, record: NodeAdded) -> None:
        columns = self._mirror.columns
        slot = columns.pages.slot_of(record.node)
        if slot > 0 and columns.live[slot] & 1:
            self._changes(columns.namespace[slot], -columns.length[slot])

    def _added(self, record: NodeAdded) -> None:
        columns = self._mirror.columns
        slot = columns.pages.slot_of(record.node)
        if slot > 0 and columns.live[slot] & 1:
            self.resident[columns.namespace[slot]] += columns.length[slot]

    def _removed(self, record: NodeRemoved) -> None:
        self._leaves(record.node)

    def _moved(self, record: NodeTiers) -> None:
        columns = self._mirror.columns
        slot = columns.pages.slot_of(record.node)
        if slot <= 0 or columns.live[slot] & 1 == record.live & 1:
            return
        if record.live & 1:
            self.resident[columns.namespace[slot]] += columns.length[slot]
        else:
            self._leaves(record.node)

    def _leaves(self, node: int) -> None:
        columns = self._mirror.columns
        slot = columns.pages.slot_of(node)
        if slot <= 0 or not columns.live[slot] & 1:
            return
        space, tokens = columns.namespace[slot], columns.length[slot]
        self._changes(space, -tokens)
        cause = self._causes.now
        pair: Pair = (None if cause is None else cause.namespace, space)
        if pair not in self.evicted and len(self.evicted) >= MOST_PAIRS:
            pair = REST
        self.evicted[pair] = self.evicted.get(pair, 0) + tokens

    def _changes(self, space: int, tokens: int) -> None:
        left = self.resident[space] + tokens
        if left > 0:
            self.resident[space] = left
        else:
            del self.resident[space]

    def _emptied(self, record: CacheReset) -> None:
        self.resident.clear()
