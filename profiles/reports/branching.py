"""Every branching point of a recording: who met it, what that cost, who filled it, whom it served, how it ended.

        0            usable            point
        |---usable-----|------gap--------|---new---         the request that meets it computes the gap again
        |----------------hit-------------|--new--           a later one lands on the point, once it is filled
        |----------------hit-------------|-hit-|--new       or less than a window behind it

A point is opened, filled and lost exactly as the probe of branching points counts it. It earns the later requests,
at their first admission, whose device hit ends on it or less than a window behind it: there the window of the hit
reaches back over the point. Where several points would do, the nearest one earns. Each such request saves what the
first one had to compute again, `position - usable_tokens`: without the point it would have found no more than that
one did. A usable place that came up in between by other ways makes this too much, so the figure is an upper bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cache_core.events import (
    CacheReset,
    EngineStep,
    Insert,
    Match,
    NodeRemoved,
    NodeTiers,
    RequestAdmitted,
    RequestFinished,
    RequestRetracted,
    Tombstoned,
)
from probes.fold import Folds
from probes.lives.admissions import FirstAdmissions
from profiles.report import NAMES, STRUCTURE, Report, Stream
from profiles.tallies.branch_point import BranchPoint, Outcome
from profiles.tallies.branch_sums import BranchingReport, BranchSums, Sort

MOST_REQUESTS = 1 << 16
"""How many requests are followed at once. More are alive only in a stream that lacks their ends."""


class _Life:
    """A point that is open or filled, and how many later requests it has served."""

    __slots__ = ("later", "point")

    def __init__(self, point: BranchPoint) -> None:
        self.point = point
        self.later = 0

    def counted(self, outcome: Outcome) -> BranchPoint:
        """Return the point with what it has earned so far."""
        saved_tokens = self.later * self.point.saves_tokens
        return replace(self.point, outcome=outcome, later_requests=self.later, saved_tokens=saved_tokens)


class BranchingPoints(Report[BranchingReport]):
    """Follows each point to its end.

    Keeps the points that are open (at most one per request) or filled (at most one per node), and MOST_POINTS of
    those that ended.
    """

    mirrored = STRUCTURE | NAMES

    def __init__(self, stream: Stream, sort: Sort = "gap", top: int | None = None) -> None:
        super().__init__(stream)
        self._sums = BranchSums(sort, top)
        window = stream.config.get("window")
        self._window = window if isinstance(window, int) and not isinstance(window, bool) else 1
        self._open: dict[int, _Life] = {}
        self._filled: dict[int, _Life] = {}
        self._matched: dict[int, _Life] = {}
        self._admissions = FirstAdmissions()

    def after(self) -> Folds:
        """See Report."""
        return {
            Match: self._match, Insert: self._insert, RequestAdmitted: self._admitted,
            RequestFinished: self._finished, RequestRetracted: self._retracted, NodeRemoved: self._removed,
            Tombstoned: self._tombstoned, NodeTiers: self._moved, CacheReset: self._reset,
            EngineStep: self._sums.rate.step,
        }  # fmt: skip

    def result(self) -> BranchingReport:
        """See Report."""
        return self._sums.report(self._alive())

    def _alive(self) -> Iterator[BranchPoint]:
        yield from (life.counted("open") for life in self._open.values())
        yield from (life.counted("kept") for life in self._filled.values())

    def _match(self, record: Match) -> None:
        if record.request < 0:
            return
        self._look_back(record)
        grid = self.mirror.grid_tokens
        usable = record.device_hit_tokens + record.host_hit_tokens
        gap_tokens = max(0, record.full_hit_tokens - usable)
        self._sums.missed(gap_tokens if record.full_hit_tokens >= 0 else None)
        position = record.branching_point - record.branching_point % grid
        if record.branching_point < 0 or position <= usable:
            return
        before = self._open.pop(record.request, None)
        if before is not None:
            self._end(before, record.at, "met again")
        label = self._label(record.full_node, position)
        namespace = self.mirror.namespaces.get(record.namespace, "")
        opened_ns = record.at - self.stream.first_at
        point = BranchPoint(opened_ns, record.request, namespace, label, position, usable, gap_tokens, "open")
        self._open[record.request] = _Life(point)
        unseen = _forget_oldest(self._open)
        if unseen is not None:
            self._end(unseen, record.at, "out of sight")
        self._sums.opened(point)

    def _look_back(self, record: Match) -> None:
        """Note the point that a match lands on or just behind, for when its request is admitted."""
        self._matched.pop(record.request, None)
        hit = record.device_hit_tokens
        node = self.mirror.nodes.get(record.node) if self._filled and hit > 0 else None
        while node is not None and node.parent is not None and node.end > hit - self._window:
            life = self._filled.get(node.id)
            if life is not None and hit - self._window < life.point.position <= hit:
                if life.point.request != record.request:
                    self._matched[record.request] = life
                    _forget_oldest(self._matched)
                return
            node = node.parent

    def _admitted(self, record: RequestAdmitted) -> None:
        life = self._matched.pop(record.request, None)
        if self._admissions.admitted(record.request) and life is not None:
            life.later += 1
            self._sums.used(life.point)

    def _insert(self, record: Insert) -> None:
        if record.branch_inserted != 1:
            return
        life = self._open.pop(record.request, None)
        if life is None:
            return
        point = life.point
        filled_ns = record.at - self.stream.first_at
        delay_ns = filled_ns - point.opened_ns
        self._sums.filled(delay_ns)
        node = self._node_of(record.node, point.position)
        label = self._label(record.node, point.position)
        life.point = replace(point, label=label, filled_ns=filled_ns, fill_delay_ns=delay_ns)
        before = self._filled.get(node)
        if before is not None:
            self._end(before, record.at, "filled again")
        self._filled[node] = life

    def _finished(self, record: RequestFinished) -> None:
        self._give_up(record)
        self._admissions.ended(record.request)

    def _retracted(self, record: RequestRetracted) -> None:
        self._give_up(record)
        self._admissions.retracted(record.request)

    def _give_up(self, record: RequestFinished | RequestRetracted) -> None:
        self._matched.pop(record.request, None)
        life = self._open.pop(record.request, None)
        if life is not None:
            self._end(life, record.at, "request ended")

    def _removed(self, record: NodeRemoved) -> None:
        self._lose(record.node, record.at, "evicted")

    def _tombstoned(self, record: Tombstoned) -> None:
        node = self.mirror.nodes.get(record.node)
        if node is None or not node.copied >> record.component & 1:
            self._lose(record.node, record.at, "window evicted")

    def _moved(self, record: NodeTiers) -> None:
        node = self.mirror.nodes.get(record.node)
        if node is not None and self.mirror.lacks_state(node):
            self._lose(record.node, record.at, "state lost")

    def _reset(self, record: CacheReset) -> None:
        for node in [*self._filled]:
            self._lose(node, record.at, "reset")

    def _lose(self, node: int, at: int, outcome: Outcome) -> None:
        life = self._filled.pop(node, None)
        if life is not None:
            self._end(life, at, outcome)

    def _end(self, life: _Life, at: int, outcome: Outcome) -> None:
        self._sums.ended(life.counted(outcome), at - self.stream.first_at)

    def _node_of(self, id_: int, position: int) -> int:
        """Return the id of the node on the path down to a node that holds the token before `position`."""
        node = self.mirror.nodes.get(id_)
        if node is None:
            return id_
        while node.start >= position and node.parent is not None:
            node = node.parent
        return node.id

    def _label(self, id_: int, position: int) -> str:
        node = self.mirror.nodes.get(self._node_of(id_, position))
        return "" if node is None else self.mirror.describe(node)


def _forget_oldest(by_request: dict[int, _Life]) -> _Life | None:
    """Drop the point of the request that is known longest, when there are too many, and return it."""
    return by_request.pop(next(iter(by_request))) if len(by_request) > MOST_REQUESTS else None
