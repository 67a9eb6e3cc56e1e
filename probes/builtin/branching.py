"""What became of the branching points that requests met.

        usable           point        full hit
        |----recomputed----|--below grid--|
                           a multiple of the grid of recurrent states; without them the full hit itself

A cache with recurrent states can keep one only on its grid. So the point that a request meets is the last place of
the grid before the full hit, and none if that is not beyond what it can use already: then nothing was missing that
branching could have kept.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import Literal

from cache_core.events import (
    CacheReset,
    Insert,
    Match,
    NodeRemoved,
    NodeTiers,
    RequestFinished,
    RequestRetracted,
    Tombstoned,
)
from probes.fold import Folds
from probes.mirror import Mirror
from probes.probe import Probe

RECENT_EVENTS = 200
"""How many events the feed keeps."""

Kind = Literal["opened", "filled", "lost"]


@dataclass(frozen=True, slots=True)
class BranchEvent:
    """One change of a branching point; `label` names the node it lies in, None when that is not known."""

    at: int
    kind: Kind
    request: int
    position: int
    gap_tokens: int
    node: int
    label: str | None


@dataclass(frozen=True, slots=True)
class BranchingSample:
    """Counts since the watch began, and the newest events first.

    `recomputed_tokens` is the sum of all requests' gaps between the hit and the full hit. Of these
    `below_grid_tokens` lie where no recurrent state is ever kept, so that no branching point can save them;
    `below_grid` counts the requests whose whole gap does. Both are None of a cache without such states; tokens are
    None where the source does not tell full hits.
    """

    opened: int
    filled: int
    lost: int
    open_now: int
    recomputed_tokens: int | None
    recent: tuple[BranchEvent, ...]
    below_grid: int | None = None
    below_grid_tokens: int | None = None


class Branching(Probe):
    """Follows each branching point from the match that met it to its end.

    It is opened by the match of a request, filled by an insert of that request that kept it, and lost when the
    request ends with it open, or when the node that it was filled into is removed or loses a component on both tiers.
    """

    needs = frozenset({Match, Insert, NodeRemoved, Tombstoned, RequestFinished, RequestRetracted})

    def __init__(self, mirror: Mirror) -> None:
        super().__init__(mirror)
        self._open: dict[int, BranchEvent] = {}
        self._filled: dict[int, BranchEvent] = {}
        self._counts = {"opened": 0, "filled": 0, "lost": 0}
        self._recomputed_tokens = 0
        self._below_grid = 0
        self._below_grid_tokens = 0
        self._is_full_hit_told = True
        self._recent: deque[BranchEvent] = deque(maxlen=RECENT_EVENTS)

    def folds(self) -> Folds:
        """See Probe."""
        return {
            Match: self._match, Insert: self._insert, RequestFinished: self._ended, RequestRetracted: self._ended,
            NodeRemoved: self._node_lost, Tombstoned: self._tombstoned, NodeTiers: self._moved,
            CacheReset: self._reset,
        }  # fmt: skip

    def sample(self, now: int) -> BranchingSample:
        """See Probe."""
        has_grid = self.mirror.grid_tokens > 1
        return BranchingSample(
            opened=self._counts["opened"],
            filled=self._counts["filled"],
            lost=self._counts["lost"],
            open_now=len(self._open),
            recomputed_tokens=self._recomputed_tokens if self._is_full_hit_told else None,
            recent=tuple(reversed(self._recent)),
            below_grid=self._below_grid if has_grid else None,
            below_grid_tokens=self._below_grid_tokens if has_grid and self._is_full_hit_told else None,
        )

    def lost(self) -> None:
        """See Probe: how the points known so far ended may be among what is missing."""
        self._open.clear()
        self._filled.clear()

    def _match(self, record: Match) -> None:
        if record.request < 0:
            return
        usable = record.device_hit_tokens + record.host_hit_tokens
        self._is_full_hit_told = self._is_full_hit_told and record.full_hit_tokens >= 0
        gap_tokens = max(0, record.full_hit_tokens - usable)
        self._recomputed_tokens += gap_tokens
        self._below_grid_tokens += min(gap_tokens, record.full_hit_tokens % self.mirror.grid_tokens)
        if record.branching_point < 0:
            return
        position = record.branching_point - record.branching_point % self.mirror.grid_tokens
        if position <= usable:
            self._below_grid += 1
            return
        before = self._open.pop(record.request, None)
        if before is not None:
            self._note("lost", record.at, before)
        node, label = self._find(record.full_node, position)
        event = BranchEvent(record.at, "opened", record.request, position, gap_tokens, node, label)
        self._open[record.request] = event
        self._note("opened", record.at, event)

    def _insert(self, record: Insert) -> None:
        if record.branch_inserted != 1:
            return
        opened = self._open.pop(record.request, None)
        if opened is not None:
            node, label = self._find(record.node, opened.position)
            self._filled[node] = self._note("filled", record.at, replace(opened, node=node, label=label))

    def _ended(self, record: RequestFinished | RequestRetracted) -> None:
        opened = self._open.pop(record.request, None)
        if opened is not None:
            self._note("lost", record.at, opened)

    def _tombstoned(self, record: Tombstoned) -> None:
        node = self.mirror.nodes.get(record.node)
        if node is None or not node.copied >> record.component & 1:
            self._node_lost(record)

    def _moved(self, record: NodeTiers) -> None:
        node = self.mirror.nodes.get(record.node)
        if node is not None and self.mirror.lacks_state(node):
            self._node_lost(record)

    def _node_lost(self, record: NodeRemoved | Tombstoned | NodeTiers) -> None:
        filled = self._filled.pop(record.node, None)
        if filled is not None:
            self._note("lost", record.at, filled)

    def _reset(self, record: CacheReset) -> None:
        for filled in self._filled.values():
            self._note("lost", record.at, filled)
        self._filled.clear()

    def _note(self, kind: Kind, at: int, event: BranchEvent) -> BranchEvent:
        event = replace(event, at=at, kind=kind)
        self._counts[kind] += 1
        self._recent.append(event)
        return event

    def _find(self, node_id: int, position: int) -> tuple[int, str | None]:
        """Return the node on the path down to `node_id` that holds the token before `position`, and its name."""
        node = self.mirror.nodes.get(node_id)
        if node is None:
            return node_id, None
        while node.start >= position and node.parent is not None:
            node = node.parent
        return node.id, self.mirror.describe(node)
