"""What was in the tree at some time, known again by content keys, whether or not it still is.

    then  [---- a ----|--)           a node that ended a little behind the mark `|`, and left
    now   [---- a ----|-----|--)     a new node that goes the same way: its key at `|` is known

Keys name whole prefixes, so whatever lies before a known key is known. What is known is told to the block: the tokens
between the last known key of a new node and its next one count as new.
"""

from __future__ import annotations

from cache_core.events import MARK_TOKENS, NodeAdded, NodeMarked, NodeRemoved, NodeSplit
from probes.newest import forget_oldest

MOST_KEYS = 1 << 16
"""So many content keys are remembered, the newest ones: some two million tokens, at about 120 bytes a key."""

_MOST_NODES = 1 << 15
"""Of so many nodes it is remembered when they left, and as many that were cut off others."""

_MOST_FRESH = 256
"""No insert makes so many nodes; a longer list is a tree that is stated."""


Known = tuple[int, int, int, int | None, bool]
"""What a new node says of its tokens: (start, end, until, left_at, is_told). Those before `until` were there before.

`left_at` is about when they left, None where nobody saw it. Where `is_told` is False, its writer does not tell the
keys inside it: then nothing is known of the tokens from `until` on.
"""


class SeenContent:
    """Remembers content keys of nodes, and looks up those of new ones."""

    __slots__ = ("_left_at", "_node_of", "_origins", "forgot", "fresh")

    def __init__(self) -> None:
        self._node_of: dict[int, int] = {}
        self._left_at: dict[int, int] = {}
        self._origins: dict[int, int] = {}
        self.fresh: list[NodeAdded | NodeMarked] = []
        """The records of new nodes, to be appended as they come, until `take` is called."""
        self.forgot = False
        """Whether there is content that was seen and is not remembered."""

    def split(self, record: NodeSplit) -> None:
        """Note that a node was cut: its content has left when both parts have."""
        origins = self._origins
        origins[record.upper] = origins.get(record.node, record.node)
        if len(origins) > _MOST_NODES:
            forget_oldest(origins)

    def removed(self, record: NodeRemoved) -> None:
        """Note when a node left."""
        left = self._left_at
        left[self._origins.pop(record.node, record.node)] = record.at
        if len(left) > _MOST_NODES:
            forget_oldest(left)

    def take(self, last: int) -> list[Known]:
        """Remember the nodes that came since the last call; return what is known of those that an insert made.

        `last` is the node that it ended on. The others lie above it; what else came is a tree that is stated.
        """
        fresh = self.fresh
        if not fresh:
            return []
        found: list[Known] = []
        marks: NodeMarked | None = None
        while fresh:
            record = fresh.pop()
            if isinstance(record, NodeMarked):
                marks = record
                continue
            _, node, parent, start, length, key, *_ = record
            told = marks if marks is not None and marks.node == node else None
            if node == last:
                found.append(self._known(start, start + length, key, told))
                last = parent
            self._remember(node, key, told)
        found.reverse()
        return found

    def tidy(self) -> None:
        """Remember what waits and belongs to no insert."""
        if len(self.fresh) > _MOST_FRESH:
            self.take(-1)

    def lost(self) -> None:
        """Take note that nodes may have come and gone unseen."""
        self.forgot = True
        self.fresh.clear()

    def _known(self, start: int, end: int, key: int, marks: NodeMarked | None) -> Known:
        node_of = self._node_of
        until, before = start, node_of.get(key)
        if before is not None:
            until = end
        elif marks is not None:
            keys = marks.content_keys
            for i in range(len(keys) - 1, -1, -1):
                before = node_of.get(keys[i])
                if before is not None:
                    until = min(end, max(start, marks.first + i * marks.step))
                    break
        left_at = None if before is None else self._left_at.get(before)
        return start, end, until, left_at, marks is not None or end - start < MARK_TOKENS

    def _remember(self, node: int, key: int, marks: NodeMarked | None) -> None:
        node_of = self._node_of
        if marks is not None:
            for inside in marks.content_keys:
                node_of[inside] = node
        node_of[key] = node
        if len(node_of) > MOST_KEYS:
            forget_oldest(node_of)
            self.forgot = True
