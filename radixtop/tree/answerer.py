"""Answers about the tree: a window of its rows, and everything about one node."""

from __future__ import annotations

from time import perf_counter_ns

from probes.snapshot import Snapshot
from radixtop.question import Answerer
from radixtop.source import Source
from radixtop.tree.detail import node_detail
from radixtop.tree.history import History
from radixtop.tree.index import TreeIndex
from radixtop.tree.node import NodeAnswer, NodeQuestion
from radixtop.tree.request import TreeRequest
from radixtop.tree.rows import TreePage

_WATCHED = 8


class TreeRows(Answerer[TreeRequest]):
    """Cuts windows of rows."""

    def __init__(self) -> None:
        self._index = TreeIndex(perf_counter_ns)

    def answer(self, source: Source, snapshot: Snapshot, question: TreeRequest) -> TreePage | None:
        """See Answerer."""
        return None if source.mirror is None else self._index.page(source.mirror, question, snapshot.now)


class Nodes(Answerer[NodeQuestion]):
    """Reads single nodes, and keeps the hits of the last `_WATCHED` from when they were first asked about."""

    def __init__(self) -> None:
        self._histories: dict[int, History] = {}

    def answer(self, source: Source, snapshot: Snapshot, question: NodeQuestion) -> NodeAnswer | None:
        """See Answerer."""
        if source.mirror is None:
            return None
        detail = node_detail(source.mirror, snapshot, question.node)
        if detail is None:
            return NodeAnswer(question.node, None)
        history = self._histories.pop(question.node, None) or History()
        self._histories[question.node] = history
        if len(self._histories) > _WATCHED:
            del self._histories[next(iter(self._histories))]
        return NodeAnswer(question.node, detail, history.with_hits(snapshot.now, detail.hits or 0))
