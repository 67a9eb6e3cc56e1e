"""Nodes that no insert of a recording explains: they were there before, or a snapshot stated them again."""

from __future__ import annotations

from cache_core.events import Insert, NodeAdded, Record
from probes.mirror import Mirror
from probes.mirroring.node import MirrorNode
from profiles.replay.made_up import MadeUp
from profiles.replay.operations import Operation, State


class Stated:
    """Collects new nodes until a record says whether an insert made them. An insert has the time of its nodes."""

    def __init__(self, mirror: Mirror, made_up: MadeUp, most_tokens: int) -> None:
        self._mirror = mirror
        self._made_up = made_up
        self._most_tokens = most_tokens
        self._waiting: list[NodeAdded] = []

    def added(self, record: NodeAdded) -> None:
        """Take in a node, and let the mirror do so."""
        if record.node not in self._mirror.nodes:
            self._waiting.append(record)
        self._mirror.apply(record)

    def unexplained(self, record: Record | None) -> list[Operation]:
        """Return the nodes that were there before, those used least recently first, and forget all that wait.

        `record` is the operation that comes after them, or None at the end.
        """
        waiting, self._waiting = self._waiting, []
        if isinstance(record, Insert):
            waiting = [each for each in waiting if each.at != record.at]
        nodes = [self._mirror.nodes.get(each.node) for each in sorted(waiting, key=lambda each: each.touched_at)]
        return [self._state(node) for node in nodes if node is not None and 0 < node.end <= self._most_tokens]

    def _state(self, node: MirrorNode) -> State:
        tokens = self._made_up.whole(node.content_key, node.end).tobytes()
        return State(node.touched_at, tokens, self._window_start(node), node.priority)

    def _window_start(self, node: MirrorNode) -> int:
        """Return where the unbroken window before the end of a node begins; its end when there is none."""
        bit = 1 << self._mirror.components.index("swa") if "swa" in self._mirror.components else 0
        start = node.end
        above: MirrorNode | None = node
        while above is not None and above.parent is not None and above.live & bit:
            start = above.start
            above = above.parent
        return start
