"""Says which nodes go next, from the mirror, on the thread that ticks.

All nodes are looked at a slice at a time, each answer for some milliseconds; the best of them are then ranked anew by
what they are now with every answer. So an answer is cheap at any size, and of a large tree some seconds behind in
one respect: a node that only now became evictable is not among them yet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from probes.snapshot import Snapshot, component_names
from radixtop.budget import SLICE_SLOTS, work
from radixtop.eviction.order import Order, options_of, order_of
from radixtop.eviction.page import NextPage, NextQuestion, NextRow
from radixtop.question import Answerer
from radixtop.render.lines import clean

if TYPE_CHECKING:
    from probes.mirror import Mirror
    from radixtop.source import Source

SPARE = 4
"""So many times as many nodes are kept as are asked for, because some of them will be used or locked meanwhile."""

Ranked = tuple[tuple[int, ...], int]
"""What orders a node, and its id."""


@dataclass(slots=True)
class _Pass:
    """One look at all nodes, as far as it got: the best so far, and how many might go."""

    began_at: int
    slot: int = 0
    evictable: int = 0
    best: list[Ranked] = field(default_factory=list)


class NextAnswerer(Answerer[NextQuestion]):
    """Keeps the pass that ended last, and the one that is under way. `clock` returns nanoseconds."""

    def __init__(self, clock: Callable[[], int] = perf_counter_ns) -> None:
        self._clock = clock
        self._asked: tuple[object, ...] = ()
        self._done: _Pass | None = None
        self._running: _Pass | None = None

    def answer(self, source: Source, snapshot: Snapshot, question: NextQuestion) -> NextPage | None:
        """See Answerer."""
        mirror, config = source.mirror, snapshot.source.config
        if mirror is None:
            return None
        names = component_names(config) or mirror.components
        order = order_of(config, question.component)
        policy = str(config.get("swa_eviction" if question.component == "swa" else "policy") or "")
        if order is None or question.component not in names:
            return NextPage(question.component, policy, "", "", (), None, None)
        asked = (id(mirror), question, policy, tuple(sorted(options_of(config).items())))
        if asked != self._asked:
            self._asked, self._done, self._running = asked, None, None
        ranking = _Ranking(mirror, names.index(question.component), order, config)
        self._look(ranking, SPARE * question.count)
        done = self._done
        rows = () if done is None else ranking.rows(done.best, question.count)
        doubts = [order.doubt, "children in host memory alone keep a leaf from the list" * mirror.has_host_tier]
        return NextPage(
            component=question.component,
            policy=policy,
            sentence=order.sentence,
            doubt="; ".join(filter(None, doubts)),
            rows=rows,
            evictable=None if done is None else done.evictable,
            behind_ns=None if done is None else self._clock() - done.began_at,
        )

    def _look(self, ranking: _Ranking, count: int) -> None:
        """Look at more nodes until the time is over, or a pass."""
        running = self._running = self._running or _Pass(self._clock())
        if work(lambda: ranking.look(running, count), self._clock):
            self._done, self._running = running, None


class _Ranking:
    """Ranks the nodes of one mirror."""

    def __init__(self, mirror: Mirror, component: int, order: Order, config: Mapping[str, object]) -> None:
        self._mirror = mirror
        self._component = component
        self._order = order
        self._options = options_of(config)
        window = config.get("window")
        self._window = window if isinstance(window, int) else 0

    def look(self, running: _Pass, count: int) -> bool:
        """Look at the next slice, and say whether that was the last one."""
        from radixtop.eviction.candidates import Some  # numpy is not for the first frame

        columns = self._mirror.columns
        stop = min(columns.used, running.slot + SLICE_SLOTS)
        some = Some.between(columns, running.slot, stop, self._window)
        chosen = some.choose(self._component, self._component == 0)
        if chosen:
            running.evictable += chosen
            running.best += some.first(self._order, self._options, count)
            running.best = sorted(running.best)[:count]
        running.slot = stop
        return stop >= columns.used

    def rows(self, best: list[Ranked], count: int) -> tuple[NextRow, ...]:
        """Return rows of those that may still go, by what they are now."""
        from radixtop.eviction.candidates import Some

        some = Some.of_nodes(self._mirror.columns, (number for _, number in best), self._window)
        chosen = some.choose(self._component, self._component == 0)
        ranked = some.first(self._order, self._options, chosen) if chosen else []
        return tuple(self._row(number) for _, number in sorted(ranked)[:count])

    def _row(self, number: int) -> NextRow:
        node: Any = self._mirror.nodes[number]
        return NextRow(
            node=number,
            label=clean(self._mirror.describe(node)),
            tokens=node.length,
            touched_at=node.touched_at,
            created_at=node.created_at,
            hits=node.hits,
            hit_count=node.hit_count,
            priority=node.priority,
        )
