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
    """Cuts windows of rows; a held one stays as it is until another is wanted."""

    def __init__(self) -> None:
        self._index = TreeIndex(perf_counter_ns)
        self._request: TreeRequest | None = None
        self._page: TreePage | None = None

    def answer(self, source: Source, snapshot: Snapshot, question: TreeRequest) -> TreePage | None:
        """See Answerer."""
        if source.mirror is not None and not (question.is_held and question == self._request):
            self._page = self._index.page(source.mirror, question)
            self._request = question
        return self._page


class Nodes(Answerer[NodeQuestion]):
    """Reads one node."""

    def answer(self, source: Source, snapshot: Snapshot, question: NodeQuestion) -> NodeAnswer | None:
        """See Answerer."""
        if source.mirror is None:
            return None
        return NodeAnswer(question.node, node_detail(source.mirror, question.node))
