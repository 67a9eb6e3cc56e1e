"""Answers about the tree: a window of its rows, and everything about one node."""

from __future__ import annotations

from time import perf_counter_ns

from probes.snapshot import Snapshot
from radixtop.question import Answerer
from radixtop.source import Source
from radixtop.tree.detail import node_detail
from radixtop.tree.index import TreeIndex
from radixtop.tree.rows import NodeAnswer, NodeQuestion, TreePage, TreeRequest


class TreeRows(Answerer[TreeRequest]):
    """Cuts windows of rows."""

    def __init__(self) -> None:
        self._index = TreeIndex(perf_counter_ns)

    def answer(self, source: Source, snapshot: Snapshot, question: TreeRequest) -> TreePage | None:
        """See Answerer."""
        return None if source.mirror is None else self._index.page(source.mirror, question)


class Nodes(Answerer[NodeQuestion]):
    """Reads one node."""

    def answer(self, source: Source, snapshot: Snapshot, question: NodeQuestion) -> NodeAnswer | None:
        """See Answerer."""
        if source.mirror is None:
            return None
        return NodeAnswer(question.node, node_detail(source.mirror, question.node))
