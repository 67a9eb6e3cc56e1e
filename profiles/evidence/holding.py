"""How full the pools were, and what the tree is at the end."""

from __future__ import annotations

from cache_core.events import NodeAdded, NodeSplit, Pool
from probes.fold import Folds
from probes.mirroring.node import MirrorNode
from profiles.evidence.evidence import PoolUse, TreeUse
from profiles.evidence.scope import Scope


class Holding:
    """Keeps the newest statement about each pool, and the least room that there ever was."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._newest: dict[int, Pool] = {}
        self._least: dict[int, tuple[int, int]] = {}
        self._nodes = 0
        self._busy: dict[int, list[float]] = {}

    def folds(self) -> Folds:
        """Return what takes which record class."""
        return {Pool: self._pool, NodeAdded: self._node, NodeSplit: self._node}

    def pools(self) -> tuple[PoolUse, ...]:
        """Return how the pools were used."""
        return tuple(self._use(number, pool) for number, pool in sorted(self._newest.items()))

    def tree(self, queue: tuple[int | None, int | None]) -> TreeUse:
        """Return the tree as it is now, while so many requests wait and run."""
        mirror = self._scope.mirror
        nodes = tokens = unused = 0
        locked: list[MirrorNode] = []
        for node in mirror.nodes.values():
            if node.parent is None:
                continue
            nodes += 1
            tokens += node.length
            unused += node.length if not node.hits else 0
            if node.anchored > 0:
                locked.append(node)
        oldest = min(locked, key=lambda node: node.touched_at, default=None)
        waiting, running = queue
        return TreeUse(
            nodes=nodes,
            tokens=tokens,
            unused_tokens=unused,
            nodes_seen=self._nodes,
            locks=sum(node.anchored for node in locked),
            oldest_lock="" if oldest is None else mirror.describe(oldest),
            running=running,
            waiting=waiting,
            tells_use=mirror.tells_use,
        )

    def _node(self, record: NodeAdded | NodeSplit) -> None:
        self._nodes += 1

    def _pool(self, record: Pool) -> None:
        self._newest[record.component] = record
        if self._scope.counts(record.at):
            now = record.free, record.free + record.evictable
            before = self._least.get(record.component, now)
            self._least[record.component] = min(now[0], before[0]), min(now[1], before[1])
            busy, total = record.protected + record.held, now[1] + record.protected + record.held
            sums = self._busy.setdefault(record.component, [0.0, 0.0])
            sums[0] += busy / total if total > 0 else 0.0
            sums[1] += 1

    def _use(self, number: int, pool: Pool) -> PoolUse:
        free, room = self._least.get(number, (pool.free, pool.free + pool.evictable))
        total = pool.free + pool.evictable + pool.protected + pool.held
        name = self._scope.mirror.component_name(number)
        busy, looks = self._busy.get(number, (0.0, 0.0))
        mean = busy / looks if looks else 0.0
        return PoolUse(name, total, free, room, pool.free, pool.evictable, pool.protected, pool.held, mean)
