"""What was in the tree at some time, known again by content keys, whether or not it still is.

    then  [---- a ----|--)           a node that ended a little behind the mark `|`, and left
    now   [---- a ----|-----|--)     a new node that goes the same way: its key at `|` is known

Keys name whole prefixes, so whatever lies before a known key is known. What is known is told to the block: the tokens
between the last known key of a new node and its next one count as new. Behind most keys something went on: behind
those inside nodes always, behind those at ends if a node was hung there. Keys of the tokens alone tell what another
namespace had.
"""

from __future__ import annotations

from typing import NamedTuple

from cache_core.events import MARK_TOKENS, NodeAdded, NodeForked, NodeMarked, NodeRemoved, NodeSplit, NodeTokenKeys
from probes.lives.leaving import Call, Causes, Leaving, leaving
from probes.lives.token_keys import TokenKeys
from probes.mirror import Mirror
from probes.newest import forget_oldest

MOST_KEYS = 1 << 16
"""So many content keys are remembered, the newest ones: some two million tokens, at about 120 bytes a key."""

_MOST_NODES = 1 << 15
"""Of so many nodes it is remembered when they left, and as many that were cut off others."""

_MOST_FRESH = 256
"""No insert makes so many nodes; a longer list is a tree that is stated."""

Fresh = NodeAdded | NodeMarked | NodeForked | NodeTokenKeys


class Known(NamedTuple):
    """What a new node of an insert says of its tokens [start, end).

    Those before `until` were there before, and left as `left` says, as far as somebody saw it. If there are any, and
    `goes_on`, others went another way from there. `agreed` tokens from the start on are in a neighbour's page. Those
    before `other_until` were stored in the namespace `other`. Where `is_told` is False, its writer does not tell the
    keys inside it: then nothing is known of the tokens from `until` on.
    """

    start: int
    end: int
    until: int
    left: Leaving | None
    is_told: bool
    goes_on: bool
    agreed: int = 0
    other_until: int = 0
    other: int | None = None


class _Details:
    """What is told of a node after it."""

    __slots__ = ("agreed", "marks", "tokens")

    def __init__(self) -> None:
        self.marks: NodeMarked | None = None
        self.agreed = 0
        self.tokens: NodeTokenKeys | None = None


class SeenContent:
    """Remembers content keys of nodes, and looks up those of new ones."""

    __slots__ = ("_causes", "_ends", "_left", "_mirror", "_origins", "_tokens", "forgot", "fresh", "goes_on")

    def __init__(self, mirror: Mirror, causes: Causes) -> None:
        self._mirror = mirror
        self._causes = causes
        self._ends: dict[int, int] = {}  # by key the node, times two, and whether anything went on from there
        self._left: dict[int, Call] = {}
        self._origins: dict[int, int] = {}
        self._tokens = TokenKeys()
        self.fresh: list[Fresh] = []
        """The records of new nodes, to be appended as they come, until `take` is called."""
        self.goes_on = False
        """Whether anything else goes on, or went on, where the last insert hung its nodes."""
        self.forgot = False
        """Whether there is content that was seen and is not remembered."""

    def split(self, record: NodeSplit) -> None:
        """Note that a node was cut: its content has left when both parts have."""
        origins = self._origins
        origin = origins[record.upper] = origins.get(record.node, record.node)
        if len(origins) > _MOST_NODES:
            forget_oldest(origins)
        self._ends[record.content_key] = origin << 1 | 1

    def removed(self, record: NodeRemoved) -> None:
        """Note when a node left, and for whom."""
        left = self._left
        left[self._origins.pop(record.node, record.node)] = self._causes.call(record.at)
        if len(left) > _MOST_NODES:
            forget_oldest(left)

    def take(self, last: int, is_asked: bool = True) -> list[Known]:
        """Remember the nodes that came since the last call; return what is known of those that an insert made.

        `last` is the node that it ended on. The others lie above it; what else came is a tree that is stated. Sets
        `goes_on` for the place where the first of them was hung. Unless `is_asked`, nothing is looked up.
        """
        fresh = self.fresh
        if not fresh:
            return []
        found: list[Known] = []
        below = 0  # whether the insert goes on below the node
        top: NodeAdded | None = None
        details: _Details | None = None
        while fresh:
            record = fresh.pop()
            if not isinstance(record, NodeAdded):
                details = _add(details, record)
                continue
            if record.node == last:
                if is_asked:
                    found.append(self._known(record, details))
                top, last = record, record.parent
                self._remember(record, details, below)
                below = 1
            else:
                self._remember(record, details, 0)
            details = None
        if top is not None:
            found.reverse()
            self.goes_on = self._goes_on(top)
        return found

    def tidy(self) -> None:
        """Remember what waits and belongs to no insert."""
        if len(self.fresh) > _MOST_FRESH:
            self.take(-1)

    def lost(self) -> None:
        """Take note that nodes may have come and gone unseen."""
        self.forgot = True
        self.fresh.clear()

    def _known(self, record: NodeAdded, details: _Details | None) -> Known:
        _, _, _, start, length, key, space, *_ = record
        ends = self._ends
        end = start + length
        marks = None if details is None else details.marks
        until, before = start, ends.get(key)
        if before is not None:
            until = end
        elif marks is not None and not ends.keys().isdisjoint(keys := marks.content_keys):
            for i in range(len(keys) - 1, -1, -1):
                before = ends.get(keys[i])
                if before is not None:
                    until = min(end, max(start, marks.first + i * marks.step))
                    break
        left = None if before is None else leaving(self._left.get(before >> 1))
        goes_on = before is not None and before & 1 == 1
        is_told = marks is not None or start - start % MARK_TOKENS + MARK_TOKENS >= end  # there is none to tell
        if details is None and not self._tokens:
            return Known(start, end, until, left, is_told, goes_on)
        agreed = 0 if details is None else details.agreed
        other_until, other = start, None
        if self._tokens or (space and details is not None and details.tokens is not None):
            tokens = None if details is None else details.tokens
            other_until, other = self._tokens.elsewhere(record, marks, tokens, ends)
        return Known(start, end, until, left, is_told, goes_on, agreed, min(end, other_until), other)

    def _goes_on(self, top: NodeAdded) -> bool:
        """Say whether anything else goes on, or went on, from where an insert hung its first node; note that it does.

        So much is known of the end of a node below another by the key of the latter, and by the neighbours.
        """
        columns = self._mirror.columns
        slot = columns.pages.slot_of(top.parent)
        if slot < 0:
            return False
        if slot and (before := self._ends.get(key := columns.content_key[slot])) is not None:
            if before & 1:
                return True
            self._ends[key] = before | 1
        return columns.child_count[slot] > 1

    def _remember(self, record: NodeAdded, details: _Details | None, goes_on: int) -> None:
        ends, node, key = self._ends, record.node, record.content_key
        if details is not None:
            if details.marks is not None:
                ends.update(dict.fromkeys(details.marks.content_keys, node << 1 | 1))
            if details.tokens is not None:
                self._tokens.remember(record.namespace, details.tokens)
        ends[key] = node << 1 | (goes_on or ends.get(key, 0) & 1)
        if len(ends) > MOST_KEYS:
            forget_oldest(ends)
            self.forgot = True


def _add(details: _Details | None, record: NodeMarked | NodeForked | NodeTokenKeys) -> _Details:
    """Return what is told of a node with one record more."""
    details = details or _Details()
    if isinstance(record, NodeMarked):
        details.marks = record
    elif isinstance(record, NodeForked):
        details.agreed = max(0, record.agreed_tokens)
    else:
        details.tokens = record
    return details
