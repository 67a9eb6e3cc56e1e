"""Depth first through the tree, the branch with most waiting requests before the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from cache_core.node import Node
from cache_core.schedule import Plan, Queue, Schedule


class DFSWeight(Schedule):
    """Serves those together that share a prefix: the order in which a walk of the tree leaves their nodes.

    A node weighs as many requests as end on it or below it. Of its children the heaviest goes first, and its own
    requests go after all of those below.
    """

    cache_aware = True
    by_node = True

    def arrange(self, queue: Queue) -> Plan:
        """Put first what a walk of the tree, heaviest branch first, leaves first."""
        ending: dict[Node, list[int]] = defaultdict(list)
        for index, hit in enumerate(self.hits(queue)):
            ending[hit.node].append(index)
        return Plan([index for node in _leaving(ending) for index in ending.get(node, ())])


def _leaving(ending: dict[Node, list[int]]) -> Iterator[Node]:
    """Yield the nodes that requests end on or below, each when a walk from the root leaves it."""
    children = _branches(ending)
    weights = _weights(ending, children)
    stack = [node for node in children if node.parent is None]
    entered: set[Node] = set()
    while stack:
        node = stack[-1]
        if node in entered:
            yield stack.pop()
            continue
        entered.add(node)
        heaviest_first = sorted(_in_tree_order(node, children[node]), key=lambda branch: -weights[branch])
        stack.extend(heaviest_first[::-1])


def _branches(ending: dict[Node, list[int]]) -> dict[Node, list[Node]]:
    """Return the nodes on the paths to where requests end, each with its children on such paths."""
    children: dict[Node, list[Node]] = {}
    for end in ending:
        node: Node = end
        while node not in children:
            children[node] = []
            if node.parent is None:
                break
            node = node.parent
    for node in children:
        if node.parent is not None:
            children[node.parent].append(node)
    return children


def _weights(ending: dict[Node, list[int]], children: dict[Node, list[Node]]) -> dict[Node, int]:
    """Return how many requests end on or below each node."""
    weights: dict[Node, int] = {}
    waiting = [node for node in children if node.parent is None]
    downwards = []
    while waiting:
        node = waiting.pop()
        downwards.append(node)
        waiting.extend(children[node])
    for node in reversed(downwards):
        weights[node] = len(ending.get(node, ())) + sum(weights[child] for child in children[node])
    return weights


def _in_tree_order(node: Node, branches: list[Node]) -> list[Node]:
    """Return some children of a node in the order in which the node holds them: how equal weights are told apart."""
    if len(branches) < 2:
        return branches
    wanted = set(branches)
    return [child for child in node.children.values() if child in wanted]
